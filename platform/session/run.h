// One simulation, from a resolved configuration to the files of its output folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "platform/config/config.h"
#include "platform/trace/trace_source.h"
#include "platform/workload/profile.h"

namespace twinplane::platform {

class BlockFactory;
class Simulation;
struct Summary;

struct RunOptions {
  Config config;
  TraceOptions trace; // an empty path: the profile or the synthetic workload of config.workload
  std::optional<Profile> profile;
  std::filesystem::path out;        // empty: no files, only the table on standard output
  std::string blocks;               // shared library with the drive's blocks (block_library.h); empty: none
  std::string blocks_options;       // for it
  std::string load_state;           // a drive that was kept (drive_state.h), instead of preconditioning one
  std::string save_state;           // where to keep the drive before its first request
  std::string save_end;             // where to keep the drive as the run has left it
  std::string power_cut;            // when the supply fails (power_cut_plan.h); empty: never
  std::optional<std::uint16_t> gdb; // port on which the image waits for gdb; 0: any
  bool runs = true;                 // false: to be kept, and nothing else
  bool own_queues = false;          // of several traces: each has I/O queues of its own
};

/// Builds the drive, runs the workload to its end, writes the results. Returns the exit status.
/// Throws InputError for everything a user can mend.
int run_simulation(const RunOptions& options);
/// With the blocks of this factory. Throws InputError when the options name a library, too.
int run_simulation(const RunOptions& options, BlockFactory& factory);

/// Exit status of a run that a firmware panic has ended.
constexpr int kPanicked = 70;

/// Of a run that a signal has ended: says so on standard error, and `what` behind it; the exit status that
/// shells know.
int interrupted(const std::string& what);

/// Exit status of a run that has reached its end: kPanicked after a panic of the firmware; 1 when commands
/// were refused, a monitor has findings, data was lost, accounts differ, or requests have failed though no
/// cell has; says so on standard error.
int verdict(const Simulation& simulation, const Summary& summary);
/// The same of a drive whose host is a guest: what that does wrong is not the drive's.
int verdict_on_drive(const Summary& summary);

} // namespace twinplane::platform
