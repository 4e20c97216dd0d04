// Fetches submission queue entries and appends them to firmware's command ring.
//
// A fetch is done inside the call that makes it possible (doorbell, freed slot, consumed ring entry): its
// time is booked on the link and the entries carry visible-at stamps. Only when queues compete for a busy
// engine, or the booking would run too far ahead of the present, does the engine wait, and due() tells until
// when. The engine issues the next burst once the link could have delivered the last one.
// Entries that a host which may wait does not grant are read by a thread, a burst at a time.
// An entry that the host does not deliver cannot be answered, and skipping it would lose a command without a
// word: the engine stops (broken()), the controller is in a fatal state until its reset. Back-pressure:
// fetching stops while there is no free slot or no room in the command ring. A completion that waits for room
// in its completion queue counts as a slot, but not against the admin queue: what frees the room is fetched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "hw/core/observer.h"
#include "hw/host_if/arbiter.h"
#include "hw/host_if/host_access.h"
#include "hw/host_if/pcie_link.h"
#include "hw/host_if/queues.h"
#include "hw/host_if/slots.h"
#include "hw/spec/host_descriptor.h"

namespace twinplane::hw {

/// The command ring of hw/spec/host_descriptor.h, device side.
class CommandRing {
 public:
  void set_memory(std::uint8_t* dram, std::uint32_t bytes);
  void set_base(std::uint32_t offset) { base_ = offset; }
  /// False when the ring does not lie in DRAM or its size is no power of two.
  bool set_size(std::uint32_t entries);
  void set_head(std::uint32_t head) { head_ = head; }
  std::uint32_t base() const { return base_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(visible_at_.size()); }

  std::uint32_t room() const { return size() - (tail_ - head_); }
  /// The entry that append() will publish; call only while room() != 0.
  CommandEntry& next() { return entries_[tail_ & mask_]; }
  /// True when no earlier entry is still invisible at the last visible_tail(): it needs an interrupt.
  bool append(TimePs visible_at) {
    const bool first_invisible = visible_ == tail_;
    last_visible_at_ = std::max(last_visible_at_, visible_at);
    visible_at_[tail_ & mask_] = last_visible_at_;
    ++tail_;
    return first_invisible;
  }
  /// Entries appended and visible at `at` (free running).
  std::uint32_t visible_tail(TimePs at) {
    while (visible_ != tail_ && visible_at_[visible_ & mask_] <= at) ++visible_;
    return visible_;
  }
  /// What visible_tail() and set_head() said last.
  std::uint32_t seen_tail() const { return visible_; }
  std::uint32_t head() const { return head_; }
  /// When the first invisible entry becomes visible; kNever when there is none.
  TimePs next_visible() const { return visible_ == tail_ ? kNever : visible_at_[visible_ & mask_]; }

 private:
  std::uint8_t* dram_ = nullptr;
  std::uint32_t dram_bytes_ = 0;
  std::uint32_t base_ = 0;
  CommandEntry* entries_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t visible_ = 0;
  TimePs last_visible_at_ = 0;
  std::vector<TimePs> visible_at_;
};

struct FetchPath {
  HostAccess& host;
  PcieLink& link;
  QueueSet& queues;
  SlotTable& slots;
  CommandRing& ring;
};

class FetchEngine {
 public:
  FetchEngine(const FetchPath& path, std::uint32_t sector_size) : path_(path), sector_size_(sector_size) {}

  QueueArbiter& arbiter() { return arbiter_; }
  void set_enabled(bool enabled) {
    enabled_ = enabled;
    broken_ = false;
  }
  /// The thread reads host memory.
  bool reading() const { return open_.open; }
  /// The host has not delivered an entry.
  bool broken() const { return broken_; }

  /// Body of an SC_THREAD, for a host that may wait.
  void serve();
  /// Called when the thread has read a burst, with what run() returns.
  void on_fetched(std::function<void(TimePs)> call) { on_fetched_ = std::move(call); }

  /// Queue `sqid` has new entries; run() follows.
  void note_doorbell(std::uint32_t sqid) { last_sqid_ = sqid; }
  /// Fetches what it can from `at` on. Returns the earliest new visible-at stamp that needs an interrupt,
  /// kNever when none does.
  TimePs run(TimePs at);
  /// When run() must be called again although nothing happens; kNever when not at all.
  TimePs due() const { return due_; }
  /// True when run() stopped for want of a slot.
  bool starved() const { return starved_; }

  std::uint64_t fetched() const { return fetched_; }
  void attach(FrontEndObserver& observer) { observer_ = &observer; }

 private:
  static constexpr TimePs kBookAhead = us(1);
  std::uint32_t slots_for_all() const;
  bool admin_has_a_slot() const;
  bool must_wait(TimePs at, TimePs start) const;
  QueueArbiter::Grant choose();
  TimePs fetch(std::uint32_t sqid, std::uint32_t count, TimePs start);
  bool accept(std::uint32_t sqid, TimePs visible);
  void break_down();

  /// What the thread reads.
  struct Burst {
    bool open = false;
    std::uint32_t sqid = 0;
    std::uint32_t generation = 0; // of the queue
    std::uint32_t count = 0;
    std::uint64_t address = 0;
    TimePs start = 0;
    TimePs visible = 0; // at the earliest
  };

  FetchPath path_;
  std::uint32_t sector_size_;
  QueueArbiter arbiter_;
  bool enabled_ = false;
  bool starved_ = false;
  std::uint32_t last_sqid_ = 0; // rung or served last: the likeliest to be alone
  TimePs next_issue_ = 0;
  TimePs due_ = kNever;
  std::uint64_t fetched_ = 0;
  FrontEndObserver* observer_ = nullptr;
  bool broken_ = false;
  Burst open_;
  std::vector<std::uint8_t> burst_;
  sc_core::sc_event open_event_{"burst"};
  std::function<void(TimePs)> on_fetched_;
};

} // namespace twinplane::hw
