#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

bool make_features(BootMemory& memory, const FtlConfig& config, Hooks& hooks) {
  bool made = true;
  for_each_feature([&](const FeatureRow& row) {
    if (row.make == nullptr || (row.key.needed != nullptr && !row.key.needed(config))) return;
    Feature* const feature = row.make(memory, config);
    made = made && feature != nullptr;
    if (made) hooks.add(*feature);
  });
  return made;
}

const char* check_features(const FtlConfig& config) {
  const char* refusal = nullptr;
  for_each_feature_left_out([&](const FeatureKey& key) {
    if (refusal == nullptr && key.needed != nullptr && key.needed(config)) refusal = key.refusal;
  });
  return refusal;
}

} // namespace twinplane::fw
