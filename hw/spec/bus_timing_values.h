// The timing tables of the flash interfaces as data: one row per interval, with where the value is from.
//
// SDR 0-5 and NV-DDR 0-5: ONFI tables as Linux nand_timings.c has them. NV-DDR2 0-10, NV-DDR3 0-19: common
// values of the ONFI 4.0 part L06B (Micron's behavioural model), rates 0-10 from the same, 11-19 from two
// secondary sources that agree. NV-LPDDR4 0-19 and its 3600 MT/s point (here mode 20): secondary
// sources only. mqsim: defaults of MQSim's ONFI_Channel_NVDDR2, for comparisons.
// NV-DDR has no tRPRE and tDQSRE; what plays their part is named in bus_timing.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/spec/bus_timing.h"

namespace twinplane::timing {

/// Where a value is from.
enum class Source : std::uint8_t {
  verified,  // a source of primary quality: standard header, vendor's behavioural model, Linux
  secondary, // digests, tools, calculators
  general,   // general knowledge of the standard
  simulator, // another simulator's default
};

constexpr const char* source_name(Source source) {
  constexpr const char* kNames[] = {"verified", "secondary", "general", "simulator"};
  return kNames[static_cast<std::size_t>(source)];
}

using Interval = TimePs BusTiming::*;

/// One interval in six modes, in hundreds of picoseconds.
struct SixModes {
  const char* name;
  Interval interval;
  Source source;
  std::array<std::uint16_t, 6> value;
};

/// One interval from a mode on, until a later row of the same interval; in picoseconds.
struct FromMode {
  const char* name;
  Interval interval;
  Source source;
  std::uint32_t mode;
  std::uint32_t value;
};

/// tRC = tDSC of a double data rate mode in nanoseconds, as a fraction (two bytes per tRC).
struct Rate {
  Source source;
  std::uint8_t numerator, denominator;
};

constexpr std::uint32_t kSdrModes = 6;
constexpr std::uint32_t kNvDdrModes = 6;
constexpr std::uint32_t kNvDdr2Modes = 11;
constexpr std::uint32_t kNvDdr3Modes = 20;
constexpr std::uint32_t kNvLpddr4Modes = 21;

using B = BusTiming;

/// tRC equals tWC except in mode 1 (50 ns).
constexpr std::array<std::uint16_t, kSdrModes> kSdrReadCycle{1000, 500, 350, 300, 250, 200};

constexpr std::array<SixModes, 24> kSdr{{
    {"tWC", &B::tWC, Source::verified, {1000, 450, 350, 300, 250, 200}},
    {"tCS", &B::tCS, Source::verified, {700, 350, 250, 250, 200, 150}},
    {"tADL", &B::tADL, Source::verified, {4000, 4000, 4000, 4000, 4000, 4000}},
    {"tWB", &B::tWB, Source::verified, {2000, 1000, 1000, 1000, 1000, 1000}},
    {"tWHR", &B::tWHR, Source::verified, {1200, 800, 800, 800, 800, 800}},
    {"tRR", &B::tRR, Source::verified, {400, 200, 200, 200, 200, 200}},
    {"tCCS", &B::tCCS, Source::verified, {5000, 5000, 5000, 5000, 5000, 5000}},
    {"tRHW", &B::tRHW, Source::verified, {2000, 1000, 1000, 1000, 1000, 1000}},
    {"tWP", &B::tWP, Source::verified, {500, 250, 170, 150, 120, 100}},
    {"tWH", &B::tWH, Source::verified, {300, 150, 150, 100, 100, 70}},
    {"tRP", &B::tRP, Source::verified, {500, 250, 170, 150, 120, 100}},
    {"tREH", &B::tREH, Source::verified, {300, 150, 150, 100, 100, 70}},
    {"tCLS", &B::tCLS, Source::verified, {500, 250, 150, 100, 100, 100}},
    {"tCLH", &B::tCLH, Source::verified, {200, 100, 100, 50, 50, 50}},
    {"tDS", &B::tDS, Source::verified, {400, 200, 150, 100, 100, 70}},
    {"tDH", &B::tDH, Source::verified, {200, 100, 50, 50, 50, 50}},
    {"tCH", &B::tCH, Source::verified, {200, 100, 100, 50, 50, 50}},
    {"tCEH", &B::tCEH, Source::verified, {200, 200, 200, 200, 200, 200}},
    {"tAR", &B::tAR, Source::verified, {250, 100, 100, 100, 100, 100}},
    {"tCLR", &B::tCLR, Source::verified, {200, 100, 100, 100, 100, 100}},
    {"tWW", &B::tWW, Source::verified, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tREA", &B::tREA, Source::verified, {400, 300, 250, 200, 200, 160}},
    {"tRHOH", &B::tRHOH, Source::verified, {0, 150, 150, 150, 150, 150}},
    {"tRLOH", &B::tRLOH, Source::verified, {0, 0, 0, 0, 50, 50}},
}};

/// tCK; a byte takes half of it.
constexpr std::array<std::uint16_t, kNvDdrModes> kNvDdrClock{500, 300, 200, 150, 120, 100};

constexpr std::array<SixModes, 23> kNvDdr{{
    {"tCAD", &B::tWC, Source::verified, {450, 450, 450, 450, 450, 450}},
    {"tCS", &B::tCS, Source::verified, {350, 250, 150, 150, 150, 150}},
    {"tADL", &B::tADL, Source::verified, {4000, 4000, 4000, 4000, 4000, 4000}},
    {"tWB", &B::tWB, Source::verified, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tWHR", &B::tWHR, Source::verified, {800, 800, 800, 800, 800, 800}},
    {"tRR", &B::tRR, Source::verified, {200, 200, 200, 200, 200, 200}},
    {"tCCS", &B::tCCS, Source::general, {5000, 5000, 5000, 5000, 5000, 5000}},
    {"tRHW", &B::tRHW, Source::verified, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"tCALS", &B::tCALS, Source::verified, {100, 50, 40, 30, 25, 20}},
    {"tWPRE", &B::tWPRE, Source::verified, {750, 450, 300, 225, 180, 150}}, // 1.5 tCK
    {"tWPST", &B::tWPST, Source::verified, {750, 450, 300, 225, 180, 150}},
    {"tWRCK", &B::tRPRE, Source::verified, {200, 200, 200, 200, 200, 200}},
    {"tDQSCK", &B::tDQSRE, Source::verified, {250, 250, 250, 250, 250, 250}},
    {"tDQSHZ", &B::tRPST, Source::verified, {200, 200, 200, 200, 200, 200}},
    {"tCALS", &B::tCLS, Source::verified, {100, 50, 40, 30, 25, 20}},
    {"tCALH", &B::tCLH, Source::verified, {100, 50, 40, 30, 25, 20}},
    {"tCAS", &B::tCAS, Source::verified, {100, 50, 40, 30, 25, 20}},
    {"tCAH", &B::tCAH, Source::verified, {100, 50, 40, 30, 25, 20}},
    {"tDS", &B::tDS, Source::verified, {50, 30, 20, 15, 11, 9}},
    {"tDH", &B::tDH, Source::verified, {50, 25, 17, 13, 11, 9}},
    {"tCH", &B::tCH, Source::verified, {100, 50, 40, 30, 25, 20}},
    {"tCEH", &B::tCEH, Source::verified, {200, 200, 200, 200, 200, 200}},
    {"tWW", &B::tWW, Source::verified, {1000, 1000, 1000, 1000, 1000, 1000}},
}};

constexpr std::array<Rate, kNvLpddr4Modes> kRates{
    {{Source::verified, 30, 1},   {Source::verified, 25, 1},  {Source::verified, 15, 1},
     {Source::verified, 12, 1},   {Source::verified, 10, 1},  {Source::verified, 15, 2},
     {Source::verified, 6, 1},    {Source::verified, 5, 1},   {Source::verified, 15, 4},
     {Source::verified, 3, 1},    {Source::verified, 5, 2},   {Source::secondary, 15, 8},
     {Source::secondary, 5, 3},   {Source::secondary, 3, 2},  {Source::secondary, 15, 11},
     {Source::secondary, 5, 4},   {Source::secondary, 10, 9}, {Source::secondary, 1, 1},
     {Source::secondary, 10, 11}, {Source::secondary, 5, 6},  {Source::secondary, 5, 9}}};

/// NV-DDR2, NV-DDR3, and NV-LPDDR4 where kNvLpddr4 has nothing else. Speed points 533 (mode 8), 800 (10),
/// 1200 (12) and 2400 MT/s (19); the modes between take the values of the point below. On-die termination
/// lengthens the preambles from mode 13 on. tRPST, tRP and tREH follow from tRC (make_double_rate).
constexpr std::array<FromMode, 31> kNvDdr23{{
    {"tWC", &B::tWC, Source::verified, 0, 25'000},
    {"tCS", &B::tCS, Source::verified, 0, 20'000},
    {"tADL", &B::tADL, Source::verified, 0, 300'000},
    {"tADL", &B::tADL, Source::secondary, 11, 400'000},
    {"tWB", &B::tWB, Source::verified, 0, 100'000},
    {"tWHR", &B::tWHR, Source::verified, 0, 80'000},
    {"tRR", &B::tRR, Source::verified, 0, 20'000},
    {"tCCS", &B::tCCS, Source::verified, 0, 400'000},
    {"tRHW", &B::tRHW, Source::verified, 0, 100'000},
    {"tCALS", &B::tCALS, Source::verified, 0, 15'000},
    {"tWPRE", &B::tWPRE, Source::verified, 0, 15'000},
    {"tWPRE2", &B::tWPRE, Source::verified, 13, 25'000},
    {"tWPST", &B::tWPST, Source::verified, 0, 6'500},
    {"tWPSTH", &B::tWPSTH, Source::verified, 0, 15'000},
    {"tWPSTH", &B::tWPSTH, Source::secondary, 11, 25'000},
    {"tRPRE", &B::tRPRE, Source::verified, 0, 15'000},
    {"tRPRE2", &B::tRPRE, Source::verified, 13, 25'000},
    {"tDQSRE", &B::tDQSRE, Source::verified, 0, 25'000},
    {"tRPSTH", &B::tRPSTH, Source::verified, 0, 15'000},
    {"tWP", &B::tWP, Source::verified, 0, 11'000},
    {"tWH", &B::tWH, Source::verified, 0, 11'000},
    {"tCALS", &B::tCLS, Source::verified, 0, 15'000},
    {"tCALH", &B::tCLH, Source::verified, 0, 5'000},
    {"tCAS", &B::tCAS, Source::verified, 0, 5'000},
    {"tCAH", &B::tCAH, Source::verified, 0, 5'000},
    {"tCH", &B::tCH, Source::verified, 0, 5'000},
    {"tCEH", &B::tCEH, Source::verified, 0, 20'000},
    {"tAR", &B::tAR, Source::verified, 0, 10'000},
    {"tCLR", &B::tCLR, Source::verified, 0, 10'000},
    {"tWW", &B::tWW, Source::verified, 0, 100'000},
    {"tDQSRH", &B::tDQSRH, Source::verified, 0, 5'000},
}};

/// tDS = tDH of modes 0-10; faster modes are trained, so there is no number to hold.
constexpr std::array<std::uint16_t, kNvDdr2Modes> kSetUpAndHold{4000, 3300, 2000, 1100, 700, 600,
                                                                550,  400,  300,  240,  200};

constexpr std::array<FromMode, 6> kNvLpddr4{{
    {"tWPRE2", &B::tWPRE, Source::secondary, 0, 25'000}, // terminated in every mode
    {"tRPRE2", &B::tRPRE, Source::secondary, 0, 25'000},
    {"tADL", &B::tADL, Source::secondary, 20, 300'000},
    {"tCCS", &B::tCCS, Source::secondary, 20, 300'000},
    {"tCALS", &B::tCALS, Source::secondary, 20, 5'000},
    {"tDQSRE", &B::tDQSRE, Source::secondary, 20, 24'000},
}};

constexpr std::array<FromMode, 13> kMqsim{{
    {"tWC", &B::tWC, Source::simulator, 0, 25'000},
    {"tCS", &B::tCS, Source::simulator, 0, 20'000},
    {"tADL", &B::tADL, Source::simulator, 0, 70'000},
    {"tWB", &B::tWB, Source::simulator, 0, 100'000},
    {"tWHR", &B::tWHR, Source::verified, 0, 80'000}, // MQSim polls no status
    {"tRR", &B::tRR, Source::simulator, 0, 20'000},
    {"tCCS", &B::tCCS, Source::simulator, 0, 300'000},
    {"tRHW", &B::tRHW, Source::simulator, 0, 100'000},
    {"tCALS", &B::tCALS, Source::simulator, 0, 15'000},
    {"tWPST", &B::tWPST, Source::simulator, 0, 6'000},
    {"tWPSTH", &B::tWPSTH, Source::simulator, 0, 15'000},
    {"tRPRE", &B::tRPRE, Source::simulator, 0, 15'000},
    {"tDQSRE", &B::tDQSRE, Source::simulator, 0, 15'000},
}};

} // namespace twinplane::timing
