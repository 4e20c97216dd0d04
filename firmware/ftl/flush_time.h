// How long may it take to write the whole write buffer to flash, or to make space? A promise to the host
// (RTD3E), so a bound from above, not an estimate: nothing overlaps but what different dies do, and then it
// is doubled.
#pragma once

#include <cstdint>

#include "firmware/ftl/config.h"

namespace twinplane::fw {

/// In picoseconds; `classes` as in PlaneAllocation. 0 without a write buffer.
std::uint64_t longest_flush_ps(const FtlConfig& config, std::uint32_t exported_pages, std::uint32_t classes);
/// How long collection may take to make `pages` free ones, of one die, one operation behind the other.
std::uint64_t longest_collection_ps(const FtlConfig& config, std::uint32_t exported_pages,
                                    std::uint64_t pages);

} // namespace twinplane::fw
