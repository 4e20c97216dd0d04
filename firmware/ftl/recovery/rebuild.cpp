// Recovery: the block table and the open blocks, from what the scan has found.
#include <algorithm>

#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/write_stamp.h"

namespace twinplane::fw {

void Recovery::rebuild() {
  counters_.scan_ps = state_->now_ps() - began_ps_;
  busy_ = false;
  state_->write_sequence = newest_;
  mark_valid();
  for (const bool full : {true, false}) {
    const std::uint32_t count = list_units(units_, full);
    std::sort(units_, units_ + count, [](const Unit& a, const Unit& b) {
      if (a.age != b.age) return a.age > b.age;
      return a.site != b.site ? a.site < b.site : a.block < b.block;
    });
    for (std::uint32_t i = 0; i < count; ++i) full ? fill(units_[i]) : go_on(units_[i]);
  }
  for (std::uint32_t p = 0; p < state_->blocks.geometry().planes(); ++p) collector_->consider(p);
  counters_.rebuild_ps = state_->now_ps() - began_ps_ - counters_.scan_ps;
  state_->sink->on_recovered();
}

/// While all blocks are free yet: what they gain when they are closed follows from it.
void Recovery::mark_valid() {
  BlockTable& blocks = state_->blocks;
  for (std::uint32_t lpn = 0; lpn < state_->exported_pages; ++lpn) {
    const Ppn ppn = state_->policy.mapping->lookup(lpn);
    if (is_page(ppn)) blocks.make_valid(blocks.plane_of(ppn), blocks.block_of(ppn), blocks.page_of(ppn));
  }
  state_->charge(state_->exported_pages, state_->config.cost.map_lookup);
}

std::uint32_t Recovery::pages_of(std::uint32_t site, std::uint32_t block) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const Found& f = found(blocks.first_plane_of(site) + p, block);
    for (const std::uint16_t pages : f.written) sum += pages;
  }
  return sum;
}

/// Full units by their last program, when they were closed; others by their first one, when they were opened.
/// Without a single stamp a unit is as old as can be.
std::uint32_t Recovery::list_units(Unit* units, bool full) {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t count = 0;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const std::uint32_t pages = pages_of(site, block);
      if (pages == 0 || (pages == blocks.unit_pages()) != full) continue;
      Unit& unit = units[count++] = Unit{~0u, site, block};
      bool any = false;
      for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
        const Found& f = found(blocks.first_plane_of(site) + p, block);
        if (!f.stamped) continue;
        const auto age = static_cast<std::uint32_t>(kPageStamps.behind(full ? f.newest : f.oldest, newest_));
        if (!any || (full ? age < unit.age : age > unit.age)) unit.age = age;
        any = true;
      }
    }
  }
  counters_.units_found += count;
  return count;
}

void Recovery::take_written(const Unit& unit) {
  BlockTable& blocks = state_->blocks;
  blocks.transition_unit(unit.site, unit.block, BlockState::open);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    const std::uint32_t plane = blocks.first_plane_of(unit.site) + p;
    const Found& f = found(plane, unit.block);
    for (std::uint32_t t = 0; t < blocks.order().types(); ++t) {
      for (std::uint32_t n = 0; n < f.written[t]; ++n)
        blocks.take_page(plane, unit.block, blocks.order().page(n, static_cast<PageType>(t)));
      state_->copybacks.unknown(plane, unit.block);
    }
  }
}

void Recovery::fill(const Unit& unit) {
  take_written(unit);
}

/// What cannot go on is used up: it is closed, and its blank pages count as invalid ones.
void Recovery::go_on(const Unit& unit) {
  BlockTable& blocks = state_->blocks;
  take_written(unit);
  std::uint32_t written[kMaxPlanesPerDie * kMaxPageTypes];
  const std::uint32_t first = blocks.first_plane_of(unit.site);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    for (std::uint32_t t = 0; t < kMaxPageTypes; ++t)
      written[p * kMaxPageTypes + t] = found(first + p, unit.block).written[t];
  }
  if (state_->policy.allocation->resume(unit.site, unit.block, written)) {
    ++counters_.units_resumed;
    return;
  }
  ++counters_.units_closed;
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
    for (std::uint32_t t = 0; t < blocks.order().types(); ++t) {
      for (std::uint32_t n = written[p * kMaxPageTypes + t]; n < blocks.order().wordlines(); ++n)
        blocks.take_page(first + p, unit.block, blocks.order().page(n, static_cast<PageType>(t)));
    }
  }
}

} // namespace twinplane::fw
