// SDR, and NV-DDR2 and its successors: cycles are strobed by WE#, RE# and DQS.
//
// Write cycles are taken as a flip-flop takes them: with the levels just before WE# rises. DDR data in
// begin with the first rising edge of DQS after CLE and ALE are low, WE# and RE# high.
//   DQ, SDR     tREA after RE# has fallen, until tRHOH after it has risen or tRLOH after it falls again:
//               the guaranteed window and no more, so that a controller that samples too late reads FFh
//   DQ, DDR     tDQSRE after each edge of RE#, with an edge of DQS; the first falling edge of RE# is the
//               preamble and moves no data
#pragma once

#include "hw/pins/pin_bus.h"
#include "hw/pins/pin_drives.h"
#include "hw/pins/pin_targets.h"

namespace twinplane::hw {

class StrobedBus final : public PinBus {
 public:
  StrobedBus(PinTargets& targets, PinDrives& drives)
      : targets_(targets), drives_(drives), bus_(targets.shared().config.bus) {}

  void on_change(const PinLevels& before, const PinLevels& levels, TimePs now) override;

 private:
  void write_cycle(const PinLevels& at_edge, TimePs now);
  void read_edge_sdr(const PinLevels& now_levels, TimePs now);
  void read_edge_ddr(const PinLevels& now_levels, TimePs now);
  void strobe_in(const PinLevels& at_edge, bool rising, TimePs now);
  void end_bursts(const PinLevels& now_levels, TimePs now);

  PinTargets& targets_;
  PinDrives& drives_;
  const BusTiming& bus_;
  TimePs we_fall_ = 0;
  TimePs dqs_edge_ = 0;
  bool burst_in_ = false;  // DDR: DQS has risen
  bool burst_out_ = false; // DDR: RE# has fallen
};

} // namespace twinplane::hw
