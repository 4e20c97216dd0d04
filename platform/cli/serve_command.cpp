// twinplane serve: a drive for a guest.
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/cli/wave_options.h"
#include "platform/config/error.h"

namespace twinplane::platform::cli {

namespace {

struct ServeArguments {
  ConfigOptions config;
  WaveOptions waves;
  std::string vfio_user;
  std::string out;
};

ServeOptions resolve(const ServeArguments& a) {
  ConfigLoader loader = make_loader(a.config);
  add_wave_values(a.waves, loader);
  require_folder(a.waves, a.out);
  const LoadedConfig loaded = finish_and_warn(loader);
  if (a.vfio_user.empty()) throw InputError("no guest: give --vfio-user PATH");
  ServeOptions options{loaded.config, a.out, a.vfio_user};
  if (loaded.origins.count("data.mode") == 0) options.config.data = DataMode::full;
  if (options.config.cpu.run_ahead != 0) {
    throw InputError("cpu.run_ahead: nobody announces what a guest does: expected 0");
  }
  return options;
}

} // namespace

void add_serve_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command = app.add_subcommand("serve", "put the drive behind a PCI function for a guest");
  add_config_options(*command, arguments->config);
  command
      ->add_option("--vfio-user", arguments->vfio_user,
                   "socket at which one vfio-user client is served: QEMU 10.1 and newer, or a program")
      ->type_name("PATH");
  command->add_option("--out", arguments->out, "folder for summary.json, timeline.csv and whatever else")
      ->type_name("DIR");
  add_wave_options(*command, arguments->waves);
  command->callback([arguments, &context] { context.status = context.serve(resolve(*arguments)); });
}

} // namespace twinplane::platform::cli
