#include "firmware/ftl/policies.h"
#include "firmware/ftl/rules/rules.h"

namespace twinplane::fw {

namespace {

bool names_plane(const char* levels) {
  for (; *levels != '\0'; ++levels) {
    if (*levels == 'P') return true;
  }
  return false;
}

constexpr Rule kRules[] = {
    {"ftl.plane_allocation: must not name P with ftl.block_allocation = twin, pa-twin, which deal pages to "
     "the planes in turn",
     [](const FtlConfig& c) { return !names_plane(c.plane_allocation); }},
};

} // namespace

const RuleSet kTwinBlockRules = make_rule_set(
    "ftl.block_allocation = twin, pa-twin", [](const FtlConfig& c) { return blocks_per_unit(c) != 1; },
    kRules);

} // namespace twinplane::fw
