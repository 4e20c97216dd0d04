// Metadata: the units that its pages are written to.
#include "firmware/ftl/metadata/metadata.h"

namespace twinplane::fw {

/// The unit that copy `copy` goes on in; nullptr when it is full or there is none.
Metadata::Unit* Metadata::current(std::uint32_t copy) {
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    Unit& unit = units_[u];
    if (unit.copy == copy && !unit.old && unit.written < unit_pages()) return &unit;
  }
  return nullptr;
}

/// Of the units that are not old, per copy.
std::uint32_t Metadata::pages_used() const {
  std::uint32_t pages = 0;
  for (std::uint32_t u = 0; u < unit_count_; ++u) pages += units_[u].old ? 0 : units_[u].written;
  return pages / kCopies;
}

/// Pages that can still be written.
std::uint32_t Metadata::room(std::uint32_t copy) const {
  std::uint32_t pages = 0;
  for (std::uint32_t u = 0; u < unit_count_; ++u) {
    if (units_[u].copy == copy && !units_[u].old) pages += unit_pages() - units_[u].written;
  }
  return pages;
}

bool Metadata::has_room() const {
  for (std::uint32_t copy = 0; copy < kCopies; ++copy) {
    if (room(copy) < room_wanted()) return false;
  }
  return true;
}

/// For a trim that waits. False when there is nothing to do, or no unit.
bool Metadata::get_ready() {
  if (!trim_waits_) return false;
  if (has_room()) {
    trim_waits_ = waits_for_unit_ = false;
    return true;
  }
  waits_for_unit_ = !begin_units();
  return !waits_for_unit_;
}

/// What is there is mostly superfluous: the units so far are old ones.
void Metadata::write_all_again() {
  fresh_ = true;
  for (std::uint32_t u = 0; u < unit_count_; ++u) units_[u].old = true;
  if (flushing_ == 0) want(epoch_);
  std::uint8_t* const to_write = flushing_ == 0 ? dirty_ : pending_;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) to_write[s] |= known_[s];
  scan_from_ = all_ended_up_to();
  slice_ = copy_ = 0;
}

/// Each copy that has little room left gets a unit.
bool Metadata::begin_units() {
  std::uint32_t slices = 0;
  for (std::uint32_t s = 0; s < layout_.with_parts(); ++s) slices += known_[s];
  if (!fresh_ && unit_count_ != 0 && pages_used() >= 2 * slices) write_all_again();
  std::uint32_t site = state_->blocks.sites();
  for (std::uint32_t copy = 0; copy < kCopies; ++copy) {
    if (room(copy) >= room_wanted()) continue;
    if (!take_unit(copy, site)) return false;
    site = units_[unit_count_ - 1].site;
    went_without_ = false;
  }
  return true;
}

std::uint32_t Metadata::region_of_units() const {
  return of_cache() ? kCache : state_->blocks.regions() - 1;
}

/// Of free blocks.
std::uint32_t Metadata::list_of(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  return blocks.regions() == 1 ? blocks.first_plane_of(site) : blocks.domain_of(site, region_of_units());
}

const PlaneInfo& Metadata::space_of(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  return blocks.domain(blocks.domain_of(site, region_of_units()));
}

/// A partition of a plane needs threshold + 2 blocks.
bool Metadata::can_lend(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  if (of_cache()) return state_->policy.cache->space.can_give_block(site);
  const PlaneInfo& d = space_of(site);
  if (blocks.regions() != 1 && d.serving() <= state_->config.gc_threshold_blocks + 2) return false;
  return d.space >= blocks.space_of_blocks(2);
}

/// The site with most space, and another one than `not_on` where there is one. What is left are the pages of
/// a unit at least, which is what collection needs (block_allocation/).
std::uint32_t Metadata::roomiest_site(std::uint32_t not_on) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t best = blocks.sites();
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    if (site == not_on && blocks.sites() != 1) continue;
    if (!can_lend(site)) continue;
    if (best == blocks.sites() || space_of(site).space > space_of(best).space) best = site;
  }
  return best;
}

bool Metadata::take_unit(std::uint32_t copy, std::uint32_t not_on) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t site = roomiest_site(not_on);
  if (unit_count_ == most_units_ || site == blocks.sites()) return false;
  const std::uint32_t block = blocks.find_free(list_of(site));
  if (block == kNoBlock) return false;
  blocks.transition_unit(site, block, BlockState::metadata);
  if (of_cache()) blocks.read_in_slc_mode(site, block, true);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p)
    state_->policy.allocation->revoke(blocks.first_plane_of(site) + p);
  units_[unit_count_++] = Unit{site, block, 0, static_cast<std::uint8_t>(copy), false, 0, 0};
  return true;
}

void Metadata::found(std::uint32_t site, std::uint32_t block, std::uint32_t copy, std::uint32_t written) {
  BlockTable& blocks = state_->blocks;
  blocks.transition_unit(site, block, BlockState::metadata);
  if (!kept() || unit_count_ == most_units_) return;
  units_[unit_count_++] = Unit{site, block, written, static_cast<std::uint8_t>(copy), false, 0, 0};
}

/// All blocks of the next unit that is to be erased.
bool Metadata::begin_erase() {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t u = 0;
  while (u < unit_count_ && units_[u].to_erase == 0) ++u;
  if (u == unit_count_) return false;
  Unit& unit = units_[u];
  if (state_->blocks.unit(unit.site, unit.block).state != BlockState::erasing)
    state_->blocks.transition_unit(unit.site, unit.block, BlockState::erasing);
  Transaction* const t = state_->pool.take(PoolUser::firmware);
  if (t == nullptr) return false;
  const std::uint32_t plane = blocks.first_plane_of(unit.site) + unit.to_erase - 1u;
  state_->begin(*t, kErase, *this, blocks.ppn(plane, unit.block, 0));
  erasing_ = u;
  step_ = Step::erasing;
  board_->enqueue(*t);
  return true;
}

BlockState Metadata::unit_erased(std::uint32_t site, std::uint32_t block) {
  BlockTable& blocks = state_->blocks;
  const std::uint64_t good = blocks.good_blocks();
  const BlockState to = blocks.after_erase(site, block);
  blocks.transition_unit(site, block, to);
  if (blocks.good_blocks() != good) {
    state_->sink->on_wear();
    block_table_changed();
  }
  return to;
}

/// Its blocks one by one; behind the last one the unit is free again, or lost as a whole.
void Metadata::erase_done(Transaction& t, const FlashCompletion& c) {
  note_failure(t, c);
  BlockTable& blocks = state_->blocks;
  Unit& unit = units_[erasing_];
  step_ = Step::idle;
  ++state_->statistics.metadata_blocks_erased;
  if (scratch_ != nullptr) state_->hal->drop_pages(kept_as(t.ppn), blocks.pages_per_block());
  const std::uint32_t plane = t.plane;
  const std::uint32_t die = t.die;
  state_->copybacks.erased(t.ppn);
  state_->pool.release(t);
  if (unit.to_erase++ != blocks.twins()) return;
  const BlockState to = unit_erased(unit.site, unit.block);
  if (to == BlockState::bad) state_->policy.allocation->revoke(plane);
  unit = units_[--unit_count_];
  board_->unblock_writes(die);
}

} // namespace twinplane::fw
