// A drive with all that measures it, whatever its host is. Simulation and ServedDrive add the host.
#pragma once

#include <memory>
#include <string>

#include "platform/config/config.h"
#include "platform/measure/host_meter.h"
#include "platform/measure/measured_window.h"
#include "platform/measure/round_log.h"
#include "platform/observe/energy_meter.h"
#include "platform/observe/plane_time/account.h"
#include "platform/report/summary.h"
#include "platform/ssd/precondition.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

class MeasuredDrive {
 public:
  Ssd& ssd() { return ssd_; }
  HostMeter& meter() { return meter_; }
  /// null without report.energy.
  EnergyMeter* energy() { return energy_.get(); }
  /// null without report.plane_time.
  PlaneTimeAccount* plane_time() { return plane_time_.get(); }
  /// Exported capacity; after boot().
  std::uint64_t exported_bytes() const;

  /// Ends the run early with this InputError; callable from inside the simulation.
  virtual void abandon(const std::string& reason) = 0;

 protected:
  MeasuredDrive(const Config& config, BlockFactory& factory);
  ~MeasuredDrive();

  /// Ends when the firmware has booted, in the time that it takes. Throws FirmwarePanic, or InputError when
  /// the firmware refuses. False: the simulation has been stopped before.
  [[nodiscard]] bool boot();
  /// What has been counted so far was preparation.
  void start_counting();
  void listen_to_firmware();
  /// The drive is preconditioned, and observers of its run see nothing of that: a drive that is loaded looks
  /// the same.
  PreconditionResult write_first(IoSource* trace);
  /// The begin of a summary: of whom it is.
  void identify(Summary& summary) const;
  /// The rest of it, once its workload is set.
  void collect(Summary& summary) const;

  const Config config_;
  Ssd ssd_;
  HostMeter meter_;
  RoundLog rounds_;
  MeasuredWindow window_;
  std::unique_ptr<EnergyMeter> energy_;
  std::unique_ptr<PlaneTimeAccount> plane_time_;

 private:
  fw::FtlStatistics at_begin(const fw::FtlStatistics& now) const;
  void measure_energy();
  void account_for_planes();

  fw::FtlStatistics booted_; // what boot has counted
};

} // namespace twinplane::platform
