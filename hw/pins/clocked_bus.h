// NV-DDR: WE# is a clock (CLK), RE# says who drives DQ and DQS (W/R#, low: the package).
//
//   CLK rises with CLE = 1, ALE = 0, W/R# = 1    command      CLE = ALE = 1, W/R# = 1    two bytes in, by DQS
//                  CLE = 0, ALE = 1, W/R# = 1    address                     W/R# = 0    two bytes out, by
//                  DQS CLE = ALE = 0                 nothing: the host waits
//
// CLK takes the levels just before it rises. Each edge that announces data in is followed, about one tCK
// later (tDQSS), by a rising and a falling edge of DQS, which take the levels of DQ just before them; DQS low
// before the first is the preamble. The package drives as long as W/R# is low and CE#, too: DQS low from
// tDQSD on; with each edge of CLK that asks for data DQS rises tDQSCK later with the first byte, and falls
// tDQSCK after CLK has fallen, with the second; then until tDQSHZ after W/R# or CE# has risen. Always the
// latest times of the table.
#pragma once

#include <cstdint>

#include "hw/pins/pin_bus.h"
#include "hw/pins/pin_drives.h"
#include "hw/pins/pin_targets.h"

namespace twinplane::hw {

class ClockedBus final : public PinBus {
 public:
  ClockedBus(PinTargets& targets, PinDrives& drives)
      : targets_(targets), drives_(drives), bus_(targets.shared().config.bus) {}

  void on_change(const PinLevels& before, const PinLevels& levels, TimePs now) override;

 private:
  void clock_rises(const PinLevels& at_edge, TimePs now);
  void clock_falls(const PinLevels& levels, TimePs now);
  void latch(PinTarget& target, const PinLevels& at_edge, TimePs now);
  void byte_out(PinTarget& target, const PinLevels& at_edge, bool dqs, TimePs now);
  void strobe_in(const PinLevels& at_edge, bool rising, TimePs now);
  void end_input(TimePs now);
  void turn(bool package_drives, TimePs now);

  PinTargets& targets_;
  PinDrives& drives_;
  const BusTiming& bus_;
  TimePs clock_fall_ = 0;
  TimePs dqs_edge_ = 0;
  std::uint32_t announced_ = 0; // bytes in that DQS has not brought yet
  bool half_out_ = false;       // the second byte out comes when CLK falls
};

} // namespace twinplane::hw
