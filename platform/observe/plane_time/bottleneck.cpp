#include "platform/observe/plane_time/bottleneck.h"

#include <algorithm>

namespace twinplane::platform {
namespace {

constexpr TimePs kLookBack = ms(2);

struct Resource {
  TimePs SharedBusyTimes::*busy;
  PlaneCause cause;
};
constexpr Resource kResources[] = {
    {&SharedBusyTimes::core, PlaneCause::core},           {&SharedBusyTimes::link_to_device, PlaneCause::dma},
    {&SharedBusyTimes::link_to_host, PlaneCause::dma},    {&SharedBusyTimes::dram, PlaneCause::dma},
    {&SharedBusyTimes::ecc_mean, PlaneCause::ecc},        {&SharedBusyTimes::buses_mean, PlaneCause::bus},
    {&SharedBusyTimes::dies_mean, PlaneCause::imbalance}, // other planes have work
};

} // namespace

void BottleneckWatch::restart(TimePs now) {
  if (uses_) older_ = newer_ = {now, uses_(now)};
}

Bottleneck BottleneckWatch::at(TimePs now) {
  Bottleneck found;
  if (!uses_ || now <= older_.at) return found;
  const SharedBusyTimes uses = uses_(now);
  const auto window = static_cast<double>(now - older_.at);
  double most = 0, next = 0;
  for (const Resource& r : kResources) {
    const TimePs busy = uses.*r.busy - std::min(uses.*r.busy, older_.uses.*r.busy);
    const double use = std::min(1.0, static_cast<double>(busy) / window);
    if (use <= most) {
      next = std::max(next, use);
      continue;
    }
    next = most;
    most = use;
    found.cause = r.cause;
    found.dram = r.busy == &SharedBusyTimes::dram;
  }
  found.limits = most >= kLimiting && found.cause != PlaneCause::imbalance;
  if (found.limits) found.alone = static_cast<std::uint32_t>(65536 * (most - next) / most);
  if (now - newer_.at >= kLookBack) {
    older_ = newer_;
    newer_ = {now, uses};
  }
  return found;
}

} // namespace twinplane::platform
