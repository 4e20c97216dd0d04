#include "platform/session/served_drive.h"

#include <poll.h>

#include <algorithm>
#include <filesystem>

#include "platform/config/error.h"
#include "platform/session/drive_state.h"

namespace twinplane::platform {
namespace {

constexpr int kMostInARow = 16;                  // messages, before the drive's time passes again
constexpr int kStepsInARow = 16;                 // of the drive, before the next look for a message
constexpr TimePs kIdle = ms(200);                // between two looks for a signal
constexpr TimePs kLook = us(10);                 // between two looks at the controller's status
constexpr TimePs kRest = us(100);                // between two looks whether the firmware rests
constexpr TimePs kPatience = ms(60'000);         // for the controller's status
constexpr std::uint64_t kAdminQueues = 0x1'0000; // never used

Config for_guests(Config config) {
  config.host_waits = false;
  config.cpu.run_ahead = 0;
  return config;
}

} // namespace

ServedDrive::ServedDrive(const Config& config, BlockFactory& factory)
    : MeasuredDrive(for_guests(config), factory),
      guest_(meter_, config.geometry.sector_size),
      watch_(guest_),
      port_("guest", ssd_.pci().function(), ssd_.front_end().pci_function(),
            config.pcie.ideal ? 0 : config.pcie.latency, watch_) {
  port_.follow([this] { return ssd_.core().local_time(); });
  port_.bar.bind(ssd_.bar);
  ssd_.dma.bind(port_.dma);
  ssd_.intx.bind(port_.intx);
  ssd_.run_ahead().block();
  ssd_.firmware().window().attach(guest_);
}

void ServedDrive::prepare(const std::string& image) {
  if (!boot()) throw InputError("the simulation has been stopped before the firmware has booted");
  const bool kept = !image.empty() && std::filesystem::exists(image);
  preconditioned_ = kept ? load_image(image, config_, ssd_) : write_first(nullptr);
  start_counting();
  port_.power_on(no_interrupts_);
}

bool ServedDrive::serve(Transport& transport, const std::function<bool()>& stopped) {
  port_.send_to(transport);
  const bool interrupted = serve(transport, port_, stopped);
  guest_has_gone();
  return interrupted;
}

bool ServedDrive::serve_and_record(Transport& transport, const std::function<bool()>& stopped,
                                   StateSaver& session) {
  SessionRecorder recorder(session, hw::kernel_now, port_, transport, [&session] { session.boundary(); });
  port_.send_to(recorder);
  port_.reach(recorder);
  const bool interrupted = serve(transport, recorder, stopped);
  recorder.end(interrupted);
  guest_has_gone();
  return interrupted;
}

bool ServedDrive::serve(Transport& transport, PciDevice& device, const std::function<bool()>& stopped) {
  if (clock_ != nullptr) {
    pacer_ = std::make_unique<Pacer>(*clock_, hw::kernel_now());
    guest_.attach(*pacer_);
  }
  int in_a_row = 0;
  while (abandoned_.empty()) {
    if (stopped()) return true;
    const Transport::Served served = transport.serve(device);
    if (served == Transport::Served::closed) break;
    if (served == Transport::Served::message && ++in_a_row < kMostInARow) continue;
    in_a_row = 0;
    if (run_drive()) continue;
    if (served == Transport::Served::nothing) wait_for(transport);
  }
  return false;
}

/// False: there is nothing to do.
bool ServedDrive::run_drive() {
  const TimePs due = pacer_ == nullptr ? kNever : pacer_->due();
  int steps = 0;
  while (steps != kStepsInARow && abandoned_.empty() && port_.step(due)) ++steps;
  return steps != 0;
}

/// Nothing can happen in the drive before its time, or but by the guest.
void ServedDrive::wait_for(Transport& transport) {
  const TimePs next = port_.next();
  const TimePs wait = next == kNever || pacer_ == nullptr ? kIdle : std::min(kIdle, pacer_->until(next));
  pollfd message{transport.descriptor(), POLLIN, 0};
  const timespec time{0, static_cast<long>(wait / ns(1))};
  ::ppoll(&message, 1, &time, nullptr);
}

bool ServedDrive::replay(SessionReplay& session, const std::function<bool()>& stopped) {
  port_.send_to(session);
  port_.reach(session);
  while (abandoned_.empty() && !stopped() && !session.ended()) {
    if (!session.waits()) {
      port_.run_until(session.at());
      session.act(port_);
    } else if (!port_.step(kNever)) {
      session.stands_still();
    }
    session.check();
  }
  if (session.ended()) port_.run_until(session.at());
  session.check();
  guest_has_gone();
  return session.ended() ? session.interrupted() : stopped();
}

void ServedDrive::guest_has_gone() {
  port_.send_to(no_interrupts_);
  port_.memory().clear();
  port_.reach(port_.memory());
}

bool ServedDrive::wait_for_status(std::uint32_t mask, std::uint32_t value) {
  const TimePs end = hw::kernel_now() + kPatience;
  while ((port_.read_bar(nvme::bar::csts, 4) & mask) != value) {
    if (hw::kernel_now() > end || panicked()) return false;
    port_.run_until(hw::kernel_now() + kLook);
  }
  return true;
}

void ServedDrive::shut_down() {
  port_.reset();
  bool ok = wait_for_status(nvme::csts::rdy, 0);
  port_.write_bar(nvme::bar::aqa, 4, 1u << 16 | 1u);
  port_.write_bar(nvme::bar::asq, 8, kAdminQueues);
  port_.write_bar(nvme::bar::acq, 8, kAdminQueues + 4096);
  const std::uint32_t enabled = 4u << 20 | 6u << 16 | nvme::cc::en;
  port_.write_bar(nvme::bar::cc, 4, enabled);
  ok = ok && wait_for_status(nvme::csts::rdy, nvme::csts::rdy);
  port_.write_bar(nvme::bar::cc, 4, enabled | nvme::cc::shn_normal);
  ok = ok && wait_for_status(nvme::csts::shst_mask, nvme::csts::shst_complete);
  if (!ok && !panicked()) throw InputError("the drive does not shut down after its guest has gone");
}

void ServedDrive::wind_up() {
  if (!abandoned_.empty()) throw InputError(abandoned_);
  meter_.finished(hw::kernel_now());
  watch_.reset(hw::kernel_now());
  const std::uint64_t status = port_.read_bar(nvme::bar::csts, 4);
  const bool in_order = (status & nvme::csts::shst_mask) == nvme::csts::shst_complete;
  if (!in_order && !panicked()) shut_down();
  ssd_.finish_monitors(hw::kernel_now());
}

void ServedDrive::keep(const std::string& image) {
  if (panicked()) throw InputError("--image " + image + ": a drive whose firmware has panicked is not kept");
  FirmwareWindow& firmware = ssd_.firmware().window();
  const TimePs end = hw::kernel_now() + kPatience;
  while (!firmware.quiesce()) {
    if (hw::kernel_now() > end) throw InputError("--image " + image + ": the drive does not come to a rest");
    port_.run_until(hw::kernel_now() + kRest);
  }
  save_image(image, config_, ssd_, preconditioned_);
}

Summary ServedDrive::summary(const std::string& source) const {
  Summary s;
  identify(s);
  s.workload = guest_.workload();
  s.workload.source = source;
  collect(s);
  if (pacer_ != nullptr) s.time.pace = pacer_->summary();
  for (Account& a : s.accounts) { // a compare brings data that are not written
    const bool in = a.what == "bytes written: host, link";
    if (!in && a.what != "bytes read: host, link") continue;
    a.one_side = guest_.in_doubt() ? a.other_side : in ? guest_.bytes_in() : guest_.bytes_out();
  }
  return s;
}

} // namespace twinplane::platform
