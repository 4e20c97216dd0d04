// twinplane load: a load generator in front of a vfio-user server.
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/config/error.h"
#include "platform/pci_client/load.h"

namespace twinplane::platform::cli {

namespace {

struct LoadArguments {
  ConfigOptions config;
  std::string vfio_user;
  double wait_s = 10;
  bool verify = false;
  bool leaves_on = false;
  bool written_once = false;
  std::string journal;
};

} // namespace

void add_load_command(CLI::App& app, Context& context) {
  auto a = std::make_shared<LoadArguments>();
  CLI::App* command =
      app.add_subcommand("load", "play a synthetic workload against a drive behind a vfio-user socket");
  add_config_options(*command, a->config);
  command->add_option("--vfio-user", a->vfio_user, "socket of `twinplane serve`")
      ->type_name("PATH")
      ->required();
  command->add_option("--wait", a->wait_s, "seconds to wait for a server to listen there (10)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0));
  command->add_flag("--verify", a->verify, "compare every sector that is read and was written before");
  command->add_flag("--written-once", a->written_once,
                    "an earlier load has written every sector of the workload's space once");
  command
      ->add_option(
          "--journal", a->journal,
          "file that keeps what was written and answered, also when the load is killed; where there is "
          "one, the drive has to hold that first. Implies --verify")
      ->type_name("FILE");
  command->add_flag("--leave-on", a->leaves_on, "go away without shutting the controller down");
  command->callback([a, &context] {
    const LoadedConfig loaded = finish_and_warn(make_loader(a->config));
    context.status = run_load({loaded.config, a->vfio_user, static_cast<int>(a->wait_s * 1000), a->verify,
                               !a->leaves_on, a->written_once, a->journal});
  });
}

} // namespace twinplane::platform::cli
