// Static wear levelling: data that are not written keep their block from being erased. When a block lags
// behind the most worn one by more than a gap, it is collected next, whatever is valid in it; its erase count
// rises, so that this ends.
#pragma once

#include <cstdint>
#include <limits>

#include "firmware/ftl/block_table.h"

namespace twinplane::fw {

/// The least worn closed block of the domain, by the lowest number, if it lags behind; kNoBlock when none
/// does. `wear_of(block)` is in the unit of `gap`.
/// `least_of_all`, if asked for: the wear of the least worn block of the domain, closed or not.
template <typename Wear, typename WearOf>
std::uint32_t lagging_block(const BlockTable& blocks, std::uint32_t domain, Wear gap, const WearOf& wear_of,
                            Wear* least_of_all = nullptr) {
  std::uint32_t least = kNoBlock;
  Wear least_wear = 0;
  Wear most = 0;
  Wear fewest = std::numeric_limits<Wear>::max();
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
    const BlockState state = blocks.member(domain, b).state;
    if (!blocks.is_member(domain, b) || state == BlockState::bad) continue;
    const Wear wear = wear_of(b);
    if (wear > most) most = wear;
    if (wear < fewest) fewest = wear;
    if (state != BlockState::closed || (least != kNoBlock && wear >= least_wear)) continue;
    least = b;
    least_wear = wear;
  }
  if (least_of_all != nullptr) *least_of_all = fewest;
  return least != kNoBlock && least_wear + gap < most ? least : kNoBlock;
}

} // namespace twinplane::fw
