// The data sheet parameters that a controller must keep, and a collector that measures and counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hw/pins/pin_faults.h"

namespace twinplane::hw {

enum class PinRule : std::uint8_t {
  tWC,  // WE# falls to WE# falls
  tWP,  // WE# low
  tWH,  // WE# high
  tCS,  // CE# falls to WE# rises; NV-DDR: to the first edge of CLK with CLE or ALE
  tCH,  // WE# rises to CE# rises; NV-DDR: from the last such edge
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
  tRHW, // data out to WE# falls; NV-DDR: to command, address or data in
  tRR,  // R/B# rises to data out, except status
  tCEH, // CE# high
  tAR,  // ALE falls to data out
  tCLR, // CLE falls to data out
  tWW,  // WP# changes to WE# falls; NV-DDR: to command or address
  // NV-DDR only
  tCK,   // CLK rises to CLK rises; and no more than 100 ns while CE# is low
  tCKH,  // CLK high
  tCKL,  // CLK low
  tCALS, // CLE, ALE or W/R# changes to CLK rises
  tCALH, // CLK rises to CLE, ALE or W/R# changes
  tCAS,  // DQ changes to a command or address
  tCAH,  // command or address to DQ changes
  tCAD,  // command or address to the next one
  tDQSS, // data in announced to the first edge of DQS: from 0.75 to 1.25 tCK
  tDSC,  // DQS rises to DQS rises
  tDQSH, // DQS high
  tDQSL, // DQS low
  tDSS,  // DQS falls to CLK rises
  tDSH,  // CLK rises to DQS falls
  tWPRE, // DQS low before the first byte
  tWPST, // DQS low and driven after the last byte
  tWRCK, // W/R# falls to data out
  tCKWR, // data out to W/R# rises
};
constexpr std::size_t kPinRules = 39;

/// Names as in messages, in the order of PinRule.
constexpr std::array<const char*, kPinRules> kPinRuleNames{
    "tWC",  "tWP",   "tWH",   "tCS",  "tCH",   "tCLS",  "tCLH",  "tDS",   "tDH",  "tADL",
    "tCCS", "tRC",   "tRP",   "tREH", "tWHR",  "tRHW",  "tRR",   "tCEH",  "tAR",  "tCLR",
    "tWW",  "tCK",   "tCKH",  "tCKL", "tCALS", "tCALH", "tCAS",  "tCAH",  "tCAD", "tDQSS",
    "tDSC", "tDQSH", "tDQSL", "tDSS", "tDSH",  "tWPRE", "tWPST", "tWRCK", "tCKWR"};

class PinTimes {
 public:
  /// Broken rules go to `faults` as PinFault::timing; it must outlive this.
  explicit PinTimes(PinFaults& faults) : faults_(faults) {}

  /// At least `minimum` since `since` (0: never happened).
  void expect(PinRule rule, TimePs since, TimePs minimum, TimePs now) {
    if (since != 0 && now - since < minimum) broken(rule, now - since, "at least ", minimum, now);
  }
  /// At most `maximum`.
  void expect_at_most(PinRule rule, TimePs since, TimePs maximum, TimePs now) {
    if (since != 0 && now - since > maximum) broken(rule, now - since, "at most ", maximum, now);
  }

  std::uint64_t count(PinRule rule) const { return counts_[static_cast<std::size_t>(rule)]; }

 private:
  static std::string nanoseconds(TimePs t) {
    return std::to_string(t / 1000) + "." + std::to_string(1000 + t % 1000).substr(1) + " ns";
  }
  void broken(PinRule rule, TimePs time, const char* relation, TimePs limit, TimePs now) {
    const auto index = static_cast<std::size_t>(rule);
    ++counts_[index];
    const std::string text = std::string(kPinRuleNames[index]) + " is " + nanoseconds(time) + ", expected " +
                             relation + nanoseconds(limit);
    faults_.report(PinFault::timing, now, text.c_str());
  }

  PinFaults& faults_;
  std::array<std::uint64_t, kPinRules> counts_{};
};

} // namespace twinplane::hw
