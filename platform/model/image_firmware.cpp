#include "platform/model/image_firmware.h"

#include <cstring>

#include "firmware/ftl/transaction.h"
#include "firmware/nvme/command.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

namespace target = fw::target;
using target::Call;

ImageFirmware::ImageFirmware(const std::string& drive, hw::CoreBlock& core, TlmHal& hal, const Config& config)
    : FirmwareProcess(drive, hal, to_firmware_config(config)),
      target_hal_(hal),
      page_payload_(std::size_t{config.geometry.sectors_per_page()} *
                    payload_bytes(config.data, config.geometry.sector_size)),
      machine_(config.cpu, core, *this) {
  if (config.report.profile) machine_.profile();
  if (config.run.strict) machine_.refuse_unaligned();
}

void ImageFirmware::boot() {
  try {
    const std::uint32_t observed = (commands_ != nullptr ? target::observe::commands : 0) |
                                   (issues_ != nullptr ? target::observe::issues : 0) |
                                   (target_hal_.traced() ? target::observe::events : 0);
    machine_.power_on(target_hal_, config(), observed);
    machine_.run();
    while (!has_booted_ && error_text_.empty()) {
      machine_.core_block().wait_for_interrupt();
      machine_.run();
    }
    if (has_booted_) {
      statistics_ = &machine_.at<fw::FtlStatistics>(static_cast<std::uint32_t>(ask(Call::statistics)));
      recovery_ = &machine_.at<fw::RecoveryCounters>(static_cast<std::uint32_t>(ask(Call::recovery)));
      bring_up_ = &machine_.at<fw::BringUpTimes>(static_cast<std::uint32_t>(ask(Call::bring_up)));
      health_ = &machine_.at<fw::HealthCounters>(static_cast<std::uint32_t>(ask(Call::health)));
      exported_sectors_ = ask(Call::exported_sectors);
    }
  } catch (const FirmwarePanic& panic) {
    failed_to_boot(panic);
  }
  if (has_booted_) return booted_with({nullptr, nullptr});
  booted_with({error_step_.c_str(), error_text_.c_str()});
}

bool ImageFirmware::step() {
  ++turns_;
  try {
    machine_.run();
  } catch (const FirmwarePanic& panic) {
    panicked(panic);
  }
  return false; // it has raised an interrupt of its own when it has work left
}

std::uint32_t ImageFirmware::read(std::uint32_t) {
  return 0;
}

void ImageFirmware::write(std::uint32_t offset, std::uint32_t address) {
  switch (offset) {
    case target::debug::panic:
      machine_.panic(machine_.text(address));
    case target::debug::boot_error: {
      const auto& message = machine_.at<target::BootErrorMessage>(address);
      error_step_ = machine_.text(message.step);
      error_text_ = machine_.text(message.text);
      break;
    }
    case target::debug::booted:
      has_booted_ = true;
      break;
    case target::debug::flash:
      flash(address);
      break;
    case target::debug::state:
      state(address);
      break;
    case target::debug::command:
    case target::debug::issue:
      observed(offset, address);
      break;
    case target::debug::event:
      event(address);
      break;
    default:
      page(offset, address);
  }
}

void ImageFirmware::flash(std::uint32_t address) {
  auto& message = machine_.at<target::FlashMessage>(address);
  if (message.channel >= config().ftl.geometry.channels)
    machine_.fail("it names a channel that does not exist");
  std::uint8_t* const payload =
      message.payload == 0 ? nullptr : machine_.memory(message.payload, page_payload_);
  message.completion = hal().flash_functional(message.channel, message.descriptor, payload);
}

void ImageFirmware::page(std::uint32_t offset, std::uint32_t address) {
  auto& message = machine_.at<target::PageMessage>(address);
  switch (offset) {
    case target::debug::keep_page:
      hal().keep_page(message.ppn, message.word, machine_.memory(message.bytes, message.count),
                      message.count);
      break;
    case target::debug::kept_page: {
      std::uint8_t* const to = machine_.memory(message.bytes, message.count);
      message.found = hal().kept_page(message.ppn, message.word, to, message.count) ? 1 : 0;
      break;
    }
    case target::debug::drop_pages:
      hal().drop_pages(message.ppn, message.count);
      break;
    default:
      machine_.fail("it writes to a register that the debug window has not got");
  }
}

