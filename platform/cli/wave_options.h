// The options for waves and Perfetto traces, which stand for keys of [waves].
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "platform/config/loader.h"

namespace twinplane::platform::cli {

struct WaveOptions {
  std::string vcd; // "" = not given, "true" = given without a scope
  std::string fst; // the same
  std::string vcd_window;
  bool perfetto = false;
};

void add_wave_options(CLI::App& command, WaveOptions& options);
/// They win over files and --set. Throws InputError for a window that is none.
void add_wave_values(const WaveOptions& options, ConfigLoader& loader);
/// Throws InputError when a window is given and nothing is to be recorded in it.
void require_waves(const WaveOptions& options, const Config& config);
/// Throws InputError when files are asked for and there is no folder for them.
void require_folder(const WaveOptions& options, const std::string& out);

} // namespace twinplane::platform::cli
