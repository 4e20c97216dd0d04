#include "firmware/ftl/features/journal/units.h"

namespace twinplane::fw {

// --- what there are spare blocks for ---

namespace {

/// Each one with those before it.
enum class Keeps : std::uint8_t { nothing, trims, blocks, map };

SliceLayout layout_of(Keeps keeps, const Geometry& g, std::uint32_t lpns, std::uint32_t items) {
  return {g.page_size, lpns * items, keeps < Keeps::blocks ? 0 : g.blocks(), g.sectors_per_page() / items,
          keeps == Keeps::map};
}

/// For each copy those in which so many pages fit, while the old ones are there as well.
std::uint64_t blocks_for(std::uint32_t pages, std::uint32_t unit_pages, std::uint32_t twins) {
  return std::uint64_t{2} * kJournalCopies * ((pages + unit_pages - 1) / unit_pages + 1) * twins;
}

/// Two of each plane for trims. With fewer there is no journal.
std::uint64_t needed(Keeps keeps, const BlockTable& blocks, std::uint32_t lpns) {
  const std::uint64_t trims = std::uint64_t{2} * blocks.geometry().planes();
  if (keeps == Keeps::trims) return trims;
  const std::uint32_t pages = 2 * layout_of(keeps, blocks.geometry(), lpns, 1).slices() + 2;
  return trims + blocks_for(pages, blocks.unit_pages() / blocks.pass_pages(0), blocks.twins());
}

/// A block's first word and its last one have to be two.
bool can_have_checkpoints(const FtlConfig& config, const BlockTable& blocks) {
  return config.checkpoint_interval != 0 && blocks.order().wordlines() > 1;
}

Keeps what_is_kept(const FtlConfig& config, const BlockTable& blocks, std::uint32_t lpns,
                   std::uint64_t spare) {
  if (can_have_checkpoints(config, blocks) && spare >= needed(Keeps::map, blocks, lpns)) return Keeps::map;
  if (spare >= needed(Keeps::blocks, blocks, lpns)) return Keeps::blocks;
  return spare >= needed(Keeps::trims, blocks, lpns) ? Keeps::trims : Keeps::nothing;
}

const Regions* lender(const FtlState& s) {
  return s.policy.regions != nullptr && s.policy.regions->lends_blocks() ? s.policy.regions : nullptr;
}

Keeps what_is_lent(const FtlState& s, std::uint32_t items) {
  const Regions& regions = *s.policy.regions;
  const std::uint32_t pages = s.blocks.region_pages(regions.for_metadata());
  for (const Keeps keeps : {Keeps::map, Keeps::blocks, Keeps::trims}) {
    if (keeps == Keeps::map && !can_have_checkpoints(s.config, s.blocks)) continue;
    const std::uint32_t slices = layout_of(keeps, s.blocks.geometry(), s.exported_pages, items).slices();
    if (regions.blocks_to_lend() >= blocks_for(2 * slices, pages, 1)) return keeps;
  }
  return Keeps::nothing;
}

} // namespace

std::uint64_t journal_blocks(const FtlConfig& config, const BlockTable& blocks, std::uint32_t exported_pages,
                             std::uint64_t spare) {
  const Keeps keeps = what_is_kept(config, blocks, exported_pages, spare);
  if (keeps == Keeps::nothing) return 0;
  return needed(keeps == Keeps::map ? Keeps::map : Keeps::trims, blocks, exported_pages);
}

SliceLayout journal_layout(const FtlState& s, std::uint32_t items) {
  const std::uint64_t spare = s.statistics.spare_blocks_at_boot;
  const Keeps keeps = lender(s) != nullptr ? what_is_lent(s, items)
                                           : what_is_kept(s.config, s.blocks, s.exported_pages, spare);
  if (keeps == Keeps::nothing) return {};
  return layout_of(keeps, s.blocks.geometry(), s.exported_pages, items);
}

// --- units ---

void JournalUnits::attach(FtlState& state) {
  const BlockTable& blocks = state.blocks;
  state_ = &state;
  region_ = state.policy.regions == nullptr ? 0 : state.policy.regions->for_metadata();
  pass_ = blocks.pass_pages(region_);
  pages_ = blocks.region_pages(region_) / pass_ * blocks.twins();
}

void JournalUnits::boot(BootMemory& memory, std::uint32_t slices) {
  most_ = 4 * kJournalCopies * (for_slices(slices) + 1) + 16;
  units_ = memory.zeroed<Unit>(most_);
}

void JournalUnits::keep_blocks(std::uint32_t slices) {
  if (lender(*state_) != nullptr)
    state_->policy.regions->keep_to_lend(static_cast<std::uint32_t>(blocks_for(2 * slices, pages_, 1)));
}

Ppn JournalUnits::take_page(std::uint32_t copy) {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t u = 0; u < count_; ++u) {
    Unit& unit = units_[u];
    if (unit.copy != copy || unit.old || unit.written == pages_) continue;
    const std::uint32_t per_block = blocks.pages_per_block() / pass_;
    const std::uint32_t plane = blocks.first_plane_of(unit.site) + unit.written / per_block;
    return blocks.ppn(plane, unit.block, unit.written++ % per_block * pass_);
  }
  return kNoPpn;
}

std::uint32_t JournalUnits::room(std::uint32_t copy) const {
  std::uint32_t pages = 0;
  for (std::uint32_t u = 0; u < count_; ++u) {
    if (units_[u].copy == copy && !units_[u].old) pages += pages_ - units_[u].written;
  }
  return pages;
}

bool JournalUnits::have_room(std::uint32_t pages) const {
  for (std::uint32_t copy = 0; copy < kJournalCopies; ++copy) {
    if (room(copy) < pages) return false;
  }
  return true;
}

