// What waits for which die, and which dies are idle.
//
// Every die has one lane per kind of work; writes wait in the queue of their allocation class instead
// (see PlaneAllocation), unless they are to be programmed into a certain page. Where hot pages of the host have a stream
// of their own they have the classes once more, behind the others. Sets of dies are bit masks, so a turn of the firmware
// looks only at dies that are idle and have work.
//
// "Idle" means that the die may be given another command of any kind (DieLoad says when). With suspension
// a die that programs or erases is not idle, but open for reads. Where planes read independently, a die that
// reads is open for reads of its other planes.
#pragma once

#include <cstdint>

#include "firmware/ftl/die_load.h"
#include "firmware/ftl/state.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

struct DieQueue {
  TransactionList lanes[kLanes]; // the write lane: writes that belong into a page of this die
  std::uint8_t channel = 0;
  std::uint8_t chip = 0;           // on the channel
  std::uint8_t bit = 0;            // in the channel's masks
  std::uint8_t in_flight = 0;      // operations (DieLoad)
  std::uint8_t changing = 0;       // programs and erases among them; counted where dies can be open for reads
  std::uint16_t write_blocked = 0; // bit per set of writable dies: no host page until space is made
  std::int16_t credit = 0;         // DieView::credit
  std::uint32_t waiting = 0;       // transactions in the lanes, and writes bound to this die
  std::uint32_t row_base = 0;      // LUN bits of the row address
};

class DieQueues {
 public:
  void boot(BootMemory& memory, FtlState& state);

  DieQueue& die(std::uint32_t die) { return dies_[die]; }
  std::uint32_t die_at(std::uint32_t channel, std::uint32_t bit) const {
    return channel * dies_per_channel_ + bit;
  }

  /// Queues what has a page, or is given one only by its owner, for t.die.
  void enqueue(Transaction& t);
  /// The same, in front of what waits: others may wait for it.
  void enqueue_first(Transaction& t);
  /// Queues a write that has everything but its place.
  void enqueue_write(Transaction& t);
  /// The same, in front of what waits for the same places.
  void enqueue_write_first(Transaction& t);
  /// The same for all `count` (> 0) of a list, in their order. Leaves it empty.
  void enqueue_writes(TransactionList& writes, std::uint32_t count);

  TransactionList& writes(std::uint32_t c) { return classes_[c]; }
  std::uint32_t classes() const { return class_count_; }
  std::uint32_t class_of(const Transaction& write) const;
  /// The same as plane allocation knows it, which does not part hot pages from others.
  std::uint32_t place_class(std::uint32_t c) const { return c < of_stream_ ? c : c - of_stream_; }
  /// The first class of the stream that writes with that hint belong to.
  std::uint32_t first_class_of(PageHint hint) const {
    return class_count_ != of_stream_ && hint == kHotPage ? of_stream_ : 0;
  }
  /// Of pages that are not hot.
  std::uint32_t class_of_plane(std::uint32_t plane) const { return plane_class_[plane]; }
  /// Writes wait that may go to the plane.
  bool writes_wait_for(std::uint32_t plane) const {
    const std::uint32_t c = plane_class_[plane];
    return !classes_[c].empty() || (class_count_ != of_stream_ && !classes_[of_stream_ + c].empty());
  }
  /// All that waits for a plane or for any plane of a class; not what is to join a page that it knows.
  void tell_waiting(WorkProbe& probe) const;
  /// Takes the first transaction of a lane, or the one behind `previous`.
  Transaction& take(TransactionList& lane);
  Transaction& take_after(TransactionList& lane, Transaction& previous);
  /// Takes the first waiting write of class c, or the one behind `previous`.
  Transaction& take_write(std::uint32_t c, Transaction* previous = nullptr);
  /// Offers all that wait once, those that join meanwhile perhaps too; what `takes` is true for waits no longer. False:
  /// that was none.
  template <class Takes>
  bool take_writes(const Takes& takes);
  /// First class at or after c that has waiting writes, classes() when there is none.
  std::uint32_t next_waiting_class(std::uint32_t c) const;

  /// The heads of the die's lanes. Writes of late-bound classes are included when they may go there.
  DieView view(std::uint32_t die);
  /// The plane of the die where a group led by this waiting write starts.
  std::uint32_t first_plane_for(const Transaction& write, std::uint32_t die) const {
    return plane_is_static_ ? static_plane_for(write, die) : state_->first_plane(die, write.hint);
  }

  void set_busy(DieQueue& d, std::uint32_t operations, FlashOp op);
  /// The die's collection earns pages for the host, or the host programs some; as kPage, and never more of either than two
  /// commands.
  void earn(std::uint32_t die, std::int32_t pages) {
    const std::int32_t credit = dies_[die].credit + pages;
    const std::int32_t within = credit < -most_credit_ ? -most_credit_ : credit;
    dies_[die].credit = static_cast<std::int16_t>(within > most_credit_ ? most_credit_ : within);
  }
  /// This operation of its die has completed.
  void operation_done(const Transaction& t);
  /// The die has no space for writes of class c, until unblock_writes().
  void block_writes(std::uint32_t die, std::uint32_t c);
  void unblock_writes(std::uint32_t die);
  void unblock_all_writes() {
    for (std::uint32_t die = 0; die < state_->config.geometry.dies(); ++die) unblock_writes(die);
  }
  /// Writes have found no space, and their dies have not made any since; cheap while that is not so.
  bool short_of_space() const { return short_of_space_; }
  /// With writes waiting and no command in flight: nothing that is under way will make space.
  bool out_of_space();
  /// A die has been given a command that it has not answered.
  bool anything_under_way() const;

