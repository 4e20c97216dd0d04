// Holds the edges of an NV-DDR controller against the data sheet: the clock, what it latches, the strobe of
// data in, and the turns of the bus. Judges only, as PinChecker, whose part for this interface it is. CLK
// counts while CE# is low.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/pins/pin_config.h"
#include "hw/pins/pin_levels.h"
#include "hw/pins/pin_times.h"

namespace twinplane::hw {

class ClockedChecker {
 public:
  ClockedChecker(const PinConfig& config, PinTimes& times)
      : bus_(config.bus), times_(times), deselect_(config.chips, 0), ready_rise_(config.chips, 0) {}

  void on_change(const PinLevels& before, const PinLevels& levels, TimePs now);
  void on_ready(std::uint32_t chip, TimePs now) { ready_rise_[chip] = now; }

 private:
  enum class Cycle : std::uint8_t { none, command, address, data_in, data_out };

  void clock_falls(TimePs now);
  void clock_rises(const PinLevels& at_edge, TimePs now);
  void latch(const PinLevels& at_edge, TimePs now);
  void announce_in(TimePs now);
  void ask_out(const PinLevels& at_edge, TimePs now);
  void strobe(bool rising, TimePs now);
  void first_strobe(TimePs now);
  void levels_change(const PinLevels& before, const PinLevels& levels, TimePs now);
  void strobe_released(const PinLevels& before, const PinLevels& levels, TimePs now);
  void selection_changes(const PinLevels& before, const PinLevels& levels, TimePs now);

  BusTiming bus_;
  PinTimes& times_;
  Cycle last_ = Cycle::none;       // of the edges of CLK that were not idle
  Cycle last_latch_ = Cycle::none; // command or address
  std::uint8_t opcode_ = 0;        // of the last command
  std::uint32_t announced_ = 0;    // bytes in that DQS has not brought yet
  bool bursting_ = false;          // DQS has brought one since the last command or address
  bool strobed_ = false;           // DQS has brought one since it was driven
  // when it last happened, 0 for never
  TimePs rise_ = 0; // CLK
  TimePs fall_ = 0;
  TimePs select_ = 0;
  TimePs active_ = 0;         // CLK rises with CLE or ALE
  TimePs latched_ = 0;        // command or address
  TimePs announce_ = 0;       // the first of a burst of data in
  TimePs ask_ = 0;            // data out
  TimePs turn_ = 0;           // W/R# falls
  TimePs control_change_ = 0; // CLE, ALE, W/R#
  TimePs protect_change_ = 0;
  TimePs dq_change_ = 0;
  TimePs dq_taken_ = 0;
  PinRule dq_rule_ = PinRule::tDH; // that of the edge that took DQ
  TimePs dq_hold_ = 0;
  TimePs dqs_low_ = 0;  // driven low since; 0 when it is not
  TimePs dqs_rise_ = 0; // with a byte
  TimePs dqs_fall_ = 0;
  std::vector<TimePs> deselect_;   // by target
  std::vector<TimePs> ready_rise_; // by target
};

} // namespace twinplane::hw
