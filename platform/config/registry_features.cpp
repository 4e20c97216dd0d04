// A section for each feature of the firmware that has keys of its own (firmware/ftl/feature_set.h).
#include <deque>
#include <utility>

#include "firmware/ftl/feature_set.h"
#include "platform/config/registry_rows.h"

namespace twinplane::platform::rows {

namespace {

template <std::size_t slot>
Field value_at(Config& config) {
  return &config.feature_values[slot];
}

template <std::size_t... slots>
constexpr auto accessors(std::index_sequence<slots...>) {
  return std::array{value_at<slots>...};
}

} // namespace

void add_feature_rows(Rows& rows) {
  static constexpr auto kAccessors = accessors(std::make_index_sequence<fw::kFeatureSlots>());
  static std::deque<std::string> keys; // rows name them
  std::size_t slot = 0;
  fw::for_each_feature([&](const fw::FeatureRow& feature) {
    for (const fw::FeatureParameter& p : feature.parameters) {
      if (slot == kAccessors.size()) return; // the firmware refuses to boot
      keys.push_back(std::string(feature.key.name) + "." + p.key);
      rows.push_back({keys.back(), count(0, static_cast<double>(p.most)), p.meaning, kAccessors[slot++]});
    }
  });
}

} // namespace twinplane::platform::rows
