#include "hw/pins/pin_transactor.h"

#include <algorithm>

#include "hw/core/kernel_time.h"
#include "hw/nand/package.h"

namespace twinplane::hw {

namespace {

/// Also for times that are now: then one delta cycle later.
void notify_at(sc_core::sc_event& event, TimePs at) {
  const TimePs now = kernel_now();
  event.notify(to_sc_time(at > now ? at - now : 0));
}

} // namespace

PinTransactor::PinTransactor(sc_core::sc_module_name name, OnfiPins& pins, const PinConfig& config)
    : sc_module(name),
      chips("chip", config.chips),
      pins_(pins),
      shared_{config, {}, PinFaults(this->name())},
      checker_(config, shared_.faults),
      busy_(config.chips, std::vector<Busy>(config.geometry.dies_per_chip)) {
  require_picoseconds(this->name());
  if (config.chips == 0 || pins.ce_n.size() < config.chips) {
    SC_REPORT_FATAL("twinplane.pins", "expected at least one target, and a CE# and R/B# wire for each");
  }
  for (std::uint32_t chip = 0; chip < config.chips; ++chip) {
    targets_.push_back(std::make_unique<PinTarget>(shared_, chips[chip], chip));
  }

  SC_HAS_PROCESS(PinTransactor);
  SC_METHOD(on_pins);
  for (std::uint32_t chip = 0; chip < config.chips; ++chip) sensitive << pins.ce_n[chip];
  sensitive << pins.cle << pins.ale << pins.we_n << pins.re_n << pins.wp_n;
  sensitive << pins.dq_host << pins.dq_host_oe << pins.dqs_host;
  SC_METHOD(drive_data);
  sensitive << drive_event_;
  dont_initialize();
  SC_METHOD(drive_ready);
  sensitive << ready_event_;
  dont_initialize();
  SC_METHOD(check_contention);
  sensitive << pins.dq_host_oe << pins.dq_nand_oe;
  dont_initialize();
}

void PinTransactor::connect(std::uint32_t chip, Package& package) {
  chips[chip].bind(package.bus);
  package.attach(*this);
}

void PinTransactor::attach(BusObserver& observer) {
  for (auto& target : targets_) target->attach(observer);
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
  const bool ddr = shared_.config.bus.ddr;
  if (before_.we_n && !levels.we_n) we_fall_ = now;
  if (!before_.we_n && levels.we_n) write_cycle(before_, now);
  if (ddr && before_.dqs != levels.dqs) strobe_in(before_, levels.dqs, now);
  if (before_.re_n != levels.re_n) ddr ? read_edge_ddr(levels, now) : read_edge_sdr(levels, now);
  end_bursts(levels, now);
  for (std::uint32_t chip = 0; chip < targets_.size(); ++chip) {
    const std::uint32_t changed = (before_.selected ^ levels.selected) >> chip & 1u;
    if (changed == 0) continue;
    (levels.selected >> chip & 1u) != 0 ? targets_[chip]->select(now) : targets_[chip]->deselect(now);
  }
  before_ = levels;
}

PinTarget* PinTransactor::addressed(std::uint32_t selected, TimePs now) {
  if (selected == 0) return nullptr;
  if ((selected & (selected - 1)) != 0) {
    shared_.faults.report(PinFault::two_targets, now, "expected one CE# low");
    return nullptr;
  }
  return targets_[static_cast<std::size_t>(__builtin_ctz(selected))].get();
}

void PinTransactor::write_cycle(const PinLevels& at_edge, TimePs now) {
  PinTarget* target = addressed(at_edge.selected, now);
  if (target == nullptr) return;
  PinFaults& faults = shared_.faults;
  const Strobe strobe{we_fall_, now};
  if (!at_edge.re_n) {
    faults.report(PinFault::strobes_overlap, now, "expected RE# high while WE# is low");
  } else if (at_edge.cle && at_edge.ale) {
    faults.report(PinFault::latches_overlap, now, "expected CLE or ALE low when WE# rises");
  } else if (!at_edge.dq_driven) {
    faults.report(PinFault::undriven, now, "expected the controller to drive DQ when WE# rises");
  } else if (at_edge.cle) {
    target->command(at_edge.dq, strobe, !at_edge.wp_n);
  } else if (at_edge.ale) {
    target->address(at_edge.dq, strobe);
  } else if (shared_.config.bus.ddr) {
    faults.report(PinFault::data_by_we, now, "expected data with DQS on a DDR interface");
  } else {
    target->data_in(at_edge.dq, strobe);
  }
}

void PinTransactor::read_edge_sdr(const PinLevels& levels, TimePs now) {
  if (!levels.data_cycle() || !levels.we_n) return;
  const BusTiming& t = shared_.config.bus;
  if (levels.re_n) {
    if (planned_.dq_driven) drive_later({now + t.tRHOH, 0xFF, false, true, false});
    return;
  }
  PinTarget* target = addressed(levels.selected, now);
  if (target == nullptr) return;
  const bool released_later = !drives_.empty() && !drives_.back().dq_driven;
  if (released_later) drives_.back().at = std::min(drives_.back().at, now + t.tRLOH);
  if (released_later) notify_at(drive_event_, drives_.front().at);
  drive_later({now + t.tREA, target->data_out(now, !levels.wp_n), true, true, false});
}

void PinTransactor::read_edge_ddr(const PinLevels& levels, TimePs now) {
  if (!levels.data_cycle() || !levels.we_n) return;
  const TimePs at = now + shared_.config.bus.tDQSRE;
  if (!burst_out_) { // the preamble: DQS goes low
    if (levels.re_n) return;
    burst_out_ = true;
    drive_later({at, 0xFF, false, false, true});
    return;
  }
  PinTarget* target = addressed(levels.selected, now);
  if (target == nullptr) return;
  drive_later({at, target->data_out(now, !levels.wp_n), true, levels.re_n, true});
}

void PinTransactor::strobe_in(const PinLevels& at_edge, bool rising, TimePs now) {
  if (!at_edge.data_cycle() || !at_edge.we_n || !at_edge.re_n || !pins_.dqs_host_oe.read()) return;
  if (!burst_in_ && !rising) return; // the preamble
  if (!burst_in_) dqs_edge_ = now;
  burst_in_ = true;
  PinTarget* target = addressed(at_edge.selected, now);
  if (target == nullptr) return;
  if (!at_edge.dq_driven) {
    shared_.faults.report(PinFault::undriven, now, "expected the controller to drive DQ at an edge of DQS");
    return;
  }
  target->data_in(at_edge.dq, {dqs_edge_, now});
  dqs_edge_ = now;
}

/// SDR output ends with CE#; DDR bursts also with CLE or ALE.
void PinTransactor::end_bursts(const PinLevels& levels, TimePs now) {
  const bool ends = shared_.config.bus.ddr ? !levels.data_cycle() : levels.selected == 0;
  if (!ends) return;
  burst_in_ = false;
  burst_out_ = false;
  if (planned_.dq_driven || planned_.dqs_driven) {
    const BusTiming& t = shared_.config.bus;
    drive_later({now + (t.ddr ? t.tDQSRH : t.tRHOH), 0xFF, false, true, false});
  }
}

// --- the packages' side ---

/// Drives come in the order of their times; the end of a burst does not overtake its last byte.
void PinTransactor::drive_later(Drive drive) {
  if (!drives_.empty()) drive.at = std::max(drive.at, drives_.back().at);
  drives_.push_back(drive);
  planned_ = drive;
  if (drives_.size() == 1) notify_at(drive_event_, drive.at);
}

void PinTransactor::drive_data() {
  const TimePs now = kernel_now();
  while (!drives_.empty() && drives_.front().at <= now) {
    const Drive& d = drives_.front();
    pins_.dq_nand.write(d.dq);
    pins_.dq_nand_oe.write(d.dq_driven);
    pins_.dqs_nand.write(d.dqs);
    pins_.dqs_nand_oe.write(d.dqs_driven);
    drives_.pop_front();
  }
  if (!drives_.empty()) notify_at(drive_event_, drives_.front().at);
}

void PinTransactor::check_contention() {
  const bool both = pins_.dq_host_oe.read() && pins_.dq_nand_oe.read();
  if (both && !contended_) {
    shared_.faults.report(PinFault::contention, kernel_now(), "controller and package both drive DQ");
  }
  contended_ = both;
}

/// The package tells ahead of time; what it says last about a LUN holds.
void PinTransactor::on_ready_busy(std::uint32_t, std::uint32_t chip, std::uint32_t lun, bool ready,
                                  TimePs at) {
  if (chip >= busy_.size() || lun >= busy_[chip].size()) return;
  Busy& b = busy_[chip][lun];
  if (ready) {
    b.until = at;
  } else if (at >= b.until) {
    b.from = at;
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
