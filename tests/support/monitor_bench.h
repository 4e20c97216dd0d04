// A FlashBench with a protocol monitor on its channel, and, for sequences that no controller would send, a
// bus without a die on which a test sets the time of every phase.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "hw/monitor/protocol_monitor.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test {

inline hw::MonitorConfig monitor_of(const hw::NandConfig& nand, std::uint32_t chips = 1) {
  hw::MonitorConfig m;
  m.geometry = nand.geometry;
  m.geometry.chips_per_channel = chips;
  m.bus = nand.bus;
  m.array = nand.array;
  m.program_order = nand.program_order;
  m.page_table = nand.page_table;
  m.one_pass = nand.one_pass;
  m.pac = nand.pac;
  m.bac = nand.bac;
  m.independent_plane_reads = nand.independent_plane_reads;
  m.partial_programs = nand.partial_programs;
  m.copybacks = nand.copybacks;
  m.slc_enter = nand.slc_enter;
  m.slc_leave = nand.slc_leave;
  m.page_order = std::make_shared<const PageOrderTable>(nand.geometry.cell, nand.geometry.pages_per_block,
                                                        nand.page_table);
  return m;
}

/// Keeps what a monitor finds.
struct Findings final : hw::FindingSink {
  void on_finding(const hw::Finding& finding) override { all.push_back(finding); }
  /// "pac busy" in order of appearance; timing findings as the interval's name.
  std::string text() const {
    std::string names;
    for (const hw::Finding& f : all) {
      if (!names.empty()) names += ' ';
      names += f.rule == hw::MonitorRule::timing ? f.name : hw::row_of(f.rule).name;
    }
    return names;
  }
  std::vector<hw::Finding> all;
};

/// Die and monitor on one bus.
struct WatchedFlash {
  /// Read levels from `first_soft_level` on are senses of soft reads.
  explicit WatchedFlash(const hw::NandConfig& config = small_part(), std::uint32_t chips = 1,
                        std::uint32_t first_soft_level = kReadLevels)
      : bench(config, chips), monitor(with_soft_reads(monitor_of(config, chips), first_soft_level)) {
    expect_reports("twinplane.monitor");
    monitor.forward_to(&findings);
    bench.channel.attach(monitor);
    for (auto& package : bench.packages) package->attach(monitor);
  }
  FlashBench bench;
  hw::ProtocolMonitor monitor;
  Findings findings;

 private:
  static hw::MonitorConfig with_soft_reads(hw::MonitorConfig config, std::uint32_t first_soft_level) {
    config.first_soft_level = first_soft_level;
    return config;
  }
};

/// A bus that a test drives phase by phase, at its own times: the monitor, and a die when the test wants one.
class HandBus {
 public:
  enum class Part { none, die };

