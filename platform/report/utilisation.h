// How much of the measured time each resource of the drive was in use, and which of them limited the run.
//
// The window is that of the host's numbers: first arrival, or the end of the ramp, to the last completion. A
// resource counts an operation when it takes it over (a die with the launch, a link with the booking), so
// what is under way at the window's end counts whole.
#pragma once

#include <string>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// Busy time since the start of the simulation, of what there is one of: cheap enough for every row of the
/// timeline.
struct SharedBusyTimes {
  TimePs core = 0;
  TimePs link_to_device = 0, link_to_host = 0; // packets on the wire
  TimePs dram = 0;                             // its port: data of host and flash
  TimePs ecc_mean = 0;                         // intake of the engines
  TimePs dies_mean = 0;                        // at least one plane at work, of what is under way so far
};

struct BusyTimes : SharedBusyTimes {
  std::vector<TimePs> ecc;    // intake of the engine of each channel
  std::vector<TimePs> buses;  // by channel
  std::vector<TimePs> dies;   // at least one plane at work
  std::vector<TimePs> planes; // mean of the planes, by die
};

/// Shares of the window, 0 .. 1, over the units of a resource.
struct UnitUse {
  double mean = 0;
  double highest = 0;
};

struct Utilisation {
  UnitUse core, link_to_device, link_to_host, dram, ecc, buses, dies, planes;
};

/// `window` in picoseconds; all zero when it is 0.
Utilisation utilisation_of(const BusyTimes& begin, const BusyTimes& end, TimePs window);

/// From this share on a resource limits: its units have hardly any time left.
constexpr double kLimiting = 0.9;

struct Limit {
  std::string resource; // "core", "link to device", "link to host", "dram", "ecc", "buses", "dies"; "host"
  double use = 0;       // mean of its units; of the busiest unit when `uneven`
  bool uneven = false;  // only the busiest of its units is in use that much
};
/// The resource that is used most, when that is at least kLimiting; "host" when none is: more requests at a
/// time, or more per second, would be served.
Limit limit_of(const Utilisation& utilisation);

} // namespace twinplane::platform
