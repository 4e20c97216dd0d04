// The rules a die enforces. When one is broken the array stays as it is, the status register shows FAIL, the
// rule's counter is incremented, and the package's observers are told.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

enum class Rule : std::uint8_t {
  pac,                  // multi-plane: page addresses differ
  bac,                  // multi-plane: block addresses differ
  distinct_planes,      // multi-plane: a plane was addressed twice
  same_lun,             // multi-plane: the planes belong to different LUNs
  order,                // page out of the part's program order
  erase_before_program, // page (or sector) already programmed, or its block's erase was aborted
  partial_limit,        // more programs of a page than NOP
  bad_address,          // LUN, plane, block, page or column that does not exist
  slc_mode,             // block in SLC mode used in native mode, or the other way round
  busy,                 // command to a busy LUN
  protocol,             // cycles out of sequence
  suspend,              // operation that a suspended one does not allow, or nothing to resume
  write_protect,        // program or erase while WP# is low: ignored, without FAIL
  wordline,             // one-pass programming: not the next page of the wordline, or something in between
};
constexpr std::size_t kRules = 14;

/// Names as in reports, in the order of Rule.
constexpr std::array<const char*, kRules> kRuleNames{
    "pac",           "bac",         "distinct_planes", "same_lun", "order",    "erase_before_program",
    "partial_limit", "bad_address", "slc_mode",        "busy",     "protocol", "suspend",
    "write_protect", "wordline"};

constexpr const char* rule_name(Rule rule) {
  return kRuleNames[static_cast<std::size_t>(rule)];
}

/// Why something is not allowed.
struct Fault {
  Rule rule;
  const char* detail; // for the message: what was wrong or what was expected
};

/// Null: allowed.
using RuleResult = const Fault*;

constexpr std::uint32_t kNotAddressed = ~std::uint32_t{0};

/// One refusal, as the die judged it. Fields that have no meaning for the rule are kNotAddressed.
struct Refusal {
  Rule rule = Rule::protocol;
  const char* detail = "";
  TimePs time = 0;
  std::uint32_t lun = kNotAddressed;
  std::uint32_t plane = kNotAddressed;
  std::uint32_t block = kNotAddressed;
  std::uint32_t page = kNotAddressed;
};

class RefusalSink {
 public:
  virtual void on_refusal(const Refusal& refusal) = 0;

 protected:
  ~RefusalSink() = default;
};

} // namespace twinplane::hw