  /// Idle dies that may have space for late-bound writes of class c.
  const DieSet& writable(std::uint32_t c) const { return writable_[set_of(c)]; }
  /// Some die may have space for one of any class.
  bool any_writable() const {
    std::uint64_t channels = 0;
    for (std::uint32_t set = 0; set < sets_; ++set) channels |= writable_[set].channels;
    return channels != 0;
  }
  /// Dies of a channel that have work in their lanes and are idle, or open for reads.
  std::uint64_t ready(std::uint32_t channel) const {
    return (idle_[channel] | open_for_reads_[channel]) & work_[channel];
  }
  /// It may be given a command of any kind.
  bool idle(std::uint32_t die) const { return (idle_[dies_[die].channel] >> dies_[die].bit & 1) != 0; }
  /// A die that is ready() for reads only, on top of programs or erases.
  bool reads_only(std::uint32_t die) const { return load_.suspend && !idle(die) && dies_[die].changing != 0; }
  /// Dies read plane by plane: reads are taken with take_read().
  bool by_plane() const { return load_.by_plane; }
  /// The first of the lane's reads, `window` behind the front at most, whose plane may be given another one;
  /// null when there is none. take_any_read(): the front.
  Transaction* take_read(TransactionList& lane, std::uint32_t window);
  Transaction& take_any_read(TransactionList& lane) {
    ++plane_reads_[lane.front()->plane];
    return take(lane);
  }
  /// The die may be given reads of single planes: it is idle, or nothing but reads goes on and there is room.
  bool open_for_plane_reads(std::uint32_t die) const { return idle(die) || takes_plane_reads(dies_[die]); }
  std::uint64_t channels_with_work() const { return channels_with_work_; }
  /// Channels with a die that is ready().
  std::uint64_t ready_channels() const { return ready_channels_; }
  void no_work(std::uint32_t die) { no_work(dies_[die]); }

  /// True when something was queued or became possible since the last call.
  bool consume_work_pending() {
    const bool news = work_pending_;
    work_pending_ = false;
    return news;
  }

  /// Nothing may be queued or in flight.
  void serialise(StateVisitor& state);

 private:
  void add_work(const DieQueue& d) {
    work_[d.channel] |= std::uint64_t{1} << d.bit;
    channels_with_work_ |= std::uint64_t{1} << d.channel;
    work_pending_ = true;
    note_ready(d.channel);
  }
  void no_work(const DieQueue& d) {
    work_[d.channel] &= ~(std::uint64_t{1} << d.bit);
    if (work_[d.channel] == 0) channels_with_work_ &= ~(std::uint64_t{1} << d.channel);
    note_ready(d.channel);
  }
  /// After each change of the sets that ready() is made of.
  void note_ready(std::uint32_t channel) {
    const std::uint64_t bit = std::uint64_t{1} << channel;
    ready_channels_ = ready(channel) != 0 ? ready_channels_ | bit : ready_channels_ & ~bit;
  }
  void dequeue_from(std::uint32_t die) {
    if (--dies_[die].waiting == 0) no_work(dies_[die]);
  }
  bool sets_hold() const;
  void restore_writable(const DieQueue& d);
  bool add_load(DieQueue& d, std::uint32_t operations, FlashOp op);
  bool took_load(DieQueue& d, const Transaction& t);
  void update_reads(const DieQueue& d);
  bool takes_plane_reads(const DieQueue& d) const {
    return d.changing == 0 && d.in_flight < load_.idle_up_to + planes_per_die_;
  }
  std::uint32_t set_of(std::uint32_t c) const {
    if (sets_ == 1) return 0;
    const std::uint32_t plane = sets_of_stream_ == 1 ? 0 : class_plane_[place_class(c)];
    return c < of_stream_ ? plane : sets_of_stream_ + plane;
  }
  void note_write(std::uint32_t c);
  const Transaction* oldest_write(std::uint32_t die);
  std::uint32_t static_plane_for(const Transaction& write, std::uint32_t die) const;

