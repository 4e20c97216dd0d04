// twinplane run: prepare, run, report.
#include "platform/session/run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "platform/config/derived.h"
#include "platform/config/error.h"
#include "platform/config/output_file.h"
#include "platform/config/units.h"
#include "platform/host/interruption.h"
#include "platform/session/image_debugger.h"
#include "platform/session/power_cycles.h"
#include "platform/session/run_files.h"
#include "platform/session/simulation.h"
#include "platform/session/state_file.h"
#include "platform/ssd/block_library.h"
#include "platform/workload/from_config.h"
#include "platform/workload/profile_source.h"
#include "platform/workload/workload.h"

namespace twinplane::platform {

namespace {

/// The firmware exports less than asked for where it finds too few good blocks.
void warn_of_capacity(const Config& config, std::uint64_t exported) {
  const Derived derived = derive(config);
  const std::uint64_t stripe = derived.planes * config.geometry.page_size; // capacity is rounded down to it
  if (exported + stripe > derived.exported_bytes) return;
  const double needed = 1 - static_cast<double>(exported) / static_cast<double>(derived.raw_bytes);
  std::fprintf(stderr,
               "warning: ftl.over_provisioning: the drive exports %llu bytes, not %llu: bad blocks and the "
               "reserves of garbage collection take more than %s; they need %.2f%%\n",
               static_cast<unsigned long long>(exported),
               static_cast<unsigned long long>(derived.exported_bytes),
               format_fraction(config.ftl.over_provisioning).c_str(), needed * 100);
}

/// Without spare blocks for the map the firmware goes without. An image does not say.
void warn_of_checkpoints(const Config& config, const fw::FtlStatistics& ftl) {
  if (config.ftl.checkpoint_interval == 0 || ftl.map_kept || !config.cpu.firmware.empty()) return;
  std::fprintf(
      stderr,
      "warning: ftl.checkpoint_interval: the drive writes no checkpoints: it has too few spare blocks for "
      "its map, or blocks of one wordline\n");
}

/// Whether the records have times of their own; looks at the first ones.
bool has_times(IoSource& source) {
  IoRecord record;
  bool found = false;
  for (int i = 0; i < 1000 && !found && source.next(record); ++i) found = record.arrival_ns != 0;
  source.rewind();
  return found;
}

/// What host.mode = "auto" means for this workload; `source` is null for a synthetic one.
HostMode host_mode(const Config& config, IoSource* source) {
  if (config.host.mode != HostMode::automatic) return config.host.mode;
  const bool timed = source != nullptr ? has_times(*source) : config.workload.rate_iops != 0;
  if (!timed) return HostMode::closed;
  if (config.host.iodepth != HostKeys().iodepth) {
    throw InputError("host.iodepth = " + std::to_string(config.host.iodepth) +
                     " would be ignored: the requests have times of their own and start at them; host.mode = "
                     "\"closed\" drops the times, \"open\" without host.iodepth keeps them");
  }
  return HostMode::open;
}

/// Requests of the run, where that can be said before it; 0 where it cannot.
std::uint64_t requests_expected(const Config& config, const IoSource* source) {
  const HostKeys& h = config.host;
  std::uint64_t round = source != nullptr ? source->size_hint() : config.workload.number_ios;
  if (h.drive_writes != 0 || (source == nullptr && config.workload.fsync != 0)) round = 0;
  const std::uint64_t all = round * h.rounds;
  if (h.max_requests == 0) return all;
  return all == 0 ? h.max_requests : std::min(all, h.max_requests);
}

int keep_for_next_life(Simulation& simulation, const PowerCycle& cycle) {
  StateSaver left(cycle.to, "");
  simulation.keep_after_cut(left);
  left.complete();
  return 0;
}

void warn_of_late_cut(const Simulation& simulation, const PowerCycle& cycle) {
  const std::optional<TimePs> ended = simulation.shut_down_at();
  if (!ended || *ended >= cycle.cut_at) return;
  std::fprintf(
      stderr,
      "warning: --power-cut: the supply failed at %s, and the drive had shut down at %s: nothing was "
      "under way\n",
      format_quantity(Dimension::time, cycle.cut_at).c_str(),
      format_quantity(Dimension::time, *ended).c_str());
}

/// What of the trace was not replayed as it stands there; notes of several traces name them.
void note_oddities(const TraceOptions& options, const TraceSource& trace) {
  const std::string path = options.others.empty() ? options.path + ": " : "";
  for (const std::string& note : trace.notes())
    std::fprintf(stderr, "note: %s%s\n", path.c_str(), note.c_str());
}

/// What reports call them together.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " + ") + name;
  return text;
}

int interrupted_before_requests(const RunOptions& options) {
  const std::string kept = options.save_state.empty() ? "" : ", no drive was kept in " + options.save_state;
  return interrupted(" before its first request; nothing was measured" + kept);
}

/// Everything that goes into files. One that cannot be written must not cost the others.
void write_results(const RunOptions& options, const PowerCycle& cycle, Simulation& simulation,
                   const Summary& summary, RunFiles* files) {
  std::string failed;
  const auto attempt = [&failed](const std::function<void()>& write) {
    try {
      write();
    } catch (const InputError& error) {
      failed += (failed.empty() ? "" : "\n") + std::string(error.what());
    }
  };
  if (files != nullptr) attempt([&] { files->finish(summary); });
  if (!cycle.to.empty()) {
    warn_of_late_cut(simulation, cycle);
    attempt([&] { keep_for_next_life(simulation, cycle); });
  } else if (!options.save_end.empty() && summary.panic.empty()) {
    attempt([&] { simulation.keep_drive(options.save_end); });
  }
  if (!failed.empty()) throw InputError(failed);
}

/// One power cycle: as a rule the only one.
int run_power_cycle(const RunOptions& given, const PowerCycle& cycle, BlockFactory& factory) {
  RunOptions options = given;
  using Clock = std::chrono::steady_clock;
  // What a user can get wrong is found before the drive is filled.
  std::unique_ptr<IoSource> source;
  const TraceSource* trace = nullptr;
  std::string name = "[workload]";
  if (!options.trace.path.empty()) {
    auto opened = open_trace(options.trace);
    trace = opened.get();
    source = std::move(opened);
    name = joined(names_of(options.trace));
  } else if (options.profile) {
    source = make_profile_source(*options.profile);
    name = options.profile->name;
  }
  options.config.host.mode = host_mode(options.config, source.get());
  if (const std::uint64_t requests = requests_expected(options.config, source.get())) {
    require_beyond_ramp(options.config, requests);
  }
  const Interruption interruption;
  Simulation simulation(options.config, factory);
  if (!options.trace.others.empty()) simulation.keep_apart(names_of(options.trace), options.own_queues);
  std::unique_ptr<ImageDebugger> debugger;
  if (options.gdb && cycle.end_at == 0)
    debugger = std::make_unique<ImageDebugger>(simulation.ssd(), *options.gdb);
  std::unique_ptr<RunFiles> files;
  if (!options.out.empty()) files = std::make_unique<RunFiles>(options, simulation);
  if (!cycle.from.empty()) {
    StateLoader left(cycle.from);
    simulation.restore_after_cut(left);
    left.complete();
  }
  if (cycle.cut_at != kNever) simulation.announce_power_cut(cycle.cut_at);
  if (cycle.end_at != 0) {
    cycle.ended->requests = simulation.position().requests;
    if (cycle.ended->requests >= cycle.end_at) return 0; // has finished in an earlier power cycle
    simulation.end_at_request(cycle.end_at);
  }
  try {
    simulation.prepare(options.trace.path.empty() ? nullptr : source.get(),
                       {options.load_state, options.save_state, !options.save_end.empty()});
  } catch (const FirmwarePanic& panic) {
    std::fprintf(stderr, "twinplane: %s\n", panic.what());
    return kPanicked;
  }
  if (!cycle.to.empty() && simulation.cut_in_boot()) return keep_for_next_life(simulation, cycle);
  if (Interruption::signal() != 0) return cycle.end_at != 0 ? 0 : interrupted_before_requests(options);
  const bool first = cycle.from.empty() && cycle.end_at == 0;
  if (first) warn_of_capacity(options.config, simulation.exported_bytes());
  if (first) warn_of_checkpoints(options.config, simulation.ssd().firmware().window().statistics());
  if (first && options.config.precondition.mode != PreconditionMode::none) {
    std::fprintf(stderr, "%s\n", simulation.preconditioned().text().c_str());
  }
  if (!options.runs) return 0; // the files are of a run
  if (source == nullptr) {
    source = make_workload(to_workload_spec(options.config, simulation.exported_bytes()));
  }
  Progress progress = Progress::on_stderr(source->size_hint() * options.config.host.rounds);
  if (options.config.run.progress) simulation.meter().attach(progress);

  const auto start = Clock::now();
  simulation.run(*source, name);
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  if (options.config.run.progress) progress.finish();

  if (cycle.end_at != 0) {
    *cycle.ended = {hw::kernel_now(), simulation.position().requests};
    return 0;
  }
  Summary summary = simulation.summary();
  summary.time.wall_s = wall_s;
  if (cycle.to.empty()) {
    std::fputs(summary_table(summary).c_str(), stdout);
    if (trace != nullptr) note_oddities(options.trace, *trace);
  }
  const int status = verdict(simulation, summary);
  if (debugger != nullptr) debugger->exited(status);
  write_results(options, cycle, simulation, summary, files.get());
  if (!summary.interrupted) return status;
  const int signalled = interrupted("; the results are those of the " +
                                    std::to_string(summary.workload.requests) + " requests until then");
  return status == 0 ? signalled : status;
}

/// Requests of the whole workload, 0 where that is not known; and of power cycles, each gets the source for
/// itself.
std::uint64_t requests_of(const RunOptions& options) {
  std::unique_ptr<IoSource> source;
  if (!options.trace.path.empty()) source = open_trace(options.trace);
  if (options.profile) source = make_profile_source(*options.profile);
  return requests_expected(options.config, source.get());
}

/// A kept drive must not replace another result of the run, and is refused before the run where its file could
/// not be made behind it.
void require_place(const RunOptions& options, const char* option, const std::string& file) {
  if (file.empty()) return;
  if (belongs_to_run(file, options.out))
    throw InputError(std::string(option) + " " + file +
                     ": the run itself writes a file of this name there (--out " + options.out.string() +
                     "): expected another one");
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const bool comes = !options.out.empty() && std::filesystem::weakly_canonical(folder, error) ==
                                                 std::filesystem::weakly_canonical(options.out, error);
  if (!comes) OutputFile::try_out(file); // else --out makes its folder
}

void require_places(const RunOptions& options) {
  require_place(options, "--save-state", options.save_state);
  require_place(options, "--save-end", options.save_end);
  std::error_code error;
  if (options.save_end.empty() || options.save_state.empty()) return;
  if (std::filesystem::weakly_canonical(options.save_state, error) ==
      std::filesystem::weakly_canonical(options.save_end, error))
    throw InputError("--save-state " + options.save_state + " and --save-end " + options.save_end +
                     ": expected two files, one for the drive before the run and one for it after that");
}

int run_with(const RunOptions& options, BlockFactory& factory) {
  require_places(options);
  if (options.power_cut.empty()) return run_power_cycle(options, PowerCycle(), factory);
  return run_power_cycles(options, requests_of(options), run_power_cycle, factory);
}

} // namespace

int interrupted(const std::string& what) {
  const int signal = Interruption::signal();
  std::fprintf(stderr, "twinplane: interrupted by %s%s\n", signal == SIGINT ? "SIGINT" : "SIGTERM",
               what.c_str());
  return 128 + signal;
}

int run_simulation(const RunOptions& options) {
  if (std::error_code error; std::filesystem::is_directory(options.blocks, error))
    throw InputError("--blocks " + options.blocks + ": expected a shared library, got a folder");
  if (!options.blocks.empty()) return run_with(options, *load_blocks(options.blocks, options.blocks_options));
  BlockFactory ours;
  return run_with(options, ours);
}

int run_simulation(const RunOptions& options, BlockFactory& factory) {
  if (!options.blocks.empty()) {
    throw InputError("--blocks " + options.blocks + ": this program has brought blocks of its own");
  }
  return run_with(options, factory);
}

} // namespace twinplane::platform
