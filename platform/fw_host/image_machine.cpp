#include "platform/fw_host/image_machine.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "hw/core/kernel_time.h"
#include "hw/spec/registers.h"
#include "platform/config/error.h"
#include "platform/fw_host/firmware_process.h"
#include "platform/host/interruption.h"

namespace twinplane::platform {
namespace {

namespace target = fw::target;
using Core = hw::InstructionCore;

[[noreturn]] void refuse(const CpuKeys& keys, const std::string& why) {
  throw InputError("cpu.firmware: " + keys.firmware + " " + why);
}

std::unique_ptr<Core> make_core() {
  try {
    return hw::make_cortex_r5();
  } catch (const std::runtime_error& error) {
    throw InputError(std::string("cpu.firmware: ") + error.what());
  }
}

hw::ElfImage load_image(const CpuKeys& keys) {
  try {
    return hw::ElfImage(keys.firmware);
  } catch (const std::runtime_error& error) {
    refuse(keys, error.what());
  }
}

hw::CycleCounter::Cpi cpi_of(const CpiKeys& keys) {
  const auto milli = [](double cpi) {
    return static_cast<std::uint32_t>(std::lround(cpi * hw::CycleCounter::kOneCycle));
  };
  return {milli(keys.base), milli(keys.load_store), milli(keys.branch), milli(keys.multiply)};
}

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

bool lies_in(std::uint32_t address, std::uint64_t bytes, std::uint32_t base, std::uint64_t size) {
  return address >= base && address - base <= size && bytes <= size - (address - base);
}

constexpr std::uint32_t kNowhere = 0xFFFFFFF0; // never executed
constexpr std::uint32_t kPage = 4096;
// In thousandths of a cycle: how often a signal is looked for, and in what the core must come to an end then.
constexpr std::uint64_t kLook = 10'000'000 * std::uint64_t{hw::CycleCounter::kOneCycle};
constexpr std::uint64_t kAfterSignal = 50 * kLook;

} // namespace

ImageMachine::ImageMachine(const CpuKeys& keys, hw::CoreBlock& core, Core::Device& debug)
    : keys_(keys),
      core_block_(core),
      core_(make_core()),
      image_(load_image(keys)),
      code_(target::kCodeBytes),
      data_(target::kDataBytes),
      window_(target::kWindowBytes),
      boot_(target::kBootBytes),
      counter_(*core_, cpi_of(keys.cpi), {target::kCode, target::kCode + target::kCodeBytes}),
      alignment_(*core_, [this](std::uint32_t address, std::uint32_t bytes, bool write) {
        fail_unaligned(address, bytes, write);
      }) {
  load_segments();
  check_header();
  counter_.set_free({header_.window_begin, header_.window_end});
  core_->map_memory(target::kCode, target::kCodeBytes, Core::Access::code);
  if (!core_->write(target::kCode, code_.data(), code_.size())) refuse(keys_, "cannot be loaded");
  core_->map_shared(target::kData, data_.size(), data_.data());
  core_->map_shared(target::kWindow, window_.size(), window_.data());
  core_->map_memory(target::kBoot, target::kBootBytes, Core::Access::constant);
  core_->map_device(target::kRegisters, target::kRegisterBytes, *this);
  core_->map_device(target::kDebug, target::kDebugBytes, debug);
  core_->listen(static_cast<hw::InstructionCore::BlockListener&>(counter_));
  counter_.watch_limit(*this);
  pc_ = image_.entry();
}

void ImageMachine::profile() {
  meter_.profile(image_, {target::kCode, target::kCode + target::kCodeBytes},
                 at<std::uint8_t>(header_.work_mark));
}

void ImageMachine::fail_unaligned(std::uint32_t address, std::uint32_t bytes, bool write) const {
  tell_end(MachineDebugger::End::bad_access);
  const std::uint32_t pc = core_->reg(hw::arm::pc);
  fail((write ? "write of " : "read of ") + std::to_string(bytes) + " bytes that is not aligned, address " +
       hex(address) + ", pc " + hex(pc) + " in " + image_.place_of(pc));
}

void ImageMachine::load_segments() {
  for (const hw::ElfImage::Segment& s : image_.segments()) {
    const std::uint64_t end = std::uint64_t{s.address} + s.bytes.size();
    if (end > target::kCode + target::kCodeBytes) {
      refuse(keys_, "loads " + std::to_string(s.bytes.size()) + " bytes to " + hex(s.address) +
                        ", expected below " + hex(target::kCode + target::kCodeBytes));
    }
    std::copy(s.bytes.begin(), s.bytes.end(), code_.begin() + static_cast<std::ptrdiff_t>(s.address));
  }
}

void ImageMachine::check_header() {
  std::memcpy(&header_, code_.data() + target::kHeader, sizeof header_);
  if (header_.magic != target::kImageMagic) {
    refuse(keys_,
           "is no image of this firmware: no header at " + hex(target::kHeader) + " (see docs/firmware.md)");
  }
  if (header_.hal_version > target::kHalVersion) {
    refuse(keys_, "wants version " + std::to_string(header_.hal_version) +
                      " of the hardware abstraction layer, newer than this program's " +
                      std::to_string(target::kHalVersion));
  }
  if (header_.probes_begin > header_.probes_end || header_.probes_end > target::kCode + target::kCodeBytes)
    refuse(keys_, "has a table of probe points that does not lie in its code");
  if (header_.hal_version != target::kHalVersion || header_.layout != target::layout()) {
    refuse(keys_, "was built from other sources than this program: build it again (scripts/firmware)");
  }
}

void ImageMachine::power_on(TlmHal& hal, const fw::FirmwareConfig& config) {
  dram_ = hal.dram();
  dram_bytes_ = hal.memory_bytes() / kPage * kPage;
  if (dram_bytes_ > target::kDramEnd - target::kDram) {
    throw FirmwarePanic("the drive has " + std::to_string(dram_bytes_ >> 20) +
                        " MiB of DRAM, and the core reaches " +
                        std::to_string((target::kDramEnd - target::kDram) >> 20) + " (dram.size)");
  }
  core_->map_shared(target::kDram, dram_bytes_, dram_);
  if (keys_.cpi.dram > 0 || keys_.cache_size != 0) {
    core_->listen(static_cast<Core::AccessListener&>(*this), target::kDram,
                  target::kDram + static_cast<std::uint32_t>(dram_bytes_));
  }
  target::BootBlock block;
  block.dram_for_hardware = hal.dram_size();
  block.dram_bytes = dram_bytes_;
  block.traced = hal.traced() ? 1 : 0;
  block.config = config;
  std::memcpy(boot_.data(), &block, sizeof block);
  if (!core_->write(target::kBoot, boot_.data(), boot_.size())) fail("there is no boot block");
}

void ImageMachine::attach(MachineDebugger& debugger) {
  debugger_ = &debugger;
  core_->listen(static_cast<Core::InstructionListener&>(debugger));
  core_->listen(static_cast<Core::AccessListener&>(debugger), 0, 0);
}

void ImageMachine::limit_from_now(std::uint64_t turns) {
  const std::uint64_t cycles = keys_.watchdog / (1'000'000'000'000u / keys_.clock);
  const std::uint64_t now = counter_.milli_cycles();
  limit_ = now + turns * cycles * hw::CycleCounter::kOneCycle;
  counter_.set_limit(std::min(limit_, now + kLook));
}

/// A signal is heard in every turn and call, however far away the watchdog's end is.
bool ImageMachine::goes_on() {
  const std::uint64_t now = counter_.milli_cycles();
  if (now > limit_) return false;
  if (Interruption::signal() != 0 && !hurries_) {
    hurries_ = true;
    limit_ = std::min(limit_, now + kAfterSignal);
  }
  counter_.set_limit(std::min(limit_, now + kLook));
  return true;
}

void ImageMachine::run() {
  limit_from_now(1);
  alignment_.before_turn();
  in_turn_ = true;
  const Core::Reason reason = core_->run(pc_, kNowhere);
  in_turn_ = false;
  finish(reason);
  const bool thumb = (core_->reg(hw::arm::cpsr) & hw::arm::thumb) != 0;
  pc_ = core_->reg(hw::arm::pc) | (thumb ? 1u : 0u);
  spend();
}

void ImageMachine::find_probes(fw::Watch who) {
  target::ProbePoint point{};
  for (std::uint64_t at = header_.probes_begin; at + sizeof point <= header_.probes_end; at += sizeof point) {
    std::memcpy(&point, code_.data() + at, sizeof point);
    if (point.who != static_cast<std::uint32_t>(who)) continue;
    probes_[point.address] = point;
    core_->listen(static_cast<Core::InstructionListener&>(*this), point.address);
  }
}

void ImageMachine::on_instruction(std::uint32_t address) {
  if (calling_) return; // it works for a caller outside
  const target::ProbePoint& point = probes_.at(address);
  if ((looking_ >> point.who & 1) == 0) return;
  std::array<std::uint32_t, target::ProbePoint::kArguments> arguments{};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const unsigned number = point.registers[i];
    if (number < hw::arm::pc) arguments[i] = core_->reg(number);
  }
  spend();
  call(point.tell, arguments, 1);
}