  FtlState* state_ = nullptr;
  DieQueue* dies_ = nullptr;
  std::uint8_t* plane_reads_ = nullptr; // in flight, by plane; only where planes read independently
  TransactionList* classes_ = nullptr;
  std::uint64_t* class_bits_ = nullptr; // classes with waiting writes
  std::uint32_t* bound_die_ = nullptr;  // of each class, when writes are bound on arrival
  std::uint32_t class_count_ = 0;
  std::uint32_t of_stream_ = 0; // classes of plane allocation
  std::uint32_t dies_per_channel_ = 0;
  std::uint32_t planes_per_die_ = 0;
  std::uint32_t urgent_space_ = 0; // collection must not wait when a plane has no more than this
  std::uint32_t late_waiting_ = 0; // writes not bound to a die
  bool late_ = false;
  bool plane_is_static_ = false;
  bool minds_urgent_ = false; // the scheduling does
  std::int32_t most_credit_ = 0;
  bool work_pending_ = false;
  bool short_of_space_ = false;
  DieLoad load_;
  std::uint64_t idle_[kMaxChannels] = {};
  std::uint64_t open_for_reads_[kMaxChannels] = {};
  std::uint64_t work_[kMaxChannels] = {};
  std::uint64_t channels_with_work_ = 0;
  std::uint64_t ready_channels_ = 0;
  std::uint32_t* plane_class_ = nullptr; // class of each plane
  std::uint8_t* class_plane_ = nullptr;  // plane that a class names
  std::uint32_t sets_ = 1;               // of all streams
  std::uint32_t sets_of_stream_ = 1;     // of each: one for all classes, or one per static plane
  static constexpr std::uint32_t kMostSets = 2 * kMaxPlanesPerDie;
  DieSet writable_[kMostSets];
};

// --- the path of every page, inline ---

inline void DieQueues::enqueue(Transaction& t) {
  DieQueue& d = dies_[t.die];
  d.lanes[static_cast<std::uint32_t>(t.traits->lane)].push(t);
  ++d.waiting;
  add_work(d);
}

inline std::uint32_t DieQueues::class_of(const Transaction& write) const {
  if (class_count_ == 1) return 0;
  return first_class_of(write.hint) + (of_stream_ == 1 ? 0 : state_->policy.planes->class_of(write.lpn));
}

inline void DieQueues::enqueue_write(Transaction& t) {
  const std::uint32_t c = class_of(t);
  classes_[c].push(t);
  note_write(c);
}

/// One more write of the class waits.
inline void DieQueues::note_write(std::uint32_t c) {
  class_bits_[c / 64] |= std::uint64_t{1} << c % 64;
  if (late_) {
    ++late_waiting_;
    work_pending_ = true;
    return;
  }
  DieQueue& d = dies_[bound_die_[place_class(c)]];
  ++d.waiting;
  d.write_blocked = 0; // another plane may have space: try again
  add_work(d);
}

inline void DieQueues::enqueue_writes(TransactionList& writes, std::uint32_t count) {
  if (!late_ || class_count_ != 1) {
    while (!writes.empty()) enqueue_write(writes.pop());
    return;
  }
  classes_[0].append(writes);
  class_bits_[0] |= 1;
  late_waiting_ += count;
  work_pending_ = true;
}

inline Transaction& DieQueues::take(TransactionList& lane) {
  Transaction& t = lane.pop();
  dequeue_from(t.die);
  return t;
}

inline Transaction& DieQueues::take_write(std::uint32_t c, Transaction* previous) {
  Transaction& t = previous == nullptr ? classes_[c].pop() : classes_[c].remove_after(*previous);
  if (classes_[c].empty()) class_bits_[c / 64] &= ~(std::uint64_t{1} << c % 64);
  if (late_) {
    --late_waiting_;
  } else {
    dequeue_from(bound_die_[place_class(c)]);
  }
  return t;
}

template <class Takes>
bool DieQueues::take_writes(const Takes& takes) {
  bool any = false;
  for (std::uint32_t c = 0; c < class_count_; ++c) {
    std::uint32_t left = 0;
    for (const Transaction* t = classes_[c].front(); t != nullptr; t = t->next) ++left;
    for (; left != 0; --left) {
      Transaction& t = take_write(c);
      if (takes(t)) {
        any = true;
      } else {
        enqueue_write(t);
      }
    }
  }
  return any;
}

inline void DieQueues::set_busy(DieQueue& d, std::uint32_t operations, FlashOp op) {
  if (load_.one_command) {
    d.in_flight = static_cast<std::uint8_t>(operations);
  } else if (!add_load(d, operations, op)) {
    return;
  }
  idle_[d.channel] &= ~(std::uint64_t{1} << d.bit);
  if ((ready_channels_ >> d.channel & 1) != 0) note_ready(d.channel);
  for (std::uint32_t set = 0; set < sets_; ++set) writable_[set].remove(d.channel, d.bit);
}

inline void DieQueues::operation_done(const Transaction& t) {
  DieQueue& d = dies_[t.die];
  if (t.follows) return;
  --d.in_flight;
  if (load_.one_command ? d.in_flight != 0 : !took_load(d, t)) return;
  idle_[d.channel] |= std::uint64_t{1} << d.bit;
  restore_writable(d);
  if (d.waiting != 0) {
    add_work(d);
    return;
  }
  if (work_[d.channel] != 0) note_ready(d.channel);
  if (late_waiting_ != 0) work_pending_ = true;
}

inline void DieQueues::restore_writable(const DieQueue& d) {
  for (std::uint32_t set = 0; set < sets_; ++set) {
    if ((d.write_blocked >> set & 1) == 0) writable_[set].add(d.channel, d.bit);
  }
}

} // namespace twinplane::fw
