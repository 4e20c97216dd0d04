#include "platform/session/serve.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "platform/config/error.h"
#include "platform/config/version.h"
#include "platform/host/interruption.h"
#include "platform/pci_host/child_process.h"
#include "platform/pci_host/mpqemu_link.h"
#include "platform/pci_host/unix_listener.h"
#include "platform/pci_host/vfio_user_server.h"
#include "platform/report/output_file.h"
#include "platform/session/run.h"
#include "platform/session/run_files.h"
#include "platform/session/served_drive.h"
#include "platform/session/session_file.h"

namespace twinplane::platform {
namespace {

constexpr int kAcceptMs = 200;     // between two looks for a signal
constexpr int kQemuEndsMs = 10000; // after its link is closed

bool stopped() {
  return Interruption::signal() != 0;
}

const char* source_of(const ServeOptions& options) {
  return options.qemu.empty() ? "vfio-user" : "qemu";
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

/// A QEMU with the drive in it: this program's child.
struct Qemu {
  std::unique_ptr<ChildProcess> process;
  std::unique_ptr<Transport> link;
};

Qemu start_qemu(std::vector<std::string> words) {
  SocketPair link;
  SocketPair qtest;
  const std::vector<std::string> ours = {
      "-chardev", "socket,id=twinplane-qtest,fd=" + std::to_string(qtest.theirs.get()),
      "-object",  "qtest,id=twinplane-qtest-server,chardev=twinplane-qtest,log=none",
      "-device",  "x-pci-proxy-dev,id=twinplane,fd=" + std::to_string(link.theirs.get())};
  words.insert(words.end(), ours.begin(), ours.end());
  Qemu qemu;
  qemu.process =
      std::make_unique<ChildProcess>(words, std::vector<int>{link.theirs.get(), qtest.theirs.get()});
  qemu.link = std::make_unique<MpqemuLink>(std::move(link.ours), std::move(qtest.ours));
  return qemu;
}

/// 1 when QEMU has ended with an error of its own; says how it ended when that was not in order.
int end_qemu(Qemu& qemu) {
  qemu.link.reset();
  const int status = qemu.process->end(stopped() ? 0 : kQemuEndsMs);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "twinplane: QEMU was ended by signal %d\n", WTERMSIG(status));
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 0) return 0;
  std::fprintf(stderr, "twinplane: QEMU ended with status %d\n", WEXITSTATUS(status));
  return 1;
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

/// What came of a guest.
struct Guest {
  int status = 0;
  bool interrupted = false;
  std::string source;
};

/// `record` may be null.
bool serve_over(Transport& transport, ServedDrive& drive, StateSaver* record) {
  if (record == nullptr) return drive.serve(transport, stopped);
  const bool interrupted = drive.serve_and_record(transport, stopped, *record);
  record->complete();
  return interrupted;
}

Guest serve_guest(const ServeOptions& options, ServedDrive& drive, StateSaver* record) {
  Guest guest;
  guest.source = source_of(options);
  if (!options.qemu.empty()) {
    Qemu qemu = start_qemu(options.qemu);
    guest.interrupted = serve_over(*qemu.link, drive, record);
    guest.status = end_qemu(qemu);
  } else if (const std::unique_ptr<Transport> client = wait_for_client(options.vfio_user)) {
    guest.interrupted = serve_over(*client, drive, record);
  } else {
    guest.interrupted = true;
  }
  return guest;
}

Guest replay_guest(RecordedSession& session, ServedDrive& drive) {
  const std::string about =
      "--replay-session: the drive does not do what it did when the session was recorded (by " +
      session.head().program + "): ";
  SessionReplay replay(session.events(), hw::kernel_now, about,
                       [&session] { return session.events().more(); });
  const bool interrupted = drive.replay(replay, stopped);
  if (replay.cut_short()) {
    std::fprintf(stderr,
                 "twinplane: --replay-session: the file is cut short, as one is whose recording was killed; "
                 "repeated up to %.3f us\n",
                 static_cast<double>(replay.at()) / 1e6);
  } else if (replay.ended() && session.events().more()) { // the end of the file behind that of the session
    session.events().complete();
  }
  return {0, interrupted, session.head().source};
}

std::unique_ptr<StateSaver> record_of(const ServeOptions& options, bool kept) {
  if (options.record.empty()) return nullptr;
  return begin_session(options.record, options.config,
                       {git_revision(), source_of(options), kept ? digest_of_image(options.image) : 0});
}

std::unique_ptr<RecordedSession> session_of(const ServeOptions& options) {
  if (options.session.empty()) return nullptr;
  auto session = std::make_unique<RecordedSession>(options.session);
  session->require_same_drive(options.config, options.image);
  return session;
}

} // namespace

int serve_drive(const ServeOptions& options) {
  using Clock = std::chrono::steady_clock;
  check(options);
  const bool keeps = !options.image.empty() && options.session.empty();
  const bool kept = !options.image.empty() && std::filesystem::exists(options.image);
  const std::unique_ptr<RecordedSession> session = session_of(options);
  const std::unique_ptr<StateSaver> record = record_of(options, kept);
  if (keeps) OutputFile::try_out(options.image); // before an hour's work is lost
  const Interruption interruption;
  BlockFactory ours;
  ServedDrive drive(options.config, ours);
  std::unique_ptr<RunFiles> files;
  if (!options.out.empty()) files = std::make_unique<RunFiles>(options.config, options.out, drive);
  try {
    drive.prepare(options.image);
  } catch (const FirmwarePanic& panic) {
    std::fprintf(stderr, "twinplane: %s\n", panic.what());
    return kPanicked;
  }
  if (stopped()) return interrupted(" before a guest came; nothing was kept"); // the drive may be half filled
  if (options.config.precondition.mode != PreconditionMode::none && !kept)
    std::fprintf(stderr, "%s\n", drive.preconditioned().text().c_str());
  MachineClock clock;
  if (options.paced) drive.pace(clock);
  const auto start = Clock::now();
  const Guest guest =
      session != nullptr ? replay_guest(*session, drive) : serve_guest(options, drive, record.get());
  drive.wind_up();
  Summary summary = drive.summary(guest.source);
  summary.time.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  summary.interrupted = guest.interrupted;
  if (files != nullptr) files->finish(summary);
  std::fputs(summary_table(summary).c_str(), stdout);
  const int status = std::max(guest.status, verdict_on_drive(summary));
  if (keeps) drive.keep(options.image);
  return guest.interrupted && stopped() && status == 0 ? interrupted("") : status;
}

} // namespace twinplane::platform
