#include <algorithm>

#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {

/// A unit that holds words yet goes bad again, for its last erase is still to come. Where blocks are replaced it is
/// not known yet which ones are a unit.
void FoundUnits::found_bad(std::uint32_t plane, std::uint32_t block, Region region) {
  const std::uint32_t site = blocks_.site_of(plane);
  bool stamped = false;
  found_.for_each_block(site, block, [&](std::uint32_t, const FoundBlock& f) { stamped |= f.stamped; });
  if (stamped || (blocks_.replaces_blocks() && state_.hooks.owner(site, block) == nullptr)) return;
  state_.hooks.for_each([&](Feature& f) { f.found_bad(site, block); });
  if (blocks_.block(plane, block).state == BlockState::free) {
    if (blocks_.regions() != 1) assign(plane, block, region);
    blocks_.read_in_slc_mode(plane, block, false);
    blocks_.retire_marked(site, block, 1u << plane % blocks_.twins());
  }
  found_.for_each_block(site, block, [](std::uint32_t, FoundBlock& f) { f = FoundBlock(); });
}

void FoundUnits::open_all() {
  look_at_blocks();
  for (const bool full : {true, false}) {
    const std::uint32_t count = list(full);
    std::sort(units_, units_ + count, [](const Unit& a, const Unit& b) {
      if (a.age != b.age) return a.age > b.age;
      return a.site != b.site ? a.site < b.site : a.block < b.block;
    });
    for (std::uint32_t i = 0; i < count; ++i) {
      blocks_.open_unit(units_[i].site, units_[i].block);
      take_pages(units_[i].site, units_[i].block, true);
      if (!full) go_on(units_[i]);
    }
  }
}

/// Counts what interrupted upper pages may have taken. A block without a word whose pages are all written has been
/// erased in part, as a rule. But cuts may have torn all its wordlines, of which small blocks have one or two, so it
/// counts as well. Tells features how far each block is written.
void FoundUnits::look_at_blocks() {
  const bool endangered = endangers_pages(state_.config);
  for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks_.blocks_per_plane(); ++block) {
      const FoundBlock& f = found_.at(plane, block);
      if (endangered) counters_.pages_taken += f.pages_taken();
      const std::uint32_t wordlines = f.written[blocks_.order().types() - 1];
      state_.hooks.for_each(
          [&](Feature& feature) { feature.found_block(plane, block, f.pages(), wordlines); });
    }
  }
}

/// Full units by their last program, when they were closed; others by their first one, when they were opened. Without
/// a single stamp a full unit is as old as can be, another one as new: it must not take a frontier's place.
std::uint32_t FoundUnits::list(bool full) {
  std::uint32_t count = 0;
  for (std::uint32_t site = 0; site < blocks_.sites(); ++site) {
    for (std::uint32_t block = 0; block < blocks_.blocks_per_plane(); ++block) {
      if (found_.pages_of(site, block) == 0 || found_.is_full(site, block) != full) continue;
      if (found_.copy_of(site, block) != 0 || state_.hooks.owner(site, block) != nullptr) continue;
      Unit& unit = units_[count++] = Unit{full ? ~std::uint64_t{0} : 0, site, block};
      found_.for_each_block(site, block, [&](std::uint32_t, const FoundBlock& f) {
        const std::uint64_t age = found_.age(full ? f.newest : f.oldest);
        if (f.stamped && (full ? age < unit.age : age > unit.age)) unit.age = age;
      });
    }
  }
  counters_.units_found += count;
  return count;
}

/// What cannot go on is used up: it is closed, and its blank pages count as invalid ones.
void FoundUnits::go_on(const Unit& unit) {
  const std::uint32_t first = blocks_.first_plane_of(unit.site);
  std::uint32_t written[kMaxPlanesPerDie * kMaxPageTypes];
  found_.for_each_block(unit.site, unit.block, [&](std::uint32_t plane, const FoundBlock& f) {
    std::copy(f.written, f.written + kMaxPageTypes, written + (plane - first) * kMaxPageTypes);
  });
  const bool one_mode = found_.at(first, unit.block).mode == ModeProbe::told;
  if (one_mode && state_.policy.allocation->resume(unit.site, unit.block, written)) {
    ++counters_.units_resumed;
    return;
  }
  ++counters_.units_closed;
  if (!state_.hooks.adopt(unit.site, unit.block)) take_pages(unit.site, unit.block, false);
}

/// All pages that are written, or all that are not; closes the unit if it is full.
void FoundUnits::take_pages(std::uint32_t site, std::uint32_t block, bool written) {
  const PageOrderTable& order = blocks_.order();
  const std::uint32_t wordlines = order.wordlines();
  found_.for_each_block(site, block, [&](std::uint32_t plane, const FoundBlock& f) {
    const PageMode mode = blocks_.mode(blocks_.block(plane, block).region);
    if (state_.units != nullptr && written) state_.units->map.reopen(plane, block);
    for (std::uint32_t t = 0; t < (mode == PageMode::all ? order.types() : 1); ++t) {
      const std::uint32_t end = written ? f.written[t] : wordlines;
      for (std::uint32_t n = written ? 0 : f.written[t]; n < end; ++n)
        take_page(plane, block, mode == PageMode::slc ? n : order.page(n, static_cast<PageType>(t)), written);
    }
    if (mode != PageMode::all) blocks_.close_if_full(plane, block);
    state_.hooks.for_each([&](Feature& feature) { feature.reopened(plane, block, written); });
  });
}

void FoundUnits::take_page(std::uint32_t plane, std::uint32_t block, std::uint32_t page, bool written) {
  if (state_.units == nullptr) return blocks_.take_page(plane, block, page);
  const Ppn ppn = blocks_.ppn(plane, block, page);
  if (!written) state_.units->map.found(ppn, PageRecord{0, 0, 0, kUsedUp, 0});
  state_.units->map.retake(ppn);
}

std::uint32_t fast_pages_before_first_slow(const BlockTable& blocks) {
  std::uint32_t pages = 0;
  while (blocks.mode(0) == PageMode::fast && blocks.order().type(pages) == 0) ++pages;
  return pages;
}

FoundUnits* make_found_units(BootMemory& memory, const RecoveryPart& part) {
  return memory.make<FoundUnits>(memory, part);
}

} // namespace twinplane::fw
