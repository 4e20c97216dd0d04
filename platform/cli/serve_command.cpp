// twinplane serve: a drive for a guest.
#include <memory>
#include <string>
#include <vector>

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
  bool qemu = false;
  std::vector<std::string> qemu_arguments;
  std::string out;
  std::string image;
  std::string record;
  double pace = 0;
};

constexpr const char* kQemu = "qemu-system-x86_64";

/// The command that stands behind "--", with the usual program where it begins with an option.
std::vector<std::string> qemu_of(const ServeArguments& a) {
  if (a.qemu == !a.vfio_user.empty())
    throw InputError("expected one guest: --vfio-user PATH or --qemu -- QEMU-ARGUMENTS");
  if (!a.qemu && !a.qemu_arguments.empty())
    throw InputError("unexpected argument " + a.qemu_arguments.front() + "; arguments of QEMU's need --qemu");
  if (!a.qemu) return {};
  std::vector<std::string> words = a.qemu_arguments;
  if (words.empty() || words.front().rfind('-', 0) == 0) words.insert(words.begin(), kQemu);
  return words;
}

ServeOptions resolve(const ServeArguments& a) {
  if (a.pace != 0 && a.pace != 1)
    throw InputError("--pace: expected 1, simulated time at the pace of the wall clock, or no --pace");
  ConfigLoader loader = make_loader(a.config);
  add_wave_values(a.waves, loader);
  require_folder(a.waves, a.out);
  const LoadedConfig loaded = finish_and_warn(loader);
  require_waves(a.waves, loaded.config);
  ServeOptions options{loaded.config, a.out, a.vfio_user, qemu_of(a), a.image, a.record, a.pace != 0, ""};
  if (loaded.origins.count("data.mode") == 0) options.config.data = DataMode::full;
  if (loaded.origins.count("host.shadow_doorbells") == 0) options.config.host.shadow_doorbells = !a.qemu;
  if (options.config.cpu.run_ahead != 0) {
    throw InputError("cpu.run_ahead: what a guest does is not announced: expected 0");
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
  command->add_flag(
      "--qemu", arguments->qemu,
      "start QEMU 7.2 with the drive in it; its arguments, or its whole command, follow behind --");
  command->add_option("qemu-arguments", arguments->qemu_arguments, "behind --: what QEMU is started with")
      ->type_name("ARGUMENT");
  command->add_option("--out", arguments->out, "folder for summary.json, timeline.csv and whatever else")
      ->type_name("DIR");
  command
      ->add_option("--image", arguments->image,
                   "file that keeps the drive between runs: cells, wear, tables; made where there is none")
      ->type_name("FILE");
  command
      ->add_option("--record", arguments->record,
                   "file for all that crosses between guest and drive, for run --replay-session")
      ->type_name("FILE");
  command
      ->add_option("--pace", arguments->pace,
                   "1: no request takes less of the wall clock's time than of simulated time; without, the "
                   "drive is as fast as it can be computed")
      ->type_name("1");
  add_wave_options(*command, arguments->waves);
  command->callback([arguments, &context] { context.status = context.model.serve(resolve(*arguments)); });
}

} // namespace twinplane::platform::cli
