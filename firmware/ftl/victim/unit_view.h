// What victim policies look at: the units of a domain; or superblocks of several dies, which are collected as a whole.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_allocation/superblock_table.h"
#include "firmware/ftl/block_table.h"

namespace twinplane::fw {

class UnitView {
 public:
  /// With `superblocks` a domain is a set of sites, and what is called a block is one of them.
  UnitView(const BlockTable& blocks, const SuperblockTable* superblocks)
      : blocks_(blocks), superblocks_(superblocks), span_(superblocks == nullptr ? 1 : superblocks->span()) {}

  /// Units of which one that is looked at has each.
  std::uint32_t span() const { return span_; }
  /// Of a domain.
  std::uint32_t blocks() const {
    return superblocks_ == nullptr ? blocks_.blocks_per_plane() : superblocks_->most();
  }
  /// It can be collected: none of it is being written.
  bool closed(std::uint32_t domain, std::uint32_t block) const {
    bool any = false;
    for (std::uint32_t d = domain * span_; d < (domain + 1) * span_; ++d) {
      const std::uint32_t unit = this->unit(d, block);
      if (unit == kNoBlock || !blocks_.is_member(d, unit)) continue;
      any = blocks_.member(d, unit).state == BlockState::closed;
      if (!any) return false;
    }
    return any;
  }
  /// Units that it has.
  std::uint32_t size(std::uint32_t domain, std::uint32_t block) const {
    std::uint32_t units = 0;
    for_each(domain, block, [&](std::uint32_t, std::uint32_t) { ++units; });
    return units;
  }
  std::uint64_t data(std::uint32_t domain, std::uint32_t block) const {
    std::uint64_t sum = 0;
    for_each(domain, block, [&](std::uint32_t d, std::uint32_t unit) { sum += blocks_.data(d, unit); });
    return sum;
  }
  /// Pages that were never written do not count.
  std::uint64_t invalid_data(std::uint32_t domain, std::uint32_t block) const {
    std::uint64_t sum = 0;
    for_each(domain, block,
             [&](std::uint32_t d, std::uint32_t unit) { sum += blocks_.invalid_data(d, unit); });
    return sum;
  }
  bool reclaimable(std::uint32_t domain, std::uint32_t block) const {
    return closed(domain, block) && invalid_data(domain, block) != 0;
  }
  /// Pages handed out since it was closed.
  std::uint32_t age(std::uint32_t domain, std::uint32_t block) const {
    std::uint32_t least = ~0u;
    for_each(domain, block, [&](std::uint32_t d, std::uint32_t unit) {
      const std::uint32_t age = blocks_.clock() - blocks_.member(d, unit).closed_at;
      least = age < least ? age : least;
    });
    return least;
  }
  /// Of the most worn.
  std::uint32_t erases(std::uint32_t domain, std::uint32_t block) const {
    std::uint32_t most = 0;
    for_each(domain, block, [&](std::uint32_t d, std::uint32_t unit) {
      const std::uint32_t erases = blocks_.member(d, unit).erases;
      most = erases > most ? erases : most;
    });
    return most;
  }

 private:
  std::uint32_t unit(std::uint32_t domain, std::uint32_t block) const {
    return superblocks_ == nullptr ? block : superblocks_->unit(domain, block);
  }
  template <class Each>
  void for_each(std::uint32_t domain, std::uint32_t block, const Each& each) const {
    for (std::uint32_t d = domain * span_; d < (domain + 1) * span_; ++d) {
      const std::uint32_t unit = this->unit(d, block);
      if (unit != kNoBlock) each(d, unit);
    }
  }

  const BlockTable& blocks_;
  const SuperblockTable* superblocks_;
  std::uint32_t span_;
};

} // namespace twinplane::fw
