// Who may act: until when is nobody outside the drive able to do anything, so that the drive may go on ahead
// of the kernel?
//
// What the kernel has pending is known. What it cannot know of is somebody who acts without having announced
// it: sc_main between two calls of sc_start(), an OS thread with async_request_update(). A platform that has
// such actors leaves `most` at 0; with more it promises that there are none. Whoever takes accesses from
// outside asks passed() whether that promise was kept, so that a drive that is too far ahead says so instead
// of answering from its future.
#pragma once

#include <algorithm>
#include <systemc>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

class RunAhead {
 public:
  /// By how much at most; 0: never.
  explicit RunAhead(TimePs most) : most_(most) {}

  /// The drive may act before this time, seen from the kernel's time `now`. Not ahead of time zero, which
  /// belongs to those who elaborate and fill the drive.
  TimePs horizon(TimePs now) const {
    if (most_ == 0 || now == 0) return 0;
    return now + std::min(most_, to_ps(sc_core::sc_time_to_pending_activity()));
  }

  /// The drive acts at `at`, which may be ahead of the kernel.
  void acts(TimePs at) { reached_ = std::max(reached_, at); }

  /// Whether the drive has already done something later than `at`: an access from outside at `at` comes too
  /// late.
  bool passed(TimePs at) const { return at < reached_; }

 private:
  TimePs most_;
  TimePs reached_ = 0;
};

} // namespace twinplane::hw
