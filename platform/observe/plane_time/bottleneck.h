// Which resource of the drive has no time left while planes have no work of their own, and how much of that
// time it alone takes: what the next one behind it is in use for comes back from neither of the two.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/spec/sim_time.h"
#include "platform/report/plane_time.h"
#include "platform/report/utilisation.h"

namespace twinplane::platform {

/// What limits the drive for the time being.
struct Bottleneck {
  bool limits = false; // one of those below is in use nearly all the time
  PlaneCause cause = PlaneCause::imbalance;
  bool dram = false;       // it is the DRAM
  std::uint32_t alone = 0; // of 65,536: what it is in use for longer than the next one

  /// Of a time for which planes have nothing to do: what would not be without this resource.
  TimePs part_of(TimePs time) const { return static_cast<TimePs>(static_cast<Wide>(time) * alone >> 16); }

 private:
  __extension__ typedef unsigned __int128 Wide;
};

/// Looks at the last milliseconds: hardware books its time ahead, so a shorter look would see bookings.
class BottleneckWatch {
 public:
  /// Until the time that it is given.
  using Uses = std::function<SharedBusyTimes(TimePs)>;
  void look_at(Uses uses) { uses_ = std::move(uses); }
  /// What was before does not count: the drive has had no work.
  void restart(TimePs now);
  Bottleneck at(TimePs now);

 private:
  struct Look {
    TimePs at = 0;
    SharedBusyTimes uses;
  };
  Uses uses_;
  Look older_, newer_;
};

} // namespace twinplane::platform
