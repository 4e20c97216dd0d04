// Closed forms of flash bus times, independent of the model: values are literals of the ONFI timing
// tables, sums are written out cycle by cycle.
#pragma once

#include <cstdint>
#include <ostream>

#include "hw/spec/sim_time.h"

namespace twinplane::test {

/// One bus of the data sheets.
struct BusOracle {
  const char* name;
  const char* keys;                               // of [bus]
  std::uint64_t byte_numerator, byte_denominator; // picoseconds of a byte
  TimePs tWC, tCS, tADL, tWB, tWHR, tRR, tCCS;
  TimePs before_read;         // tRPRE + tDQSRE
  TimePs after_read;          // the longer of tRHW and tRPST + tRPSTH
  TimePs before_close;        // data in to confirm: tWPST + tWPSTH + tCALS
  std::uint64_t status_bytes; // on the bus: a DDR interface drives each edge

  TimePs data(std::uint64_t bytes) const {
    return (bytes * byte_numerator + byte_denominator - 1) / byte_denominator;
  }
  /// From a status command with so many row address cycles (70h: none, 78h: three) to its byte.
  TimePs status_out(std::uint64_t address_cycles) const {
    return (1 + address_cycles) * tWC + tWHR + before_read + data(status_bytes);
  }
  /// 00h, five address cycles, 30h for each plane; 32h and tDBSY between planes.
  TimePs read_command(std::uint64_t planes, TimePs tDBSY) const {
    return tCS + planes * 7 * tWC + (planes - 1) * (tWB + tDBSY) + tWB;
  }
  /// Data of a page; with several planes or LUNs it is selected by 06h, five address cycles and E0h.
  TimePs data_out(std::uint64_t bytes, bool select) const {
    return tCS + (select ? 7 * tWC + tCCS : tRR) + before_read + data(bytes);
  }
  /// 80h, five address cycles, data, 10h for each plane; 11h and tDBSY between planes.
  TimePs program_command(std::uint64_t planes, std::uint64_t bytes, TimePs tDBSY) const {
    const TimePs plane = 6 * tWC + tADL + data(bytes) + before_close + tWC;
    return tCS + planes * plane + (planes - 1) * (tWB + tDBSY) + tWB;
  }
  /// Status of a program: 70h for one plane, else 78h for each plane; to the last byte.
  TimePs program_status(std::uint64_t planes) const {
    return tCS + planes * status_out(planes == 1 ? 0 : 3) + (planes - 1) * after_read;
  }
};

inline void PrintTo(const BusOracle& bus, std::ostream* out) {
  *out << bus.name;
}

constexpr BusOracle kFlatBus{
    "flat", "interface = \"flat\"\nns_per_byte = \"3ns\"", 3000, 1, ns(3), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

constexpr BusOracle kBusOracles[] = {
    kFlatBus,
    {"sdr5", "interface = \"sdr\"\nmode = 5", 20'000, 1, ns(20), ns(15), ns(400), ns(100), ns(80), ns(20),
     ns(500), 0, ns(100), 0, 1},
    {"nvddr2_8", "interface = \"nv-ddr2\"\nmode = 8", 1875, 1, ns(25), ns(20), ns(300), ns(100), ns(80),
     ns(20), ns(400), ns(15 + 25), ns(100), ps(6500) + ns(15 + 15), 2},
    {"nvddr3_12", "interface = \"nv-ddr3\"\nmode = 12", 2500, 3, ns(25), ns(20), ns(400), ns(100), ns(80),
     ns(20), ns(400), ns(15 + 25), ns(100), ps(6500) + ns(25 + 15), 2},
};

} // namespace twinplane::test
