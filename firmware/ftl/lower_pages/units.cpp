// Lower pages: the units that their copies are written to.
//
// Space. Let M be the most lower pages of a site that are in danger at a time, U the pages of a unit. At most
// M copies count for these, and M more for pages that a cut has left in copies alone: those are written again
// before the host is let in. A new unit is begun for copies only while another one stays erased, for what
// still counts in the unit that is erased next. With 2 M / U units, rounded up, and two more, whenever all
// but one are written some unit has fewer counting copies than pages, so each round gains a page. One more
// may go bad.
#include "firmware/ftl/lower_pages/lower_pages.h"
#include "firmware/ftl/metadata/metadata.h"
#include "firmware/ftl/regions/two_regions.h"

namespace twinplane::fw {

namespace {

/// The most lower pages of a block on incomplete wordlines, over all moments of its programming.
std::uint32_t most_in_danger(const PageOrderTable& order) {
  std::uint32_t most = 0;
  std::uint32_t now = 0;
  for (std::uint32_t page = 0; page < order.pages(); ++page) {
    const bool upper = order.type(page) + 1u == order.types();
    now = upper ? now - (order.types() - 1) : now + 1;
    if (now > most) most = now;
  }
  return most;
}

} // namespace

bool LowerPages::reserve(BootMemory& memory, FtlState& state) {
  if (!protects_lower_pages(state.config)) return true;
  state_ = &state;
  BlockTable& blocks = state.blocks;
  sites_ = memory.array<Site>(blocks.sites());
  complete_ = memory.zeroed<std::uint16_t>(blocks.geometry().blocks());
  const std::uint32_t frontiers = state.config.frontier == Frontier::shared ? 1 : 2;
  if (completes_wordlines(state.config)) {
    most_waiting_ = most_in_danger(blocks.order()) * frontiers * blocks.geometry().planes();
    orphans_ = memory.zeroed<std::uint8_t>(std::size_t{blocks.sites()} * blocks.blocks_per_plane());
    return true;
  }
  block_pages_ = blocks.order().wordlines();
  unit_pages_ = block_pages_ * blocks.twins();
  const std::uint32_t danger = most_in_danger(blocks.order()) * frontiers * blocks.twins();
  fewest_ = 2 + (2 * danger + unit_pages_ - 1) / unit_pages_;
  units_per_site_ = fewest_ + 1;
  const std::size_t units = std::size_t{blocks.sites()} * units_per_site_;
  copies_ = memory.array<Copy>(units * unit_pages_);
  units_ = memory.array<Unit>(units);
  if (memory.exhausted()) return true;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    if (!reserve_units(site)) return false;
  }
  return true;
}

/// The highest numbers: those of the other blocks then are what they would be in a smaller drive.
bool LowerPages::reserve_units(std::uint32_t site) {
  BlockTable& blocks = state_->blocks;
  std::uint32_t block = blocks.blocks_per_plane();
  for (std::uint32_t u = 0; u < units_per_site_;) {
    if (block-- == 0) return false;
    if (const std::uint32_t bad = blocks.marked_planes(site, block)) {
      blocks.retire_marked(site, block, bad);
    } else {
      unit(site, u).block = block;
      set_aside(site, unit(site, u++));
    }
  }
  const std::uint32_t needed =
      blocks.regions() == 1 ? 0 : blocks.regions() * fewest_region_blocks(state_->config);
  return blocks.plane(blocks.first_plane_of(site)).free_blocks >= needed;
}

void LowerPages::set_aside(std::uint32_t site, const Unit& unit) {
  BlockTable& blocks = state_->blocks;
  blocks.transition_unit(site, unit.block, BlockState::metadata);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p)
    blocks.use_in_slc_mode(blocks.first_plane_of(site) + p, unit.block);
}

std::uint64_t LowerPages::blocks() const {
  return copies() ? std::uint64_t{state_->blocks.geometry().planes()} * units_per_site_ : 0;
}

std::uint32_t LowerPages::unit_of(std::uint32_t site, std::uint32_t block) const {
  for (std::uint32_t u = 0; copies() && u < units_per_site_; ++u) {
    if (unit(site, u).block == block && unit(site, u).lost == 0) return u;
  }
  return kNoUnit;
}

/// A unit's blocks are written one behind the other.
Ppn LowerPages::page_of(std::uint32_t site, std::uint32_t u, std::uint32_t n) const {
  const BlockTable& blocks = state_->blocks;
  return blocks.ppn(blocks.first_plane_of(site) + n / block_pages_, unit(site, u).block, n % block_pages_);
}

LowerPages::Copy& LowerPages::copy_at(Ppn page) const {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t plane = blocks.plane_of(page);
  const std::uint32_t site = blocks.site_of(plane);
  const std::uint32_t in_unit = (plane - blocks.first_plane_of(site)) * block_pages_ + blocks.page_of(page);
  return copy(site, unit_of(site, blocks.block_of(page)), in_unit);
}

/// There is a page to be written. A unit is begun only while so many are erased.
bool LowerPages::has_head(std::uint32_t site, std::uint32_t erased_units) {
  Site& s = sites_[site];
  if (s.head != kNoUnit && unit(site, s.head).written < unit_pages_) return true;
  std::uint32_t erased = 0;
  std::uint32_t best = kNoUnit;
  const auto erases = [&](std::uint32_t u) { return state_->blocks.unit(site, unit(site, u).block).erases; };
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    if (unit(site, u).lost != 0 || unit(site, u).written != 0) continue;
    ++erased;
    if (best == kNoUnit || erases(u) < erases(best)) best = u;
  }
  if (erased < erased_units) return false;
  s.head = best;
  return true;
}

