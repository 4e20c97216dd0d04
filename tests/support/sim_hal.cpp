#include "tests/support/sim_hal.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace twinplane::test {

namespace {
constexpr std::uint32_t kReadsOnTop = 4; // of a plane, while its die programs or erases: suspends

/// Memory that costs as much as is touched of it: a test may cut the power a hundred times.
std::uint8_t* zeroes(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(memory);
}
} // namespace

void SimHal::Unmap::operator()(std::uint8_t* memory) const {
  munmap(memory, bytes);
}

SimHal::SimHal(const SimHalConfig& config)
    : config_(config),
      flash_(config.geometry, config.data_mode, config.rules),
      payload_(payload_bytes(config.data_mode, config.geometry.sector_size)),
      slot_bytes_(std::size_t{config.slot_sectors} * payload_),
      random_(config.seed),
      dram_(zeroes(config.dram_bytes), Unmap{config.dram_bytes}),
      host_(slot_bytes_ * config.slots),
      channels_(config.geometry.channels),
      slot_errors_(config.slots) {}

void SimHal::panic(const char* what) {
  std::fprintf(stderr, "firmware panic: %s\n", what);
  std::abort();
}

void SimHal::cut_power(bool hold_up, fw::Random& random) {
  std::vector<bool> stopped(config_.geometry.dies());
  for (const Group& g : pending_) {
    if (stopped[g.die]) continue;
    const std::uint32_t came_to = ready(g) ? random.below(3) : 0;
    stopped[g.die] = came_to != 2;
    if (came_to == 0) continue;
    const bool under_way = came_to == 1 && !hold_up;
    flash_.interrupt(g.channel, g.descriptors.data(), static_cast<std::uint32_t>(g.descriptors.size()),
                     dram_.get(), under_way ? random.below(256) : 0);
  }
  dram_.reset(zeroes(config_.dram_bytes));
  std::fill(slot_errors_.begin(), slot_errors_.end(), std::uint16_t{0});
  channels_.assign(config_.geometry.channels, Channel());
  pending_.clear();
  held_.clear();
  completed_.clear();
  boot_blocks_.clear();
  dma_base_ = dma_size_ = dma_tail_ = dma_done_ = dma_piece_ = moved_ = moved_piece_ = 0;
  irqs_ = 0;
  notified_ = false;
  alarm_ps_ = ~std::uint64_t{0};
}

void* SimHal::boot_alloc(std::size_t bytes) {
  void* block = std::calloc(1, bytes);
  boot_blocks_.emplace_back(block, &std::free);
  boot_bytes_ += bytes;
  return block;
}

/// At boot, where the order does not matter: it leaves the schedule of all that follows as it is.
void SimHal::wait_for_interrupt() {
  while (irqs_ == 0) {
    if (pending_.empty()) panic("waits for an interrupt that nothing raises");
    run_group(0);
  }
}

/// Of flash controllers, as the interrupt controller tells them.
std::uint32_t SimHal::take_causes(std::uint32_t word) {
  std::uint32_t causes = 0;
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const std::uint32_t source = reg::irq::flash0 + c;
    if (source / 32 != word || (irqs_ >> c & 1) == 0) continue;
    causes |= 1u << source % 32;
    irqs_ &= ~(std::uint64_t{1} << c);
  }
  return causes;
}

std::uint32_t SimHal::mmio_read(std::uint32_t address) {
  if (address == reg::kIntcBase + reg::intc::cause_lo) return take_causes(0);
  if (address == reg::kIntcBase + reg::intc::cause_hi) return take_causes(1);
  if (address == reg::kIntcBase + reg::intc::cause_top) return take_causes(2);
  if (address == reg::kHostBase + reg::host::dma_done) return dma_done_;
  if (address == reg::kHostBase + reg::host::data_status) return slot_errors_[data_slot_];
  if (address >= reg::kFlashBase) {
    const Channel& c = channels_.at((address - reg::kFlashBase) / reg::kFlashStride);
    const std::uint32_t offset = (address - reg::kFlashBase) % reg::kFlashStride;
    if (offset == reg::flash::completion_tail) return c.completion_tail;
    if (offset == reg::flash::operations) return 0; // its targets have been brought up
  }
  panic("read of a register that the FTL has no business with");
}

bool SimHal::wait_for_timer() {
  if (alarm_ps_ == ~std::uint64_t{0}) return false;
  now_ps_ = std::max(now_ps_, alarm_ps_);
  return true;
}

