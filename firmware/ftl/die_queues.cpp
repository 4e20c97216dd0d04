#include "firmware/ftl/die_queues.h"

namespace twinplane::fw {

void DieQueues::boot(BootMemory& memory, FtlState& state) {
  state_ = &state;
  const Geometry& g = state.config.geometry;
  const PlaneAllocation& planes = *state.policy.planes;
  of_stream_ = planes.classes();
  class_count_ = of_stream_ * state.config.host_streams;
  dies_per_channel_ = g.dies_per_channel();
  planes_per_die_ = g.planes_per_die;
  late_ = planes.late();
  minds_urgent_ = state.policy.scheduling->minds_urgent();
  most_credit_ = static_cast<std::int32_t>(2 * planes_per_die_ * state.config.pass_pages) * kPage;
  plane_is_static_ = planes.plane_is_static();
  urgent_space_ = state.blocks.space_of_blocks(urgent_blocks(state.config));
  load_ = DieLoad(state.config);
  dies_ = memory.array<DieQueue>(g.dies());
  if (load_.by_plane) plane_reads_ = memory.zeroed<std::uint8_t>(g.planes());
  classes_ = memory.array<TransactionList>(class_count_);
  class_bits_ = memory.zeroed<std::uint64_t>((class_count_ + 63) / 64);
  bound_die_ = memory.zeroed<std::uint32_t>(of_stream_);
  plane_class_ = memory.zeroed<std::uint32_t>(g.planes());
  class_plane_ = memory.zeroed<std::uint8_t>(of_stream_);
  if (late_ && plane_is_static_) sets_of_stream_ = planes_per_die_;
  sets_ = sets_of_stream_ * state.config.host_streams;
  if (memory.exhausted()) return;
  const RowLayout& layout = state.blocks.layout();
  for (std::uint32_t i = 0; i < g.dies(); ++i) {
    DieQueue& d = dies_[i];
    d.channel = static_cast<std::uint8_t>(i / dies_per_channel_);
    d.bit = static_cast<std::uint8_t>(i % dies_per_channel_);
    d.chip = static_cast<std::uint8_t>(d.bit / g.dies_per_chip);
    d.row_base = layout.row(d.bit % g.dies_per_chip, 0, 0, 0);
    idle_[d.channel] |= std::uint64_t{1} << d.bit;
    for (std::uint32_t set = 0; set < sets_; ++set) writable_[set].add(d.channel, d.bit);
  }
  for (std::uint32_t p = 0; p < g.planes(); ++p) {
    plane_class_[p] = planes.class_of_plane(p);
    bound_die_[plane_class_[p]] = p / planes_per_die_;
    class_plane_[plane_class_[p]] = static_cast<std::uint8_t>(p % planes_per_die_);
  }
}

/// More than one command at a time: counts what the die is given; true when it is not idle any more.
bool DieQueues::add_load(DieQueue& d, std::uint32_t operations, FlashOp op) {
  d.in_flight = static_cast<std::uint8_t>(d.in_flight + operations);
  if (load_.suspend || load_.by_plane) {
    if (op != FlashOp::read) d.changing = static_cast<std::uint8_t>(d.changing + operations);
    update_reads(d);
  }
  return d.in_flight > load_.idle_up_to;
}

/// The same for an operation that has completed; true when the die is idle.
bool DieQueues::took_load(DieQueue& d, const Transaction& t) {
  if (load_.suspend || load_.by_plane) {
    if (t.traits->changes_cells()) {
      --d.changing;
    } else if (load_.by_plane) {
      --plane_reads_[t.plane];
    }
    update_reads(d);
  }
  return d.in_flight <= load_.idle_up_to;
}

/// Whether the die may be given reads although it is not idle.
void DieQueues::update_reads(const DieQueue& d) {
  const std::uint64_t bit = std::uint64_t{1} << d.bit;
  const bool open = d.changing != 0 ? load_.suspend && d.in_flight <= load_.reads_up_to
                                    : load_.by_plane && takes_plane_reads(d);
  if (!open) {
    open_for_reads_[d.channel] &= ~bit;
    note_ready(d.channel);
    return;
  }
  open_for_reads_[d.channel] |= bit;
  note_ready(d.channel);
  const bool collects = d.changing == 0 && !d.lanes[static_cast<std::uint32_t>(Lane::gc_read)].empty();
  if (collects || !d.lanes[static_cast<std::uint32_t>(Lane::read)].empty()) add_work(d);
}

void DieQueues::enqueue_first(Transaction& t) {
  DieQueue& d = dies_[t.die];
  d.lanes[static_cast<std::uint32_t>(t.traits->lane)].push_first(t);
  ++d.waiting;
  add_work(d);
}

void DieQueues::enqueue_write_first(Transaction& t) {
  const std::uint32_t c = class_of(t);
  classes_[c].push_first(t);
  note_write(c);
}

Transaction* DieQueues::take_read(TransactionList& lane, std::uint32_t window) {
  Transaction* previous = nullptr;
  Transaction* t = lane.front();
  while (t != nullptr && plane_reads_[t->plane] >= load_.plane_reads) {
    if (window-- == 0) return nullptr;
    previous = t;
    t = t->next;
  }
  if (t == nullptr) return nullptr;
  ++plane_reads_[t->plane];
  return previous == nullptr ? &take(lane) : &take_after(lane, *previous);
}

Transaction& DieQueues::take_after(TransactionList& lane, Transaction& previous) {
  Transaction& t = lane.remove_after(previous);
  dequeue_from(t.die);
  return t;
}

std::uint32_t DieQueues::next_waiting_class(std::uint32_t c) const {
  while (c < class_count_) {
    const std::uint64_t bits = class_bits_[c / 64] >> c % 64;
    if (bits != 0) return c + lowest_bit(bits);
    c = (c / 64 + 1) * 64;
  }
  return class_count_;
}

/// Of the streams that the die may have space for.
const Transaction* DieQueues::oldest_write(std::uint32_t die) {
  const std::uint32_t first = die * planes_per_die_;
  const std::uint32_t planes = plane_is_static_ ? planes_per_die_ : 1;
  const Transaction* oldest = nullptr;
  std::uint32_t blocked = dies_[die].write_blocked;
  for (std::uint32_t c = 0; c != class_count_; c += of_stream_, blocked >>= sets_of_stream_) {
    if ((blocked & low_mask(sets_of_stream_)) == low_mask(sets_of_stream_)) continue;
    for (std::uint32_t p = 0; p < planes; ++p) {
      const Transaction* const t = classes_[c + plane_class_[first + p]].front();
      if (t != nullptr && (oldest == nullptr || older(*t, *oldest))) oldest = t;
    }
  }
  return oldest;
}

/// The plane of the die that the write's class names.
std::uint32_t DieQueues::static_plane_for(const Transaction& write, std::uint32_t die) const {
  const std::uint32_t c = state_->policy.planes->class_of(write.lpn);
  std::uint32_t plane = 0;
  while (plane_class_[die * planes_per_die_ + plane] != c) ++plane;
  return plane;
}

DieView DieQueues::view(std::uint32_t die) {
  DieQueue& d = dies_[die];
  DieView v;
  for (std::uint32_t i = 0; i < kLanes; ++i) v.oldest[i] = d.lanes[i].front();
  if (d.write_blocked != low_mask(sets_)) {
    const Transaction*& oldest = v.oldest[static_cast<std::uint32_t>(Lane::write)];
    const Transaction* const anywhere = oldest_write(die);
    if (oldest == nullptr || (anywhere != nullptr && older(*anywhere, *oldest))) oldest = anywhere;
  }
  if (!minds_urgent_) {
    v.credit = d.credit;
    return v;
  }
  const bool collecting = v.oldest[static_cast<std::uint32_t>(Lane::gc_read)] != nullptr ||
                          v.oldest[static_cast<std::uint32_t>(Lane::gc_write)] != nullptr ||
                          v.oldest[static_cast<std::uint32_t>(Lane::erase)] != nullptr;
  const Transaction* const erase = v.oldest[static_cast<std::uint32_t>(Lane::erase)];
  v.urgent = erase != nullptr && erase->traits->urgent;
  for (std::uint32_t p = 0; collecting && p < planes_per_die_; ++p) {
    if (state_->blocks.least_space(die * planes_per_die_ + p) <= urgent_space_) v.urgent = true;
  }
  return v;
}

void DieQueues::tell_waiting(WorkProbe& probe) const {
  for (std::uint32_t die = 0; die < state_->config.geometry.dies(); ++die) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const bool in_place = lane == static_cast<std::uint32_t>(Lane::write); // its plane comes with its page
      const Transaction* t = in_place ? nullptr : dies_[die].lanes[lane].front();
      for (; t != nullptr; t = t->next) probe.on_waiting({t->index, t->plane, kNoClass, t->queued_ps});
    }
  }
  for (std::uint32_t c = next_waiting_class(0); c < class_count_; c = next_waiting_class(c + 1)) {
    for (const Transaction* t = classes_[c].front(); t != nullptr; t = t->next) {
      probe.on_waiting({t->index, 0, place_class(c), t->queued_ps});
    }
  }
}

