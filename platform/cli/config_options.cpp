#include "platform/cli/config_options.h"

#include <iostream>

namespace twinplane::platform::cli {

void add_config_options(CLI::App& command, ConfigOptions& options) {
  command
      .add_option("-c,--config", options.files,
                  "TOML configuration; may be repeated, later files win (platform/configs has examples)")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  command
      .add_option(
          "--set", options.settings,
          "sets one key after all files, e.g. --set geometry.channels=4 --set nand.tR=50us,75us,100us")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

void add_config(const ConfigOptions& options, ConfigLoader& loader) {
  for (const std::string& file : options.files) loader.add_file(file);
  for (const std::string& setting : options.settings) loader.add_setting(setting);
}

ConfigLoader make_loader(const ConfigOptions& options) {
  ConfigLoader loader;
  add_config(options, loader);
  return loader;
}

LoadedConfig finish_and_warn(const ConfigLoader& loader) {
  LoadedConfig loaded = loader.finish();
  for (const std::string& warning : loaded.warnings) std::cerr << "warning: " << warning << "\n";
  return loaded;
}

} // namespace twinplane::platform::cli
