// AC timing of the flash interface, in picoseconds, under its data sheet names. The values of every
// interface and mode are in bus_timing_values.h, what must keep them apart in timing_rules.h.
#pragma once

#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane {

/// Time of one byte as an exact fraction of picoseconds (1200 MT/s is 2500/3 ps).
struct ByteTime {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;

  /// Rounded up to the next picosecond.
  constexpr TimePs of(std::uint64_t bytes) const {
    return (bytes * numerator + denominator - 1) / denominator;
  }
};

/// One interface in one mode. 0: the interface has no such interval.
struct BusTiming {
  bool ddr = false; // one-byte values (status, ID, features) are transferred twice, columns are even
  ByteTime data_in;
  ByteTime data_out;
  TimePs tCK = 0;    // NV-DDR: period of the clock, which moves two bytes; no other interface has one
  TimePs tWC = 0;    // command or address cycle (NV-DDR: tCAD)
  TimePs tCS = 0;    // CE# low to the first cycle
  TimePs tADL = 0;   // last address to first data in (contains tWPRE)
  TimePs tWB = 0;    // confirm to R/B# low
  TimePs tWHR = 0;   // status / ID command to data out
  TimePs tRR = 0;    // R/B# high to data out
  TimePs tCCS = 0;   // change column to data
  TimePs tRHW = 0;   // data out to next command (contains tRPST + tRPSTH when these are shorter)
  TimePs tCALS = 0;  // after a data burst: CLE/ALE set-up of the confirm (SDR: inside tWC)
  TimePs tWPRE = 0;  // DDR: write preamble
  TimePs tWPST = 0;  // DDR: write postamble
  TimePs tWPSTH = 0; // DDR: write postamble hold
  TimePs tRPRE = 0;  // DDR: read preamble (NV-DDR: tWRCK)
  TimePs tDQSRE = 0; // DDR: RE# to DQS (NV-DDR: tDQSCK)
  TimePs tRPST = 0;  // DDR: read postamble (NV-DDR: tDQSHZ)
  TimePs tRPSTH = 0; // DDR: read postamble hold

  // Edges inside a cycle: for pins, not for the durations of tenures.
  TimePs tWP = 0;  // WE# low
  TimePs tWH = 0;  // WE# high
  TimePs tRP = 0;  // RE# low
  TimePs tREH = 0; // RE# high
  TimePs tCLS = 0; // CLE, ALE valid before WE# rises (SDR; DDR interfaces: tCALS)
  TimePs tCLH = 0; // ... and after it (tALH; DDR: tCALH)
  TimePs tDS = 0;  // DQ valid before its strobe
  TimePs tDH = 0;  // ... and after it
  TimePs tCAS = 0; // DDR: command, address valid before WE# rises
  TimePs tCAH = 0; // ... and after it
  TimePs tCH = 0;  // CE# low after the last cycle
  TimePs tCEH = 0; // CE# high between two selections
  TimePs tAR = 0;  // ALE low to RE# low
  TimePs tCLR = 0; // CLE low to RE# low
  TimePs tWW = 0;  // WP# changed to WE# low

  // Where DQ carries data out: for pins.
  TimePs tREA = 0;   // SDR: RE# low to DQ valid, at most
  TimePs tRHOH = 0;  // SDR: DQ valid after RE# has risen
  TimePs tRLOH = 0;  // SDR: ... and after it falls again
  TimePs tDQSRH = 0; // DDR: DQ and DQS driven after the end of a burst
};

constexpr bool operator==(const ByteTime& a, const ByteTime& b) {
  return a.numerator == b.numerator && a.denominator == b.denominator;
}

/// Every interval that a timing has.
constexpr TimePs BusTiming::*const kBusIntervals[] = {
    &BusTiming::tCK,   &BusTiming::tWC,    &BusTiming::tCS,    &BusTiming::tADL,  &BusTiming::tWB,
    &BusTiming::tWHR,  &BusTiming::tRR,    &BusTiming::tCCS,   &BusTiming::tRHW,  &BusTiming::tCALS,
    &BusTiming::tWPRE, &BusTiming::tWPST,  &BusTiming::tWPSTH, &BusTiming::tRPRE, &BusTiming::tDQSRE,
    &BusTiming::tRPST, &BusTiming::tRPSTH, &BusTiming::tWP,    &BusTiming::tWH,   &BusTiming::tRP,
    &BusTiming::tREH,  &BusTiming::tCLS,   &BusTiming::tCLH,   &BusTiming::tDS,   &BusTiming::tDH,
    &BusTiming::tCAS,  &BusTiming::tCAH,   &BusTiming::tCH,    &BusTiming::tCEH,  &BusTiming::tAR,
    &BusTiming::tCLR,  &BusTiming::tWW,    &BusTiming::tREA,   &BusTiming::tRHOH, &BusTiming::tRLOH,
    &BusTiming::tDQSRH};
static_assert(sizeof(BusTiming) == 24 + sizeof(TimePs) * (sizeof kBusIntervals / sizeof kBusIntervals[0]),
              "all of them are named");

constexpr bool operator==(const BusTiming& a, const BusTiming& b) {
  for (const auto interval : kBusIntervals) {
    if (a.*interval != b.*interval) return false;
  }
  return a.ddr == b.ddr && a.data_in == b.data_in && a.data_out == b.data_out;
}

} // namespace twinplane
