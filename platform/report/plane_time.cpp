#include "platform/report/plane_time.h"

#include <nlohmann/json.hpp>
#include <numeric>

#include "platform/report/plane_time_json.h"

namespace twinplane::platform {

namespace {

/// Picoseconds are exact in a summary of up to 2.5 hours of one plane.
double as_ns(std::uint64_t picoseconds) {
  return static_cast<double>(picoseconds) / 1000;
}

Json causes_json(const PlaneTimes& times) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kPlaneCauses; ++i) json[kPlaneCauseNames[i]] = as_ns(times[i]);
  return json;
}

} // namespace

std::uint64_t sum_of(const PlaneTimes& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

Json plane_time_json(const PlaneTimeSummary& t) {
  if (!t.kept) return nullptr;
  Json dies = Json::array();
  for (const PlaneTimes& die : t.dies) dies.push_back({{"causes_ns", causes_json(die)}});
  return Json{{"total_ns", as_ns(t.total_ps)}, {"causes_ns", causes_json(t.causes)}, {"dies", dies}};
}

} // namespace twinplane::platform
