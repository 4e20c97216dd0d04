// Twin blocks: the blocks of equal number in all planes of a die are opened, filled and reclaimed together.
#pragma once

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/sched/move_groups.h"

namespace twinplane::fw {

BlockAllocation* make_twin_allocation(BootMemory& memory, BlockTable& blocks, const FtlConfig& config);
/// Pages of every plane that can never hold exported data under it.
std::uint32_t twin_reserve_pages(const Geometry& g);
/// The planes of a stripe are assigned in turn.
MoveGroups* make_twin_moves(BootMemory& memory, const MoveContext& c);

} // namespace twinplane::fw