void ImageFirmware::state(std::uint32_t address) {
  const auto& message = machine_.at<target::StateMessage>(address);
  if (visitor_ == nullptr) machine_.fail("nobody has asked for its state");
  switch (message.kind) {
    case target::StateKind::section:
      visitor_->section(machine_.text(message.address).c_str());
      break;
    case target::StateKind::bytes:
      visitor_->bytes(machine_.memory(message.address, message.bytes), message.bytes);
      break;
    case target::StateKind::refuse:
      visitor_->refuse(machine_.text(message.address).c_str());
      break;
  }
}

void ImageFirmware::event(std::uint32_t address) {
  const auto& message = machine_.at<target::EventMessage>(address);
  if (message.event >= fw::kTraceEvents) machine_.fail("it tells of an event that there is not");
  machine_.spend();
  target_hal_.trace_event(static_cast<fw::TraceEvent>(message.event), message.a, message.b);
}

/// As much of command and transaction as those who listen look at.
void ImageFirmware::observed(std::uint32_t offset, std::uint32_t address) {
  fw::Command command;
  if (offset == target::debug::command && commands_ != nullptr) {
    const auto& message = machine_.at<target::CommandMessage>(address);
    command.sqe.cid = static_cast<std::uint16_t>(message.cid);
    command.sqid = static_cast<std::uint16_t>(message.sqid);
    command.seen_ps = message.seen_ps;
    command.breakdown = message.breakdown;
    commands_->on_command_done(command, message.now_ps);
  } else if (offset == target::debug::issue && issues_ != nullptr) {
    const auto& message = machine_.at<target::IssueMessage>(address);
    command.sqe.cid = message.cid;
    command.sqid = message.sqid;
    fw::Transaction transaction;
    transaction.request = &command;
    transaction.index = message.index;
    issues_->on_issue(transaction, message.now_ps);
  }
}

std::uint64_t ImageFirmware::ask(Call call, std::uint32_t first, std::uint32_t second) const {
  return machine_.call(call, first, second);
}

const char* ImageFirmware::error_of(std::uint64_t text_address) {
  const auto address = static_cast<std::uint32_t>(text_address);
  if (address == 0) return nullptr;
  error_text_ = machine_.text(address);
  return error_text_.c_str();
}

const char* ImageFirmware::functional(Call call, std::uint32_t lpn, const std::uint8_t* payload) {
  if (payload != nullptr)
    std::memcpy(machine_.memory(target::kWindow, page_payload_), payload, page_payload_);
  return error_of(ask(call, lpn, payload == nullptr ? 0 : target::kWindow));
}
const char* ImageFirmware::functional_write(std::uint32_t lpn, const std::uint8_t* payload) {
  return functional(Call::write, lpn, payload);
}
const char* ImageFirmware::functional_store(std::uint32_t lpn, const std::uint8_t* payload) {
  return functional(Call::store, lpn, payload);
}
const char* ImageFirmware::functional_age(double fraction) {
  machine_.at<double>(target::kWindow) = fraction;
  return error_of(ask(Call::age));
}
const char* ImageFirmware::functional_scatter(std::uint64_t seed) {
  machine_.at<std::uint64_t>(target::kWindow) = seed;
  return error_of(ask(Call::scatter));
}
void ImageFirmware::functional_end() {
  ask(Call::end_functional);
}

/// The gauges are set when they are asked for, as long as there is somebody to ask.
const fw::FtlStatistics& ImageFirmware::statistics() const {
  if (panic().empty()) ask(Call::statistics);
  return *statistics_;
}
fw::DramUse ImageFirmware::dram_use() const {
  ask(Call::dram_use);
  return machine_.at<fw::DramUse>(target::kWindow);
}
std::uint32_t ImageFirmware::cache_level(std::uint32_t plane, std::uint32_t block) const {
  return static_cast<std::uint32_t>(ask(Call::cache_level, plane, block));
}
std::uint32_t ImageFirmware::flash_under_way(std::uint32_t channel) const {
  return static_cast<std::uint32_t>(ask(Call::flash_under_way, channel));
}
std::uint32_t ImageFirmware::flash_completed(std::uint32_t channel) const {
  return static_cast<std::uint32_t>(ask(Call::flash_completed, channel));
}
std::uint32_t ImageFirmware::dma_posted() const {
  return static_cast<std::uint32_t>(ask(Call::dma_posted));
}
bool ImageFirmware::rest() {
  return static_cast<std::uint32_t>(ask(Call::rest)) != 0;
}

void ImageFirmware::serialise(StateVisitor& state) {
  visitor_ = &state;
  ask(Call::serialise, state.loading() ? 1 : 0);
  visitor_ = nullptr;
}

} // namespace twinplane::platform
