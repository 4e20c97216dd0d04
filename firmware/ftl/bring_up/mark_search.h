// The search for the maker's bad-block marks, at boot: not FFh in the first spare byte of a block's first or
// last page (ONFI 3.2, factory defect mapping). Read as any other page is, over the buses: all dies at once,
// all planes of a die by one command, one page after the other. So it takes two array reads per block of a
// plane, however many planes there are.
//
// In cells that were written in an earlier life the words of pages are there, whose first byte is of an LPN.
// A block that was written in SLC mode is read as a native one all the same: in the wrong mode no page can be
// told from one without a mark, and bad blocks are never written.
#pragma once

#include "firmware/ftl/state.h"
#include "firmware/hal/flash_port.h"

namespace twinplane::fw {

/// Notes the marked blocks in state.blocks. The ports have booted, and nothing else has been given to them.
void search_marks(FtlState& state, FlashPort* ports);

} // namespace twinplane::fw
