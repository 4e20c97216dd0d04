// Holds the controller's edges against the data sheet: pulse widths, set-up and hold, and the waits between
// cycles. Judges only; whatever it finds, the transactor takes the cycle as it came.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/pins/pin_config.h"
#include "hw/pins/pin_faults.h"
#include "hw/pins/pin_levels.h"

namespace twinplane::hw {

/// Data sheet parameters that the controller must keep.
enum class PinRule : std::uint8_t {
  tWC,  // WE# falls to WE# falls
  tWP,  // WE# low
  tWH,  // WE# high
  tCS,  // CE# falls to WE# rises
  tCH,  // WE# rises to CE# rises
  tCLS, // CLE or ALE changes to WE# rises
  tCLH, // WE# rises to CLE or ALE changes
  tDS,  // DQ changes to WE# rises; DDR data: to an edge of DQS
  tDH,  // WE# rises, or an edge of DQS, to DQ changes
  tADL, // address to data in
  tCCS, // column address of 85h to data in; E0h to data out
  tRC,  // SDR: RE# falls to RE# falls
  tRP,  // RE# low
  tREH, // RE# high
  tWHR, // command or address to data out
  tRHW, // data out to WE# falls
  tRR,  // R/B# rises to data out, except status
  tCEH, // CE# high
  tAR,  // ALE falls to data out
  tCLR, // CLE falls to data out
  tWW,  // WP# changes to WE# falls
};
constexpr std::size_t kPinRules = 21;

/// Names as in messages, in the order of PinRule.
constexpr std::array<const char*, kPinRules> kPinRuleNames{
    "tWC", "tWP", "tWH",  "tCS",  "tCH",  "tCLS", "tCLH", "tDS", "tDH",  "tADL", "tCCS",
    "tRC", "tRP", "tREH", "tWHR", "tRHW", "tRR",  "tCEH", "tAR", "tCLR", "tWW"};

class PinChecker {
 public:
  /// Broken rules go to `faults` as PinFault::timing; it must outlive the checker.
  PinChecker(const PinConfig& config, PinFaults& faults);

  /// The pins have changed from `before` to `levels` at `now`.
  void on_change(const PinLevels& before, const PinLevels& levels, TimePs now);
  /// R/B# of a target has risen.
  void on_ready(std::uint32_t chip, TimePs now) { ready_rise_[chip] = now; }

  std::uint64_t count(PinRule rule) const { return counts_[static_cast<std::size_t>(rule)]; }

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
  /// At least `minimum` since `since` (0: never happened).
  void expect(PinRule rule, TimePs since, TimePs minimum, TimePs now);

  PinConfig config_;
  PinFaults& faults_;
  std::array<std::uint64_t, kPinRules> counts_{};
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
