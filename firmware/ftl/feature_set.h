// The features that a build has: a folder of features/ each, and a row of features/rows.txt, beside which nothing else
// names them.
//
// A folder X has in key.h what in a configuration asks for it (X_key()), and in feature.cpp what it brings (X_feature()).
// TWINPLANE_FEATURES (CMake) leaves features out: of their folders key.h alone is compiled, and a configuration that asks
// for one of them is refused. TWINPLANE_EXTRA_FEATURES adds folders from outside the tree.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "firmware/ftl/hooks.h"
#include "firmware/ftl/policies.h"
#include "firmware/ftl/rows.h"
#include "firmware/ftl/rules/rules.h"
#include "firmware/ftl/statistics.h"
#include "firmware/hal/trace_event.h"

namespace twinplane::fw {

struct FeatureKey {
  const char* name = nullptr; // of its folder
  /// The drive cannot be without it, and "KEY: ..." is what a build without it says. nullptr: each drive can.
  bool (*needed)(const FtlConfig&) = nullptr;
  const char* refusal = nullptr;
};

/// A key of the configuration, `NAME.key`: a count. In a drive that sets nothing it is 0.
struct FeatureParameter {
  const char* key;
  const char* meaning; // one line
  std::uint64_t most;
};

/// A figure of the report, `ftl.features.NAME.name`: an event counts up.
struct FeatureCounter {
  const char* name;
};

struct FeatureRow {
  FeatureKey key;
  /// Of the drives that need it, or of all; it returns nullptr when the memory is exhausted. nullptr: what the feature
  /// brings are policies.
  Feature* (*make)(BootMemory&, const FtlConfig&);
  Rows<RuleSet> rules = {};
  PolicyTables policies = {};
  Rows<FeatureParameter> parameters = {};
  Rows<FeatureCounter> counters = {};
  Rows<TraceEventText> events = {}; // that it tells a trace port of
  /// Of the spare blocks of a drive that exports so many pages those that it sets aside. nullptr: none.
  std::uint64_t (*of_spare_blocks)(const FtlConfig&, const BlockTable&, std::uint32_t pages,
                                   std::uint64_t spare) = nullptr;
};

/// Written by CMake (cmake/TwinplaneFeatures.cmake), in the order in which the features are called.
using FeatureRowOf = const FeatureRow&();
struct FeatureList {
  FeatureRowOf* const* built; // up to nullptr
  const FeatureKey* left_out; // up to one without a name
};
FeatureList feature_list();

template <class Each>
void for_each_feature(const Each& each) {
  for (FeatureRowOf* const* row = feature_list().built; *row != nullptr; ++row) each((*row)());
}
template <class Each>
void for_each_feature_left_out(const Each& each) {
  for (const FeatureKey* key = feature_list().left_out; key->name != nullptr; ++key) each(*key);
}

/// The value of one of a feature's own rows; its counter; its event. Of rows that the build has.
std::uint64_t feature_value(const FtlConfig& config, const FeatureParameter& row);
std::uint64_t& feature_counter(FtlStatistics& statistics, const FeatureCounter& row);
TraceEvent feature_event(const TraceEventText& row);
/// Events of the firmware and of the features of the build are numbered up to that; and what one is.
std::uint32_t trace_events();
const TraceEventText& text_of(TraceEvent event);

/// Of so many spare blocks those that features set aside.
std::uint64_t spare_blocks_of_features(const FtlConfig& config, const BlockTable& blocks,
                                       std::uint32_t exported_pages, std::uint64_t spare);

/// Makes those of the drive. False: the memory is exhausted.
[[nodiscard]] bool make_features(BootMemory& memory, const FtlConfig& config, Hooks& hooks);
/// The text of the first feature that the drive needs and the build has not; nullptr: there is none. Rows that have no
/// slot left are refused, too.
const char* check_features(const FtlConfig& config);

} // namespace twinplane::fw
