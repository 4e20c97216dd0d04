// The victim that needs least space for its valid pages, whatever the policy says. A power cut may leave less
// space than a block full of pages: the victim that was being collected had already had some of its pages
// moved, and nothing tells afterwards which one it was. It is among those with the fewest valid pages.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"

namespace twinplane::fw {

/// Of the domain's closed blocks that have an invalid page, by the lowest number; there is one.
inline std::uint32_t fewest_valid_block(const BlockTable& blocks, std::uint32_t domain) {
  std::uint32_t best = kNoBlock;
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
    const BlockInfo& info = blocks.member(domain, b);
    if (!blocks.is_member(domain, b) || info.state != BlockState::closed || info.invalid() == 0) continue;
    if (best == kNoBlock || info.valid < blocks.member(domain, best).valid) best = b;
  }
  return best;
}

} // namespace twinplane::fw
