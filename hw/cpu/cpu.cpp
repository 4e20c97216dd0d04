#include "hw/cpu/cpu.h"

#include <algorithm>

#include "hw/spec/registers.h"

namespace twinplane::hw {

namespace {
/// A host that acts with the drive runs on the thread's stack, with its workload's reader and its reports.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;
} // namespace

Cpu::Cpu(const sc_core::sc_module_name& name, const CpuConfig& config)
    : CoreBlock(name, config.channels, 1'000'000'000'000u / std::max<std::uint64_t>(1, config.clock_hz)),
      own_event_queue_(config.run_ahead),
      cache_(config.cache),
      dram_latency_(config.dram_latency),
      dram_port_(config.dram_port != nullptr ? *config.dram_port : own_dram_port_) {
  irq.bind(*this);
  require_picoseconds(this->name());
  SC_HAS_PROCESS(Cpu);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
  sensitive << wake_;
}

void Cpu::end_of_elaboration() {
  if (event_queue.size() != 0) event_queue_ = event_queue.operator->();
  event_queue_->serve_by(*this);
  ahead_ = &event_queue_->run_ahead();
  host_port_ = RegisterPort(host.operator->());
  for (auto& socket : flash) flash_ports_.emplace_back(socket.operator->());
}

void Cpu::run() {
  turn_at_ = kernel_ = kernel_now();
  software_->boot();
  for (;;) {
    wait_for_turn();
    ++statistics_.turns;
    in_turn_ = true;
    more_ = software_->step();
    in_turn_ = false;
  }
}

/// The first turn behind boot() comes of itself.
void Cpu::wait_for_interrupt() {
  more_ = false;
  wait_for_turn();
  more_ = true;
}

void Cpu::wait_for_turn() {
  EventQueue& events = *event_queue_;
  RunAhead& ahead = *ahead_;
  for (;;) {
    if (ahead.take_change()) look_ahead(); // one asking of the kernel is 100 instructions
    const TimePs turn = next_turn();
    const TimePs due = events.earliest();
    const TimePs at = std::min(turn, due);
    if (at >= horizon_ && at > kernel_) {
      sleep_until(at);
      continue;
    }
    ahead.acts(at);
    if (due > turn) {
      begin_turn(turn);
      return;
    }
    events.serve();
  }
}

void Cpu::begin_turn(TimePs at) {
  turn_at_ = kernel_;
  lead_ = at > kernel_ ? at - kernel_ : 0;
}

inline void Cpu::look_ahead() {
  kernel_ = kernel_now();
  horizon_ = ahead_->horizon(kernel_);
}

/// At the kernel's next activity it is mostly the host that acts, with a new command. The thread wakes in the
/// same time step: else that command's message would override the notification for `at`, which costs a dead
/// entry in the kernel's queue and a time step more, 300 to 400 instructions of a random request. When
/// nothing came of it the thread sleeps until `at`, so that a foreign platform's clock costs one wake-up per
/// turn and not one per tick.
inline void Cpu::sleep_until(TimePs at) {
  const bool with_the_kernel = ahead_->is_pending(horizon_, kernel_) && horizon_ < at && slept_for_ != at;
  slept_for_ = at;
  const TimePs until = with_the_kernel ? horizon_ : at;
  asleep_until_ = until;
  event_queue_->sleep_until(until);
  if (until != kNever) wake_.notify(to_sc_time(until - kernel_));
  sc_core::wait();
  ++statistics_.activations;
  look_ahead();
  asleep_until_ = 0;
  event_queue_->sleep_until(0);
}

// An earlier notification takes the place of the one that is pending.
void Cpu::wake_at(TimePs at) {
  const TimePs now = kernel_now();
  asleep_until_ = std::max(at, now);
  event_queue_->sleep_until(asleep_until_);
  wake_.notify(to_sc_time(asleep_until_ - now));
}

void Cpu::trigger(std::uint32_t source, TimePs at) {
  interrupts_.trigger(source, at);
  if (asleep_until_ == 0) return;
  const TimePs turn = next_turn();
  if (turn < asleep_until_) wake_at(turn);
}

bool Cpu::write32(std::uint64_t address, std::uint32_t value, TimePs& at) {
  if (address != reg::intc::trigger || value >= reg::intc::sources) return false;
  trigger(value, at);
  return true;
}

/// The core stands still until the line is there. What goes is written behind it, and the core does not wait.
void Cpu::wait_for_lines(std::uint64_t begin, std::uint32_t bytes, bool write) {
  const std::uint32_t line = cache_.line();
  const TimePs latency = dram_port_.by_address() ? 0 : dram_latency_; // the former tells its own
  for (std::uint64_t at = begin / line * line; at < begin + bytes; at += line) {
    const CacheModel::Access access = cache_.access(at, write);
    if (access.hit) continue;
    const TimePs asked = local_time();
    const TimePs here = dram_port_.book({at, line, asked + latency, DramMaster::core, false});
    if (access.writes_back) dram_port_.book({access.gone, line, here, DramMaster::core, true});
    lead_ += here - asked;
    statistics_.busy_ps += here - asked;
    statistics_.memory_ps += here - asked;
  }
  statistics_.cache = cache_.statistics();
}

// Apart from mmio_read(), which saves fewer registers without it: 8 instructions a read.
[[gnu::noinline]] std::uint32_t Cpu::private_read(std::uint32_t address) {
  switch (address) {
    case reg::kIntcBase + reg::intc::cause_lo:
      return interrupts_.cause(0, local_time());
    case reg::kIntcBase + reg::intc::cause_hi:
      return interrupts_.cause(1, local_time());
    case reg::kIntcBase + reg::intc::cause_top:
      return interrupts_.cause(2, local_time());
    case reg::kTimerBase + reg::timer::time_lo:
      time_hi_ = static_cast<std::uint32_t>(local_time() >> 32);
      return static_cast<std::uint32_t>(local_time());
    case reg::kTimerBase + reg::timer::time_hi:
      return time_hi_;
    default:
      return 0;
  }
}

/// Causes as they would be read.
bool Cpu::look_at(std::uint32_t address, std::uint32_t& value) {
  if (address < reg::kIntcBase || address >= reg::kFlashBase) return CoreBlock::look_at(address, value);
  switch (address) {
    case reg::kIntcBase + reg::intc::cause_lo:
    case reg::kIntcBase + reg::intc::cause_hi:
    case reg::kIntcBase + reg::intc::cause_top:
      value = interrupts_.pending((address - reg::kIntcBase) / 4, local_time());
      return true;
    case reg::kTimerBase + reg::timer::time_lo:
      value = static_cast<std::uint32_t>(local_time());
      return true;
    case reg::kTimerBase + reg::timer::time_hi:
      value = time_hi_;
      return true;
    default:
      return false;
  }
}

void Cpu::private_write(std::uint32_t address, std::uint32_t value) {
  if (address == reg::kIntcBase + reg::intc::trigger) {
    trigger(value, local_time());
  } else if (address == reg::kTimerBase + reg::timer::arm_ns) {
    interrupts_.clear(reg::irq::timer); // writing re-arms, 0 disarms
    if (value != 0) interrupts_.trigger(reg::irq::timer, local_time() + ns(value));
  }
}

void Cpu::refused(std::uint32_t address) {
  const std::uint32_t channel = (address - reg::kFlashBase) / reg::kFlashStride;
  access_.report(address >= reg::kFlashBase ? flash[channel].get_base_port() : host.get_base_port(),
                 local_time());
}

std::uint32_t Cpu::mmio_read(std::uint32_t address) {
  if (address >= reg::kIntcBase && address < reg::kFlashBase) return private_read(address);
  ++statistics_.mmio_reads;
  std::uint32_t offset = address;
  std::uint32_t value = 0;
  const RegisterPort* const port = port_at(offset);
  if (port == nullptr) return 0;
  TimePs at = local_time();
  if (!port->read(access_, offset, value, at)) refused(address);
  lead_ = at - turn_at_;
  return value;
}

void Cpu::mmio_write(std::uint32_t address, std::uint32_t value) {
  if (address >= reg::kIntcBase && address < reg::kFlashBase) {
    private_write(address, value);
    return;
  }
  ++statistics_.mmio_writes;
  std::uint32_t offset = address;
  const RegisterPort* const port = port_at(offset);
  if (port == nullptr) return;
  TimePs at = local_time();
  if (!port->write(access_, offset, value, at)) refused(address);
  lead_ = at - turn_at_;
}

} // namespace twinplane::hw
