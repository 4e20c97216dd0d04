#include "hw/pins/pin_transactor.h"

#include <algorithm>

#include "hw/core/kernel_time.h"
#include "hw/nand/package_block.h"
#include "hw/pins/clocked_bus.h"
#include "hw/pins/notify.h"
#include "hw/pins/strobed_bus.h"

namespace twinplane::hw {

namespace {

std::unique_ptr<PinBus> make_bus(PinTargets& targets, PinDrives& drives) {
  if (targets.shared().config.clocked()) return std::make_unique<ClockedBus>(targets, drives);
  return std::make_unique<StrobedBus>(targets, drives);
}

} // namespace

PinTransactor::PinTransactor(sc_core::sc_module_name name, OnfiPins& pins, const PinConfig& config)
    : sc_module(name),
      chips("chip", config.chips),
      pins_(pins),
      shared_{config, {}, PinFaults(this->name())},
      checker_(config, shared_.faults),
      targets_(shared_),
      drives_(pins),
      bus_(make_bus(targets_, drives_)),
      busy_(config.chips, std::vector<Busy>(config.geometry.dies_per_chip)) {
  require_picoseconds(this->name());
  if (config.chips == 0 || pins.ce_n.size() < config.chips) {
    SC_REPORT_FATAL("twinplane.pins", "expected at least one target, and a CE# and R/B# wire for each");
  }
  for (std::uint32_t chip = 0; chip < config.chips; ++chip) {
    targets_.add(chips[chip]);
  }

  SC_HAS_PROCESS(PinTransactor);
  SC_METHOD(on_pins);
  for (std::uint32_t chip = 0; chip < config.chips; ++chip) sensitive << pins.ce_n[chip];
  sensitive << pins.cle << pins.ale << pins.we_n << pins.re_n << pins.wp_n;
  sensitive << pins.dq_host << pins.dq_host_oe << pins.dqs_host << pins.dqs_host_oe;
  SC_METHOD(drive_data);
  sensitive << drives_.event();
  dont_initialize();
  SC_METHOD(drive_ready);
  sensitive << ready_event_;
  dont_initialize();
  SC_METHOD(check_contention);
  sensitive << pins.dq_host_oe << pins.dq_nand_oe << pins.dqs_host_oe << pins.dqs_nand_oe;
  dont_initialize();
}

void PinTransactor::connect(std::uint32_t chip, PackageBlock& package) {
  chips[chip].bind(package.bus);
  listen(package);
}

void PinTransactor::listen(PackageBlock& package) {
  package.attach(*this);
}

void PinTransactor::attach(BusObserver& observer) {
  targets_.attach(observer);
  observer.on_timing(shared_.config.channel, shared_.config.bus, shared_.config.tDBSY);
}

// --- the controller's side ---

PinLevels PinTransactor::sample() const {
  PinLevels l;
  for (std::uint32_t chip = 0; chip < shared_.config.chips; ++chip) {
    if (!pins_.ce_n[chip].read()) l.selected |= 1u << chip;
  }
  l.cle = pins_.cle.read();
  l.ale = pins_.ale.read();
  l.we_n = pins_.we_n.read();
  l.re_n = pins_.re_n.read();
  l.wp_n = pins_.wp_n.read();
  l.dqs = pins_.dqs_host.read();
  l.dqs_driven = pins_.dqs_host_oe.read();
  l.dq_driven = pins_.dq_host_oe.read();
  l.dq = static_cast<std::uint8_t>(pins_.dq_host.read());
  return l;
}

/// True from the first moment after time zero at which no CE# was low.
bool PinTransactor::powered_up(const PinLevels& levels, TimePs now) {
  if (now != 0) awake_ = awake_ || before_.selected == 0;
  if (!awake_) before_ = levels;
  return awake_;
}

void PinTransactor::on_pins() {
  const TimePs now = kernel_now();
  const PinLevels levels = sample();
  if (!powered_up(levels, now)) return;
  checker_.on_change(before_, levels, now);
  bus_->on_change(before_, levels, now);
  targets_.on_change(before_, levels, now);
  before_ = levels;
}

// --- the packages' side ---

void PinTransactor::check_contention() {
  const bool dq = pins_.dq_host_oe.read() && pins_.dq_nand_oe.read();
  const bool dqs = pins_.dqs_host_oe.read() && pins_.dqs_nand_oe.read();
  if ((dq || dqs) && !contended_) {
    shared_.faults.report(
        PinFault::contention, kernel_now(),
        dq ? "controller and package both drive DQ" : "controller and package both drive DQS");
  }
  contended_ = dq || dqs;
}

/// A package tells ahead of time; what it says last about a LUN holds. One that cannot tell the end of what
/// begins leaves it open.
void PinTransactor::on_ready_busy(std::uint32_t, std::uint32_t chip, std::uint32_t lun, bool ready,
                                  TimePs at) {
  if (chip >= busy_.size() || lun >= busy_[chip].size()) return;
  Busy& b = busy_[chip][lun];
  if (ready) {
    b.until = at;
  } else if (at >= b.until) {
    b = {at, kNever};
  }
  notify_at(ready_event_, kernel_now());
}

void PinTransactor::drive_ready() {
  const TimePs now = kernel_now();
  TimePs next = kNever;
  for (std::size_t chip = 0; chip < busy_.size(); ++chip) {
    bool ready = true;
    for (const Busy& b : busy_[chip]) {
      if (b.from <= now && now < b.until) ready = false;
      if (b.from > now) next = std::min(next, b.from);
      if (b.until > now) next = std::min(next, b.until);
    }
    if (ready && !pins_.rb_n[chip].read()) checker_.on_ready(static_cast<std::uint32_t>(chip), now);
    pins_.rb_n[chip].write(ready);
  }
  if (next != kNever) notify_at(ready_event_, next);
}

} // namespace twinplane::hw
