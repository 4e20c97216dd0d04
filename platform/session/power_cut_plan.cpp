#include "platform/session/power_cut_plan.h"

#include <algorithm>
#include <charconv>

#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/workload/random.h"

namespace twinplane::platform {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw InputError("--power-cut " + text +
                   ": expected a time after power-on such as 12ms, request:N (when N requests have finished) "
                   "or random:K (K times at random moments)");
}

std::uint64_t count_behind(const std::string& text, std::size_t colon) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [used, error] = std::from_chars(text.data() + colon + 1, end, count);
  if (error != std::errc() || used != end || count == 0) refuse(text);
  return count;
}

constexpr std::uint64_t kMostCuts = 100'000;

} // namespace

PowerCutPlan PowerCutPlan::parse(const std::string& text) {
  PowerCutPlan plan;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    const auto at = parse_quantity(Dimension::time, text);
    if (!at || *at == 0) refuse(text);
    plan.at = *at;
  } else if (text.substr(0, colon) == "request") {
    plan.request = count_behind(text, colon);
  } else if (text.substr(0, colon) == "random") {
    const std::uint64_t count = count_behind(text, colon);
    if (count > kMostCuts)
      throw InputError("--power-cut " + text + ": at most " + std::to_string(kMostCuts) + " cuts");
    plan.random = static_cast<std::uint32_t>(count);
  } else {
    refuse(text);
  }
  return plan;
}

std::vector<PlannedCut> plan_cuts(const PowerCutPlan& plan, std::uint64_t requests, TimePs longest,
                                  std::uint64_t seed) {
  if (plan.random == 0) return {PlannedCut{plan.request, plan.request != 0 ? 1 : plan.at, plan.request != 0}};
  if (requests == 0) {
    throw InputError(
        "--power-cut random: how many requests the workload has is not known before it has run; limit it "
        "with "
        "host.max_requests");
  }
  Random random(mix64(seed ^ 0x706f776572));
  std::vector<PlannedCut> cuts(plan.random);
  for (PlannedCut& cut : cuts) {
    cut.request = random.below(requests + 1);
    cut.later = 1 + random.below(longest);
  }
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const PlannedCut& a, const PlannedCut& b) { return a.request < b.request; });
  return cuts;
}

void spare_first_boot(std::vector<PlannedCut>& cuts) {
  PlannedCut& first = cuts.front();
  if (!first.must_come && first.request == 0) first.request = 1;
}

} // namespace twinplane::platform
