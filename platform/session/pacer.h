// Keeps a drive that is served from being faster than it says: `serve --pace 1`.
//
// Simulated time follows the wall clock and never overtakes it. Where the model takes longer than the drive
// would, it falls behind, and makes up for it when it can; but no request ends earlier, counted from its
// doorbell on the wall clock, than its simulated latency. By how much it ends later is measured.
//
// The wall clock decides when the model goes on, and so when the guest acts, never what the model does.
#pragma once

#include <cstdint>
#include <map>

#include "platform/pci_host/nvme_watch.h"
#include "platform/report/summary.h"

namespace twinplane::platform {

class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual TimePs now() = 0; // since some moment that was before any simulated time
  virtual void sleep_until(TimePs time) = 0;
};

/// The machine's.
class MachineClock final : public WallClock {
 public:
  MachineClock();
  TimePs now() override;
  void sleep_until(TimePs time) override;

 private:
  std::int64_t begin_ns_;
};

class Pacer final : public NvmeWatch::Listener {
 public:
  /// From `now` of simulated time on.
  Pacer(WallClock& clock, TimePs now) : clock_(clock), start_(clock.now() - now) {}

  /// Simulated time that may have passed by now.
  TimePs due();
  /// How long it takes until that is so of `time`, which is later.
  TimePs until(TimePs time);
  PaceSummary summary() const;

  void on_rung(TimePs at) override;
  /// Returns when the guest may see it.
  void on_finished(const GuestRequest& request) override;
  void on_given_up(TimePs rung, TimePs now) override;

 private:
  /// Requests that were announced at one time: the wall clock then was this much further.
  struct Rung {
    TimePs ahead = 0;
    std::uint64_t requests = 0;
  };
  using Rungs = std::map<TimePs, Rung>;
  TimePs offset() const { return furthest_ > start_ ? furthest_ : start_; }
  void forget(Rungs::iterator rung);

  WallClock& clock_;
  const TimePs start_;
  Rungs rung_;
  TimePs furthest_ = 0; // of those outstanding
  std::uint64_t finished_ = 0;
  double late_ps_ = 0;
  TimePs late_max_ = 0;
};

} // namespace twinplane::platform