std::uint64_t ImageMachine::call(target::Call function, std::uint32_t first, std::uint32_t second) {
  const bool of_a_page = function == target::Call::store || function == target::Call::write ||
                         function == target::Call::write_packed;
  constexpr std::uint64_t kMostTurns = 100; // others go through all tables
  const std::uint32_t address = header_.calls[static_cast<std::size_t>(function)];
  if (address == 0) fail("its header has no address for call " + std::to_string(static_cast<int>(function)));
  return call(address, {first, second, 0, 0}, of_a_page ? 1 : kMostTurns);
}

std::uint64_t ImageMachine::call(std::uint32_t function,
                                 const std::array<std::uint32_t, target::ProbePoint::kArguments>& arguments,
                                 std::uint64_t turns) {
  std::array<std::uint32_t, hw::arm::registers> saved{};
  for (unsigned r = 0; r < saved.size(); ++r) saved[r] = core_->reg(r);
  const hw::CycleCounter::Mark mark = counter_.mark();
  for (unsigned r = 0; r < arguments.size(); ++r) core_->set_reg(r, arguments[r]);
  core_->set_reg(hw::arm::lr, target::kCallReturns);
  const std::uint64_t limit_before = limit_;
  limit_from_now(turns);
  if (!in_turn_ && !calling_) alignment_.before_call();
  const bool within_a_call = std::exchange(calling_, true);
  meter_.pause();
  const Core::Reason reason = core_->run(function, target::kCallReturns);
  calling_ = within_a_call;
  finish(reason);
  if (reason != Core::Reason::reached) fail("a call from outside has not come back");
  const std::uint64_t result = core_->reg(0) | std::uint64_t{core_->reg(1)} << 32;
  // From inside an access the core goes on behind it by itself; who sets its program counter ends the run.
  for (unsigned r = 0; r < saved.size(); ++r) {
    if (!in_turn_ || r != hw::arm::pc) core_->set_reg(r, saved[r]);
  }
  counter_.return_to(mark);
  limit_ = limit_before;
  if (!calling_) meter_.go_on();
  return result;
}

