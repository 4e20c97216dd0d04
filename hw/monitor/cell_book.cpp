#include "hw/monitor/cell_book.h"

#include <algorithm>

namespace twinplane::hw {

CellBook::CellBook(const MonitorConfig& config)
    : config_(config), blocks_(config.geometry.planes_per_die * config.geometry.blocks_per_plane) {}

CellBook::RuleResult CellBook::check_place(const BusPlace& place, bool slc, bool whole_block) const {
  const Geometry& g = config_.geometry;
  if (place.block >= g.blocks_per_plane) return {MonitorRule::bad_address, "no such block"};
  if (whole_block) return {};
  const std::uint32_t pages = slc ? config_.page_order->wordlines() : g.pages_per_block;
  if (place.page >= pages) return {MonitorRule::bad_address, "no such page"};
  const Mode mode = block(place).mode;
  if (mode != Mode::erased && slc != (mode == Mode::slc)) {
    return {MonitorRule::slc_mode, slc ? "block was programmed in native mode" : "block is in SLC mode"};
  }
  return {};
}

CellBook::RuleResult CellBook::check_program(const BusPlace& place, bool slc, std::uint32_t sectors) const {
  const Block& b = block(place);
  if (b.cut_off) return {MonitorRule::erase_before_program, "the block's erase was cut off by a reset"};
  if (!programmed(b, place.page, slc)) {
    if (next_in_order(b, place.page, slc)) return {};
    return {MonitorRule::order, "page out of program order"};
  }
  if (config_.partial_programs <= 1) return {MonitorRule::erase_before_program, "page is programmed"};
  const PageUse& use = b.use[place.page];
  if ((use.sectors & sectors) != 0) return {MonitorRule::erase_before_program, "sector is programmed"};
  if (use.programs >= config_.partial_programs) {
    return {MonitorRule::partial_limit, "page has had all its partial programs"};
  }
  return {};
}

CellBook::RuleResult CellBook::check_pass(const BusPlace& first) const {
  const Block& b = block(first);
  if (b.cut_off) return {MonitorRule::erase_before_program, "the block's erase was cut off by a reset"};
  if (first.page < b.pages) return {MonitorRule::erase_before_program, "page is programmed"};
  if (first.page > b.pages) return {MonitorRule::order, "page out of program order"};
  return {};
}

/// With pages in strict order everything below the count is programmed; with the relaxed order, of each
/// page type everything below its next position. Where pages are left out, each is written down.
bool CellBook::programmed(const Block& block, std::uint32_t page, bool slc) const {
  if (counts_pages(slc)) return page < block.pages;
  if (leaves_pages_out(slc)) return page < block.pages && block.use[page].programs != 0;
  const PageOrderTable& order = *config_.page_order;
  return order.wordline(page) < block.next[order.type(page)];
}

/// PA-SSD section 4.3.1: each type ascending; a further type of wordline k after the type before of
/// wordlines k-1, k and k+1. The even/odd table has two positions per wordline.
bool CellBook::next_in_order(const Block& block, std::uint32_t page, bool slc) const {
  if (counts_pages(slc)) return page == block.pages;
  if (leaves_pages_out(slc)) return page >= block.pages;
  const PageOrderTable& order = *config_.page_order;
  const PageType type = order.type(page);
  const std::uint32_t position = order.wordline(page);
  if (position != block.next[type]) return false;
  if (type == 0) return true;
  if (config_.program_order == ProgramOrder::slc) return false;
  const std::uint32_t per_wordline = config_.page_table == PageTable::even_odd ? 2 : 1;
  const std::uint32_t through_neighbour = (position / per_wordline + 2) * per_wordline;
  return block.next[type - 1u] >= std::min(order.wordlines(), through_neighbour);
}

void CellBook::program(const BusPlace& place, bool slc, std::uint32_t sectors) {
  Block& b = block(place);
  b.mode = slc ? Mode::slc : Mode::native;
  const bool first = !programmed(b, place.page, slc);
  if (config_.partial_programs > 1 || leaves_pages_out(slc)) {
    b.use.resize(config_.geometry.pages_per_block);
    b.use[place.page].sectors |= sectors;
    ++b.use[place.page].programs;
  }
  if (!first) return;
  b.pages = std::max(b.pages, place.page + 1u);
  ++b.next[slc ? PageType{0} : config_.page_order->type(place.page)];
}

std::uint32_t CellBook::copies(const BusPlace& place) const {
  const Block& b = block(place);
  return b.copies.empty() ? 0 : b.copies[place.page];
}

void CellBook::note_copies(const BusPlace& place, std::uint32_t copies) {
  Block& b = block(place);
  b.copies.resize(config_.geometry.pages_per_block);
  b.copies[place.page] = static_cast<std::uint8_t>(std::min(copies, kAnyCopybacks));
}

void CellBook::erase(const BusPlace& place) {
  block(place) = Block{};
  block_modes_known_ = true;
}

void CellBook::serialise(StateVisitor& state) {
  const std::uint64_t pages = config_.geometry.pages_per_block;
  const auto used = [&state, pages](auto& v) { // empty until it is
    std::uint64_t size = v.size();
    state.value(size);
    if (size != 0 && size != pages) return state.refuse("it is damaged (a block of other pages)");
    if (state.loading()) v.resize(size);
    state.table(v.data(), v.size());
  };
  if (state.loading()) block_modes_known_ = false;
  for (Block& b : blocks_) {
    state.value(b.next);
    state.value(b.pages);
    state.value(b.mode);
    state.value(b.cut_off);
    used(b.copies);
    used(b.use);
    state.require(b.pages <= pages && b.mode <= Mode::slc, "it is damaged (a block of other pages)");
    for (const std::uint16_t next : b.next)
      state.require(next <= pages, "it is damaged (a block of other pages)");
    state.require(b.pages == 0 || !b.use.empty() ||
                      (config_.partial_programs <= 1 && !leaves_pages_out(b.mode == Mode::slc)),
                  "it is damaged (a block of other pages)");
  }
}

} // namespace twinplane::hw
