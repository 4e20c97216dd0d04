// Pages of equal content that a copyback has made. Of two the map has to name the copy, or collection that was under
// way would not find the space that it had: what it had moved would lie in the victim again. Which of two full
// blocks the victim is cannot be seen from their pages. But the victim's other valid pages are as many at most as
// there are free pages for them, so whichever block has fewer of its own may be taken for it. A block that is not
// full holds the copies, for it could not be collected (but by page-type allocation).
#pragma once

#include "firmware/ftl/recovery/found_blocks.h"

namespace twinplane::fw {

class DuplicateCopies : private RecoveryPart {
 public:
  /// A victim of each site may have been moved in part.
  DuplicateCopies(BootMemory& memory, const RecoveryPart& part)
      : RecoveryPart(part),
        most_(state_.config.copybacks == 0 ? 0 : blocks_.sites() * blocks_.unit_pages()),
        copies_(most_ == 0 ? nullptr : memory.zeroed<DuplicateCopy>(most_)) {}

  /// `other` has the word of a page that the map names for the LPN.
  void note(std::uint32_t lpn, std::uint32_t stamp, Ppn other) {
    if (count_ != most_) copies_[count_++] = {lpn, stamp, other};
  }
  /// All valid pages are known. `stamps`: of what the map names.
  void choose(const FoundStamps& stamps) {
    Mapping& mapping = *state_.policy.mapping;
    const auto is_duplicate = [&](const DuplicateCopy& d) {
      const Ppn named = mapping.lookup(d.lpn);
      return is_page(named) && named != d.other && d.stamp == stamps.of(d.lpn);
    };
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (is_duplicate(copies_[i])) ++found_.at(mapping.lookup(copies_[i].lpn)).duplicates;
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
      const DuplicateCopy& d = copies_[i];
      const Ppn named = mapping.lookup(d.lpn);
      if (!is_duplicate(d) || own_pages(named) > own_pages(d.other)) continue;
      mapping.exchange(d.lpn, d.other);
      blocks_.invalidate(named);
      blocks_.make_valid(blocks_.plane_of(d.other), blocks_.block_of(d.other), blocks_.page_of(d.other));
      --found_.at(named).duplicates;
      ++found_.at(d.other).duplicates;
    }
  }

 private:
  struct DuplicateCopy {
    std::uint32_t lpn;
    std::uint32_t stamp;
    Ppn other;
  };

  /// Valid pages of its block that have no duplicate; of a block that is not full more than of any other.
  std::uint32_t own_pages(Ppn page) const {
    const std::uint32_t plane = blocks_.plane_of(page);
    const std::uint32_t block = blocks_.block_of(page);
    const bool full = found_.is_full(blocks_.site_of(plane), block);
    return blocks_.block(plane, block).valid - found_.at(page).duplicates +
           (full ? 0 : blocks_.pages_per_block());
  }
  std::uint32_t most_;
  DuplicateCopy* copies_;
  std::uint32_t count_ = 0;
};

} // namespace twinplane::fw
