// How far the wordlines of each block are programmed, and so which pages are in danger: an interrupted program ruins
// the lower pages of its wordline. A lower page is each page but a wordline's last one.
#pragma once

#include <cstdint>

#include "firmware/ftl/block_table.h"

namespace twinplane::fw {

class WordlineProgress {
 public:
  void boot(BootMemory& memory, const BlockTable& blocks) {
    blocks_ = &blocks;
    complete_ = memory.zeroed<std::uint16_t>(blocks.geometry().blocks());
  }
  /// The page has been programmed, timed or not, or has failed. The last page of a wordline completes it, and the
  /// first one of a block is the first one behind its erase.
  void programmed(Ppn page) {
    if (complete_ == nullptr) return;
    const std::uint32_t n = blocks_->page_of(page);
    std::uint16_t& complete = complete_[index_of(page)];
    if (n == 0) complete = 0;
    const std::uint32_t wordlines = blocks_->order().wordline(n) + 1;
    if (is_last(n) && wordlines > complete) complete = static_cast<std::uint16_t>(wordlines);
  }
  /// Of a partly written block so many wordlines are complete.
  void complete_up_to(std::uint32_t plane, std::uint32_t block, std::uint32_t wordlines) {
    if (complete_ == nullptr) return;
    complete_[plane * blocks_->blocks_per_plane() + block] = static_cast<std::uint16_t>(wordlines);
  }
  bool complete(Ppn page) const {
    return complete_[index_of(page)] > blocks_->order().wordline(blocks_->page_of(page));
  }
  /// Of its block slow pages are programmed as well, behind the fast ones of their wordlines.
  bool is_lower(Ppn page) const {
    return !is_last(blocks_->page_of(page)) && blocks_->mode(block(page).region) == PageMode::all;
  }
  /// While its block has pages, and until the last page of its wordline has been programmed.
  bool in_danger(Ppn page) const {
    const BlockState state = block(page).state;
    if (state != BlockState::open && state != BlockState::closed && state != BlockState::victim) return false;
    return blocks_->mode(block(page).region) == PageMode::all && !complete(page);
  }
  /// Of its block.
  std::uint32_t erases(Ppn page) const { return block(page).erases; }
  /// The last page of its wordline has not been handed out.
  bool lacks_pages(Ppn page) const {
    const PageOrderTable& order = blocks_->order();
    const std::uint32_t wordline = order.wordline(blocks_->page_of(page));
    return block(page).written <= order.page(wordline, static_cast<PageType>(order.types() - 1));
  }
  /// The most lower pages of a plane's frontiers on incomplete wordlines, over all moments of their programming.
  static std::uint32_t most_in_danger(const FtlConfig& config, const PageOrderTable& order);

  void serialise(StateVisitor& visitor) {
    visitor.table(complete_, blocks_->geometry().blocks(), "it is damaged (more wordlines than a block has)",
                  [this](std::uint16_t n) { return n <= blocks_->order().wordlines(); });
  }

 private:
  std::uint32_t index_of(Ppn page) const {
    return blocks_->plane_of(page) * blocks_->blocks_per_plane() + blocks_->block_of(page);
  }
  const BlockInfo& block(Ppn page) const {
    return blocks_->block(blocks_->plane_of(page), blocks_->block_of(page));
  }
  bool is_last(std::uint32_t page) const {
    return blocks_->order().type(page) + 1u == blocks_->order().types();
  }

  const BlockTable* blocks_ = nullptr;
  std::uint16_t* complete_ = nullptr; // by plane and block: wordlines
};

} // namespace twinplane::fw
