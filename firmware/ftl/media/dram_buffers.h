// What lies in device DRAM: rings of the flash controllers, buffers of features (the write buffer), and page buffers with
// their transactions.
#pragma once

#include "firmware/ftl/state.h"
#include "firmware/hal/dram_layout.h"
#include "firmware/hal/flash_port.h"

namespace twinplane::fw {

/// The rings of all channels. Returns an error text when there is no room, else nullptr.
const char* boot_rings(const FtlState& state, DramLayout& dram, FlashPort* ports, DramUse& use);

struct BufferContext {
  DramLayout& dram;
  BootMemory& memory;
  FeatureNeeds needs; // of all features
  DramUse& use;
};
/// Buffers of features, page buffers and the pool. Returns an error text when there is no room, else nullptr.
const char* boot_buffers(FtlState& state, const BufferContext& c);

} // namespace twinplane::fw
