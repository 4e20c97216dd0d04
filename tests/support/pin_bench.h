// Packages behind a pin transactor and a test that drives the wires.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/nand/package.h"
#include "hw/pins/pin_transactor.h"
#include "tests/support/pin_driver.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test {

/// Two planes of four blocks of eight SLC pages of 2 KiB.
inline hw::NandConfig pins_part(const BusTiming& bus, std::uint32_t chips = 1, std::uint32_t luns = 1) {
  hw::NandConfig c;
  c.geometry.chips_per_channel = chips;
  c.geometry.dies_per_chip = luns;
  c.geometry.planes_per_die = 2;
  c.geometry.blocks_per_plane = 4;
  c.geometry.pages_per_block = 8;
  c.geometry.page_size = 2048;
  c.geometry.spare_size = 64;
  c.geometry.sector_size = 512;
  c.array.tR = {us(20), 0, 0, 0};
  c.array.tPROG = {us(100), 0, 0, 0};
  c.array.tBERS = us(500);
  c.bus = bus;
  c.data_mode = DataMode::full;
  return c;
}

/// Packages behind wires, and a controller that moves them.
template <class Driver>
struct DrivenBench {
  hw::NandConfig config;
  RowLayout layout{config.geometry};
  hw::OnfiPins pins{"pins", config.geometry.chips_per_channel};
  hw::PinConfig pin_config;
  hw::PinTransactor transactor{"transactor", pins, pin_config};
  Driver bus{pins, pin_config};
  std::vector<std::unique_ptr<hw::Package>> packages;

  explicit DrivenBench(const hw::NandConfig& c) : config(c), pin_config(hw::pins_of(c)) {
    expect_reports("twinplane.nand");
    for (std::uint32_t chip = 0; chip < c.geometry.chips_per_channel; ++chip) {
      hw::NandConfig own = c;
      own.chip = chip;
      packages.push_back(std::make_unique<hw::Package>(("package" + std::to_string(chip)).c_str(), own));
      transactor.connect(chip, *packages.back());
    }
    Driver::run(us(1));
  }

  std::uint64_t faults(hw::PinFault f) const { return transactor.faults().count(f); }
  std::uint64_t all_faults() const { return transactor.faults().total(); }

  std::uint8_t program(std::uint32_t row, const std::vector<std::uint8_t>& bytes, std::uint32_t column = 0) {
    bus.command(0x80);
    bus.page_address(row, column);
    bus.data_in(bytes);
    bus.command(0x10);
    bus.wait_ready();
    return bus.status();
  }
  std::vector<std::uint8_t> read(std::uint32_t row, std::size_t count, std::uint32_t column = 0) {
    bus.command(0x00);
    bus.page_address(row, column);
    bus.command(0x30);
    bus.wait_ready();
    bus.wait(config.bus.tRR);
    return bus.data_out(count);
  }
};

using PinBench = DrivenBench<PinDriver>;

inline std::vector<std::uint8_t> byte_pattern(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>((i * 2654435761u) >> 24);
  return bytes;
}

} // namespace twinplane::test
