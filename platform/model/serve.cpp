#include "platform/model/serve.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>

#include "platform/config/error.h"
#include "platform/host/interruption.h"
#include "platform/model/run.h"
#include "platform/model/run_files.h"
#include "platform/model/served_drive.h"
#include "platform/pci_host/unix_listener.h"
#include "platform/pci_host/vfio_user_server.h"

namespace twinplane::platform {
namespace {

constexpr int kAcceptMs = 200; // between two looks for a signal

bool stopped() {
  return Interruption::signal() != 0;
}

/// Null: a signal came first.
std::unique_ptr<Transport> wait_for_client(const std::string& path) {
  UnixListener listener(path);
  std::fprintf(stderr, "twinplane: waiting for a vfio-user client at %s\n", path.c_str());
  while (!stopped()) {
    Descriptor connection = listener.accept(kAcceptMs);
    if (connection.is_open()) return std::make_unique<VfioUserServer>(std::move(connection));
  }
  return nullptr;
}

void check(const ServeOptions& options) {
  if (options.config.data != DataMode::full) {
    throw InputError(
        "data.mode: a guest needs all bytes of its data: expected \"full\" (serve sets it where nothing else "
        "is asked for)");
  }
  if (options.config.precondition.mode == PreconditionMode::trace)
    throw InputError("precondition.mode = \"trace\": serve has no trace; expected none, fill or aged");
}

} // namespace

int serve_drive(const ServeOptions& options) {
  using Clock = std::chrono::steady_clock;
  check(options);
  const Interruption interruption;
  BlockFactory ours;
  ServedDrive drive(options.config, ours);
  std::unique_ptr<RunFiles> files;
  if (!options.out.empty()) files = std::make_unique<RunFiles>(options.config, options.out, drive);
  try {
    drive.prepare();
  } catch (const FirmwarePanic& panic) {
    std::fprintf(stderr, "twinplane: %s\n", panic.what());
    return kPanicked;
  }
  if (options.config.precondition.mode != PreconditionMode::none)
    std::fprintf(stderr, "%s\n", drive.preconditioned().text().c_str());
  const std::unique_ptr<Transport> guest = wait_for_client(options.vfio_user);
  const auto start = Clock::now();
  if (guest != nullptr) drive.serve(*guest, stopped);
  drive.wind_up();
  Summary summary = drive.summary("vfio-user");
  summary.time.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  summary.interrupted = stopped();
  if (files != nullptr) files->finish(summary);
  std::fputs(summary_table(summary).c_str(), stdout);
  const int status = verdict_on_drive(summary);
  if (!stopped() || status != 0) return status;
  std::fprintf(stderr, "twinplane: interrupted by %s\n",
               Interruption::signal() == SIGINT ? "SIGINT" : "SIGTERM");
  return 128 + Interruption::signal();
}

} // namespace twinplane::platform
