#include "platform/report/utilisation.h"

#include <algorithm>

namespace twinplane::platform {
namespace {

double share(TimePs begin, TimePs end, TimePs window) {
  return static_cast<double>(end - begin) / static_cast<double>(window);
}

UnitUse one(TimePs begin, TimePs end, TimePs window) {
  const double use = share(begin, end, window);
  return {use, use};
}

UnitUse several(const std::vector<TimePs>& begin, const std::vector<TimePs>& end, TimePs window) {
  UnitUse use;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const double unit = share(begin[i], end[i], window);
    use.mean += unit / static_cast<double>(end.size());
    use.highest = std::max(use.highest, unit);
  }
  return use;
}

struct Resource {
  const char* name;
  UnitUse Utilisation::*use;
};
// Planes are not among them: a die whose planes are not all at work is in use nevertheless.
constexpr Resource kResources[] = {
    {"core", &Utilisation::core},
    {"link to device", &Utilisation::link_to_device},
    {"link to host", &Utilisation::link_to_host},
    {"dram", &Utilisation::dram},
    {"ecc", &Utilisation::ecc},
    {"buses", &Utilisation::buses},
    {"dies", &Utilisation::dies},
};

Limit most_used(const Utilisation& utilisation, double UnitUse::*kind) {
  Limit most;
  for (const Resource& resource : kResources) {
    const double use = utilisation.*(resource.use).*kind;
    if (use > most.use) most = {resource.name, use, false};
  }
  return most;
}

} // namespace

Utilisation utilisation_of(const BusyTimes& begin, const BusyTimes& end, TimePs window) {
  Utilisation u;
  if (window == 0) return u;
  u.core = one(begin.core, end.core, window);
  u.link_to_device = one(begin.link_to_device, end.link_to_device, window);
  u.link_to_host = one(begin.link_to_host, end.link_to_host, window);
  u.dram = one(begin.dram, end.dram, window);
  u.ecc = several(begin.ecc, end.ecc, window);
  u.buses = several(begin.buses, end.buses, window);
  u.dies = several(begin.dies, end.dies, window);
  u.planes = several(begin.planes, end.planes, window);
  return u;
}

Limit limit_of(const Utilisation& utilisation) {
  Limit limit = most_used(utilisation, &UnitUse::mean);
  if (limit.use >= kLimiting) return limit;
  limit = most_used(utilisation, &UnitUse::highest);
  limit.uneven = true;
  return limit.use >= kLimiting ? limit : Limit{"host", 0, false};
}

} // namespace twinplane::platform