  explicit HandBus(const hw::NandConfig& nand, Part part = Part::none)
      : nand_(nand), layout_(nand.geometry), monitor_(make(nand, part)) {
    expect_reports("twinplane.monitor");
    monitor_.forward_to(&findings);
    if (part == Part::none) return;
    expect_reports("twinplane.nand");
    driver_ = std::make_unique<Driver>("driver");
    package_ = std::make_unique<hw::Package>("package", nand);
    driver_->out.bind(package_->bus);
    package_->attach(monitor_);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  hw::ProtocolMonitor& monitor() { return monitor_; }
  const BusTiming& bus() const { return nand_.bus; }
  const ArrayTiming& array() const { return nand_.array; }
  TimePs now() const { return now_; }
  /// R/B# of the LUN that the last tenure addressed, as the die has it.
  TimePs ready_at() const { return tenure_.ready_at; }
  HandBus& until(TimePs at) {
    if (now_ < at) now_ = at;
    return *this;
  }
  HandBus& wait(TimePs time) {
    now_ += time;
    return *this;
  }
  /// Begins the next phase so much too early.
  HandBus& hurry(TimePs time) {
    now_ -= time;
    return *this;
  }
  /// CE# falls; ends the tenure before.
  HandBus& begin() {
    flush();
    start_ = now_;
    return *this;
  }
  /// ... and tCS passes.
  HandBus& select() { return begin().wait(nand_.bus.tCS); }
  HandBus& command(std::uint8_t opcode) {
    tenure_.command(opcode);
    return timed(nand_.bus.tWC);
  }
  /// `length` other than 0: of all cycles together, instead of tWC each.
  HandBus& address(std::initializer_list<std::uint8_t> cycles, TimePs length = 0) {
    hw::OnfiPhase& p = tenure_.add(hw::PhaseKind::address);
    for (const std::uint8_t cycle : cycles) p.address[p.address_cycles++] = cycle;
    return timed(length != 0 ? length : p.address_cycles * nand_.bus.tWC);
  }
  HandBus& page(const Place& p, std::uint32_t column = 0, TimePs length = 0) {
    const std::uint32_t row = layout_.row(p.lun, p.plane, p.block, p.page);
    return address({byte(column, 0), byte(column, 1), byte(row, 0), byte(row, 1), byte(row, 2)}, length);
  }
  HandBus& row(const Place& p) {
    const std::uint32_t row = layout_.row(p.lun, p.plane, p.block, p.page);
    return address({byte(row, 0), byte(row, 1), byte(row, 2)});
  }
  /// `length` other than 0: of the whole burst, instead of the mode's rate.
  HandBus& data_in(std::uint32_t bytes, std::uint32_t sectors = 1, TimePs length = 0) {
    hw::OnfiPhase& p = tenure_.add(hw::PhaseKind::data_in);
    p.bytes = bytes;
    p.sector_mask = sectors;
    return timed(length != 0 ? length : nand_.bus.data_in.of(bytes));
  }
  HandBus& data_out(std::uint32_t bytes) {
    tenure_.add(hw::PhaseKind::data_out).bytes = bytes;
    return timed(nand_.bus.data_out.of(bytes));
  }
  HandBus& page_out(std::uint32_t bytes) {
    data_out(bytes);
    tenure_.phases[tenure_.phase_count - 1].sector_mask = 1;
    return *this;
  }
  /// Register contents: status, ID, features. Without a die a status byte says `value`.
  HandBus& register_out(std::uint32_t bytes, std::uint8_t value = onfi::status::idle) {
    auto& buffer = registers_[tenure_.phase_count];
    buffer.fill(value);
    data_out(bytes);
    tenure_.phases[tenure_.phase_count - 1].data = buffer.data();
    return *this;
  }
  HandBus& register_in(std::uint32_t bytes, std::uint8_t value = 0) {
    auto& buffer = registers_[tenure_.phase_count];
    buffer.fill(value);
    data_in(bytes);
    tenure_.phases[tenure_.phase_count - 1].data = buffer.data();
    return *this;
  }
  /// CE# rises: the monitor sees the tenure.
  HandBus& flush() {
    if (tenure_.phase_count == 0) return *this;
    if (package_ != nullptr) {
      TenurePayload carrier(tenure_, 0);
      sc_core::sc_time delay;
      driver_->out->b_transport(carrier.payload, delay);
    }
    monitor_.on_tenure(0, 0, tenure_, start_, now_);
    tenure_.phase_count = 0;
    return *this;
  }

  Findings findings;

 private:
  static hw::MonitorConfig make(const hw::NandConfig& nand, Part part) {
    hw::MonitorConfig config = monitor_of(nand);
    config.sees_dies = part == Part::die;
    return config;
  }
  static std::uint8_t byte(std::uint32_t v, std::uint32_t i) {
    return static_cast<std::uint8_t>(v >> (8 * i));
  }
  HandBus& timed(TimePs length) {
    hw::OnfiPhase& p = tenure_.phases[tenure_.phase_count - 1];
    p.start = now_;
    now_ += length;
    p.end = now_;
    return *this;
  }

  hw::NandConfig nand_;
  RowLayout layout_;
  hw::ProtocolMonitor monitor_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<hw::Package> package_;
  hw::OnfiTenure tenure_;
  std::array<std::array<std::uint8_t, 16>, hw::OnfiTenure::kMaxPhases> registers_{}; // by phase
  TimePs start_ = 0;
  TimePs now_ = us(1);
};

} // namespace twinplane::test
