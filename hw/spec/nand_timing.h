// AC timing of the flash interface and of the array, in picoseconds, under their data sheet names.
//
// Bus tables: SDR modes 0-5 and NV-DDR2 0-10 / NV-DDR3 0-19 as in the ONFI tables (SDR also in Linux
// nand_timings.c); `flat` is the papers' "n ns per byte" bus; `mqsim` has MQSim's default values
// (ONFI_Channel_NVDDR2.cpp), for comparisons. How the values add up to a tenure: hw/channel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hw/spec/geometry.h"
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

struct BusTiming {
  bool ddr = false; // one-byte values (status, ID, features) are transferred twice, columns are even
  ByteTime data_in;
  ByteTime data_out;
  TimePs tWC = 0;    // command or address cycle
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
  TimePs tRPRE = 0;  // DDR: read preamble
  TimePs tDQSRE = 0; // DDR: RE# to DQS
  TimePs tRPST = 0;  // DDR: read postamble
  TimePs tRPSTH = 0; // DDR: read postamble hold
};

/// Array times; lists have one entry per page type (PageType). SLC parts use entry 0.
struct ArrayTiming {
  std::array<TimePs, kMaxPageTypes> tR{us(60), us(80), us(100), us(120)};
  std::array<TimePs, kMaxPageTypes> tPROG{us(500), us(2000), us(5500), us(8000)};
  TimePs tBERS = ms(5);
  TimePs slc_tR = us(25); // blocks used in SLC mode
  TimePs slc_tPROG = us(300);
  TimePs slc_tBERS = ms(3);
  TimePs tDBSY = ns(500); // between the planes of a multi-plane command
  TimePs tRST_idle = us(5);
  TimePs tRST_read = us(10);
  TimePs tRST_program = us(30);
  TimePs tRST_erase = us(500);
  TimePs tFEAT = us(1);
};

namespace timing {

constexpr std::uint32_t kSdrModes = 6;
constexpr std::uint32_t kNvDdr2Modes = 11;
constexpr std::uint32_t kNvDdr3Modes = 20;

struct SdrRow {
  std::uint8_t tWC, tRC, tCS, tRR, tRHW, tWHR, tWB; // ns
};
constexpr std::array<SdrRow, kSdrModes> kSdr{{{100, 100, 70, 40, 200, 120, 200},
                                              {45, 50, 35, 20, 100, 80, 100},
                                              {35, 35, 25, 20, 100, 80, 100},
                                              {30, 30, 25, 20, 100, 80, 100},
                                              {25, 25, 20, 20, 100, 80, 100},
                                              {20, 20, 15, 20, 100, 80, 100}}};

/// tRC = tDSC of the NV-DDR2/3 modes as fractions of a nanosecond (two bytes per tRC).
struct DdrRow {
  std::uint8_t tRC_numerator, tRC_denominator;
};
constexpr std::array<DdrRow, kNvDdr3Modes> kNvDdr{
    {{30, 1}, {25, 1}, {15, 1}, {12, 1}, {10, 1},  {15, 2}, {6, 1},  {5, 1}, {15, 4},  {3, 1},
     {5, 2},  {15, 8}, {5, 3},  {3, 2},  {15, 11}, {5, 4},  {10, 9}, {1, 1}, {10, 11}, {5, 6}}};

constexpr BusTiming sdr(std::uint32_t mode) {
  const SdrRow& row = kSdr[mode];
  BusTiming t;
  t.data_in = {row.tWC * 1000u, 1};
  t.data_out = {row.tRC * 1000u, 1};
  t.tWC = ns(row.tWC);
  t.tCS = ns(row.tCS);
  t.tADL = ns(400);
  t.tWB = ns(row.tWB);
  t.tWHR = ns(row.tWHR);
  t.tRR = ns(row.tRR);
  t.tCCS = ns(500);
  t.tRHW = ns(row.tRHW);
  return t;
}

/// Values of the 533 (mode 8), 800 (10), 1200 (12) and 2400 MT/s (19) speed points; the modes between
/// take those of the point below. On-die termination lengthens the preamble from mode 13 on.
constexpr BusTiming nv_ddr(std::uint32_t mode) {
  const DdrRow& row = kNvDdr[mode];
  BusTiming t;
  t.ddr = true;
  t.data_in = {row.tRC_numerator * 500u, row.tRC_denominator};
  t.data_out = t.data_in;
  t.tWC = ns(25);
  t.tCS = ns(20);
  t.tADL = mode > 10 ? ns(400) : ns(300);
  t.tWB = ns(100);
  t.tWHR = ns(80);
  t.tRR = ns(20);
  t.tCCS = ns(400);
  t.tRHW = ns(100);
  t.tCALS = ns(15);
  t.tWPRE = mode > 12 ? ns(25) : ns(15);
  t.tWPST = ps(6500);
  t.tWPSTH = mode > 10 ? ns(25) : ns(15);
  t.tRPRE = mode > 12 ? ns(25) : ns(15);
  t.tDQSRE = ns(25);
  t.tRPST = t.tDQSRE + t.data_out.of(1); // tDQSRE + tRC / 2
  t.tRPSTH = ns(15);
  return t;
}

/// Every command, address and data cycle takes `byte_time`; no other waits (SSDSim's bus).
constexpr BusTiming flat(TimePs byte_time) {
  BusTiming t;
  t.data_in = {static_cast<std::uint32_t>(byte_time), 1};
  t.data_out = t.data_in;
  t.tWC = byte_time;
  return t;
}

constexpr BusTiming mqsim() {
  BusTiming t;
  t.ddr = true;
  t.data_in = {3000, 1}; // tDSC = tRC = 6 ns
  t.data_out = t.data_in;
  t.tWC = ns(25);
  t.tCS = ns(20);
  t.tADL = ns(70);
  t.tWB = ns(100);
  t.tWHR = ns(80);
  t.tRR = ns(20);
  t.tCCS = ns(300);
  t.tRHW = ns(100);
  t.tCALS = ns(15);
  t.tWPST = ns(6);
  t.tWPSTH = ns(15);
  t.tRPRE = ns(15);
  t.tDQSRE = ns(15);
  return t;
}

} // namespace timing

/// Names for configuration files; `modes` is the number of modes, 0 where the mode has no meaning.
struct BusInterface {
  const char* name;
  std::uint32_t modes;
};
constexpr std::array<BusInterface, 5> kBusInterfaces{{{"sdr", timing::kSdrModes},
                                                      {"nv-ddr2", timing::kNvDdr2Modes},
                                                      {"nv-ddr3", timing::kNvDdr3Modes},
                                                      {"flat", 0},
                                                      {"mqsim", 0}}};

/// The table of an interface and mode; `byte_time` is used by "flat" only. Empty when there is no such
/// interface or mode.
constexpr std::optional<BusTiming> find_bus_timing(std::string_view interface_name, std::uint32_t mode,
                                                   TimePs byte_time = 0) {
  if (interface_name == "sdr" && mode < timing::kSdrModes) return timing::sdr(mode);
  if (interface_name == "nv-ddr2" && mode < timing::kNvDdr2Modes) return timing::nv_ddr(mode);
  if (interface_name == "nv-ddr3" && mode < timing::kNvDdr3Modes) return timing::nv_ddr(mode);
  if (interface_name == "flat") return timing::flat(byte_time);
  if (interface_name == "mqsim") return timing::mqsim();
  return std::nullopt;
}

} // namespace twinplane
