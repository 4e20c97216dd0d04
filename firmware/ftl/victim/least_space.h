// The victim that leaves most space when its valid pages have been moved, whatever the policy says. A power cut
// may leave less space than a block full of pages: the victim that was being collected had already had some of
// its pages moved, and nothing tells afterwards which one it was. Its pages find space, so those of this one do.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"

namespace twinplane::fw {

/// Of the domain's closed blocks that have an invalid page, by the lowest number; there is one. Pages that were
/// never written count as valid ones: being chosen takes them from the space.
inline std::uint32_t least_space_block(const BlockTable& blocks, std::uint32_t domain) {
  std::uint32_t best = kNoBlock;
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
    const BlockInfo& info = blocks.member(domain, b);
    if (!blocks.is_member(domain, b) || info.state != BlockState::closed || info.invalid() == 0) continue;
    if (best == kNoBlock || info.invalid() > blocks.member(domain, best).invalid()) best = b;
  }
  return best;
}

} // namespace twinplane::fw