void SimHal::mmio_write(std::uint32_t address, std::uint32_t value) {
  if (address == reg::kTimerBase + reg::timer::arm_ns) {
    alarm_ps_ = value == 0 ? ~std::uint64_t{0} : now_ps_ + std::uint64_t{value} * 1000;
    return;
  }
  if (address >= reg::kFlashBase) {
    const std::uint32_t channel = (address - reg::kFlashBase) / reg::kFlashStride;
    Channel& c = channels_.at(channel);
    switch ((address - reg::kFlashBase) % reg::kFlashStride) {
      case reg::flash::submission_base:
        c.submission_base = value;
        return;
      case reg::flash::submission_size:
        c.submission_size = value;
        return;
      case reg::flash::completion_base:
        c.completion_base = value;
        return;
      case reg::flash::completion_size:
        c.completion_size = value;
        return;
      case reg::flash::control:
        return;
      case reg::flash::doorbell:
        take_submissions(channel, value);
        return;
      default:
        break;
    }
  } else {
    switch (address) {
      case reg::kHostBase + reg::host::dma_base:
        dma_base_ = value;
        return;
      case reg::kHostBase + reg::host::dma_size:
        dma_size_ = value;
        return;
      case reg::kHostBase + reg::host::dma_status:
        status_at_ = value;
        return;
      case reg::kHostBase + reg::host::data_slot:
        data_slot_ = value;
        return;
      case reg::kHostBase + reg::host::dma_move:
        while (!config_.late_data && moved_ != value) move_data();
        return;
      case reg::kHostBase + reg::host::dma_tail:
        dma_tail_ = value;
        if (dma_tail_ - dma_done_ > dma_size_) panic("DMA ring overrun");
        return;
      default:
        break;
    }
  }
  panic("write to a register that the FTL has no business with");
}

void SimHal::check_room(const Group& group) {
  std::uint32_t queued = 1;
  std::uint32_t operations = SimFlash::planes_of(group.descriptors.data());
  bool beside = config_.independent_reads;
  for (const Group& g : pending_) {
    if (g.die != group.die) continue;
    beside = beside && independent(g, group);
    ++queued;
    operations += SimFlash::planes_of(g.descriptors.data());
  }
  max_queued_ = std::max(max_queued_, queued);
  const bool read = static_cast<FlashOp>(group.descriptors[0].op) == FlashOp::read;
  const std::uint32_t depth = config_.die_queue_depth + (config_.suspend && read ? kReadsOnTop : 0);
  if (beside) return;
  if (depth == 1 ? queued == 1 : operations <= depth * config_.geometry.planes_per_die) return;
  std::fprintf(stderr, "simulated flash: command for busy die %u\n", group.die);
  std::abort();
}

/// The group that runs before all others of the same die.
std::size_t SimHal::first_of_die(std::size_t index) const {
  std::size_t first = 0;
  while (pending_[first].die != pending_[index].die) ++first;
  for (std::size_t i = first; config_.reads_first && i < pending_.size(); ++i) {
    const bool read = static_cast<FlashOp>(pending_[i].descriptors[0].op) == FlashOp::read;
    if (read && pending_[i].die == pending_[index].die) return i;
  }
  if (!config_.independent_reads) return first;
  for (std::size_t i = first; i < index; ++i) {
    if (pending_[i].die == pending_[index].die && !independent(pending_[i], pending_[index])) return first;
  }
  return index;
}

bool SimHal::independent(const Group& a, const Group& b) const {
  const RowLayout rows(config_.geometry);
  for (const Group* g : {&a, &b}) {
    if (g->descriptors.size() != 1 || static_cast<FlashOp>(g->descriptors[0].op) != FlashOp::read)
      return false;
  }
  return rows.plane(a.descriptors[0].row) != rows.plane(b.descriptors[0].row);
}

void SimHal::take_submissions(std::uint32_t channel, std::uint32_t tail) {
  ++doorbells_;
  Channel& c = channels_[channel];
  const auto* ring = reinterpret_cast<const FlashDescriptor*>(dram_.get() + c.submission_base);
  while (c.submission_head != tail) {
    Group g;
    g.channel = channel;
    bool more = true;
    while (more) {
      if (c.submission_head == tail) panic("multi-plane group cut off by the doorbell");
      g.descriptors.push_back(ring[c.submission_head++ & (c.submission_size - 1)]);
      more = (g.descriptors.back().flags & (flash_flag::more | flash_flag::load)) != 0;
    }
    g.die = flash_.die_of(channel, g.descriptors[0]);
    check_room(g);
    ++groups_[g.descriptors[0].op][g.descriptors.size()];
    pending_.push_back(std::move(g));
  }
  max_busy_ = std::max(max_busy_, static_cast<std::uint32_t>(pending_.size()));
}

bool SimHal::ready(const Group& g) const {
  for (const FlashDescriptor& d : g.descriptors) {
    if (d.fence != 0 && static_cast<std::int32_t>(dma_done_ - d.fence) < 0) return false;
  }
  return true;
}

