// A flash controller in C++ that moves wires, one edge after another, with the shortest times of the data
// sheet. Runs the simulation as it goes: each call ends when its last edge has had its time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <systemc>
#include <vector>

#include "hw/pins/onfi_pins.h"
#include "hw/pins/pin_config.h"

namespace twinplane::test {

class PinDriver : public sc_core::sc_module {
 public:
  PinDriver(hw::OnfiPins& pins, const hw::PinConfig& config)
      : sc_module(sc_core::sc_module_name("pin_driver")), pins_(pins), bus_(config.bus) {
    SC_HAS_PROCESS(PinDriver);
    SC_METHOD(capture);
    sensitive << pins.dqs_nand;
    dont_initialize();
    SC_METHOD(watch_ready);
    for (auto& wire : pins.rb_n) sensitive << wire.posedge_event();
    dont_initialize();
  }

  static void run(TimePs time) {
    if (time != 0) sc_core::sc_start(sc_core::sc_time::from_value(time));
  }

  void wait(TimePs time) { run(time); }

  void select(std::uint32_t chip = 0) {
    pins_.ce_n[chip] = false;
    run(bus_.tCS);
  }
  void deselect(std::uint32_t chip = 0) {
    pins_.ce_n[chip] = true;
    run(ns(20));
  }

  void command(std::uint8_t opcode) { write_cycle(opcode, true, false); }
  void address(std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) write_cycle(byte, false, true);
  }
  /// Column 0 .. and a row of three cycles.
  void page_address(std::uint32_t row, std::uint32_t column = 0) {
    address({byte(column, 0), byte(column, 1), byte(row, 0), byte(row, 1), byte(row, 2)});
  }
  void row_address(std::uint32_t row) { address({byte(row, 0), byte(row, 1), byte(row, 2)}); }

  void data_in(const std::vector<std::uint8_t>& bytes) {
    run(bus_.tADL);
    if (bus_.ddr) {
      data_in_ddr(bytes);
    } else {
      for (const std::uint8_t b : bytes) write_cycle(b, false, false);
    }
  }

  std::vector<std::uint8_t> data_out(std::size_t count) {
    pins_.dq_host_oe = false;
    run(bus_.tWHR);
    std::vector<std::uint8_t> bytes;
    if (bus_.ddr) {
      bytes = data_out_ddr(count);
    } else {
      while (bytes.size() < count) bytes.push_back(read_cycle());
    }
    run(bus_.tRHW);
    return bytes;
  }
  std::uint8_t status() {
    command(0x70);
    return data_out(bus_.ddr ? 2 : 1)[0];
  }
  /// Waits for R/B# after tWB and returns when it rose; then up to 100 ns have passed since.
  TimePs wait_ready(std::uint32_t chip = 0) {
    pins_.dq_host_oe = false;
    run(bus_.tWB);
    while (!pins_.rb_n[chip].read()) run(ns(100));
    return ready_rise_;
  }
  static TimePs now() { return sc_core::sc_time_stamp().value(); }

  TimePs we_rise = 0; // of the last write cycle

 private:
  static std::uint8_t byte(std::uint32_t v, std::uint32_t i) {
    return static_cast<std::uint8_t>(v >> (8 * i));
  }

  void write_cycle(std::uint8_t value, bool cle, bool ale) {
    pins_.cle = cle;
    pins_.ale = ale;
    pins_.dq_host = value;
    pins_.dq_host_oe = true;
    const TimePs latch = std::max(bus_.tCLS, bus_.tCAS); // set up before WE# rises
    const TimePs low = std::max(latch, bus_.tWC - bus_.tWH);
    pins_.we_n = false;
    run(low);
    pins_.we_n = true;
    we_rise = now();
    run(bus_.tWH);
    run(std::max(bus_.tCLH, bus_.tWH) - bus_.tWH);
    if (bus_.tDH > bus_.tWH) run(bus_.tDH - bus_.tWH);
    pins_.cle = false;
    pins_.ale = false;
  }

  /// Takes DQ when it is guaranteed, be RE# low or (with the faster modes) high again by then.
  std::uint8_t read_cycle() {
    const TimePs cycle = bus_.data_out.of(1);
    const TimePs sample = bus_.tREA + ps(1);
    pins_.re_n = false;
    std::uint8_t value = 0;
    if (sample < bus_.tRP) {
      run(sample);
      value = taken();
      run(bus_.tRP - sample);
      pins_.re_n = true;
    } else {
      run(bus_.tRP);
      pins_.re_n = true;
      run(sample - bus_.tRP);
      value = taken();
    }
    run(std::max(cycle, std::max(sample, bus_.tRP) + ps(1)) - std::max(sample, bus_.tRP));
    return value;
  }
  std::uint8_t taken() const { return static_cast<std::uint8_t>(pins_.dq_nand.read()); }

  void data_in_ddr(const std::vector<std::uint8_t>& bytes) {
    pins_.dqs_host = false;
    pins_.dqs_host_oe = true;
    run(bus_.tWPRE);
    const TimePs half = bus_.data_in.of(1) / 2;
    bool level = false;
    for (const std::uint8_t b : bytes) {
      pins_.dq_host = b;
      run(half);
      level = !level;
      pins_.dqs_host = level;
      run(bus_.data_in.of(1) - half);
    }
    run(bus_.tWPST);
    pins_.cle = true; // ends the burst
    run(bus_.tWPSTH);
    pins_.dqs_host_oe = false;
    run(bus_.tCALS);
  }

  std::vector<std::uint8_t> data_out_ddr(std::size_t count) {
    captured_.clear();
    pins_.re_n = false;
    run(std::max(bus_.tRPRE, bus_.tDQSRE));
    bool level = false;
    for (std::size_t i = 0; i < count; ++i) {
      level = !level;
      pins_.re_n = level;
      run(bus_.data_out.of(1));
    }
    run(bus_.tRPST);
    pins_.cle = true; // ends the burst
    run(bus_.tRPSTH);
    pins_.re_n = true;
    return captured_;
  }
  /// DQS has an edge with every byte; going low before the first is the preamble.
  void capture() {
    if (pins_.dqs_nand_oe.read() && pins_.dq_nand_oe.read()) captured_.push_back(taken());
  }

  void watch_ready() { ready_rise_ = now(); }

  hw::OnfiPins& pins_;
  BusTiming bus_;
  std::vector<std::uint8_t> captured_;
  TimePs ready_rise_ = 0;
};

} // namespace twinplane::test
