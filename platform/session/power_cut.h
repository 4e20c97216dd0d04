// The supply of a drive fails at one moment of a simulation, which ends there: what is left are the cells,
// and what the host knows of its data (docs/power_loss.md).
#pragma once

#include <systemc>

#include "platform/host/nvme_host.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class PowerCut : public sc_core::sc_module {
 public:
  PowerCut(const sc_core::sc_module_name& name, Ssd& ssd, NvmeHost& host);

  /// Before simulation starts: nothing may have been done in the drive yet. With hold-up energy the firmware
  /// is told then, and everything goes on until nothing is under way in the flash any more.
  void announce(TimePs at, bool held_up);
  /// kNever: there will be none.
  TimePs at() const { return at_; }
  /// After the simulation, if its workload has ended before the cut: the idle drive is cut then.
  void cut();
  /// From the failure of the supply to the end of all power.
  TimePs held_up_for() const { return failing_ ? end_ - at_ : 0; }
  /// The firmware has written what a trim needs to last, or has had to.
  bool trims_kept() const;

 private:
  void start_of_simulation() override;
  void on_time();
  void hold_up();
  std::uint64_t completed() const;
  bool under_way() const;

  Ssd& ssd_;
  NvmeHost& host_;
  sc_core::sc_event time_{"time"};
  TimePs at_ = kNever;
  TimePs end_ = kNever;
  bool held_up_ = false;
  bool failing_ = false; // held up
  bool done_ = false;
  std::uint64_t seen_ = 0; // flash operations completed at the last look
};

} // namespace twinplane::platform
