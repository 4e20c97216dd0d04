// The options that name a configuration: -c FILE ... --set KEY=VALUE ...
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "platform/config/loader.h"

namespace twinplane::platform::cli {

struct ConfigOptions {
  std::vector<std::string> files;
  std::vector<std::string> settings;
};

void add_config_options(CLI::App& command, ConfigOptions& options);

/// The files and settings, on top of what the loader has.
void add_config(const ConfigOptions& options, ConfigLoader& loader);
/// A loader that has read the files and settings.
ConfigLoader make_loader(const ConfigOptions& options);

/// finish(), with the warnings on standard error.
LoadedConfig finish_and_warn(const ConfigLoader& loader);

} // namespace twinplane::platform::cli
