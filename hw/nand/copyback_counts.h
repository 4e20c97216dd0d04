// How often each page of a die has been moved by copyback in a row. Takes no memory until the first move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/nand/serialise_used.h"
#include "hw/spec/geometry.h"
#include "hw/spec/reliability.h"

namespace twinplane::hw {

class CopybackCounts {
 public:
  explicit CopybackCounts(const Geometry& geometry) : geometry_(geometry) {}

  std::uint8_t of(const PlaneAddress& page) const {
    return counts_.empty() ? std::uint8_t{0} : counts_[index(page)];
  }
  /// A page has come to its place by copyback, from one with `before` moves.
  void note(const PlaneAddress& page, std::uint8_t before) {
    if (counts_.empty()) counts_.resize(pages());
    counts_[index(page)] = static_cast<std::uint8_t>(std::min<std::uint32_t>(before + 1u, kAnyCopybacks));
  }
  void forget(const PlaneAddress& block) {
    if (counts_.empty()) return;
    const auto first = index({block.plane, block.block, 0});
    std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(first), geometry_.pages_per_block,
                std::uint8_t{0});
  }
  void serialise(StateVisitor& state) { serialise_used(state, counts_, pages()); }

 private:
  std::size_t pages() const {
    return std::size_t{geometry_.planes_per_die} * geometry_.blocks_per_plane * geometry_.pages_per_block;
  }
  std::size_t index(const PlaneAddress& a) const {
    return (std::size_t{a.plane} * geometry_.blocks_per_plane + a.block) * geometry_.pages_per_block + a.page;
  }

  const Geometry& geometry_;
  std::vector<std::uint8_t> counts_; // by page
};

} // namespace twinplane::hw