void ImageMachine::finish(Core::Reason reason) {
  using End = MachineDebugger::End;
  if (reason == Core::Reason::stopped) {
    tell_end(End::stopped);
    fail(hurries_ ? "it has done nothing but compute since a signal asked the run to end, an endless loop"
                  : "it has done nothing but compute for " + hw::to_sc_time(keys_.watchdog).to_string() +
                        " and more (cpu.watchdog), an endless loop");
  }
  if (reason != Core::Reason::fault) return;
  const hw::CoreFault& fault = core_->fault();
  tell_end(fault.has_address ? End::bad_access : End::illegal);
  const bool below_stack = fault.has_address && fault.address < target::kData &&
                           fault.address >= target::kData - (target::kDataBytes >> 2);
  std::string text = below_stack ? "stack overflow: " : "";
  text += fault.what;
  if (fault.has_address) text += ", address " + hex(fault.address);
  fail(text + ", pc " + hex(fault.pc) + " in " + image_.place_of(fault.pc));
}

void ImageMachine::tell_end(MachineDebugger::End how) const {
  if (debugger_ != nullptr && !calling_) debugger_->on_end(how);
}

void ImageMachine::panic(const std::string& what) {
  spend();
  tell_end(MachineDebugger::End::panic);
  throw FirmwarePanic("firmware panic" + where() + "\n" + what);
}

