// The Verilog controller of examples/rtl_controller on the pins of real packages, with a protocol monitor,
// and a test that gives it operations.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "examples/rtl_controller/rtl_core.h"
#include "hw/core/kernel_time.h"
#include "hw/monitor/protocol_monitor.h"
#include "hw/nand/package.h"
#include "hw/pins/onfi_pins.h"
#include "hw/pins/pin_transactor.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test {

/// Two chips of `luns` LUNs with two planes of eight blocks of 16 SLC pages, 2 KiB in sectors of 512 bytes,
/// on an SDR bus.
inline hw::NandConfig rtl_channel_part(std::uint32_t mode = 5, std::uint32_t luns = 1) {
  hw::NandConfig c;
  c.geometry.chips_per_channel = 2;
  c.geometry.dies_per_chip = luns;
  c.geometry.planes_per_die = 2;
  c.geometry.blocks_per_plane = 8;
  c.geometry.pages_per_block = 16;
  c.geometry.page_size = 2048;
  c.geometry.spare_size = 64;
  c.geometry.sector_size = 512;
  c.array.tR = {us(25), 0, 0, 0};
  c.array.tPROG = {us(200), 0, 0, 0};
  c.array.tBERS = us(700);
  c.array.tDBSY = ns(500);
  c.bus = timing::sdr(mode);
  c.data_mode = DataMode::full;
  c.page_order =
      std::make_shared<const PageOrderTable>(c.geometry.cell, c.geometry.pages_per_block, c.page_table);
  return c;
}

inline hw::MonitorConfig rtl_monitor(const hw::NandConfig& part) {
  hw::MonitorConfig m;
  m.geometry = part.geometry;
  m.bus = part.bus;
  m.array = part.array;
  m.page_order = part.page_order;
  return m;
}

class RtlCoreBench final : public sc_core::sc_module, private example::RtlCore::Client {
 public:
  using Core = example::RtlCore;
  using Operation = example::RtlOperation;

  /// A plane's data: page and the moved part of the spare area.
  using Page = std::vector<std::uint8_t>;
  struct Done {
    Core::Result result;
    TimePs at = 0;
  };
  struct Tenure {
    std::uint32_t die = 0;
    TimePs begin = 0;
    TimePs end = 0;
  };

  explicit RtlCoreBench(const hw::NandConfig& part = rtl_channel_part(),
                        example::ClockGate gate = example::ClockGate::on)
      : sc_module(sc_core::sc_module_name("bench")),
        config(part),
        rows(part.geometry),
        pins("pins", part.geometry.chips_per_channel),
        transactor("transactor", pins, hw::pins_of(part)),
        core("core", core_config(part, gate), pins, *this),
        monitor(rtl_monitor(part)) {
    expect_reports("twinplane.nand");
    for (std::uint32_t chip = 0; chip < part.geometry.chips_per_channel; ++chip) {
      hw::NandConfig c = part;
      c.chip = chip;
      packages.push_back(std::make_unique<hw::Package>(("chip" + std::to_string(chip)).c_str(), c));
      transactor.connect(chip, *packages.back());
      packages.back()->attach(monitor);
    }
    transactor.attach(monitor);
  }

  /// Starts an operation on a die: planes 0, 1 ... of the block and page.
  void start(Operation operation, std::uint32_t die, std::uint32_t planes, std::uint32_t block,
             std::uint32_t page, std::uint32_t first_sector = 0, std::uint32_t sectors = 4) {
    const std::uint32_t luns = config.geometry.dies_per_chip;
    for (std::uint32_t p = 0; p < planes; ++p) {
      core.load({operation, die, die / luns, p, p + 1 == planes, rows.row(die % luns, p, block, page),
                 first_sector * 512, sectors * 512});
    }
    open += planes;
  }
  /// Runs until everything started has ended.
  void finish() {
    while (open != 0 && hw::kernel_now() < ms(100)) sc_core::sc_start(1, sc_core::SC_US);
    sc_core::sc_start(1, sc_core::SC_US);
  }

  /// Nothing was refused, nothing on the wires was wrong, the monitor has found nothing.
  std::string complaints() {
    std::string text;
    for (const auto& package : packages) {
      for (std::size_t r = 0; r < package->statistics().violations.size(); ++r) {
        if (package->statistics().violations[r] != 0) text += "die rule " + std::to_string(r) + "; ";
      }
    }
    for (std::size_t f = 0; f < hw::kPinFaults; ++f) {
      if (transactor.faults().count(static_cast<hw::PinFault>(f)) != 0)
        text += std::string(hw::kPinFaultNames[f]) + "; ";
    }
    for (std::size_t r = 0; r < hw::kPinRules; ++r) {
      if (transactor.broken(static_cast<hw::PinRule>(r)) != 0)
        text += std::string(hw::kPinRuleNames[r]) + "; ";
    }
    for (std::size_t r = 0; r < hw::kMonitorRules; ++r) {
      const auto rule = static_cast<hw::MonitorRule>(r);
      if (monitor.statistics().of(rule) != 0) text += std::string("monitor: ") + hw::row_of(rule).name + "; ";
    }
    return text;
  }

  hw::NandConfig config;
  RowLayout rows;
  hw::OnfiPins pins;
  hw::PinTransactor transactor;
  std::vector<std::unique_ptr<hw::Package>> packages;
  Core core;
  hw::ProtocolMonitor monitor;
  std::array<std::array<Page, 2>, 4> written; // by die and plane
  std::array<std::array<Page, 2>, 4> read;
  std::vector<Done> done;
  std::vector<Done> starts; // of the array
  std::vector<Tenure> tenures;
  std::uint32_t open = 0;

 private:
  static example::RtlCoreConfig core_config(const hw::NandConfig& part, example::ClockGate gate) {
    example::RtlCoreConfig c;
    c.geometry = part.geometry;
    c.bus = part.bus;
    c.tDBSY = part.array.tDBSY;
    c.clock.gate = gate;
    return c;
  }
  std::uint8_t byte_to_program(std::uint32_t die, std::uint32_t plane, std::uint32_t column) override {
    const Page& page = written[die][plane];
    return column < page.size() ? page[column] : std::uint8_t{0xFF};
  }
  void take_byte(std::uint32_t die, std::uint32_t plane, std::uint32_t column, std::uint8_t byte) override {
    Page& page = read[die][plane];
    if (column >= page.size()) page.resize(column + 1, 0xEE);
    page[column] = byte;
  }
  void on_result(const Core::Result& result) override {
    done.push_back({result, hw::kernel_now()});
    --open;
  }
  void on_array_start(std::uint32_t die) override { starts.push_back({{die, 0, true, 0}, hw::kernel_now()}); }
  void on_ready(std::uint32_t) override {}
  void on_bus(std::uint32_t die, bool taken, bool) override {
    if (taken) {
      tenures.push_back({die, hw::kernel_now(), 0});
    } else {
      tenures.back().end = hw::kernel_now();
    }
  }
};

} // namespace twinplane::test
