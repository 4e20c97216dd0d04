// Twin blocks: the blocks of equal number in all planes of a die are opened, filled and reclaimed together.
#pragma once

#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

/// The planes of a stripe are assigned in turn.
MoveGroups* make_twin_moves(BootMemory& memory, const MoveContext& c);

} // namespace twinplane::fw
