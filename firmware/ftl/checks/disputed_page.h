// The page at which the map and the valid pages do not agree, for the message that ends the run.
#pragma once

#include <cstdint>

#include "firmware/ftl/checks/table_check.h"
#include "firmware/ftl/state.h"

namespace twinplane::fw {

/// Two sets of pages of equal number are the same when these have the same sum.
inline std::uint64_t page_hash(Ppn ppn) {
  std::uint64_t h = (static_cast<std::uint32_t>(ppn) + std::uint64_t{1}) * 0x9E3779B97F4A7C15u;
  h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
  return h ^ h >> 31;
}

/// What a rule is about; what does not apply is kNowhere, as in BrokenRule.
struct TablePlace {
  std::uint32_t plane = BrokenRule::kNowhere;
  std::uint32_t block = BrokenRule::kNowhere;
  std::uint32_t page = BrokenRule::kNowhere;
  std::uint32_t lpn = BrokenRule::kNowhere;
};

/// A page that is valid though no LPN names it or, `twice`, that more than one does, with the last of them;
/// kNowhere when there is none. It walks through the map for many planes, blocks and pages.
TablePlace find_disputed_page(const FtlState& state, bool twice);

} // namespace twinplane::fw
