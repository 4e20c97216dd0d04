#include "platform/fw_host/image_firmware.h"

#include <cstring>
#include <utility>

#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/transaction.h"
#include "firmware/nvme/command.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

namespace target = fw::target;
using target::Call;

constexpr std::uint32_t kMostSlot = 0xFFFF; // a Request's is 16 bits wide
constexpr std::uint32_t kMostTransactions = 1u << 24;

ImageFirmware::ImageFirmware(const std::string& drive, hw::CoreBlock& core, TlmHal& hal, const Config& config)
    : FirmwareProcess(drive, hal, to_firmware_config(config)),
      target_hal_(hal),
      page_payload_(std::size_t{config.geometry.sectors_per_page()} *
                    payload_bytes(config.data, config.geometry.sector_size)),
      machine_(config.cpu, core, *this) {
  if (config.report.profile) machine_.profile();
  if (config.run.strict) machine_.look_at_all_accesses();
  if (config.report.plane_time) machine_.find_probes(fw::Watch::planes);
}

void ImageFirmware::look(fw::Watch who) {
  machine_.find_probes(who);
  machine_.look(who);
}

void ImageFirmware::boot() {
  try {
    machine_.power_on(target_hal_, config());
    if (commands_ != nullptr) look(fw::Watch::commands);
    if (issues_ != nullptr) look(fw::Watch::issues);
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
    case target::debug::work:
      if (work_ != nullptr) work(machine_.at<target::WorkMessage>(address));
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
  if (visitor_ == nullptr) machine_.fail("its state has not been asked for");
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
  if (message.event >= fw::trace_events()) machine_.fail("it tells of an event that there is not");
  machine_.spend();
  target_hal_.trace_event(static_cast<fw::TraceEvent>(message.event), message.a, message.b);
}

/// As much of command and transaction as the listeners look at.
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

const fw::WaitingWork& ImageFirmware::waiting_at(std::uint32_t address) {
  const auto& w = machine_.at<fw::WaitingWork>(address);
  const bool of_plane = w.plane_class == fw::kNoClass;
  const std::uint32_t most = config().ftl.geometry.planes();
  if ((of_plane ? w.plane : w.plane_class) >= most) machine_.fail("it tells of work that there cannot be");
  return w;
}

/// What it names is checked: a wrong image is its author's trouble, not the account's.
void ImageFirmware::work(const target::WorkMessage& m) {
  using Kind = target::WorkMessage::Kind;
  const Geometry& geometry = config().ftl.geometry;
  const auto expect = [this](bool right) {
    if (!right) machine_.fail("it tells of work that there cannot be");
  };
  switch (m.kind) {
    case Kind::seen:
      expect(m.first <= kMostSlot);
      return work_->on_seen(m.first, m.now_ps);
    case Kind::refused:
      expect(m.first < geometry.planes());
      return work_->on_refused(m.first, static_cast<fw::HeldReason>(m.second));
    case Kind::issue: {
      const auto& issued = machine_.at<fw::IssuedWork>(m.address);
      expect(issued.die < geometry.dies() && issued.channel < geometry.channels &&
             issued.count <= kMaxPagesPerCommand);
      return work_->on_issue(issued);
    }
    case Kind::doorbells:
      return work_->on_doorbells(m.value, m.now_ps);
    case Kind::done:
      expect(m.first < kMostTransactions && m.second < geometry.planes());
      return work_->on_done(m.first, m.second, m.value, m.now_ps);
    case Kind::dependency:
      return work_->on_dependency(waiting_at(m.address));
    case Kind::dependency_over:
      expect(m.first < kMostTransactions);
      return work_->on_dependency_over(m.first, m.now_ps);
    case Kind::space:
      expect(m.first < geometry.dies());
      return work_->on_space(m.first, m.second != 0, m.now_ps);
    case Kind::page_buffers:
      return work_->on_page_buffers(m.second != 0, m.now_ps);
    case Kind::waiting:
      return work_->on_waiting(waiting_at(m.address));
  }
  expect(false);
}

std::uint32_t ImageFirmware::class_of_plane(std::uint32_t plane) const {
  return static_cast<std::uint32_t>(ask(Call::class_of_plane, plane));
}
void ImageFirmware::tell_waiting(fw::WorkProbe& probe) {
  fw::WorkProbe* const before = std::exchange(work_, &probe);
  ask(Call::tell_waiting);
  work_ = before;
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
/// The numbers lie before the payload.
const char* ImageFirmware::functional_write_packed(const std::vector<std::uint32_t>& units,
                                                   const std::uint8_t* payload) {
  const std::size_t bytes = units.size() * sizeof(std::uint32_t);
  std::memcpy(machine_.memory(target::kWindow, bytes), units.data(), bytes);
  const auto behind = static_cast<std::uint32_t>(target::kWindow + (bytes + 63) / 64 * 64);
  if (payload != nullptr) std::memcpy(machine_.memory(behind, page_payload_), payload, page_payload_);
  return error_of(ask(Call::write_packed, payload == nullptr ? 0 : behind));
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

/// The gauges are set when they are asked for, as long as there is a firmware to ask.
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
bool ImageFirmware::quiesce() {
  return static_cast<std::uint32_t>(ask(Call::quiesce)) != 0;
}

void ImageFirmware::serialise(StateVisitor& state) {
  visitor_ = &state;
  ask(Call::serialise, state.loading() ? 1 : 0);
  visitor_ = nullptr;
}

} // namespace twinplane::platform
