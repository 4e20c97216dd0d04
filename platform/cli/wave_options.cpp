#include "platform/cli/wave_options.h"

#include "platform/config/error.h"

namespace twinplane::platform::cli {

namespace {

constexpr const char* kAllSignals = "true"; // what a flag without a value holds

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

} // namespace

void add_wave_options(CLI::App& command, WaveOptions& options) {
  command.add_flag("--vcd", options.vcd, "write waves.vcd; --vcd=SCOPE limits it, e.g. --vcd=ssd.ch0");
  command.add_flag("--fst", options.fst, "write waves.fst, which is far smaller; --fst=SCOPE limits it");
  command.add_flag("--perfetto", options.perfetto,
                   "write waves.json for ui.perfetto.dev; --vcd's scope and window apply");
  command.add_option("--vcd-window", options.vcd_window, "simulated time that is recorded, e.g. 1ms:1.5ms")
      ->type_name("FROM:TO");
}

void add_wave_values(const WaveOptions& options, ConfigLoader& loader) {
  const bool two_scopes = !options.vcd.empty() && !options.fst.empty() && options.vcd != kAllSignals &&
                          options.fst != kAllSignals && options.vcd != options.fst;
  if (two_scopes) {
    throw InputError("--vcd=" + options.vcd + " and --fst=" + options.fst +
                     ": expected one scope, which holds for all files of waves");
  }
  const auto add_waves = [&loader](const std::string& scope, const char* key, const char* option) {
    if (scope.empty()) return;
    loader.add_value(key, of_true(), option);
    if (scope != kAllSignals) loader.add_value("waves.scope", Literal::of_text(scope), option);
  };
  add_waves(options.vcd, "waves.vcd", "--vcd");
  add_waves(options.fst, "waves.fst", "--fst");
  if (options.perfetto) loader.add_value("waves.perfetto", of_true(), "--perfetto");
  if (!options.vcd_window.empty()) add_window(loader, options.vcd_window);
}

void require_waves(const WaveOptions& options, const Config& config) {
  const bool any = config.waves.vcd || config.waves.fst || config.waves.perfetto;
  if (any || options.vcd_window.empty()) return;
  throw InputError("--vcd-window " + options.vcd_window +
                   ": nothing is recorded: expected --vcd, --fst or --perfetto, or their keys of [waves]");
}

void require_folder(const WaveOptions& options, const std::string& out) {
  if (!out.empty()) return;
  if (!options.vcd.empty()) throw InputError("--vcd needs --out DIR for its files");
  if (!options.fst.empty()) throw InputError("--fst needs --out DIR for its files");
  if (options.perfetto) throw InputError("--perfetto needs --out DIR for its file");
}

} // namespace twinplane::platform::cli
