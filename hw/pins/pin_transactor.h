// Pins to transactions: lets a controller that drives wires (RTL, or a bit-banging model) work with TLM
// packages, in the place of hw/channel.
//
// Watches the controller's side of an OnfiPins bundle, decodes the cycles (strobed_bus.h: SDR, NV-DDR2 and
// its successors; clocked_bus.h: NV-DDR), sends them through `chips` to the packages (pin_target.h says how
// cycles become transactions), and drives the packages' side: DQ and DQS as those say, and R/B#: low tWB
// after the confirm, high when the last LUN of the target is ready. WP# low: programs and erases are ignored,
// bit 7 of the status is 0. The interface is that of the configuration (PinConfig::bus); Set Features does
// not change it.
//
// Until reset has reached the controller its pins are undefined: what happens at time zero, and after it
// until no CE# is low, is not looked at.
//
// PinLevels that mean nothing (PinFault) are counted and reported as SC_WARNING "twinplane.pins"; they never
// stop the simulation. The kernel's time resolution must be 1 ps.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/core/observer.h"
#include "hw/nand/nand_config.h"
#include "hw/pins/onfi_pins.h"
#include "hw/pins/pin_bus.h"
#include "hw/pins/pin_checker.h"
#include "hw/pins/pin_config.h"
#include "hw/pins/pin_drives.h"
#include "hw/pins/pin_faults.h"
#include "hw/pins/pin_levels.h"
#include "hw/pins/pin_target.h"
#include "hw/pins/pin_targets.h"

namespace twinplane::hw {

class PackageBlock;

class PinTransactor : public sc_core::sc_module, private NandObserver {
 public:
  sc_core::sc_vector<OnfiInitiatorSocket> chips; // one per CE#

  /// `pins` must have at least as many targets as the configuration.
  PinTransactor(sc_core::sc_module_name name, OnfiPins& pins, const PinConfig& config);

  /// Binds chips[chip] and listens to the package. NandConfig::chip must be `chip`.
  void connect(std::uint32_t chip, PackageBlock& package);
  /// R/B# moves as the package tells its observers. Before the simulation starts.
  void listen(PackageBlock& package);
  /// R/B# of the LUN, which is low, rises at `at`: where the package tells it in another way (ReadyBusy).
  void on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) { on_ready_busy(0, chip, lun, true, at); }

  /// Each selection (CE# low to high) is told as one raw tenure when CE# rises, so behind its times: for
  /// counters, and for monitors of controllers that raise CE# while a die is busy. Waves of the wires come
  /// from OnfiPins::trace().
  void attach(BusObserver& observer);

  const PinStatistics& statistics() const { return shared_.statistics; }
  const PinFaults& faults() const { return shared_.faults; }
  /// How often the controller broke a data sheet time; all of them together are PinFault::timing.
  std::uint64_t broken(PinRule rule) const { return checker_.count(rule); }

 private:
  /// R/B# of one LUN: low in [from, until).
  struct Busy {
    TimePs from = 0;
    TimePs until = 0;
  };

  // the controller's side
  void on_pins();
  PinLevels sample() const;
  bool powered_up(const PinLevels& levels, TimePs now);

  // the packages' side
  void drive_data() { drives_.put(); }
  void drive_ready();
  void check_contention();
  void on_array(std::uint32_t, const ArrayOperation&) override {}
  void on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                     TimePs at) override;
  void on_violation(std::uint32_t, const Violation&) override {}

  OnfiPins& pins_;
  PinTarget::Shared shared_;
  PinChecker checker_;
  PinTargets targets_;
  PinDrives drives_;
  std::unique_ptr<PinBus> bus_;
  bool awake_ = false;
  PinLevels before_;
  bool contended_ = false;

  std::vector<std::vector<Busy>> busy_; // [chip][lun]
  sc_core::sc_event ready_event_;
};

} // namespace twinplane::hw
