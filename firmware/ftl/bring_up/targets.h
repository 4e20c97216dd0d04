// Brings the targets up at boot, before anything else goes over the flash buses: every chip (CE#) is reset
// (FFh), its ID read (90h 20h: "ONFI"; 90h 00h: the maker), its parameter page read (ECh; the next copy where
// the CRC is wrong) and compared with the configuration, and its timing mode set (EFh 01h) and read back
// (EEh). Step by step, all chips at once. Behind FFh a target is at SDR mode 0, unless its supply allows
// NV-DDR3 or NV-LPDDR4 alone.
//
// Parts whose interface has no modes (BusInterface::fixed) stay as they are. A flash controller that does not
// know these commands (reg::flash::operations) is passed over: it has brought up its targets by itself.
#pragma once

#include "firmware/ftl/bring_up/refusal.h"
#include "firmware/ftl/state.h"
#include "firmware/hal/dram_layout.h"
#include "firmware/hal/flash_port.h"

namespace twinplane::fw {

/// What is needed beside the state; `dram` is what has not been taken yet, and is free again afterwards.
struct BringUpContext {
  const FtlConfig& config; // of the parts, not as the FTL uses them
  FlashPort* ports;
  DramLayout dram;
  Refusal& refusal; // holds the text
};

/// Of device DRAM, while it lasts.
std::uint64_t bring_up_bytes(const Geometry& geometry);

/// Null, or why the drive is refused. The ports have booted, and nothing has been given to them.
const char* bring_up_targets(FtlState& state, const BringUpContext& context);

} // namespace twinplane::fw
