// twinplane config: the keys and their values.
#include <iomanip>
#include <iostream>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/config/export.h"
#include "platform/config/registry.h"

namespace twinplane::platform::cli {

namespace {

struct ConfigArguments {
  ConfigOptions config;
  bool dump = false;
  bool markdown = false;
};

void print_keys(const Config& config) {
  for (const Parameter& p : registry()) {
    std::cout << p.key << " = " << format_toml(p, config) << "\n    " << p.meaning << " (" << brief(p.type)
              << ")" << (p.reserved ? " [reserved]" : "") << "\n";
  }
}

} // namespace

void add_config_command(CLI::App& app) {
  auto a = std::make_shared<ConfigArguments>();
  CLI::App* command = app.add_subcommand("config", "every key with value, meaning and what it accepts");
  add_config_options(*command, a->config);
  CLI::Option* dump = command->add_flag("--dump", a->dump, "print the resolved configuration as TOML");
  command->add_flag("--markdown", a->markdown, "print the reference of all keys (docs/configuration.md)")
      ->excludes(dump);
  command->callback([a] {
    if (a->markdown) {
      std::cout << registry_markdown();
      return;
    }
    const LoadedConfig loaded = finish_and_warn(make_loader(a->config));
    if (a->dump) {
      std::cout << dump_toml(loaded.config);
    } else {
      print_keys(loaded.config);
    }
  });
}

} // namespace twinplane::platform::cli
