// A flash controller in C++ on NV-DDR's wires: one clock period after another, everything on quarters of it,
// waits in whole periods. Its times are those of the ONFI table, written down here a second time, so that it
// knows nothing of the model. Runs the simulation as it goes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <systemc>
#include <utility>
#include <vector>

#include "hw/pins/onfi_pins.h"
#include "hw/pins/pin_config.h"

namespace twinplane::test {

class NvDdrDriver : public sc_core::sc_module {
 public:
  static constexpr std::array<TimePs, 6> kClock{ns(50), ns(30), ns(20), ns(15), ns(12), ns(10)};
  static constexpr TimePs kCAD = ns(45), kADL = ns(400), kCCS = ns(500), kWHR = ns(80), kRHW = ns(100);
  static constexpr TimePs kWRCK = ns(20), kDQSCK = ns(25), kCS = ns(35), kRR = ns(20), kWB = ns(100);

  /// With the shortest clock of the part's mode.
  NvDdrDriver(hw::OnfiPins& pins, const hw::PinConfig& config)
      : sc_module(sc_core::sc_module_name("nv_ddr_driver")), pins_(pins), clock_(config.bus.tCK) {
    SC_HAS_PROCESS(NvDdrDriver);
    SC_METHOD(capture);
    sensitive << pins.dqs_nand << pins.dqs_nand_oe;
    dont_initialize();
    SC_METHOD(watch_ready);
    for (auto& wire : pins.rb_n) sensitive << wire.posedge_event();
    dont_initialize();
  }

  static void run(TimePs time) {
    if (time != 0) sc_core::sc_start(sc_core::sc_time::from_value(time));
  }
  static TimePs now() { return sc_core::sc_time_stamp().value(); }

  /// Idle cycles, at least `time` of them.
  void wait(TimePs time) {
    for (TimePs passed = 0; passed < time; passed += clock_) idle();
  }

  /// The clock stands while CE# is high.
  void select(std::uint32_t chip = 0) {
    pins_.ce_n[chip] = false;
    wait(kCS);
  }
  void deselect(std::uint32_t chip = 0) {
    pins_.ce_n[chip] = true;
    run(ns(200));
  }

  void command(std::uint8_t opcode) { latch(opcode, true); }
  void address(std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) latch(byte, false);
  }
  void page_address(std::uint32_t row, std::uint32_t column = 0) {
    address({byte(column, 0), byte(column, 1), byte(row, 0), byte(row, 1), byte(row, 2)});
  }
  void row_address(std::uint32_t row) { address({byte(row, 0), byte(row, 1), byte(row, 2)}); }

  /// An even number of bytes, after tADL.
  void data_in(const std::vector<std::uint8_t>& bytes) {
    wait(kADL);
    burst_in(bytes);
  }
  /// DQS rises with the clock edge after the one that announces its bytes; DQ changes in the middle between
  /// its edges.
  void burst_in(const std::vector<std::uint8_t>& bytes) {
    const std::size_t pairs = bytes.size() / 2;
    pins_.dqs_host = false;
    pins_.dqs_host_oe = true;
    for (std::size_t period = 0; period <= pairs + 2; ++period) {
      const bool strobes = period >= 1 && period <= pairs;
      at_fall_ = [this, period, pairs] {
        if (period >= 2 && period <= pairs + 1) pins_.dqs_host = false;
      };
      before_rise_ = [&] {
        if (strobes) put(bytes[2 * (period - 1)]);
      };
      at_rise_ = [&] {
        if (strobes) pins_.dqs_host = true;
        if (period == pairs + 2) pins_.dqs_host_oe = false;
      };
      after_rise_ = [&] {
        if (strobes) put(bytes[2 * (period - 1) + 1]);
      };
      cycle(period < pairs, period < pairs);
    }
  }

  std::vector<std::uint8_t> data_out(std::size_t count) {
    turn_to_package();
    ask_out(count);
    return turn_to_host();
  }
  void turn_to_package() {
    captured_.clear();
    pins_.dq_host_oe = false;
    at_fall_ = [this] { pins_.re_n = false; };
    idle();
    wait(std::max(kWHR, kWRCK));
  }
  /// Two bytes with every edge.
  void ask_out(std::size_t count) {
    for (std::size_t i = 0; i < count; i += 2) cycle(true, true);
  }
  std::vector<std::uint8_t> turn_to_host() {
    wait(kDQSCK + clock_);
    at_fall_ = [this] { pins_.re_n = true; };
    idle();
    wait(kRHW);
    return captured_;
  }
  std::uint8_t status() {
    command(0x70);
    return data_out(2)[0];
  }
  /// Waits for R/B# after tWB, with a running clock, and returns when it rose.
  TimePs wait_ready(std::uint32_t chip = 0) {
    wait(kWB);
    while (!pins_.rb_n[chip].read()) wait(ns(100));
    return ready_rise_;
  }

  /// One period of the clock, from its falling edge on.
  void cycle(bool cle, bool ale) {
    const TimePs quarter = clock_ / 4;
    pins_.we_n = false;
    pins_.cle = cle;
    pins_.ale = ale;
    step(at_fall_, quarter);
    step(before_rise_, quarter);
    pins_.we_n = true;
    clock_rise = now();
    step(at_rise_, quarter);
    step(after_rise_, clock_ - 3 * quarter);
  }
  void idle() { cycle(false, false); }
  /// Without waiting for tCAD.
  void latch_cycle(std::uint8_t value, bool command) {
    at_fall_ = [this, value] { put(value); };
    cycle(command, !command);
    latched = clock_rise;
  }

  TimePs clock_rise = 0;                              // the last edge
  TimePs latched = 0;                                 // that of the last command or address
  std::vector<std::pair<TimePs, char>> package_edges; // what DQS did: '0', '1', or 'z' for let go

 private:
  static std::uint8_t byte(std::uint32_t v, std::uint32_t i) {
    return static_cast<std::uint8_t>(v >> (8 * i));
  }
  void put(std::uint8_t value) {
    pins_.dq_host = value;
    pins_.dq_host_oe = true;
  }
  static void step(std::function<void()>& action, TimePs time) {
    if (action) action();
    action = nullptr;
    run(time);
  }
  void latch(std::uint8_t value, bool command) {
    latch_cycle(value, command);
    if (clock_ < kCAD) wait(kCAD - clock_);
  }
  /// DQS has an edge with every byte; going low before the first is the start of driving.
  void capture() {
    const char level = !pins_.dqs_nand_oe.read() ? 'z' : pins_.dqs_nand.read() ? '1' : '0';
    package_edges.emplace_back(now(), level);
    const bool driven = pins_.dqs_nand_oe.read() && !pins_.re_n.read();
    if (driven && (pins_.dqs_nand.read() || !captured_.empty())) captured_.push_back(taken());
  }
  std::uint8_t taken() const { return static_cast<std::uint8_t>(pins_.dq_nand.read()); }
  void watch_ready() { ready_rise_ = now(); }

  hw::OnfiPins& pins_;
  TimePs clock_;
  std::function<void()> at_fall_, before_rise_, at_rise_, after_rise_; // of the next cycle
  std::vector<std::uint8_t> captured_;
  TimePs ready_rise_ = 0;
};

} // namespace twinplane::test