bool JournalUnits::nearly_full(std::uint32_t slices) const {
  std::uint32_t used = 0;
  for (std::uint32_t u = 0; u < count_; ++u) used += units_[u].old ? 0 : units_[u].written;
  return !renewing_ && count_ != 0 && used / kJournalCopies >= 2 * slices;
}

bool JournalUnits::take(std::uint32_t room_wanted) {
  std::uint32_t site = state_->blocks.sites();
  for (std::uint32_t copy = 0; copy < kJournalCopies; ++copy) {
    if (room(copy) >= room_wanted) continue;
    if (!take_one(copy, site)) return false;
    site = units_[count_ - 1].site;
    unit_allocation_failed_ = false;
  }
  return true;
}

/// A partition of a plane needs threshold + 2 blocks.
bool JournalUnits::can_take_block_from(std::uint32_t site) const {
  const BlockTable& blocks = state_->blocks;
  if (const Regions* const regions = lender(*state_)) return regions->can_lend_block(site);
  const PlaneInfo& d = blocks.domain(blocks.domain_of(site, region_));
  if (blocks.regions() != 1 && d.serving() <= state_->config.gc_threshold_blocks + 2) return false;
  return d.space >= blocks.space_of_blocks(2);
}

/// Another one than `not_on` where there is one. What is left are the pages of a unit at least, which is what
/// collection needs (block_allocation/).
std::uint32_t JournalUnits::site_with_most_free(std::uint32_t not_on) const {
  const BlockTable& blocks = state_->blocks;
  std::uint32_t best = blocks.sites();
  std::uint32_t most = 0;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    if ((site == not_on && blocks.sites() != 1) || !can_take_block_from(site)) continue;
    const std::uint32_t space = blocks.domain(blocks.domain_of(site, region_)).space;
    if (best != blocks.sites() && space <= most) continue;
    best = site;
    most = space;
  }
  return best;
}

bool JournalUnits::take_one(std::uint32_t copy, std::uint32_t not_on) {
  BlockTable& blocks = state_->blocks;
  const std::uint32_t site = site_with_most_free(not_on);
  if (count_ == most_ || site == blocks.sites()) return false;
  const std::uint32_t first = blocks.first_plane_of(site);
  const std::uint32_t block = blocks.find_free(blocks.domain_of(site, region_));
  if (block == kNoBlock) return false;
  found(site, block, copy, 0);
  if (blocks.mode(region_) == PageMode::slc) blocks.read_in_slc_mode(site, block, true);
  for (std::uint32_t p = 0; p < blocks.twins(); ++p) state_->policy.allocation->revoke(first + p);
  return true;
}

void JournalUnits::found(std::uint32_t site, std::uint32_t block, std::uint32_t copy, std::uint32_t written) {
  state_->blocks.transition_unit(site, block, BlockState::metadata);
  if (!kept() || count_ == most_) return;
  units_[count_++] = Unit{site, block, written, static_cast<std::uint8_t>(copy), false, 0, 0};
}

void JournalUnits::renew() {
  renewing_ = true;
  for (std::uint32_t u = 0; u < count_; ++u) units_[u].old = true;
}

void JournalUnits::renewed() {
  renewing_ = false;
  for (std::uint32_t u = 0; u < count_; ++u) {
    if (units_[u].old && units_[u].to_erase == 0) units_[u].to_erase = 1;
  }
}

void JournalUnits::give_up() {
  renewing_ = false;
  unit_allocation_failed_ = true;
  for (std::uint32_t u = 0; u < count_; ++u) units_[u].old = units_[u].to_erase != 0;
}

void JournalUnits::give_back() {
  renew();
  renewed();
  given_back_ = true;
}

std::uint32_t JournalUnits::next_erase() const {
  std::uint32_t u = 0;
  while (u < count_ && units_[u].to_erase == 0) ++u;
  return u;
}

Ppn JournalUnits::begin_erase() {
  BlockTable& blocks = state_->blocks;
  erasing_ = next_erase();
  if (erasing_ == count_) return kNoPpn;
  const Unit& unit = units_[erasing_];
  if (blocks.unit(unit.site, unit.block).state != BlockState::erasing)
    blocks.transition_unit(unit.site, unit.block, BlockState::erasing);
  return blocks.ppn(blocks.first_plane_of(unit.site) + unit.to_erase - 1u, unit.block, 0);
}

bool JournalUnits::block_erased(std::uint32_t& site, std::uint32_t& block) {
  Unit& unit = units_[erasing_];
  if (unit.to_erase++ != state_->blocks.twins()) return false;
  site = unit.site;
  block = unit.block;
  unit = units_[--count_];
  return true;
}

void JournalUnits::serialise(StateVisitor& visitor) {
  visitor.table(units_, most_);
  visitor.value(count_);
}

void JournalUnits::serialise_flags(StateVisitor& visitor) {
  visitor.value(renewing_);
  visitor.value(unit_allocation_failed_);
  visitor.value(given_back_);
}

bool JournalUnits::hold() const {
  const BlockTable& blocks = state_->blocks;
  for (std::uint32_t u = 0; count_ <= most_ && u < count_; ++u) {
    const Unit& unit = units_[u];
    if (unit.site >= blocks.sites() || unit.block >= blocks.blocks_per_plane()) return false;
    const BlockState is = blocks.unit(unit.site, unit.block).state;
    if (is != BlockState::metadata && is != BlockState::erasing) return false;
    if (unit.written > pages_ || unit.copy >= kJournalCopies || !is_bool(unit.old)) return false;
    if (unit.to_erase > blocks.twins()) return false;
  }
  return count_ <= most_;
}

} // namespace twinplane::fw
