#include "platform/config/names.h"

#include <algorithm>

#include "hw/spec/nand_timing.h"
#include "platform/config/presets.h"

namespace twinplane::platform::names {

namespace {

/// Every ordering of every non-empty subset of C, W, D, P: the longest first, then alphabetical.
List static_orders() {
  List all;
  std::string levels = "CDPW";
  do {
    for (std::size_t n = 1; n <= levels.size(); ++n) all.push_back(levels.substr(0, n));
  } while (std::next_permutation(levels.begin(), levels.end()));
  std::sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
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
  static const List kNames = {"none"};
  return kNames;
}

const List& plane_allocations() {
  static const List kNames = [] {
    List all = {"F", "F2"};
    const List orders = static_orders();
    all.insert(all.end(), orders.begin(), orders.end());
    return all;
  }();
  return kNames;
}

const List& block_allocations() {
  static const List kNames = {"conventional"};
  return kNames;
}

const List& mappings() {
  static const List kNames = {"page"};
  return kNames;
}

const List& victims() {
  static const List kNames = {"greedy", "rga", "fifo", "random", "cost_benefit"};
  return kNames;
}

const List& relocations() {
  static const List kNames = {"same"};
  return kNames;
}

const List& schedulings() {
  static const List kNames = {"fifo", "read_first", "paq"};
  return kNames;
}

const List& access_patterns() {
  static const List kNames = {"read",     "write",     "trim",     "rw",    "readwrite",
                              "randread", "randwrite", "randtrim", "randrw"};
  return kNames;
}

} // namespace twinplane::platform::names
