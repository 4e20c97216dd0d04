// The Verilog master on the pins of one package, and the master's command and buffer ports.
#pragma once

#include <Vonfi_master.h>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "hw/nand/package.h"
#include "hw/pins/onfi_pins.h"
#include "hw/pins/pin_transactor.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test {

enum class RtlOperation : std::uint32_t {
  reset,
  read_id,
  erase,
  program,
  read,
  status,
  polled_read,
  start_erase
};

/// One LUN with one plane of eight blocks of 16 SLC pages, 4 KiB and 64 bytes each, on an SDR bus of mode 5.
inline hw::NandConfig rtl_part() {
  hw::NandConfig c;
  c.geometry.planes_per_die = 1;
  c.geometry.blocks_per_plane = 8;
  c.geometry.pages_per_block = 16;
  c.geometry.page_size = 4096;
  c.geometry.spare_size = 64;
  c.geometry.sector_size = 512;
  c.array.tR = {us(25), 0, 0, 0};
  c.array.tPROG = {us(200), 0, 0, 0};
  c.array.tBERS = us(700);
  c.bus = timing::sdr(5);
  c.data_mode = DataMode::full;
  return c;
}

class RtlBench : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kPageBytes = 4096;

  hw::NandConfig config = rtl_part();
  sc_core::sc_clock clk{"clk", sc_core::sc_time(10, sc_core::SC_NS)};
  hw::OnfiPins pins{"pins", 1};
  hw::PinTransactor transactor{"transactor", pins, hw::pins_of(config)};
  hw::Package package{"package", config};
  Vonfi_master master{"master"};

  // the master's own ports
  sc_core::sc_signal<bool> rst_n{"rst_n"}, start{"start"}, busy{"busy"}, buffer_write{"buffer_write"};
  sc_core::sc_signal<std::uint32_t> operation{"operation"}, row{"row"}, column{"column"}, length{"length"};
  sc_core::sc_signal<std::uint32_t> status{"status"}, id{"id"};
  sc_core::sc_signal<std::uint32_t> address{"address"}, buffer_in{"buffer_in"}, buffer_out{"buffer_out"};

  // edges on the bus, in picoseconds
  TimePs confirm = 0; // the last rising edge of WE# before R/B# fell
  TimePs busy_from = 0;
  TimePs busy_until = 0;

  RtlBench() : sc_module(sc_core::sc_module_name("bench")), layout_(config.geometry) {
    expect_reports("twinplane.nand");
    transactor.connect(0, package);
    bind_pins();
    bind_ports();
    SC_HAS_PROCESS(RtlBench);
    SC_METHOD(watch);
    sensitive << pins.we_n << pins.rb_n[0];
    dont_initialize();
  }

  /// Reset; before anything else.
  void start_up() {
    rst_n = false;
    run_cycles(2);
    rst_n = true;
    run_cycles(1);
  }

  void run_cycles(unsigned n) { sc_core::sc_start(clk.period() * n); }

  /// Starts an operation and waits until the master is done with it; returns its status register.
  std::uint32_t run(RtlOperation what, std::uint32_t block = 0, std::uint32_t page = 0,
                    std::uint32_t bytes = kPageBytes) {
    operation = static_cast<std::uint32_t>(what);
    row = layout_.row(0, 0, block, page);
    length = bytes;
    start = true;
    run_cycles(1);
    start = false;
    run_cycles(1);
    while (busy.read()) run_cycles(1);
    return status.read();
  }

  void fill_buffer(const std::vector<std::uint8_t>& bytes) {
    buffer_write = true;
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      address = i;
      buffer_in = bytes[i];
      run_cycles(1);
    }
    buffer_write = false;
    run_cycles(1);
  }
  std::vector<std::uint8_t> read_buffer() {
    std::vector<std::uint8_t> bytes(kPageBytes);
    for (std::uint32_t i = 0; i < kPageBytes; ++i) {
      address = i;
      run_cycles(2);
      bytes[i] = static_cast<std::uint8_t>(buffer_out.read());
    }
    return bytes;
  }

 private:
  void bind_pins() {
    master.clk(clk);
    master.ce_n(pins.ce_n[0]);
    master.cle(pins.cle);
    master.ale(pins.ale);
    master.we_n(pins.we_n);
    master.re_n(pins.re_n);
    master.wp_n(pins.wp_n);
    master.dq_out(pins.dq_host);
    master.dq_oe(pins.dq_host_oe);
    master.dq_in(pins.dq_nand);
    master.rb_n(pins.rb_n[0]);
  }
  void bind_ports() {
    master.rst_n(rst_n);
    master.start(start);
    master.operation(operation);
    master.row(row);
    master.column(column);
    master.length(length);
    master.busy(busy);
    master.status(status);
    master.id(id);
    master.buffer_write(buffer_write);
    master.buffer_address(address);
    master.buffer_in(buffer_in);
    master.buffer_out(buffer_out);
  }
  void watch() {
    const TimePs now = sc_core::sc_time_stamp().value();
    if (pins.we_n.posedge()) we_rise_ = now;
    if (pins.rb_n[0].negedge()) {
      confirm = we_rise_;
      busy_from = now;
    }
    if (pins.rb_n[0].posedge()) busy_until = now;
  }

  RowLayout layout_;
  TimePs we_rise_ = 0;
};

} // namespace twinplane::test
