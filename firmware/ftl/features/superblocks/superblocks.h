// Superblocks (ftl.erase_unit): blocks that are opened, filled, collected and erased together, so that their planes stay
// level and can be programmed by one command. Wordlines that are programmed in one pass, else pages, go to the planes in
// turn (block_allocation/striped.cpp); with them what the map calls a unit, or a page.
#pragma once

#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

/// Moves get the next place of the stripe, whatever plane they come from.
MoveGroups* make_stripe_moves(BootMemory& memory, const MoveContext& c);

} // namespace twinplane::fw
