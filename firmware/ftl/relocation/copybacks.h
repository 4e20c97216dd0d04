// How the collector moves a page inside its plane: through the controller, whose decoder corrects it, or by
// copyback, which leaves the data in the die.
//
// A page may be moved by copyback so many times in a row (`limit`); then it goes through the controller once.
// Its errors add up meanwhile, so a limit bounds them. 0: never by copyback; kAnyCopybacks: always.
//
// Whose data a page holds is in its out-of-band word, which the collector reads first, with no data; so it
// learns, too, that a page cannot be read as it is, and moves that one through the controller.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"
#include "hw/spec/reliability.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

class Copybacks {
 public:
  void boot(BootMemory& memory, const BlockTable& blocks, std::uint32_t limit) {
    limit_ = limit;
    blocks_ = &blocks;
    if (limit != 0 && limit != kAnyCopybacks)
      counts_ = memory.zeroed<std::uint8_t>(static_cast<std::size_t>(blocks.geometry().pages()));
  }

  /// The page's next move may be one by copyback.
  bool allowed(Ppn page) const {
    return limit_ != 0 && (counts_ == nullptr || counts_[index(page)] < limit_);
  }
  /// It has been, or is going to be.
  void moved(Ppn from, Ppn to) {
    if (counts_ != nullptr) counts_[index(to)] = static_cast<std::uint8_t>(counts_[index(from)] + 1);
  }
  /// The block of the page is erased: what is written there comes from the controller, unless moved() says
  /// so.
  void erased(Ppn page) {
    if (counts_ == nullptr) return;
    std::uint8_t* const first = counts_ + (index(page) - blocks_->page_of(page));
    for (std::uint32_t p = 0; p < blocks_->pages_per_block(); ++p) first[p] = 0;
  }
  /// Nobody knows of the pages of this block how often they have been: each goes through the controller next.
  void unknown(std::uint32_t plane, std::uint32_t block) {
    if (counts_ == nullptr) return;
    std::uint8_t* const first = counts_ + index(blocks_->ppn(plane, block, 0));
    for (std::uint32_t p = 0; p < blocks_->pages_per_block(); ++p)
      first[p] = static_cast<std::uint8_t>(limit_);
  }

  void serialise(StateVisitor& state) {
    if (blocks_ != nullptr) state.table(counts_, static_cast<std::size_t>(blocks_->geometry().pages()));
  }

 private:
  std::size_t index(Ppn page) const {
    const std::size_t block =
        std::size_t{blocks_->plane_of(page)} * blocks_->blocks_per_plane() + blocks_->block_of(page);
    return block * blocks_->pages_per_block() + blocks_->page_of(page);
  }

  const BlockTable* blocks_ = nullptr;
  std::uint32_t limit_ = 0;
  std::uint8_t* counts_ = nullptr; // by page; null where nothing has to be counted
};

} // namespace twinplane::fw
