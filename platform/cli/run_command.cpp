// twinplane run: one simulation.
#include <iostream>
#include <memory>
#include <optional>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/cli/profile_options.h"
#include "platform/cli/trace_options.h"
#include "platform/cli/validators.h"
#include "platform/cli/wave_options.h"
#include "platform/config/derived.h"
#include "platform/config/dram_needs.h"
#include "platform/config/error.h"
#include "platform/workload/from_config.h"

namespace twinplane::platform::cli {

namespace {

struct RunArguments {
  ConfigOptions config;
  std::vector<std::string> traces;
  TraceOptions trace;
  ProfileOptions profile;
  std::string workload;
  std::string out;
  std::string blocks;
  std::string blocks_options;
  std::string load_state;
  std::string save_state;
  std::string save_end;
  std::string power_cut;
  std::string firmware;
  std::optional<std::uint16_t> gdb;
  std::string session;
  std::string image;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> rounds;
  WaveOptions waves;
  bool own_queues = false;
  bool strict = false;
  bool progress = false;
};

Literal of_true() {
  Literal l;
  l.type = Literal::Type::boolean;
  l.boolean = true;
  return l;
}

/// The options that stand for configuration keys; they win over files and --set.
void add_shortcuts(const RunArguments& a, ConfigLoader& loader) {
  if (a.seed) loader.add_value("run.seed", Literal::of_integer(*a.seed), "--seed");
  if (a.seed) loader.add_value("workload.seed", Literal::of_integer(*a.seed), "--seed");
  if (a.rounds) loader.add_value("host.rounds", Literal::of_integer(*a.rounds), "--rounds");
  if (!a.firmware.empty()) loader.add_value("cpu.firmware", Literal::of_text(a.firmware), "--firmware");
  if (a.strict) loader.add_value("run.strict", of_true(), "--strict");
  if (a.progress) loader.add_value("run.progress", of_true(), "--progress");
  add_wave_values(a.waves, loader);
}

/// The profile that --profile names; --seed and workload.seed replace its own seed.
Profile profile_of(const RunArguments& a, const LoadedConfig& loaded) {
  ProfileOptions options = a.profile;
  if (loaded.origins.count("workload.seed") != 0) options.seed = loaded.config.workload.seed;
  return resolve_profile(options, exported_bytes(loaded.config));
}

void require_queues(const RunArguments& a, const Config& config) {
  if (!a.own_queues) return;
  if (a.traces.size() == 1)
    throw InputError("--own-queues: expected several traces, --trace FILE for each, got one");
  if (a.traces.size() <= config.host.queues) return;
  throw InputError("--own-queues: expected a queue for each of the " + std::to_string(a.traces.size()) +
                   " traces, got host.queues = " + std::to_string(config.host.queues));
}

/// Of [workload], what also goes for requests that come from elsewhere.
bool goes_for_all(const std::string& key, bool profiled) {
  return key == "workload.ramp_ios" || (profiled && key == "workload.seed");
}

/// A file may have a [workload] for other runs; what was set for this one was meant to do something.
void warn_of_workload(const LoadedConfig& loaded, bool profiled) {
  constexpr const char* kSetting = "--set";
  for (const auto& [key, origin] : loaded.origins) {
    if (origin != kSetting || key.rfind("workload.", 0) != 0 || goes_for_all(key, profiled)) continue;
    std::cerr << "warning: --set: " << key << ": has no effect: the requests are those of "
              << (profiled ? "the profile (--profile-set, --requests change it)"
                           : "the trace (host.max_requests ends it earlier)")
              << "\n";
  }
}

RunOptions resolve(const RunArguments& a) {
  ConfigLoader loader = make_loader(a.config);
  if (!a.workload.empty()) loader.add_file(a.workload);
  add_shortcuts(a, loader);
  const LoadedConfig loaded = finish_and_warn(loader);
  const bool profiled = !a.profile.name.empty();
  TraceOptions trace = a.trace;
  set_paths(trace, a.traces);
  require_queues(a, loaded.config);
  require_waves(a.waves, loaded.config);
  const bool runs = !trace.path.empty() || !a.workload.empty() || profiled || loaded.sets_section("workload");
  if (profiled || !trace.path.empty()) {
    warn_of_workload(loaded, profiled);
  } else if (runs) { // the drive may export less, but not more
    require_workload(loaded, derive(loaded.config).exported_bytes);
  }
  if (!runs && a.save_state.empty()) {
    throw InputError(
        "nothing to run: give --trace FILE, --workload FILE, --profile NAME, or a [workload] section in the "
        "configuration");
  }
  if (!runs && !a.save_end.empty())
    throw InputError("--save-end " + a.save_end +
                     ": there is no run; --save-state keeps the drive before one");
  if (a.gdb && loaded.config.cpu.firmware.empty()) {
    throw InputError("--gdb " + std::to_string(*a.gdb) +
                     ": there is no image to debug, expected --firmware IMAGE.elf (firmware as code of this "
                     "program is debugged with gdb on the program)");
  }
  require_folder(a.waves, a.out);
  if (a.blocks.empty() && !a.blocks_options.empty()) throw InputError("--blocks-options needs --blocks FILE");
  RunOptions options{loaded.config, trace,        std::nullopt, a.out,       a.blocks, a.blocks_options,
                     a.load_state,  a.save_state, a.save_end,   a.power_cut, a.gdb,    runs};
  // Nothing acts here that the kernel does not announce: one sc_start(), no other threads.
  if (loaded.origins.count("cpu.run_ahead") == 0) options.config.cpu.run_ahead = ms(1);
  options.own_queues = a.own_queues;
  if (profiled) options.profile = profile_of(a, loaded);
  return options;
}

/// A guest's session has its own configuration, under the files and settings of the command line.
ServeOptions resolve_session(const RunArguments& a, const ModelCalls& model) {
  ConfigLoader loader;
  loader.add_text(model.session_config(a.session), a.session);
  add_config(a.config, loader);
  add_shortcuts(a, loader);
  require_folder(a.waves, a.out);
  const LoadedConfig loaded = finish_and_warn(loader);
  require_waves(a.waves, loaded.config);
  return {loaded.config, a.out, "", {}, a.image, "", false, a.session};
}

void add_workload_options(CLI::App& command, RunArguments& a) {
  CLI::Option* trace =
      command
          .add_option("--trace", a.traces,
                      "block trace to replay, plain, gzip, zstd, bzip2 or xz; several are merged by time")
          ->type_name("FILE")
          ->expected(1)
          ->take_all();
  command.add_flag("--own-queues", a.own_queues, "several traces: deals the I/O queues out among them")
      ->needs(trace);
  CLI::Option* workload =
      command.add_option("--workload", a.workload, "TOML file with a [workload] section (fio's words)")
          ->type_name("FILE")
          ->excludes(trace);
  for (CLI::Option* option : add_trace_options(command, a.trace)) option->needs(trace);
  add_profile_options(command, a.profile);
  command.get_option("--profile")->excludes(trace)->excludes(workload);
  command
      .add_option("--seed", a.seed,
                  "seed of everything random; same seed, same result (run.seed, workload.seed)")
      ->check(whole_number(kLeastNumber))
      ->type_name("N");
  command.add_option("--rounds", a.rounds, "replays the workload that many times (host.rounds)")
      ->check(whole_number(kLeastNumber))
      ->type_name("N");
}

void add_block_options(CLI::App& command, RunArguments& a) {
  command.add_option("--blocks", a.blocks, "shared library with blocks of your own for the drive")
      ->type_name("FILE");
  command.add_option("--blocks-options", a.blocks_options, "text for that library")->type_name("TEXT");
}

void add_state_options(CLI::App& command, RunArguments& a) {
  command
      .add_option("--save-state", a.save_state,
                  "keep the drive, as preconditioning has left it; without a workload nothing is run")
      ->type_name("FILE");
  command
      .add_option("--save-end", a.save_end,
                  "keep the drive as the run has left it, shut down and with nothing under way")
      ->type_name("FILE");
  command
      .add_option("--load-state", a.load_state, "begin with a drive that was kept, of the same configuration")
      ->type_name("FILE");
}

void add_firmware_options(CLI::App& command, RunArguments& a) {
  command
      .add_option("--firmware", a.firmware,
                  "image that the drive's core executes, instead of the firmware as code of this program "
                  "(cpu.firmware)")
      ->type_name("IMAGE.elf");
  command
      .add_option(
          "--gdb", a.gdb,
          "wait for gdb-multiarch on this port of 127.0.0.1 before the image's first instruction; 0: on "
          "any that is free")
      ->type_name("PORT");
}

void add_power_options(CLI::App& command, RunArguments& a) {
  command
      .add_option("--power-cut", a.power_cut,
                  "the supply fails: 12ms after power-on, request:N when N requests have finished, random:K "
                  "times; the drive comes back, is read and compared, and the workload goes on")
      ->type_name("WHEN");
}

/// Everything that says what else to run, or of what.
constexpr const char* kNotOfSessions[] = {"--gdb",        "--trace",    "--workload",       "--profile",
                                          "--rounds",     "--blocks",   "--blocks-options", "--load-state",
                                          "--save-state", "--save-end", "--power-cut",      "--own-queues"};

void add_session_options(CLI::App& command, RunArguments& a) {
  CLI::Option* session =
      command
          .add_option("--replay-session", a.session,
                      "lead the drive through what serve --record has written down, without the guest; the "
                      "configuration is the session's")
          ->type_name("FILE");
  for (const char* other : kNotOfSessions) session->excludes(command.get_option(other));
  command
      .add_option("--image", a.image,
                  "copy of the image that the session began with, where it began with one; stays as it is")
      ->type_name("FILE")
      ->needs(session);
}

void add_output_options(CLI::App& command, RunArguments& a) {
  command.add_option("--out", a.out, "folder for summary.json, timeline.csv and whatever else is asked for")
      ->type_name("DIR");
  add_wave_options(command, a.waves);
  command.add_flag("--strict", a.strict, "a flash command that a die refuses ends the run (run.strict)");
  command.add_flag("--progress", a.progress, "show progress on standard error (run.progress)");
}

} // namespace

void add_run_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "simulate a trace or a synthetic workload");
  add_config_options(*command, arguments->config);
  add_workload_options(*command, *arguments);
  add_block_options(*command, *arguments);
  add_state_options(*command, *arguments);
  add_firmware_options(*command, *arguments);
  add_power_options(*command, *arguments);
  add_session_options(*command, *arguments);
  add_output_options(*command, *arguments);
  command->callback([arguments, &context] {
    context.status = arguments->session.empty()
                         ? context.model.run(resolve(*arguments))
                         : context.model.serve(resolve_session(*arguments, context.model));
  });
}

} // namespace twinplane::platform::cli
