// Until when the drive may simulate ahead of the kernel: as long as nothing outside the drive can act on it.
//
// The kernel tells when its next pending activity is due. Of some actors it is not known before: a block that
// has_external_events() (hw/core/block.h), a server of a socket, a debugger. While there is one the answer is
// "now": the drive is never ahead. Nor does the kernel know of sc_main between two calls of sc_start(), or of
// an OS thread with async_request_update(): a platform in which one of those acts on the drive must leave
// `most` at 0. Every access from outside is checked with passed(), so that a drive that is too far ahead
// reports an error instead of answering with the state of a later time.
#pragma once

#include <algorithm>
#include <systemc>
#include <utility>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

class RunAhead {
 public:
  /// By how much at most; 0: never.
  explicit RunAhead(TimePs most) : most_(most) {}

  /// From here on an actor that is not announced may act, until the same is told by unblock(). A drive that is
  /// ahead at this time refuses accesses until the kernel has come that far (passed()).
  void block() { ++unannounced_; }
  void unblock() { --unannounced_; }
  bool allowed() const { return most_ != 0 && unannounced_ == 0; }

  /// The drive may act before this time, seen from the kernel's time `now`. Not ahead of time zero, which
  /// belongs to what elaborates and fills the drive, nor in the last time step of a simulation that has
  /// been stopped: what comes after it does not happen.
  TimePs horizon(TimePs now) const {
    const bool stopped = sc_core::sc_curr_simcontext->sim_status() != sc_core::SC_SIM_OK;
    if (!allowed() || now == 0 || stopped) return 0;
    return now + std::min(most_, to_ps(sc_core::sc_time_to_pending_activity()));
  }

  /// Whether this horizon is that of something pending in the kernel, not just as far as the drive may go.
  bool is_pending(TimePs horizon, TimePs now) const { return horizon > now && horizon - now < most_; }

  /// An event has been notified, or a function outside called that may have: what was pending in the kernel
  /// at the last horizon() may no longer be all.
  void kernel_changed() { changed_ = true; }
  /// Whether that has happened since this was asked last.
  bool take_change() { return std::exchange(changed_, false); }

  /// The drive acts at `at`, which may be ahead of the kernel.
  void acts(TimePs at) { reached_ = std::max(reached_, at); }
  /// The time at which the drive, or a host that acts with it, acts now; for any other process the kernel's.
  TimePs now() const { return std::max(reached_, kernel_now()); }

  /// Whether the drive has already done something later than `at`: an access from outside at `at` comes too
  /// late.
  bool passed(TimePs at) const { return at < reached_; }

 private:
  TimePs most_;
  TimePs reached_ = 0;
  unsigned unannounced_ = 0; // who may act at any time
  bool changed_ = false;
};

} // namespace twinplane::hw
