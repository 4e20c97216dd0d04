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
  Limit most, dies;
  for (const Resource& resource : kResources) {
    Limit& of = resource.use == &Utilisation::dies ? dies : most;
    const double use = utilisation.*(resource.use).*kind;
    if (use > of.use) of = {resource.name, use, false, 0, {}};
  }
  const double beside = utilisation.reads_beside;
  const auto with_planes = [&](double use) { return beside * utilisation.planes.*kind + (1 - beside) * use; };
  dies.use = with_planes(dies.use);
  const bool arrays = kind != &UnitUse::mean || with_planes(utilisation.arrays) >= most.use;
  const bool other = most.use >= kLimiting && !arrays;
  return dies.use > most.use && !other ? dies : most;
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
  u.arrays = share(begin.arrays, end.arrays, window);
  const double reading = share(begin.reads_beside, end.reads_beside, window);
  if (reading > 0) u.reads_beside = std::min(1.0, reading / std::max(u.planes.mean, reading));
  return u;
}

namespace {

double time_of(const BreakdownNs& b) {
  double sum = 0;
  for_each_part([&](const char*, double BreakdownNs::*part) { sum += b.*part; });
  return sum;
}

constexpr double kHalf = 0.5; // of the slowest requests' time: what takes more limits

double time_in_drive(const BreakdownNs& b) {
  return time_of(b) - b.host_wait - b.host_queue;
}

/// Requests that have come wait for memory, in closed loop and in open loop alike.
Limit limit_by_memory(const BreakdownNs& slowest) {
  const double in_drive = time_in_drive(slowest);
  if (in_drive <= 0) return Limit{};
  return slowest.page_buffer_wait >= slowest.write_buffer_wait
             ? Limit{"page buffers", 0, false, slowest.page_buffer_wait / in_drive, {}}
             : Limit{"write buffer", 0, false, slowest.write_buffer_wait / in_drive, {}};
}

/// A command that the flash controller has waits for its die, for the bus, or for both: the one in use more.
Limit limit_by_waits(const Utilisation& u, const BreakdownNs& slowest) {
  const double whole = time_of(slowest);
  const double in_drive = time_in_drive(slowest);
  const bool dies = u.dies.mean >= u.buses.mean;
  const double die_wait = slowest.die_wait + slowest.suspend_wait + (dies ? slowest.bus_wait : 0);
  const double bus_wait = dies ? 0 : slowest.bus_wait;
  const Limit most = die_wait >= bus_wait ? Limit{"dies", u.dies.mean, false, die_wait / in_drive, {}}
                                          : Limit{"buses", u.buses.mean, false, bus_wait / in_drive, {}};
  if (in_drive > 0 && most.waiting >= kHalf) return most;
  const double queue = whole > 0 ? slowest.host_queue / whole : 0;
  return queue >= kHalf ? Limit{"slots", 0, false, queue, {}} : Limit{"host", 0, false, 0, {}};
}

} // namespace

Limit limit_of(const Utilisation& utilisation, const Load& load) {
  Limit limit = most_used(utilisation, &UnitUse::mean);
  if (limit.use >= kLimiting) return limit;
  limit = most_used(utilisation, &UnitUse::highest);
  limit.uneven = true;
  if (limit.use >= kLimiting) return limit;
  if (load.slowest) {
    const Limit memory = limit_by_memory(*load.slowest);
    const Limit busy = most_used(utilisation, &UnitUse::mean);
    if (memory.waiting >= kHalf && busy.use >= kFeeding)
      return Limit{busy.resource, busy.use, false, memory.waiting, memory.resource};
    if (memory.waiting >= kHalf) return memory;
  }
  if (load.arrives_by_itself) return Limit{"arrivals", 0, false, 0, {}};
  return load.slowest ? limit_by_waits(utilisation, *load.slowest) : Limit{"host", 0, false, 0, {}};
}

} // namespace twinplane::platform
