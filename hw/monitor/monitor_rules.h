// What a protocol monitor finds, and whom it tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class MonitorRule : std::uint8_t {
  sequence,             // a cycle that does not fit the command sequence
  address_cycles,       // too few or too many address cycles
  bad_address,          // LUN, plane, block, page or column that does not exist
  odd_column,           // DDR interfaces move pairs of bytes
  busy,                 // command or data out while the LUN is busy
  target_busy,          // target command while a LUN of the target is busy
  pac,                  // multi-plane: page addresses differ
  bac,                  // multi-plane: block addresses differ
  distinct_planes,      // multi-plane: a plane twice
  same_lun,             // multi-plane: planes of different LUNs
  order,                // page out of program order
  erase_before_program, // page programmed already, or its block's erase was cut off
  partial_limit,        // more programs of a page than NOP
  slc_mode,             // block in SLC mode used in native mode, or the other way round
  wordline,             // one-pass programming: not the wordline's next page, or something in between
  timing,               // a row of hw/spec/timing_rules.h, or the rate of a burst
  status_70h,           // 70h while several LUNs of the target are active
  unread_status,        // next operation before the result of a program or erase was read
  lun_selection,        // data out while two LUNs hold data and none was selected
  plane_selection,      // data out of a multi-plane read without 06h-E0h
  open_group,           // planes that were queued and never started
  write_protect,        // program or erase while WP# is low
  suspend,              // suspend or resume of nothing, or what is not allowed while suspended
  soft_read,            // a sense of a soft read without the one before
  ready_busy,           // R/B# is not what the table says
  status_value,         // RDY of a status byte contradicts R/B#
  disagreement,         // die and monitor judge a tenure differently
};
constexpr std::size_t kMonitorRules = 27;

struct MonitorRuleRow {
  const char* name; // in reports
  bool die_refuses; // a die must refuse this as well
};
constexpr std::array<MonitorRuleRow, kMonitorRules> kMonitorRuleTable{{
    {"sequence", true},
    {"address_cycles", true},
    {"bad_address", true},
    {"odd_column", true},
    {"busy", true},
    {"target_busy", true},
    {"pac", true},
    {"bac", true},
    {"distinct_planes", true},
    {"same_lun", true},
    {"order", true},
    {"erase_before_program", true},
    {"partial_limit", true},
    {"slc_mode", true},
    {"wordline", true},
    {"timing", false},
    {"status_70h", false},
    {"unread_status", false},
    {"lun_selection", false},
    {"plane_selection", false},
    {"open_group", false},
    {"write_protect", false},
    {"suspend", false},
    {"soft_read", false},
    {"ready_busy", false},
    {"status_value", false},
    {"disagreement", false},
}};

constexpr const MonitorRuleRow& row_of(MonitorRule rule) {
  return kMonitorRuleTable[static_cast<std::size_t>(rule)];
}

constexpr std::uint32_t kUnknownPlace = ~std::uint32_t{0};

/// A place on a target; fields that are not known are kUnknownPlace.
struct BusPlace {
  std::uint32_t lun = kUnknownPlace;
  std::uint32_t plane = kUnknownPlace;
  std::uint32_t block = kUnknownPlace;
  std::uint32_t page = kUnknownPlace;
};

struct Finding {
  MonitorRule rule = MonitorRule::sequence;
  const char* detail = ""; // what was wrong or what was expected
  const char* name = "";   // timing: the interval; disagreement: the die's rule
  TimePs time = 0;
  std::uint32_t chip = 0;
  BusPlace place;
};

class FindingSink {
 public:
  virtual void on_finding(const Finding& finding) = 0;

 protected:
  ~FindingSink() = default;
};

} // namespace twinplane::hw
