// The flash interfaces by name, and the timing of each of their modes, made from bus_timing_values.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hw/spec/bus_timing.h"
#include "hw/spec/bus_timing_values.h"

namespace twinplane::timing {

/// One interval of one mode, as listings and provenance checks see it.
struct Value {
  const char* name; // the interface's own name of it: NV-DDR calls tWC tCAD
  Interval interval;
  TimePs time;
  Source source;
};

template <std::size_t Rows, typename Visit>
constexpr void visit_rows(const std::array<SixModes, Rows>& rows, std::uint32_t mode, Visit&& visit) {
  for (const SixModes& row : rows) {
    visit(Value{row.name, row.interval, TimePs{row.value[mode]} * 100, row.source});
  }
}

/// Later rows replace earlier ones of the same interval.
template <std::size_t Rows, typename Visit>
constexpr void visit_rows(const std::array<FromMode, Rows>& rows, std::uint32_t mode, Visit&& visit) {
  for (const FromMode& row : rows) {
    if (mode >= row.mode) visit(Value{row.name, row.interval, TimePs{row.value}, row.source});
  }
}

template <typename Rows>
constexpr BusTiming fill(const Rows& rows, std::uint32_t mode, BusTiming t = {}) {
  visit_rows(rows, mode, [&t](const Value& v) { t.*(v.interval) = v.time; });
  return t;
}

constexpr BusTiming sdr(std::uint32_t mode) {
  BusTiming t = fill(kSdr, mode);
  t.data_in = {static_cast<std::uint32_t>(t.tWC), 1};
  t.data_out = {kSdrReadCycle[mode] * 100u, 1};
  return t;
}

/// NV-DDR: WE# is a clock, commands and addresses are tCAD apart.
constexpr BusTiming nv_ddr_clocked(std::uint32_t mode) {
  BusTiming t = fill(kNvDdr, mode);
  t.ddr = true;
  t.tCK = TimePs{kNvDdrClock[mode]} * 100;
  t.data_in = {kNvDdrClock[mode] * 50u, 1};
  t.data_out = t.data_in;
  return t;
}

constexpr BusTiming make_double_rate(std::uint32_t mode, BusTiming t) {
  const Rate& rate = kRates[mode];
  t.ddr = true;
  t.data_in = {rate.numerator * 500u, rate.denominator};
  t.data_out = t.data_in;
  t.tRPST = t.tDQSRE + t.data_out.of(1);                           // tDQSRE + tRC / 2
  t.tRP = ByteTime{rate.numerator * 450u, rate.denominator}.of(1); // 0.45 tRC
  t.tREH = t.tRP;
  if (mode < kSetUpAndHold.size()) t.tDS = kSetUpAndHold[mode];
  t.tDH = t.tDS;
  return t;
}

/// NV-DDR2 (modes 0-10) and NV-DDR3.
constexpr BusTiming nv_ddr(std::uint32_t mode) {
  return make_double_rate(mode, fill(kNvDdr23, mode));
}

constexpr BusTiming nv_lpddr4(std::uint32_t mode) {
  return make_double_rate(mode, fill(kNvLpddr4, mode, fill(kNvDdr23, mode)));
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
  BusTiming t = fill(kMqsim, 0);
  t.ddr = true;
  t.data_in = {3000, 1}; // tDSC = tRC = 6 ns
  t.data_out = t.data_in;
  return t;
}

} // namespace twinplane::timing

namespace twinplane {

/// Names for configuration files; `modes` is the number of modes, 0 where the mode has no meaning.
struct BusInterface {
  const char* name;
  std::uint32_t modes;
};
constexpr std::array<BusInterface, 7> kBusInterfaces{{{"sdr", timing::kSdrModes},
                                                      {"nv-ddr", timing::kNvDdrModes},
                                                      {"nv-ddr2", timing::kNvDdr2Modes},
                                                      {"nv-ddr3", timing::kNvDdr3Modes},
                                                      {"nv-lpddr4", timing::kNvLpddr4Modes},
                                                      {"flat", 0},
                                                      {"mqsim", 0}}};

/// The table of an interface and mode; `byte_time` is used by "flat" only. Empty when there is no such
/// interface or mode.
constexpr std::optional<BusTiming> find_bus_timing(std::string_view interface_name, std::uint32_t mode,
                                                   TimePs byte_time = 0) {
  if (interface_name == "sdr" && mode < timing::kSdrModes) return timing::sdr(mode);
  if (interface_name == "nv-ddr" && mode < timing::kNvDdrModes) return timing::nv_ddr_clocked(mode);
  if (interface_name == "nv-ddr2" && mode < timing::kNvDdr2Modes) return timing::nv_ddr(mode);
  if (interface_name == "nv-ddr3" && mode < timing::kNvDdr3Modes) return timing::nv_ddr(mode);
  if (interface_name == "nv-lpddr4" && mode < timing::kNvLpddr4Modes) return timing::nv_lpddr4(mode);
  if (interface_name == "flat") return timing::flat(byte_time);
  if (interface_name == "mqsim") return timing::mqsim();
  return std::nullopt;
}

} // namespace twinplane
