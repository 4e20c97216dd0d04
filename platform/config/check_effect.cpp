// Keys that are set and change nothing, for what they are of is off.
#include <string_view>

#include "platform/config/checks.h"
#include "platform/config/convert.h"
#include "platform/config/registry.h"

namespace twinplane::platform {

namespace {

struct WithoutEffect {
  std::string_view keys; // one, or all that begin so
  bool (*off)(const Config& c);
  const char* why;
};

bool is_zero(const Config& c, std::string_view key) {
  const Parameter* const p = find_parameter(key);
  return p == nullptr || format_toml(*p, c) == "0";
}
bool never_idle(const Config& c) {
  return is_zero(c, "idle_collection.after_us");
}

constexpr WithoutEffect kRows[] = {
    {"nand.tPROG", [](const Config& c) { return c.nand.one_pass; },
     "has no effect with nand.one_pass = true: a wordline takes nand.tPROG_wordline"},
    {"idle_collection.free_blocks", never_idle, "has no effect without idle_collection.after_us"},
    {"idle_collection.least_gain", never_idle, "has no effect without idle_collection.after_us"},
    {"refresh.corrected_bits", [](const Config& c) { return c.nand.errors.reading == ErrorReading::off; },
     "has no effect without nand.errors.reading: no bit is ever wrong"},
    {"slc_cache.", [](const Config& c) { return !has_slc_cache(c); },
     "has no effect without an SLC-mode cache (ftl.regions = slc_cache, mga, ipu or pslc)"},
    {"precondition.fill", [](const Config& c) { return c.precondition.mode == PreconditionMode::none; },
     "has no effect with precondition.mode = \"none\""},
};

bool names(const WithoutEffect& row, std::string_view key) {
  return row.keys.back() == '.' ? key.substr(0, row.keys.size()) == row.keys : key == row.keys;
}

} // namespace

std::vector<Finding> check_effect(const Config& config, const Config& defaults,
                                  const std::vector<std::string>& keys) {
  std::vector<Finding> findings;
  for (const std::string& key : keys) {
    const Parameter& p = *find_parameter(key);
    for (const WithoutEffect& row : kRows) {
      if (!names(row, key) || !row.off(config) || format_toml(p, config) == format_toml(p, defaults))
        continue;
      findings.push_back({false, key, row.why});
    }
  }
  return findings;
}

} // namespace twinplane::platform
