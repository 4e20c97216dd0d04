// How much of the measured time each resource of the drive was in use, and which of them limited the run.
//
// The window is that of the host's numbers: first arrival, or the end of the ramp, to the last completion. A
// resource counts an operation when it takes it over (a die with the launch, a link with the booking), so
// what is under way at the window's end counts whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/spec/sim_time.h"
#include "platform/report/breakdown.h"

namespace twinplane::platform {

/// Busy time since the start of the simulation, of what there is one of: cheap enough for every row of the
/// timeline.
struct SharedBusyTimes {
  TimePs core = 0;
  TimePs link_to_device = 0, link_to_host = 0; // packets on the wire
  TimePs dram = 0;                             // its port: data of host and flash
  TimePs ecc_mean = 0;                         // intake of the engines
  TimePs dies_mean = 0;                        // in use, of what is under way so far
  TimePs buses_mean = 0;
};

struct BusyTimes : SharedBusyTimes {
  std::vector<TimePs> ecc;    // intake of the engine of each channel
  std::vector<TimePs> buses;  // by channel
  std::vector<TimePs> dies;   // from a command to its last byte out
  std::vector<TimePs> planes; // mean of the planes, by die
  TimePs arrays = 0;          // mean of the dies: at least one plane at work
  TimePs reads_beside =
      0; // mean of the planes: reads that let the die's other planes read (nand.independent_plane_reads)
};

/// Shares of the window, 0 .. 1, over the units of a resource.
struct UnitUse {
  double mean = 0;
  double highest = 0;
};

struct Utilisation {
  UnitUse core, link_to_device, link_to_host, dram, ecc, buses, dies, planes;
  double arrays = 0; // share of the window in which at least one plane of a die is at work: what is left of
                     // `dies` with a bus that takes no time
  double reads_beside =
      0; // share of the planes' time at work: reads beside which the other planes of the die may read
};

/// `window` in picoseconds; all zero when it is 0.
Utilisation utilisation_of(const BusyTimes& begin, const BusyTimes& end, TimePs window);

/// From this share on a resource limits: its units have hardly any time left.
constexpr double kLimiting = 0.9;
/// From this share on it limits requests that wait for memory: more of that would be a longer queue before the resource.
constexpr double kFeeding = 0.75;

/// How the run's requests came, and what the slowest of them waited for.
struct Load {
  std::optional<BreakdownNs> slowest; // tenth of reads and writes
  bool arrives_by_itself = false; // open loop: requests have their times, and the drive keeps up with them
};

struct Limit {
  /// "core", "link to device", "link to host", "dram", "ecc", "buses", "dies"; "page buffers", "write buffer";
  /// "slots"; "host", "arrivals".
  std::string resource;
  double use = 0;      // mean of its units; of the busiest unit when `uneven`
  bool uneven = false; // only the busiest of its units is in use that much
  double waiting = 0;  // where none is in use that much: share of the slowest tenth's time that waited for it
  std::string
      memory; // "page buffers", "write buffer": what they waited for, that this resource is slow to free
};
/// The resource that is used most, when that is at least kLimiting; otherwise the one with a unit in use so
/// much. Where there is none: "page buffers" (of the firmware's pool) or "write buffer", if the slowest tenth of
/// the requests waited for them for at least half of the time that the drive had them, or the resource that is used
/// most, if that is at least kFeeding; else "arrivals" in open loop, when the drive keeps up with its requests; else
/// what that tenth waited for likewise; else "slots", if that tenth waited for the drive to take it for at least half
/// of its time; else "host", for more requests at a time would be served.
///
/// A die whose planes read each for itself is used as its planes are. And dies are in use while they wait for a bus:
/// beside another resource that limits they do so only with their arrays.
Limit limit_of(const Utilisation& utilisation, const Load& load);

} // namespace twinplane::platform
