// What must lie between two events on the flash bus: the data sheet's timing diagrams as rows.
//
// A row says: `following` may not happen before `preceding` + latency. Cycles are taken as whole: an
// interval runs from the end of the preceding cycle to the begin of the following one, except for
// `latch`, which is the begin of a command or address cycle. Latencies are sums of intervals of
// bus_timing_values.h and array times, so one row serves every interface and mode; a row whose sum is 0
// does not constrain that interface.
//
// hw/channel derives the length of tenures from these rows; hw/monitor checks tenures against them.
// Facts: ONFI bus timing, "how to turn a sequence into channel time"; Linux nand_timings.c.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/spec/nand_timing.h"

namespace twinplane::timing {

/// What a row is about.
enum class Level : std::uint8_t { command, address, data, array, pin };

/// Things that happen on a bus. The first group begins or ends cycles; the pin group is for models that
/// move single edges.
enum class Event : std::uint8_t {
  select,  // CE# falls
  latch,   // a command or address cycle begins
  command, // any command but status
  status,  // 70h, or the last address cycle of 78h; as `following`: their command cycle
  address,
  load_address,   // last address cycle before data in: 80h, 81h, EFh, D5h
  column_address, // last address cycle of 85h
  busy_address,   // last address cycle of a command that needs no confirm: ECh, EDh, EEh, D4h, FAh
  column_confirm, // E0h
  confirm,        // starts the array: 30h, 10h, D0h, ...; resets
  plane_confirm,  // 32h, 11h, D1h
  data_in,
  feature_in, // the data of EFh, D5h
  data_out,
  ready,         // R/B# rises
  release,       // CE# rises
  write_protect, // WP# changes
  // pins
  we_low,
  we_high,
  re_low,
  re_high,
  latch_enable_valid,  // CLE and ALE show the kind of the cycle
  latch_enable_change, // ... and stop to do so
  cle_low,
  ale_low,
  dq_valid,
  dq_change,
  strobe, // the edge that takes DQ: WE# rising (SDR), DQS (DDR)
};
constexpr std::uint32_t kEvents = 28;

using EventMask = std::uint32_t;
constexpr EventMask mask(Event e) {
  return EventMask{1} << static_cast<std::uint32_t>(e);
}
template <typename... More>
constexpr EventMask mask(Event e, More... more) {
  return mask(e) | mask(more...);
}

struct Rule {
  const char* name;
  Level level;
  Event preceding;
  EventMask following;         // any of these
  std::array<Interval, 3> bus; // summed; null: nothing
  TimePs ArrayTiming::*array;  // added; null: nothing
};

namespace detail {
constexpr EventMask kAnyCommand = mask(Event::command, Event::status);
constexpr EventMask kCycle = mask(Event::command, Event::status, Event::address);
constexpr EventMask kInput = kCycle | mask(Event::data_in);
constexpr EventMask kOutput = mask(Event::data_out);
} // namespace detail

/// Every constraint between two events. Byte times of data bursts are rates, not rows (BusTiming::data_in).
constexpr std::array<Rule, 38> kRules{{
    // command and address cycles
    {"tCS", Level::command, Event::select, detail::kInput, {&B::tCS}, nullptr},
    {"tWC", Level::command, Event::latch, detail::kInput | detail::kOutput, {&B::tWC}, nullptr},
    {"tWB", Level::command, Event::confirm, detail::kInput, {&B::tWB}, nullptr},
    {"tWB", Level::command, Event::plane_confirm, detail::kInput, {&B::tWB}, nullptr},
    {"tWB", Level::address, Event::busy_address, detail::kInput, {&B::tWB}, nullptr},
    {"tWB", Level::data, Event::feature_in, detail::kInput, {&B::tWB}, nullptr},
    {"tWW", Level::command, Event::write_protect, detail::kAnyCommand, {&B::tWW}, nullptr},
    // address to data in
    {"tADL", Level::address, Event::load_address, mask(Event::data_in), {&B::tADL}, nullptr},
    {"tWPRE", Level::address, Event::load_address, mask(Event::data_in), {&B::tWPRE}, nullptr},
    {"tCCS", Level::address, Event::column_address, mask(Event::data_in), {&B::tCCS}, nullptr},
    {"tWPRE", Level::address, Event::column_address, mask(Event::data_in), {&B::tWPRE}, nullptr},
    // to data out: its strobe comes after preamble and access time
    {"tCS", Level::data, Event::select, detail::kOutput, {&B::tCS, &B::tRPRE, &B::tDQSRE}, nullptr},
    {"tRR", Level::array, Event::ready, detail::kOutput, {&B::tRR, &B::tRPRE, &B::tDQSRE}, nullptr},
    {"tWHR", Level::command, Event::command, detail::kOutput, {&B::tWHR, &B::tRPRE, &B::tDQSRE}, nullptr},
    {"tWHR", Level::command, Event::status, detail::kOutput, {&B::tWHR, &B::tRPRE, &B::tDQSRE}, nullptr},
    {"tWHR", Level::address, Event::address, detail::kOutput, {&B::tWHR, &B::tRPRE, &B::tDQSRE}, nullptr},
    {"tCCS",
     Level::command,
     Event::column_confirm,
     detail::kOutput,
     {&B::tCCS, &B::tRPRE, &B::tDQSRE},
     nullptr},
    {"tCLR", Level::command, Event::command, detail::kOutput, {&B::tCLR}, nullptr},
    {"tAR", Level::address, Event::address, detail::kOutput, {&B::tAR}, nullptr},
    // after data
    {"tWPST", Level::data, Event::data_in, detail::kInput, {&B::tWPST, &B::tWPSTH, &B::tCALS}, nullptr},
    {"tWPST", Level::data, Event::data_in, mask(Event::release), {&B::tWPST, &B::tWPSTH}, nullptr},
    {"tRHW", Level::data, Event::data_out, detail::kInput, {&B::tRHW}, nullptr},
    {"tRPST", Level::data, Event::data_out, detail::kInput, {&B::tRPST, &B::tRPSTH}, nullptr},
    // between the planes of a command only status may be read
    {"tDBSY",
     Level::array,
     Event::plane_confirm,
     mask(Event::command, Event::address, Event::data_in),
     {&B::tWB},
     &ArrayTiming::tDBSY},
    // edges
    {"tWP", Level::pin, Event::we_low, mask(Event::we_high), {&B::tWP}, nullptr},
    {"tWH", Level::pin, Event::we_high, mask(Event::we_low), {&B::tWH}, nullptr},
    {"tRP", Level::pin, Event::re_low, mask(Event::re_high), {&B::tRP}, nullptr},
    {"tREH", Level::pin, Event::re_high, mask(Event::re_low), {&B::tREH}, nullptr},
    {"tCLS", Level::pin, Event::latch_enable_valid, mask(Event::we_high), {&B::tCLS}, nullptr},
    {"tCLH", Level::pin, Event::we_high, mask(Event::latch_enable_change), {&B::tCLH}, nullptr},
    {"tCAS", Level::pin, Event::dq_valid, mask(Event::we_high), {&B::tCAS}, nullptr},
    {"tCAH", Level::pin, Event::we_high, mask(Event::dq_change), {&B::tCAH}, nullptr},
    {"tDS", Level::pin, Event::dq_valid, mask(Event::strobe), {&B::tDS}, nullptr},
    {"tDH", Level::pin, Event::strobe, mask(Event::dq_change), {&B::tDH}, nullptr},
    {"tCH", Level::pin, Event::we_high, mask(Event::release), {&B::tCH}, nullptr},
    {"tCEH", Level::pin, Event::release, mask(Event::select), {&B::tCEH}, nullptr},
    {"tCLR", Level::pin, Event::cle_low, mask(Event::re_low), {&B::tCLR}, nullptr},
    {"tAR", Level::pin, Event::ale_low, mask(Event::re_low), {&B::tAR}, nullptr},
}};

/// The wait that a row asks for.
constexpr TimePs latency(const Rule& rule, const BusTiming& bus, const ArrayTiming& array) {
  TimePs sum = rule.array != nullptr ? array.*(rule.array) : 0;
  for (const Interval interval : rule.bus) {
    if (interval != nullptr) sum += bus.*interval;
  }
  return sum;
}

/// The longest wait of all rows between any of `preceding` and `following`.
constexpr TimePs longest_wait(EventMask preceding, Event following, const BusTiming& bus,
                              const ArrayTiming& array) {
  TimePs longest = 0;
  for (const Rule& rule : kRules) {
    const bool applies = (mask(rule.preceding) & preceding) != 0 && (rule.following & mask(following)) != 0;
    if (applies && rule.level != Level::pin) longest = std::max(longest, latency(rule, bus, array));
  }
  return longest;
}

} // namespace twinplane::timing
