// twinplane run: one simulation.
#include <memory>
#include <optional>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/cli/profile_options.h"
#include "platform/cli/trace_options.h"
#include "platform/config/derived.h"
#include "platform/config/error.h"

namespace twinplane::platform::cli {

namespace {

struct RunArguments {
  ConfigOptions config;
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
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> rounds;
  std::string vcd; // "" = not given, kAllSignals = given without a scope
  std::string fst; // the same
  std::string vcd_window;
  bool perfetto = false;
  bool strict = false;
  bool progress = false;
};

constexpr const char* kAllSignals = "true"; // what a flag without a value holds

Literal of_integer(std::int64_t value) {
  Literal l;
  l.type = Literal::Type::integer;
  l.integer = value;
  return l;
}

Literal of_true() {
  Literal l;
  l.type = Literal::Type::boolean;
  l.boolean = true;
  return l;
}

void add_window(ConfigLoader& loader, const std::string& window) {
  const std::size_t colon = window.find(':');
  if (colon == std::string::npos) {
    throw InputError("--vcd-window " + window +
                     ": expected FROM:TO, two times such as 1ms:1.5ms; either may be empty");
  }
  const std::string from = window.substr(0, colon);
  const std::string to = window.substr(colon + 1);
  if (!from.empty()) loader.add_value("waves.from", Literal::of_text(from), "--vcd-window");
  if (!to.empty()) loader.add_value("waves.to", Literal::of_text(to), "--vcd-window");
}

/// The options that stand for configuration keys; they win over files and --set.
void add_shortcuts(const RunArguments& a, ConfigLoader& loader) {
  if (a.seed) loader.add_value("run.seed", of_integer(*a.seed), "--seed");
  if (a.seed) loader.add_value("workload.seed", of_integer(*a.seed), "--seed");
  if (a.rounds) loader.add_value("host.rounds", of_integer(*a.rounds), "--rounds");
  if (a.strict) loader.add_value("run.strict", of_true(), "--strict");
  if (a.progress) loader.add_value("run.progress", of_true(), "--progress");
  const auto add_waves = [&loader](const std::string& scope, const char* key, const char* option) {
    if (scope.empty()) return;
    loader.add_value(key, of_true(), option);
    if (scope != kAllSignals) loader.add_value("waves.scope", Literal::of_text(scope), option);
  };
  add_waves(a.vcd, "waves.vcd", "--vcd");
  add_waves(a.fst, "waves.fst", "--fst");
  if (a.perfetto) loader.add_value("waves.perfetto", of_true(), "--perfetto");
  if (!a.vcd_window.empty()) add_window(loader, a.vcd_window);
}

/// The profile that --profile names; --seed and workload.seed replace its own seed.
Profile profile_of(const RunArguments& a, const LoadedConfig& loaded) {
  ProfileOptions options = a.profile;
  if (loaded.origins.count("workload.seed") != 0) options.seed = loaded.config.workload.seed;
  return resolve_profile(options, derive(loaded.config).exported_bytes);
}

RunOptions resolve(const RunArguments& a) {
  ConfigLoader loader = make_loader(a.config);
  if (!a.workload.empty()) loader.add_file(a.workload);
  add_shortcuts(a, loader);
  const LoadedConfig loaded = finish_and_warn(loader);
  const bool profiled = !a.profile.name.empty();
  const bool runs =
      !a.trace.path.empty() || !a.workload.empty() || profiled || loaded.sets_section("workload");
  if (!runs && a.save_state.empty()) {
    throw InputError(
        "nothing to run: give --trace FILE, --workload FILE, --profile NAME, or a [workload] section in the "
        "configuration");
  }
  if (!runs && !a.save_end.empty())
    throw InputError("--save-end " + a.save_end +
                     ": there is no run; --save-state keeps the drive before one");
  if (!a.vcd.empty() && a.out.empty()) throw InputError("--vcd needs --out DIR for its files");
  if (!a.fst.empty() && a.out.empty()) throw InputError("--fst needs --out DIR for its files");
  if (a.perfetto && a.out.empty()) throw InputError("--perfetto needs --out DIR for its file");
  if (a.blocks.empty() && !a.blocks_options.empty()) throw InputError("--blocks-options needs --blocks FILE");
  RunOptions options{loaded.config, a.trace,      std::nullopt, a.out,       a.blocks, a.blocks_options,
                     a.load_state,  a.save_state, a.save_end,   a.power_cut, runs};
  // Nobody acts here whom the kernel does not announce: one sc_start(), no other threads.
  if (loaded.origins.count("cpu.run_ahead") == 0) options.config.cpu.run_ahead = ms(1);
  if (profiled) options.profile = profile_of(a, loaded);
  return options;
}

void add_workload_options(CLI::App& command, RunArguments& a) {
  CLI::Option* trace =
      command.add_option("--trace", a.trace.path, "block trace to replay, plain, gzip or zstd")
          ->type_name("FILE");
  CLI::Option* workload =
      command.add_option("--workload", a.workload, "TOML file with a [workload] section (fio's words)")
          ->type_name("FILE")
          ->excludes(trace);
  add_trace_options(command, a.trace);
  add_profile_options(command, a.profile);
  command.get_option("--profile")->excludes(trace)->excludes(workload);
  command
      .add_option("--seed", a.seed,
                  "seed of everything random; same seed, same result (run.seed, workload.seed)")
      ->type_name("N");
  command.add_option("--rounds", a.rounds, "replays the workload that many times (host.rounds)")
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

void add_power_options(CLI::App& command, RunArguments& a) {
  command
      .add_option("--power-cut", a.power_cut,
                  "the supply fails: 12ms after power-on, request:N when N requests have finished, random:K "
                  "times; the drive comes back, is read and compared, and the workload goes on")
      ->type_name("WHEN");
}

void add_output_options(CLI::App& command, RunArguments& a) {
  command.add_option("--out", a.out, "folder for summary.json, timeline.csv and whatever else is asked for")
      ->type_name("DIR");
  command.add_flag("--vcd", a.vcd, "write waves.vcd; --vcd=SCOPE limits it, e.g. --vcd=ssd.ch0");
  command.add_flag("--fst", a.fst, "write waves.fst, which is far smaller; --fst=SCOPE limits it");
  command.add_flag("--perfetto", a.perfetto,
                   "write waves.json for ui.perfetto.dev; --vcd's scope and window apply");
  command.add_option("--vcd-window", a.vcd_window, "simulated time that is recorded, e.g. 1ms:1.5ms")
      ->type_name("FROM:TO");
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
  add_power_options(*command, *arguments);
  add_output_options(*command, *arguments);
  command->callback([arguments, &context] { context.status = context.run(resolve(*arguments)); });
}

} // namespace twinplane::platform::cli
