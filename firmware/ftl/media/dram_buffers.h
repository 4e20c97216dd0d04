// What lies in device DRAM: rings of the flash controllers, the write buffer, and page buffers with their
// transactions.
#pragma once

#include "firmware/ftl/features/lower_pages/lower_pages.h"
#include "firmware/ftl/purge.h"
#include "firmware/ftl/state.h"
#include "firmware/hal/dram_layout.h"
#include "firmware/hal/flash_port.h"

namespace twinplane::fw {

/// The rings of all channels. Returns an error text when there is no room, else nullptr.
const char* boot_rings(const FtlState& state, DramLayout& dram, FlashPort* ports, DramUse& use);

struct BufferContext {
  DramLayout& dram;
  BootMemory& memory;
  const LowerPages& lower_pages;
  DramUse& use;
};
/// Write buffer, page buffers and the pool; `held`: where data of the host lie. Returns an error text when there is
/// no room, else nullptr.
const char* boot_buffers(FtlState& state, const BufferContext& c, Purge::Buffers& held);

} // namespace twinplane::fw
