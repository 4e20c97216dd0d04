#include "firmware/ftl/features/lower_pages/copy_units.h"

#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

bool CopyUnits::reserve(BootMemory& memory, FtlState& state, const WordlineProgress& progress,
                        std::uint32_t danger) {
  const BlockTable& blocks = state.blocks;
  state_ = &state;
  progress_ = &progress;
  block_pages_ = blocks.order().wordlines();
  unit_pages_ = block_pages_ * blocks.twins();
  fewest_ = 2 + (2 * danger + unit_pages_ - 1) / unit_pages_;
  units_per_site_ = fewest_ + 1;
  const std::size_t units = std::size_t{blocks.sites()} * units_per_site_;
  copies_ = memory.array<Copy>(units * unit_pages_);
  units_ = memory.array<Unit>(units);
  heads_ = memory.zeroed<std::uint32_t>(blocks.sites());
  for (std::uint32_t site = 0; !memory.exhausted() && site < blocks.sites(); ++site) {
    heads_[site] = kNoUnit;
    if (!reserve_units(site)) return false;
  }
  return true;
}

/// The highest numbers: those of the other blocks then are what they would be in a smaller drive.
bool CopyUnits::reserve_units(std::uint32_t site) {
  BlockTable& blocks = state_->blocks;
  std::uint32_t block = blocks.blocks_per_plane();
  for (std::uint32_t u = 0; u < units_per_site_;) {
    if (block-- == 0) return false;
    if (const std::uint32_t bad = blocks.marked_planes(site, block)) {
      blocks.retire_marked(site, block, bad);
    } else {
      unit(site, u).block = block;
      set_aside(site, u++);
    }
  }
  const std::uint32_t needed =
      blocks.regions() == 1 ? 0 : blocks.regions() * fewest_region_blocks(state_->config);
  return blocks.plane(blocks.first_plane_of(site)).free_blocks >= needed;
}

void CopyUnits::set_aside(std::uint32_t site, std::uint32_t u) {
  BlockTable& blocks = state_->blocks;
  blocks.transition_unit(site, unit(site, u).block, BlockState::metadata);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p)
    blocks.use_in_slc_mode(blocks.first_plane_of(site) + p, unit(site, u).block);
}

bool CopyUnits::lose(std::uint32_t site, std::uint32_t u) {
  unit(site, u).lost = 1;
  std::uint32_t good = 0;
  for (std::uint32_t other = 0; other < units_per_site_; ++other) good += unit(site, other).lost == 0 ? 1 : 0;
  return good >= fewest_;
}

std::uint32_t CopyUnits::unit_of(std::uint32_t site, std::uint32_t block) const {
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    if (unit(site, u).block == block && unit(site, u).lost == 0) return u;
  }
  return kNoUnit;
}

/// A unit's blocks are written one behind the other.
Ppn CopyUnits::page_of(std::uint32_t site, std::uint32_t u, std::uint32_t n) const {
  const BlockTable& blocks = state_->blocks;
  return blocks.ppn(blocks.first_plane_of(site) + n / block_pages_, unit(site, u).block, n % block_pages_);
}

CopyUnits::Copy& CopyUnits::at(Ppn page) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  const std::uint32_t site = blocks.site_of(plane);
  const std::uint32_t in_unit = (plane - blocks.first_plane_of(site)) * block_pages_ + blocks.page_of(page);
  return copy(site, unit_of(site, blocks.block_of(page)), in_unit);
}

/// A copy that is the LPN's only page may be what a write under way replaces, and then it may be needed.
bool CopyUnits::counts(const Copy& c, Ppn at) const {
  if (is_page(c.page)) return c.erases == progress_->erases(c.page) && progress_->in_danger(c.page);
  if (c.lpn >= state_->exported_pages) return false;
  if (state_->policy.mapping->lookup(c.lpn) == at) return true;
  return state_->pool.any_replaces([at](const Transaction& t) { return t.replaced() == at; });
}

bool CopyUnits::has_copy(std::uint32_t site, Ppn page) const {
  for (std::uint32_t n = 0; n < units_per_site_ * unit_pages_; ++n) {
    const Copy& c = copy(site, 0, n);
    if (c.page == page && c.erases == progress_->erases(page)) return true;
  }
  return false;
}

bool CopyUnits::has_head(std::uint32_t site, std::uint32_t erased_units) {
  std::uint32_t& head = heads_[site];
  if (head != kNoUnit && unit(site, head).written < unit_pages_) return true;
  std::uint32_t erased = 0;
  std::uint32_t best = kNoUnit;
  const auto erases = [&](std::uint32_t u) { return state_->blocks.unit(site, unit(site, u).block).erases; };
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    if (unit(site, u).lost != 0 || unit(site, u).written != 0) continue;
    ++erased;
    if (best == kNoUnit || erases(u) < erases(best)) best = u;
  }
  if (erased < erased_units) return false;
  head = best;
  return true;
}

Ppn CopyUnits::take_page(std::uint32_t site) {
  return page_of(site, heads_[site], unit(site, heads_[site]).written++);
}

