// The victim that leaves most space when its valid pages have been moved, whatever the policy says. A power cut
// may leave less space than a block full of pages: the victim that was being collected had already had some of
// its pages moved, and nothing tells afterwards which one it was. Its pages find space, so those of this one do.
#pragma once

#include <cstdint>

#include "firmware/ftl/media/write_stream.h"

namespace twinplane::fw {

/// Of the domain's closed blocks that have an invalid page, by the lowest number; there is one. Pages that were
/// never written count as valid ones: being chosen takes them from the space.
inline std::uint32_t least_space_block(const BlockTable& blocks, std::uint32_t domain) {
  std::uint32_t best = kNoBlock;
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
    const BlockInfo& info = blocks.member(domain, b);
    if (!blocks.is_member(domain, b) || info.state != BlockState::closed) continue;
    const std::uint32_t invalid = blocks.invalid_data(domain, b);
    if (invalid != 0 && (best == kNoBlock || invalid > blocks.invalid_data(domain, best))) best = b;
  }
  return best;
}

/// Collecting the block leaves more pages than its own may take.
inline bool yields_space(const BlockTable& blocks, std::uint32_t domain, std::uint32_t block) {
  const std::uint32_t padding = blocks.unit_padding(blocks.region_of_domain(domain));
  return padding == 0 || blocks.invalid_data(domain, block) > padding * blocks.data_per_page();
}

/// Some block of the domain does.
inline bool any_yields_space(const BlockTable& blocks, std::uint32_t domain) {
  if (blocks.domain(domain).reclaimable == 0) return false;
  return blocks.padding(blocks.region_of_domain(domain)) == 0 ||
         yields_space(blocks, domain, least_space_block(blocks, domain));
}

} // namespace twinplane::fw
