// Sectors that were programmed as lost ones, by page of the die: reads of them are to fail.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "hw/spec/state_visitor.h"

namespace twinplane::hw {

class LostSectors {
 public:
  bool empty() const { return pages_.empty(); }
  std::uint32_t of(std::uint64_t page) const {
    const auto it = pages_.find(page);
    return it == pages_.end() ? 0 : it->second;
  }
  void add(std::uint64_t page, std::uint32_t sectors) { pages_[page] |= sectors; }
  void forget(std::uint64_t first, std::uint64_t end) {
    pages_.erase(pages_.lower_bound(first), pages_.lower_bound(end));
  }

  /// Of a die with that many pages, whose sectors are `full_mask`.
  void serialise(StateVisitor& state, std::uint64_t pages, std::uint32_t full_mask) {
    std::uint64_t count = pages_.size();
    state.value(count);
    if (!state.loading()) {
      for (auto [page, sectors] : pages_) entry(state, page, sectors);
      return;
    }
    pages_.clear();
    for (; count != 0; --count) {
      const auto [page, sectors] = entry(state, 0, 0);
      state.require(page < pages && (sectors & ~full_mask) == 0,
                    "it is damaged (lost sectors that no page has)");
      pages_.emplace_hint(pages_.end(), page, sectors);
    }
  }

 private:
  static std::pair<std::uint64_t, std::uint32_t> entry(StateVisitor& state, std::uint64_t page,
                                                       std::uint32_t sectors) {
    state.value(page);
    state.value(sectors);
    return {page, sectors};
  }

  std::map<std::uint64_t, std::uint32_t> pages_;
};

} // namespace twinplane::hw
