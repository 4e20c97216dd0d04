// Timing of single pin edges, in picoseconds, under data sheet names: what a bus timing table
// (nand_timing.h) does not need, because there a cycle is the smallest thing.
//
// SDR modes 0-5 as in the ONFI tables (also in Linux nand_timings.c), NV-DDR2 modes 0-10 from the common
// values of that interface; both are minima except tREA, which is a maximum. tCLS and tCLH stand for tALS
// and tALH, which have the same values.
#pragma once

#include <array>
#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane {

struct PinTiming {
  TimePs tWP = 0;   // WE# low
  TimePs tWH = 0;   // WE# high
  TimePs tRP = 0;   // RE# low
  TimePs tREH = 0;  // RE# high
  TimePs tREA = 0;  // SDR: RE# low to DQ valid
  TimePs tRHOH = 0; // RE# (DDR: CE#, CLE or ALE) high: how long DQ stays valid
  TimePs tRLOH = 0; // next RE# low: how long the DQ of the cycle before stays valid
  TimePs tCLS = 0;  // CLE, ALE stable before WE# rises
  TimePs tCLH = 0;  // ... and after
  TimePs tCH = 0;   // CE# low after WE# has risen
  TimePs tDS = 0;   // DQ stable before WE# rises (DDR: before an edge of DQS)
  TimePs tDH = 0;   // ... and after
  TimePs tCAS = 0;  // DQ of a command or address stable before WE# rises (SDR: tDS)
  TimePs tCAH = 0;  // ... and after
};

namespace timing {

struct SdrPinRow {
  std::uint8_t tWP, tWH, tRP, tREH, tREA, tRHOH, tRLOH, tCLS, tCLH, tDS, tDH; // ns
};
constexpr std::array<SdrPinRow, 6> kSdrPins{{{50, 30, 50, 30, 40, 0, 0, 50, 20, 40, 20},
                                             {25, 15, 25, 15, 30, 15, 0, 25, 10, 20, 10},
                                             {17, 15, 17, 15, 25, 15, 0, 15, 10, 15, 5},
                                             {15, 10, 15, 10, 20, 15, 0, 10, 5, 10, 5},
                                             {12, 10, 12, 10, 20, 15, 5, 10, 5, 10, 5},
                                             {10, 7, 10, 7, 16, 15, 5, 10, 5, 7, 5}}};

constexpr PinTiming sdr_pins(std::uint32_t mode) {
  const SdrPinRow& row = kSdrPins[mode];
  PinTiming t;
  t.tWP = ns(row.tWP);
  t.tWH = ns(row.tWH);
  t.tRP = ns(row.tRP);
  t.tREH = ns(row.tREH);
  t.tREA = ns(row.tREA);
  t.tRHOH = ns(row.tRHOH);
  t.tRLOH = ns(row.tRLOH);
  t.tCLS = ns(row.tCLS);
  t.tCLH = ns(row.tCLH);
  t.tCH = t.tCLH;
  t.tDS = ns(row.tDS);
  t.tDH = ns(row.tDH);
  t.tCAS = t.tDS;
  t.tCAH = t.tDH;
  return t;
}

/// tDS = tDH and tRC of NV-DDR2 modes 0-10, in units of 10 ps.
struct DdrPinRow {
  std::uint16_t tDS, tRC;
};
constexpr std::array<DdrPinRow, 11> kNvDdr2Pins{{{400, 3000},
                                                 {330, 2500},
                                                 {200, 1500},
                                                 {110, 1200},
                                                 {70, 1000},
                                                 {60, 750},
                                                 {55, 600},
                                                 {40, 500},
                                                 {30, 375},
                                                 {24, 300},
                                                 {20, 250}}};

constexpr PinTiming nv_ddr2_pins(std::uint32_t mode) {
  const DdrPinRow& row = kNvDdr2Pins[mode];
  PinTiming t;
  t.tWP = ns(11);
  t.tWH = ns(11);
  t.tRP = TimePs{row.tRC} * 9 / 2; // 0.45 tRC
  t.tREH = t.tRP;
  t.tRHOH = ns(5); // tDQSRH
  t.tCLS = ns(15);
  t.tCLH = ns(5);
  t.tCH = ns(5);
  t.tDS = TimePs{row.tDS} * 10;
  t.tDH = t.tDS;
  t.tCAS = ns(5);
  t.tCAH = ns(5);
  return t;
}

} // namespace timing
} // namespace twinplane
