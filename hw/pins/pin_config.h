// What a pin transactor must know of the packages behind it. The decoder and the cells have the same
// geometry, bus and data mode (NandConfig); pins_of() takes them from there.
#pragma once

#include <cstdint>

#include "hw/nand/nand_config.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/nand_timing.h"
#include "hw/spec/pin_timing.h"

namespace twinplane::hw {

struct PinConfig {
  std::uint32_t chips = 1; // targets on the channel
  Geometry geometry;
  DataMode data_mode = DataMode::full;
  BusTiming bus;  // `ddr` chooses between SDR and NV-DDR2 strobes
  PinTiming pins; // of the same interface and mode
};

/// For packages like `nand`, with pin timing of their bus (timing::sdr_pins, timing::nv_ddr2_pins).
inline PinConfig pins_of(const NandConfig& nand, const PinTiming& pins) {
  return {nand.geometry.chips_per_channel, nand.geometry, nand.data_mode, nand.bus, pins};
}

} // namespace twinplane::hw