bool SimHal::step() {
  const std::size_t count = pending_.size();
  const bool dma = dma_done_ != dma_tail_;
  if (config_.shuffle && dma && random_.below(2) == 0) {
    run_dma();
    return true;
  }
  const std::size_t start =
      config_.shuffle && count > 1 ? random_.below(static_cast<std::uint32_t>(count)) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = first_of_die(config_.newest_first ? count - 1 - i : (start + i) % count);
    if (!ready(pending_[index])) continue;
    run_group(index);
    return true;
  }
  if (dma) run_dma();
  return dma || (!held_.empty() && answer_held(held_.front().die));
}

void SimHal::run_group(std::size_t index) {
  const Group g = std::move(pending_[index]);
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  std::vector<FlashCompletion> done(g.descriptors.size());
  const auto count = static_cast<std::uint32_t>(g.descriptors.size());
  flash_.run(g.channel, g.descriptors.data(), count, dram_.get(), done.data());
  if (config_.newest_first) std::reverse(done.begin(), done.end());
  now_ps_ += 60'000;
  const auto op = static_cast<FlashOp>(g.descriptors[0].op);
  const bool holds = config_.programs_last && (op == FlashOp::program || op == FlashOp::copyback);
  if (!holds) answer(g.channel, done);
  answer_held(g.die);
  if (holds) held_.push_back(Held{g.channel, g.die, std::move(done)});
}

void SimHal::answer(std::uint32_t channel, const std::vector<FlashCompletion>& done) {
  Channel& c = channels_[channel];
  auto* ring = reinterpret_cast<FlashCompletion*>(dram_.get() + c.completion_base);
  for (const FlashCompletion& completion : done) {
    FlashCompletion& entry = ring[c.completion_tail++ & (c.completion_size - 1)];
    entry = completion;
    entry.bus_ps = 10'000;
    entry.array_ps = 50'000;
  }
  irqs_ |= std::uint64_t{1} << channel;
}

/// False when there was none of this die.
bool SimHal::answer_held(std::uint32_t die) {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i].die != die) continue;
    answer(held_[i].channel, held_[i].done);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

/// Descriptor `index`, of which `before` pieces have been taken; counts them on.
DmaDescriptor SimHal::piece(std::uint32_t index, std::uint32_t& before) const {
  const auto* ring = reinterpret_cast<const DmaDescriptor*>(dram_.get() + dma_base_);
  DmaDescriptor d = ring[(index - before) & (dma_size_ - 1)];
  d.offset += before * d.length;
  d.buffer += before * d.length * payload_;
  if (++before > d.repeat) before = 0;
  return d;
}

void SimHal::move_data() {
  const DmaDescriptor d = piece(moved_++, moved_piece_);
  DmaStatus& status = *reinterpret_cast<DmaStatus*>(dram_.get() + status_at_);
  status.moved = moved_;
  const auto op = static_cast<DmaOp>(d.op);
  if (op == DmaOp::complete || d.length == 0) return;
  if (d.slot >= config_.slots || d.offset + d.length > config_.slot_sectors)
    panic("DMA outside the command's data");
  if (op != DmaOp::to_device) sectors_delivered_ += d.length;
  std::uint8_t* const host = host_data(d.slot) + std::size_t{d.offset} * payload_;
  const std::size_t bytes = std::size_t{d.length} * payload_;
  const std::uint16_t refused = op == DmaOp::to_device && refuse_data ? refuse_data(d) : std::uint16_t{0};
  if (refused != 0) {
    if (slot_errors_[d.slot] == 0) ++status.failed;
    if (slot_errors_[d.slot] == 0) slot_errors_[d.slot] = refused;
  } else if (op == DmaOp::to_device) {
    std::copy_n(host, bytes, dram_.get() + d.buffer); // none without data, and then from nowhere
  } else if (op == DmaOp::to_host) {
    std::copy_n(dram_.get() + d.buffer, bytes, host);
  } else if (op == DmaOp::zero_to_host) {
    std::fill_n(host, bytes, std::uint8_t{0});
  } else {
    panic("DMA operation that the FTL has no business with");
  }
}

void SimHal::run_dma() {
  if (moved_ == dma_done_) move_data();
  const DmaDescriptor d = piece(dma_done_++, dma_piece_);
  if ((d.flags & dma_flag::notify) != 0) notified_ = true;
  if (static_cast<DmaOp>(d.op) != DmaOp::complete) return;
  std::uint16_t& error = slot_errors_[d.slot];
  completed_.push_back(Completed{d.slot, d.status != 0 ? d.status : error});
  if (error != 0) --reinterpret_cast<DmaStatus*>(dram_.get() + status_at_)->failed;
  error = 0;
}

std::uint64_t SimHal::take_irqs() {
  notified_ = false;
  return std::exchange(irqs_, 0);
}

} // namespace twinplane::test
