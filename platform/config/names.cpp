#include "platform/config/names.h"

#include <algorithm>

#include "firmware/ftl/classifier/classifier.h"
#include "firmware/ftl/plane_allocation/plane_allocation.h"
#include "firmware/ftl/policies.h"
#include "hw/spec/nand_timing.h"
#include "platform/config/presets.h"

namespace twinplane::platform::names {

namespace {

/// The names of one table of the FTL.
List decision_names(std::string_view decision) {
  List all;
  for (std::uint32_t i = 0; i < fw::kDecisions; ++i) {
    const fw::PolicyNames table = fw::policy_names(i);
    for (std::uint32_t n = 0; table.decision == decision && n < table.count; ++n)
      all.emplace_back(table.name(n));
  }
  return all;
}

List preset_choices(std::string_view selector) {
  List all;
  for (const Preset& preset : presets()) {
    if (preset.selector == selector) all.emplace_back(preset.choice);
  }
  return all;
}

} // namespace

const List& bus_interfaces() {
  static const List kNames = [] {
    List all;
    for (const BusInterface& i : kBusInterfaces) all.emplace_back(i.name);
    return all;
  }();
  return kNames;
}

const List& policies() {
  static const List kNames = preset_choices("ftl.policy");
  return kNames;
}

const List& classifiers() {
  static const List kNames = decision_names("classifier");
  return kNames;
}

bool is_classifier(const std::string& name) {
  return fw::is_classifier_name(name.c_str());
}

const List& plane_allocations() {
  static const List kNames = decision_names("plane_allocation");
  return kNames;
}

bool is_plane_allocation(const std::string& name) {
  return fw::is_levels_name(name.c_str());
}

const List& block_allocations() {
  static const List kNames = decision_names("block_allocation");
  return kNames;
}

const List& mappings() {
  static const List kNames = decision_names("mapping");
  return kNames;
}

const List& victims() {
  static const List kNames = decision_names("victim");
  return kNames;
}

const List& relocations() {
  static const List kNames = decision_names("relocation");
  return kNames;
}

const List& schedulings() {
  static const List kNames = decision_names("scheduling");
  return kNames;
}

const List& regions() {
  static const List kNames = decision_names("regions");
  return kNames;
}

const List& access_patterns() {
  static const List kNames = {"read",     "write",     "trim",     "rw",    "readwrite",
                              "randread", "randwrite", "randtrim", "randrw"};
  return kNames;
}

} // namespace twinplane::platform::names
