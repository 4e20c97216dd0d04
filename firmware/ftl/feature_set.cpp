#include "firmware/ftl/feature_set.h"

namespace twinplane::fw {

namespace {

/// How many rows of their kind stand before it; all of them where it is not one.
template <class Row>
std::uint32_t slot_of(Rows<Row> FeatureRow::*rows, const Row* wanted) {
  std::uint32_t before = 0;
  bool found = false;
  for_each_feature([&](const FeatureRow& feature) {
    for (const Row& row : feature.*rows) {
      found = found || &row == wanted;
      before += found ? 0 : 1;
    }
  });
  return before;
}

} // namespace

std::uint64_t feature_value(const FtlConfig& config, const FeatureParameter& row) {
  return config.feature_values[slot_of(&FeatureRow::parameters, &row)];
}

std::uint64_t& feature_counter(FtlStatistics& statistics, const FeatureCounter& row) {
  return statistics.feature_counters[slot_of(&FeatureRow::counters, &row)];
}

TraceEvent feature_event(const TraceEventText& row) {
  return static_cast<TraceEvent>(kTraceEvents + slot_of(&FeatureRow::events, &row));
}

std::uint32_t trace_events() {
  return kTraceEvents + slot_of<TraceEventText>(&FeatureRow::events, nullptr);
}

const TraceEventText& text_of(TraceEvent event) {
  auto number = static_cast<std::uint32_t>(event);
  if (number < kTraceEvents) return kTraceEventTexts[number];
  const TraceEventText* text = nullptr;
  for_each_feature([&](const FeatureRow& feature) {
    for (const TraceEventText& row : feature.events) {
      if (number-- == kTraceEvents) text = &row;
    }
  });
  return *text;
}

std::uint64_t spare_blocks_of_features(const FtlConfig& config, const BlockTable& blocks,
                                       std::uint32_t exported_pages, std::uint64_t spare) {
  std::uint64_t sum = 0;
  for_each_feature([&](const FeatureRow& row) {
    if (row.of_spare_blocks != nullptr) sum += row.of_spare_blocks(config, blocks, exported_pages, spare);
  });
  return sum;
}

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
  const std::uint32_t parameters = slot_of<FeatureParameter>(&FeatureRow::parameters, nullptr);
  const std::uint32_t counters = slot_of<FeatureCounter>(&FeatureRow::counters, nullptr);
  if (parameters > kFeatureSlots || counters > kFeatureSlots)
    return "ftl: the features of this build have more parameters or counters than kFeatureSlots";
  const char* refusal = nullptr;
  for_each_feature_left_out([&](const FeatureKey& key) {
    if (refusal == nullptr && key.needed != nullptr && key.needed(config)) refusal = key.refusal;
  });
  return refusal;
}

} // namespace twinplane::fw
