// Holds the controller's edges against the data sheet: pulse widths, set-up and hold, and the waits between
// cycles (of NV-DDR by clocked_checker.h). Judges only; whatever it finds, the transactor takes the cycle as
// it came.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/pins/clocked_checker.h"
#include "hw/pins/pin_config.h"
#include "hw/pins/pin_faults.h"
#include "hw/pins/pin_levels.h"
#include "hw/pins/pin_times.h"

namespace twinplane::hw {

class PinChecker {
 public:
  /// Broken rules go to `faults` as PinFault::timing; it must outlive the checker.
  PinChecker(const PinConfig& config, PinFaults& faults);

  /// The pins have changed from `before` to `levels` at `now`.
  void on_change(const PinLevels& before, const PinLevels& levels, TimePs now);
  /// R/B# of a target has risen.
  void on_ready(std::uint32_t chip, TimePs now) {
    ready_rise_[chip] = now;
    clocked_.on_ready(chip, now);
  }

  std::uint64_t count(PinRule rule) const { return times_.count(rule); }

 private:
  enum class Cycle : std::uint8_t { none, command, address, data_in, data_out };

  void write_falls(TimePs now);
  void write_rises(const PinLevels& at_edge, TimePs now);
  void read_edge(const PinLevels& levels, TimePs now);
  void data_out_begins(const PinLevels& levels, TimePs now);
  void strobe_edge(const PinLevels& at_edge, TimePs now);
  void data_in_begins(TimePs now);
  void levels_change(const PinLevels& before, const PinLevels& levels, TimePs now);
  void selection_changes(const PinLevels& before, const PinLevels& levels, TimePs now);

  PinConfig config_;
  PinTimes times_;
  ClockedChecker clocked_;
  Cycle last_ = Cycle::none;
  std::uint8_t opcode_ = 0; // of the last command
  // when it last happened, 0 for never
  TimePs we_fall_ = 0;
  TimePs we_rise_ = 0;
  TimePs re_fall_ = 0;
  TimePs re_rise_ = 0;
  TimePs select_ = 0;
  TimePs latch_change_ = 0; // CLE or ALE
  TimePs cle_fall_ = 0;
  TimePs ale_fall_ = 0;
  TimePs protect_change_ = 0;
  TimePs dq_change_ = 0;
  TimePs dq_taken_ = 0;            // edge that took DQ
  TimePs dq_hold_ = 0;             // tDH or tCAH of that edge
  std::vector<TimePs> deselect_;   // by target
  std::vector<TimePs> ready_rise_; // by target
};

} // namespace twinplane::hw
