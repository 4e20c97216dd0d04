// What a drive's configuration must obey: one table, read when the firmware boots, by `twinplane check` and `twinplane run`, and
// printed by `twinplane list rules`. A rule is there for a reason of physics, of a field's width or of a paper's definition; its
// text says which.
#pragma once

#include <cstdint>

#include "firmware/ftl/config.h"
#include "firmware/ftl/rows.h"

namespace twinplane::fw {

struct Rule {
  const char* text;               // "KEY[, KEY]: what must hold, and why"
  bool (*kept)(const FtlConfig&); // asked only where the set applies
  /// Of a text "KEY: must be at least ...", which goes on in words: the number.
  std::uint32_t (*least)(const FtlConfig&) = nullptr;
};

/// Rules of one part of the drive. Those of a set that is `needed` must hold before the sets behind it may be asked.
struct RuleSet {
  const char* about; // whom they concern
  bool needed;
  bool (*applies)(const FtlConfig&);
  Rows<Rule> rules;
};

/// All sets, in the order in which they are asked: of every drive, then those of the features that the build has.
/// nullptr: there are fewer.
const RuleSet* rule_set(std::uint32_t index);

/// Calls each(rule) for every rule that the configuration breaks, in order, until it returns false. The names of its policies are
/// known.
template <typename Each>
void for_each_broken_rule(const FtlConfig& config, const Each& each) {
  std::uint32_t index = 0;
  while (const RuleSet* const set = rule_set(index++)) {
    if (!set->applies(config)) continue;
    bool broken = false;
    for (const Rule& rule : set->rules) {
      if (rule.kept(config)) continue;
      broken = true;
      if (!each(rule)) return;
    }
    if (broken && set->needed) return;
  }
}

template <std::uint32_t N>
constexpr RuleSet make_rule_set(const char* about, bool (*applies)(const FtlConfig&), const Rule (&rules)[N],
                                bool needed = false) {
  return {about, needed, applies, rules};
}

} // namespace twinplane::fw
