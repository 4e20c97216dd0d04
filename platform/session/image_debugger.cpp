#include "platform/session/image_debugger.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "platform/config/error.h"
#include "platform/host/interruption.h"

namespace twinplane::platform {
namespace {

namespace target = fw::target;

constexpr std::uint32_t kInstructionsPerPoll = 1024; // a look at the socket is a system call
constexpr std::size_t kMostWatchpoints = 64;

bool overlaps(const DebugPoint& point, std::uint32_t address, std::uint32_t bytes) {
  return address < std::uint64_t{point.address} + point.bytes &&
         point.address < std::uint64_t{address} + bytes;
}

bool is_same(const DebugPoint& a, const DebugPoint& b) {
  return a.kind == b.kind && a.address == b.address && a.bytes == b.bytes;
}

GdbServer listen(DebugTarget& target, std::uint16_t port) {
  try {
    return GdbServer(target, port, [] { return Interruption::signal() != 0; });
  } catch (const std::runtime_error& error) {
    throw InputError("--gdb " + std::to_string(port) + ": " + error.what());
  }
}

} // namespace

ImageDebugger::ImageDebugger(Ssd& ssd, std::uint16_t port)
    : machine_(*ssd.firmware().image()),
      monitor_(ssd),
      server_(listen(*this, port)),
      breakpoints_(target::kCodeBytes / 2) {
  machine_.attach(*this);
}

void ImageDebugger::on_instruction(std::uint32_t address) {
  if (machine_.called_from_outside()) return;
  at_ = address;
  watched_ = false;
  if (waits_for_first_) {
    if (address < target::kVectorBytes) return; // gdb takes what was not linked for code at 0
    waits_for_first_ = false;
    std::fprintf(stderr,
                 "twinplane: waiting for gdb on port %u (gdb-multiarch IMAGE, target remote 127.0.0.1:%u)\n",
                 unsigned{server_.port()}, unsigned{server_.port()});
    if (server_.wait_for_client()) stand_still(DebugStop());
    return;
  }
  if (steps_to(address) || (address / 2 < breakpoints_.size() && breakpoints_[address / 2])) {
    stand_still(DebugStop());
  } else if (to_poll_-- == 0) {
    to_poll_ = kInstructionsPerPoll;
    if (server_.wants_stop()) stand_still({DebugStop::kInterrupt, false, DebugPoint()});
  }
}

/// The access has not been carried out: gdb steps over the instruction and looks what has become of it.
void ImageDebugger::on_access(std::uint32_t address, std::uint32_t bytes, bool write) {
  if (watchpoints_.empty() || watched_ || machine_.called_from_outside()) return;
  for (const DebugPoint& point : watchpoints_) {
    const bool wanted = point.kind == PointKind::access || (point.kind == PointKind::write) == write;
    if (!wanted || !overlaps(point, address, bytes)) continue;
    watched_ = true;
    return stand_still({DebugStop::kTrap, true, point});
  }
}

void ImageDebugger::on_end(End how) {
  constexpr unsigned kSignals[] = {DebugStop::kIllegal, DebugStop::kSegment, DebugStop::kTimeLimit,
                                   DebugStop::kAbort};
  if (server_.connected()) stand_still({kSignals[static_cast<std::size_t>(how)], false, DebugPoint()});
}

void ImageDebugger::stand_still(const DebugStop& stop) {
  stepping_ = false;
  const DebugResume resume = server_.serve(stop);
  to_poll_ = kInstructionsPerPoll;
  if (resume.how == DebugResume::How::step) {
    stepping_ = true;
    step_begin_ = resume.begin;
    step_end_ = resume.end;
  }
  if (resume.how != DebugResume::How::killed) return;
  std::fputs("twinplane: the debugger ends the run\n", stderr);
  std::raise(SIGTERM); // the way every run ends that is not to go on: what is in flight, then the report
}

std::uint32_t ImageDebugger::reg(unsigned number) const {
  return number == hw::arm::pc ? at_ : machine_.core().reg(number);
}

void ImageDebugger::set_reg(unsigned number, std::uint32_t value) {
  if (number != hw::arm::pc) return machine_.core().set_reg(number, value);
  if (value == at_) return;
  at_ = value & ~1u;
  const bool thumb = (machine_.core().reg(hw::arm::cpsr) & hw::arm::thumb) != 0;
  machine_.core().set_reg(hw::arm::pc, at_ | (thumb ? 1u : 0u));
}

bool ImageDebugger::read(std::uint32_t address, void* to, std::size_t bytes) {
  if (address >= target::kRegisters && address - target::kRegisters < target::kRegisterBytes)
    return read_registers(address - target::kRegisters, static_cast<std::uint8_t*>(to), bytes);
  return machine_.read_memory(address, to, bytes);
}

/// Whole words, of which the bytes are parts.
bool ImageDebugger::read_registers(std::uint32_t address, std::uint8_t* to, std::size_t bytes) {
  while (bytes != 0) {
    std::uint32_t word = 0;
    if (!machine_.core_block().look_at(address & ~3u, word)) return false;
    const std::size_t part = std::min<std::size_t>(bytes, 4 - address % 4);
    std::memcpy(to, reinterpret_cast<const std::uint8_t*>(&word) + address % 4, part);
    address += static_cast<std::uint32_t>(part);
    to += part;
    bytes -= part;
  }
  return true;
}

bool ImageDebugger::write(std::uint32_t address, const void* from, std::size_t bytes) {
  if (address < target::kRegisters || address - target::kRegisters >= target::kRegisterBytes)
    return machine_.write_memory(address, from, bytes);
  if (bytes != 4 || address % 4 != 0) return false;
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  machine_.core_block().mmio_write(address - target::kRegisters, word); // as the core would
  return true;
}

bool ImageDebugger::insert(const DebugPoint& point) {
  if (point.kind == PointKind::code) {
    if (point.address / 2 >= breakpoints_.size()) return false;
    breakpoints_[point.address / 2] = true;
    return true;
  }
  if (point.bytes == 0 || watchpoints_.size() == kMostWatchpoints) return false;
  watchpoints_.push_back(point);
  return true;
}

void ImageDebugger::remove(const DebugPoint& point) {
  if (point.kind == PointKind::code) {
    if (point.address / 2 < breakpoints_.size()) breakpoints_[point.address / 2] = false;
    return;
  }
  const auto found = std::find_if(watchpoints_.begin(), watchpoints_.end(),
                                  [&](const DebugPoint& other) { return is_same(point, other); });
  if (found != watchpoints_.end()) watchpoints_.erase(found);
}

void ImageDebugger::remove_all() {
  std::fill(breakpoints_.begin(), breakpoints_.end(), false);
  watchpoints_.clear();
}

} // namespace twinplane::platform