/// The unit with the fewest copies that count. False: none would gain anything, until wordlines are complete.
bool LowerPages::choose_victim(std::uint32_t site) {
  Site& s = sites_[site];
  std::uint32_t fewest = unit_pages_;
  for (std::uint32_t u = 0; u < units_per_site_; ++u) {
    if (unit(site, u).lost != 0 || unit(site, u).written == 0) continue;
    const std::uint32_t count = counting(site, u);
    if (count >= fewest) continue;
    fewest = count;
    s.victim = u;
  }
  if (s.victim == kNoUnit) return false;
  if (s.victim == s.head) s.head = kNoUnit;
  return true;
}

/// The next copy of the victim that counts; behind the last one it is erased. Reads of the host may go on in
/// pages that it has been mapped to.
bool LowerPages::copy_on(std::uint32_t site) {
  Site& s = sites_[site];
  for (std::uint32_t n = 0; n < unit_pages_; ++n) {
    const Ppn page = page_of(site, s.victim, n);
    if (!counts(copy(site, s.victim, n), page)) continue;
    if (has_head(site, 1)) {
      read(site, page, copy(site, s.victim, n));
    } else {
      s.victim = kNoUnit;
    }
    return false;
  }
  if (state_->blocks.pending_reads(site, unit(site, s.victim).block) != 0) {
    waits_for_reads_ = true;
    return false;
  }
  state_->blocks.transition_unit(site, unit(site, s.victim).block, BlockState::erasing);
  erase(site);
  return false;
}

void LowerPages::erase(std::uint32_t site) {
  Site& s = sites_[site];
  s.step = Step::erasing;
  (void)send(site, kErase, page_of(site, s.victim, unit(site, s.victim).to_erase * block_pages_));
}

/// Its blocks one by one; behind the last one the unit may be written again, or is lost as a whole.
void LowerPages::end_unit(std::uint32_t site, Transaction& t) {
  Site& s = sites_[site];
  Unit& u = unit(site, s.victim);
  ++state_->statistics.backup_blocks_erased;
  if (++u.to_erase != state_->blocks.twins()) return erase(site);
  for (std::uint32_t n = 0; n < unit_pages_; ++n) copy(site, s.victim, n) = Copy();
  u.to_erase = u.written = 0;
  s.victim = kNoUnit;
  if (metadata_->unit_erased(site, u.block) == BlockState::free) {
    set_aside(site, u);
  } else {
    lose_unit(site, u);
  }
  board_->unblock_writes(t.die);
}

/// With too few of them lower pages cannot be protected any more: then nothing must be written.
void LowerPages::lose_unit(std::uint32_t site, Unit& lost) {
  lost.lost = 1;
  std::uint32_t good = 0;
  for (std::uint32_t u = 0; u < units_per_site_; ++u) good += unit(site, u).lost == 0 ? 1 : 0;
  if (good >= fewest_) return;
  state_->statistics.read_only = true;
  state_->sink->on_wear();
  metadata_->block_table_changed();
}

// --- recovery ---

void LowerPages::found(Ppn page, std::uint64_t oob) {
  copy_at(page) = Copy{oob_lpn(oob), static_cast<std::uint32_t>(oob >> 32), kNoPpn, 0};
}

/// Where a block behind one that is not full has pages the unit is as if it were full.
void LowerPages::found_block(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
  const BlockTable& blocks = state_->blocks;
  const std::uint32_t site = blocks.site_of(plane);
  Unit& u = unit(site, unit_of(site, block));
  if (pages == 0) return;
  const bool next = u.written == (plane - blocks.first_plane_of(site)) * block_pages_;
  u.written = next ? u.written + pages : unit_pages_;
}

void LowerPages::found_bad(std::uint32_t site, std::uint32_t block) {
  const std::uint32_t u = unit_of(site, block);
  if (u == kNoUnit || unit(site, u).lost != 0) return;
  state_->blocks.lose_unit(site, block);
  unit(site, u).lost = 1;
}

void LowerPages::recovered(const std::uint32_t* stamp_of) {
  for (std::uint32_t site = 0; copies() && site < state_->blocks.sites(); ++site) {
    for (std::uint32_t u = 0; u < units_per_site_; ++u) {
      if (unit(site, u).written != 0 && unit(site, u).written < unit_pages_) sites_[site].head = u;
      for (std::uint32_t n = 0; n < unit_pages_; ++n) {
        Copy& c = copy(site, u, n);
        const Ppn named = c.lpn < state_->exported_pages ? state_->policy.mapping->lookup(c.lpn) : kNoPpn;
        if (is_page(named) && named == page_of(site, u, n)) continue; // the LPN has no other page
        const bool stands =
            is_page(named) && !is_ours(named) && stamp_of[c.lpn] == c.stamp && in_danger(named);
        c = stands && !has_copy(site, named) ? Copy{c.lpn, c.stamp, named, erases_of(named)} : Copy();
      }
    }
  }
}

/// `at` counts the pages of all units.
std::uint32_t LowerPages::next_rescued(std::size_t& at) const {
  const std::size_t end = copies() ? std::size_t{state_->blocks.sites()} * units_per_site_ * unit_pages_ : 0;
  while (at < end) {
    const Copy& c = copies_[at];
    const std::size_t u = at / unit_pages_;
    const Ppn page = page_of(static_cast<std::uint32_t>(u / units_per_site_),
                             static_cast<std::uint32_t>(u % units_per_site_),
                             static_cast<std::uint32_t>(at % unit_pages_));
    ++at;
    if (c.lpn < state_->exported_pages && state_->policy.mapping->lookup(c.lpn) == page) return c.lpn;
  }
  return kNoLpn;
}

} // namespace twinplane::fw
