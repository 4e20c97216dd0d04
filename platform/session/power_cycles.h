// A run in which the supply fails: one power cycle after the other, each in a process of its own, for
// there is one simulation in each. What a cut leaves goes to the next one through a file.
#pragma once

#include <string>

#include "hw/spec/sim_time.h"
#include "platform/session/run.h"

namespace twinplane::platform {

class BlockFactory;

/// One power cycle, from power-on to the cut or to the end of the workload.
struct PowerCycle {
  std::string from;       // what the power cycle before has left; empty: the first one
  std::string to;         // where to leave it; empty: the workload runs to its end
  TimePs cut_at = kNever; // since power-on
  struct End {
    TimePs at = 0;
    std::uint64_t requests = 0; // of the workload, finished until then
  };
  std::uint64_t end_at = 0; // unless 0: end when so many requests of the workload have finished, or with it
  End* ended = nullptr;     // ... which was then
};

/// What one power cycle does, and its exit status.
using PowerCycleFunction = int (*)(const RunOptions& options, const PowerCycle& cycle, BlockFactory& factory);

/// Runs the workload with the cuts that options.power_cut plans, which come in their order among `requests`
/// of it (0: it is not known how many there are). Returns the exit status of the last power cycle, or of one
/// before that has complained. Throws InputError for a plan that makes no sense.
int run_power_cycles(const RunOptions& options, std::uint64_t requests, PowerCycleFunction run_power_cycle,
                     BlockFactory& factory);

} // namespace twinplane::platform
