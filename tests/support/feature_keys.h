// Keys and counters of features by their names: their slots depend on which features a build has.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "firmware/ftl/feature_set.h"

namespace twinplane::test {

inline void set_feature(fw::FtlConfig& config, const std::string& name, std::uint64_t value) {
  std::uint32_t slot = 0;
  bool found = false;
  fw::for_each_feature([&](const fw::FeatureRow& row) {
    for (const fw::FeatureParameter& p : row.parameters) {
      if (name == std::string(row.key.name) + "." + p.key) {
        config.feature_values[slot] = value;
        found = true;
      }
      ++slot;
    }
  });
  EXPECT_TRUE(found) << "no key " << name;
}

inline std::uint64_t feature_count(const fw::FtlStatistics& statistics, const std::string& name) {
  std::uint32_t slot = 0;
  std::uint32_t found = ~0u;
  fw::for_each_feature([&](const fw::FeatureRow& row) {
    for (const fw::FeatureCounter& c : row.counters) {
      if (name == std::string(row.key.name) + "." + c.name) found = slot;
      ++slot;
    }
  });
  EXPECT_NE(found, ~0u) << "no counter " << name;
  return found == ~0u ? 0 : statistics.feature_counters[found];
}

} // namespace twinplane::test
