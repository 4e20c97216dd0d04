// What a pin transactor must know of the packages behind it: the same as they know of themselves.
#pragma once

#include <cstdint>

#include "hw/nand/nand_config.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/nand_timing.h"

namespace twinplane::hw {

struct PinConfig {
  std::uint32_t channel = 0; // for observers
  std::uint32_t chips = 1;   // targets on the channel
  Geometry geometry;
  DataMode data_mode = DataMode::full;
  /// Chooses the interface: a tCK is that of NV-DDR's clock; without, `ddr` chooses between the strobes of
  /// SDR and those of NV-DDR2 and its successors.
  BusTiming bus;
  TimePs tDBSY = 0;           // for observers
  bool subpage_words = false; // see NandConfig

  bool clocked() const { return bus.tCK != 0; }
};

/// For packages like `nand`.
inline PinConfig pins_of(const NandConfig& nand) {
  return {nand.channel,      nand.geometry.chips_per_channel,
          nand.geometry,     nand.data_mode,
          nand.bus,          nand.array.tDBSY,
          nand.subpage_words};
}

} // namespace twinplane::hw