std::string ImageMachine::where() const {
  std::string text = " at " + hw::to_sc_time(core_block_.local_time()).to_string();
  constexpr std::size_t kMost = 24;
  const std::vector<std::uint32_t> calls = counter_.backtrace();
  for (std::size_t i = 0; i < calls.size() && i < kMost; ++i) {
    // a call lies before where it returns to
    const std::uint32_t at = i == 0 ? calls[i] : calls[i] - 2;
    text += "\n  #" + std::to_string(i) + " " + hex(calls[i]) + " " + image_.place_of(at);
  }
  return text;
}

void ImageMachine::fail(const std::string& what) const {
  throw FirmwarePanic("the firmware image cannot go on: " + what + where());
}

std::uint8_t* ImageMachine::memory(std::uint32_t address, std::uint64_t bytes) {
  if (lies_in(address, bytes, target::kDram, dram_bytes_)) return dram_ + (address - target::kDram);
  if (lies_in(address, bytes, target::kData, data_.size())) return data_.data() + (address - target::kData);
  if (lies_in(address, bytes, target::kWindow, window_.size()))
    return window_.data() + (address - target::kWindow);
  fail("it names memory at " + hex(address) + " where none is");
}

bool ImageMachine::read_memory(std::uint32_t address, void* to, std::size_t bytes) const {
  const bool there = lies_in(address, bytes, target::kCode, target::kCodeBytes) ||
                     lies_in(address, bytes, target::kData, target::kDataBytes) ||
                     lies_in(address, bytes, target::kWindow, target::kWindowBytes) ||
                     lies_in(address, bytes, target::kBoot, target::kBootBytes) ||
                     lies_in(address, bytes, target::kDram, dram_bytes_);
  return there && core_->read(address, to, bytes);
}

bool ImageMachine::write_memory(std::uint32_t address, const void* from, std::size_t bytes) {
  const bool there = lies_in(address, bytes, target::kData, target::kDataBytes) ||
                     lies_in(address, bytes, target::kWindow, target::kWindowBytes) ||
                     lies_in(address, bytes, target::kDram, dram_bytes_);
  return there && core_->write(address, from, bytes);
}

std::string ImageMachine::text(std::uint32_t address) const {
  std::string text;
  char c = 0;
  constexpr std::size_t kMost = 1000;
  while (text.size() < kMost && core_->read(address++, &c, 1) && c != '\0') text += c;
  return text;
}

void ImageMachine::spend() {
  if (calling_) return;
  const std::uint64_t cycles = (counter_.milli_cycles() - spent_) / hw::CycleCounter::kOneCycle;
  spent_ += cycles * hw::CycleCounter::kOneCycle;
  core_block_.charge(static_cast<std::uint32_t>(cycles));
}

std::uint32_t ImageMachine::read(std::uint32_t offset) {
  spend();
  if (offset == reg::kIntcBase + reg::intc::cause_lo && !calling_) {
    const TimePs since = core_block_.interrupt_since();
    const TimePs now = core_block_.local_time();
    if (since <= now) meter_.served(now - since);
  }
  return core_block_.mmio_read(offset);
}

void ImageMachine::write(std::uint32_t offset, std::uint32_t value) {
  spend();
  core_block_.mmio_write(offset, value);
}

void ImageMachine::on_access(std::uint32_t address, std::uint32_t bytes, bool write) {
  if (calling_) return;
  if (keys_.cpi.dram > 0)
    counter_.add_milli_cycles(
        static_cast<std::uint64_t>(std::lround(keys_.cpi.dram * hw::CycleCounter::kOneCycle)));
  if (keys_.cache_size == 0) return;
  spend();
  core_block_.touch(address - target::kDram, bytes, write);
}

} // namespace twinplane::platform