std::uint32_t CopyUnits::choose_victim(std::uint32_t site) {
  std::uint32_t victim = kNoUnit;
  std::uint32_t fewest = unit_pages_;
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    if (unit(site, u).lost != 0 || unit(site, u).written == 0) continue;
    std::uint32_t count = 0;
    for (std::uint32_t n = 0; n < unit_pages_; ++n)
      count += counts(copy(site, u, n), page_of(site, u, n)) ? 1 : 0;
    if (count >= fewest) continue;
    fewest = count;
    victim = u;
  }
  if (victim == heads_[site]) heads_[site] = kNoUnit;
  return victim;
}

Ppn CopyUnits::next_counting(std::uint32_t site, std::uint32_t u) const {
  for (std::uint32_t n = 0; n < unit_pages_; ++n) {
    if (counts(copy(site, u, n), page_of(site, u, n))) return page_of(site, u, n);
  }
  return kNoPpn;
}

Ppn CopyUnits::begin_erase(std::uint32_t site, std::uint32_t u) {
  BlockTable& blocks = state_->blocks;
  const Unit& erased = unit(site, u);
  if (blocks.unit(site, erased.block).state != BlockState::erasing) {
    if (blocks.pending_reads(site, erased.block) != 0) return kNoPpn;
    blocks.transition_unit(site, erased.block, BlockState::erasing);
  }
  return page_of(site, u, erased.to_erase * block_pages_);
}

bool CopyUnits::block_erased(std::uint32_t site, std::uint32_t u, std::uint32_t& block) {
  Unit& erased = unit(site, u);
  if (++erased.to_erase != state_->blocks.twins()) return false;
  for (std::uint32_t n = 0; n < unit_pages_; ++n) copy(site, u, n) = Copy();
  erased.to_erase = erased.written = 0;
  block = erased.block;
  return true;
}

// --- recovery ---

/// Where a block behind one that is not full has pages the unit is as if it were full.
void CopyUnits::found_block(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t site = blocks.site_of(plane);
  Unit& u = unit(site, unit_of(site, block));
  if (pages == 0) return;
  const bool next = u.written == (plane - blocks.first_plane_of(site)) * block_pages_;
  u.written = next ? u.written + pages : unit_pages_;
}

void CopyUnits::found_bad(std::uint32_t site, std::uint32_t block) {
  const std::uint32_t u = unit_of(site, block);
  if (u == kNoUnit) return;
  state_->blocks.lose_unit(site, block);
  unit(site, u).lost = 1;
}

void CopyUnits::recovered(const std::uint32_t* stamp_of) {
  for (std::uint32_t site = 0; units_ != nullptr && site < state_->blocks.sites(); ++site) {
    for (std::uint32_t u = 0; u < units_per_site_; ++u) {
      if (unit(site, u).written != 0 && unit(site, u).written < unit_pages_) heads_[site] = u;
    }
  }
  for_each([&](Copy& c, Ppn at) {
    const Ppn named = c.lpn < state_->exported_pages ? state_->policy.mapping->lookup(c.lpn) : kNoPpn;
    if (is_page(named) && named == at) return; // the LPN has no other page
    const bool stands =
        is_page(named) && !is_ours(named) && stamp_of[c.lpn] == c.stamp && progress_->in_danger(named);
    const std::uint32_t site = state_->blocks.site_of(state_->blocks.plane_of(at));
    c = stands && !has_copy(site, named) ? copy_for(named, c.lpn, c.stamp) : Copy();
  });
}

/// `at` counts the pages of all units.
bool CopyUnits::next(std::size_t& at, Copy& copy, Ppn& page) const {
  const std::size_t per_site = std::size_t{units_per_site_} * unit_pages_;
  if (units_ == nullptr || at >= state_->blocks.sites() * per_site) return false;
  copy = copies_[at];
  page = page_of(static_cast<std::uint32_t>(at / per_site),
                 static_cast<std::uint32_t>(at / unit_pages_ % units_per_site_),
                 static_cast<std::uint32_t>(at % unit_pages_));
  ++at;
  return true;
}

std::uint32_t CopyUnits::next_rescued(std::size_t& at) const {
  Copy c;
  Ppn page = kNoPpn;
  while (next(at, c, page)) {
    if (c.lpn < state_->exported_pages && state_->policy.mapping->lookup(c.lpn) == page) return c.lpn;
  }
  return kNoLpn;
}

void CopyUnits::serialise(StateVisitor& visitor) {
  const BlockTable& blocks = state_->blocks;
  const std::size_t units = std::size_t{blocks.sites()} * units_per_site_;
  visitor.table(units_, units);
  visitor.table(copies_, units * unit_pages_, "it is damaged (a copy of a page that there is not)",
                [&blocks](const Copy& c) { return c.page == kNoPpn || blocks.has(c.page); });
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    visitor.value(heads_[site]);
    visitor.require(!visitor.loading() || hold(site), "it is damaged (a unit for copies of lower pages)");
  }
}

bool CopyUnits::hold(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    const Unit& one = unit(site, u);
    if (one.block >= blocks.blocks_per_plane() || one.written > unit_pages_) return false;
    if (one.to_erase >= blocks.twins() || one.lost > 1) return false;
    const BlockState is = blocks.unit(site, one.block).state;
    if (one.lost == 0 && is != BlockState::metadata && is != BlockState::erasing) return false;
    for (std::uint32_t other = 0; other < u; ++other) {
      if (unit(site, other).block == one.block) return false;
    }
  }
  return heads_[site] == kNoUnit || heads_[site] < units_per_site_;
}

} // namespace twinplane::fw