namespace {

[[gnu::cold]] void tell_short_of_space(const FtlState& state, std::uint32_t die) {
  state.probe->on_space(die, true, state.hal->now_ps());
}
[[gnu::cold]] void tell_space(const FtlState& state, std::uint32_t die) {
  state.probe->on_space(die, false, state.hal->now_ps());
}

} // namespace

void DieQueues::block_writes(std::uint32_t die, std::uint32_t c) {
  DieQueue& d = dies_[die];
  d.write_blocked = static_cast<std::uint16_t>(d.write_blocked | 1u << set_of(c));
  writable_[set_of(c)].remove(d.channel, d.bit);
  ++state_->statistics.blocked_on_space;
  short_of_space_ = true;
  probe_point<Watch::planes, &tell_short_of_space>(state_->probe != nullptr, *state_, die);
}

/// Writes that come to dies which have been blocked look at none of them, and so do not say themselves that they wait.
bool DieQueues::out_of_space() {
  const bool any_waits = next_waiting_class(0) != class_count_;
  short_of_space_ = any_waits;
  for (std::uint32_t die = 0; !short_of_space_ && die < state_->config.geometry.dies(); ++die)
    short_of_space_ = dies_[die].write_blocked != 0;
  return any_waits && !anything_under_way();
}

bool DieQueues::anything_under_way() const {
  for (std::uint32_t die = 0; die < state_->config.geometry.dies(); ++die) {
    if (dies_[die].in_flight != 0) return true;
  }
  return false;
}

void DieQueues::unblock_writes(std::uint32_t die) {
  DieQueue& d = dies_[die];
  if (d.write_blocked == 0) return;
  probe_point<Watch::planes, &tell_space>(state_->probe != nullptr, *state_, die);
  d.write_blocked = 0;
  if ((idle_[d.channel] >> d.bit & 1) != 0) restore_writable(d);
  add_work(d);
}

} // namespace twinplane::fw
