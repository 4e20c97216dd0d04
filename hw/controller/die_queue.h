// One die as its flash controller sees it: the commands in their order, and what the die is at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "hw/controller/flash_group.h"
#include "hw/core/onfi_tenure.h"

namespace twinplane::hw {

struct DieQueue {
  std::uint32_t number = 0; // on the channel: chip * dies_per_chip + lun
  std::uint32_t lun = 0;
  FlashGroup* head = nullptr; // the group that runs, then the FIFO behind it
  FlashGroup* tail = nullptr;

  // what the die is at
  OpSequence* sequence = nullptr; // that has the die; null: it is idle
  std::uint8_t step = 0;          // ... and its next step
  TenureKind kind = TenureKind::other;
  bool waits = false;       // for the bus
  bool status_mode = false; // 70h was the last command: data out needs 00h first
  TimePs due = 0;           // of that step; kNever: it is not known
  TimePs command_end = 0;
  TimePs ready_at = 0; // kNever: it is not known

  // groups that have begun, besides the head
  FlashGroup* suspended = nullptr; // stands in the list behind the read that runs now
  FlashGroup* before = nullptr;    // a cache program in front of the head, whose array time goes on
  std::uint32_t reading = 0;       // bit per plane with a read of its own; none of them is in the list

  TimePs suspend_sent = kNever; // whose effect is not known yet
  TimePs suspending = 0;        // from suspends until their effect was known, so far
  TimePs in_use = 0;            // from the first tenure of each group to the last one so far
  TimePs used_until = 0;        // the end of that one

  void push_back(FlashGroup& group) {
    group.next = nullptr;
    (head == nullptr ? head : tail->next) = &group;
    tail = &group;
  }
  FlashGroup& pop() { return *std::exchange(head, head->next); }
  /// Of the group behind `front`; null: of the head.
  FlashGroup& remove_behind(FlashGroup* front) {
    FlashGroup*& link = front == nullptr ? head : front->next;
    FlashGroup& group = *std::exchange(link, link->next);
    if (tail == &group) tail = front;
    return group;
  }
  void insert_behind(FlashGroup* front, FlashGroup& group) {
    FlashGroup*& link = front == nullptr ? head : front->next;
    group.next = std::exchange(link, &group);
    if (group.next == nullptr) tail = &group;
  }
  /// Puts a group behind what the die is at. The order that the die has been told is kept: a suspended group is
  /// resumed before others, and a group that the array has been promised comes next.
  void insert_next(FlashGroup& group) {
    FlashGroup* front = reading != 0 ? nullptr : head;
    if (suspended != nullptr) {
      front = suspended;
    } else if (front != nullptr && front->next != nullptr && front->next->promised) {
      front = front->next;
    }
    insert_behind(front, group);
  }

  bool waits_for_edge() const { return waits && due == kNever; }
  TimePs suspending_until(TimePs at) const {
    return suspending + (suspend_sent < at ? at - suspend_sent : 0);
  }
  /// For how long it has been in use until `now`. A group that has begun and has not ended holds the die beyond its
  /// last tenure so far; tenures are driven ahead of the kernel's time.
  TimePs in_use_until(TimePs now) const {
    if (used_until >= now) return in_use - std::min(in_use, used_until - now);
    const bool begun =
        reading != 0 || before != nullptr || suspended != nullptr || (head != nullptr && head->bus != 0);
    return in_use + (begun ? now - used_until : 0);
  }
};

} // namespace twinplane::hw
