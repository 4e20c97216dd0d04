#include "firmware/ftl/block_table.h"
#include "firmware/ftl/media/write_stream.h"

namespace twinplane::fw {

namespace {

constexpr std::uint32_t bit(BlockState s) {
  return 1u << static_cast<std::uint32_t>(s);
}

/// The states that may follow each state.
constexpr std::uint32_t kNext[] = {
    bit(BlockState::open) | bit(BlockState::bad) | bit(BlockState::metadata), // free
    bit(BlockState::closed) | bit(BlockState::bad),                           // open
    bit(BlockState::victim) | bit(BlockState::open) | bit(BlockState::bad),   // closed
    bit(BlockState::erasing),                                                 // victim
    bit(BlockState::free) | bit(BlockState::bad),                             // erasing
    0,                                                                        // bad
    bit(BlockState::erasing) | bit(BlockState::bad),                          // metadata
};

} // namespace

void BlockTable::boot(Hal& hal, BootMemory& memory, const FtlConfig& config, const BlockTableShape& shape) {
  hal_ = &hal;
  const std::uint32_t twins = twins_ = shape.twins;
  regions_ = shape.regions;
  data_shift_ = shape.data_shift;
  while ((1u << region_shift_) < regions_.count) ++region_shift_;
  summed_ = twins != 1 || regions_.count != 1;
  geometry_ = geometry_in_use(config);
  layout_ = RowLayout(config.geometry); // addresses are the die's
  slc_drive_ = config.slc_mode;
  pass_pages_ = config.pass_pages;
  const PageTable pages = slc_drive_ ? PageTable::diagonal : config.page_table;
  order_ = memory.make<PageOrderTable>(geometry_.cell, geometry_.pages_per_block, pages);
  shift_ = Fields{0, layout_.plane_shift(), layout_.block_shift(), layout_.lun_shift(), 0};
  mask_ = Fields{low_mask(layout_.page_bits), low_mask(layout_.plane_bits), low_mask(layout_.block_bits), 0,
                 low_mask(layout_.lun_shift())};
  for (std::uint32_t r = 0; r < regions_.count; ++r) region_pages_[r] = pages_in_use(mode(r), geometry_);
  blocks_ = memory.zeroed<BlockInfo>(geometry_.blocks());
  planes_ = memory.zeroed<PlaneInfo>(geometry_.planes());
  units_ = twins == 1 ? blocks_ : memory.zeroed<BlockInfo>(geometry_.blocks() / twins);
  returning_ = memory.zeroed<std::uint32_t>(geometry_.blocks() / twins);
  for (std::uint32_t r = 0; r < regions_.count && slc_erases_ == nullptr; ++r) {
    if (mode(r) == PageMode::slc) slc_erases_ = memory.zeroed<std::uint32_t>(geometry_.blocks());
  }
  if (data_shift_ != 0) data_ = memory.zeroed<std::uint32_t>(geometry_.blocks() / twins);
  domains_ = summed_ ? memory.zeroed<PlaneInfo>(domains()) : planes_;
  lists_ = twins == 1 ? domains_ : planes_;
  site_of_plane_ = memory.zeroed<std::uint32_t>(geometry_.planes());
  plane_base_ = memory.zeroed<std::uint32_t>(geometry_.planes());
  free_.boot(memory, std::size_t{geometry_.planes()} << region_shift_, geometry_.blocks_per_plane);
  valid_.boot(memory, geometry_.blocks(), geometry_.pages_per_block);
  if (twins != 1 && !config.bac) {
    in_die_ = memory.zeroed<std::uint16_t>(geometry_.blocks());
    number_ = memory.zeroed<std::uint16_t>(geometry_.blocks());
  }
  if (memory.exhausted()) return;
  for (std::uint32_t r = 0; r < regions_.count; ++r) {
    region_padding_[r] = mode(r) == PageMode::all ? padding_pages(config, *order_) : 0;
    region_unit_padding_[r] = fw::unit_padding(config, region_padding_[r], twins);
  }
  good_blocks_ = geometry_.blocks();
  for (std::uint32_t i = 0; in_die_ != nullptr && i < geometry_.blocks(); ++i) {
    in_die_[i] = number_[i] = static_cast<std::uint16_t>(i % geometry_.blocks_per_plane);
  }
  for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
    site_of_plane_[p] = p / twins;
    plane_base_[p] = static_cast<std::uint32_t>(
        layout_.ppn(Ppa{p / geometry_.planes_per_die, p % geometry_.planes_per_die, 0, 0}));
    for (std::uint32_t b = 0; b < geometry_.blocks_per_plane; ++b) {
      blocks_[at(p, b)].region = (regions_.count - 1) & 3u;
      enter_free(p, b);
    }
    if (regions_.count != 1) domains_[domain_of(p, regions_.count - 1)].blocks = geometry_.blocks_per_plane;
  }
  for (std::uint32_t d = 0; twins != 1 && d < sites(); ++d) {
    domains_[d].space = domains_[d].free_blocks = geometry_.blocks_per_plane;
    domains_[d].free_pages = geometry_.blocks_per_plane * unit_pages();
  }
}

void BlockTable::enter_free(std::uint32_t plane, std::uint32_t block) {
  BlockInfo& b = blocks_[at(plane, block)];
  b.written = 0;
  slc_blocks_ -= b.slc_mode;
  b.slc_mode = slc_drive_ ? 1 : 0;
  slc_blocks_ += b.slc_mode;
  const std::uint32_t list = list_of(plane, b);
  free_.set(list, block);
  ++planes_[plane].free_blocks;
  ++free_blocks_;
  planes_[plane].space += space_in_pages_ ? geometry_.pages_per_block : 1;
  if (regions_.count != 1) domains_[list].space = ++domains_[list].free_blocks;
  for (std::uint32_t t = 0; t < order_->types(); ++t) free_pages_[t] += order_->wordlines();
}

void BlockTable::leave_free(std::uint32_t plane, std::uint32_t block) {
  const std::uint32_t list = list_of(plane, blocks_[at(plane, block)]);
  free_.clear(list, block);
  --planes_[plane].free_blocks;
  --free_blocks_;
  planes_[plane].space -= space_in_pages_ ? 0 : 1;
  if (regions_.count != 1) domains_[list].space = --domains_[list].free_blocks;
  lists_[list].search = block + 1 == geometry_.blocks_per_plane ? 0 : block + 1;
}

void BlockTable::change_region(std::uint32_t plane, std::uint32_t block, std::uint32_t to) {
  BlockInfo& b = blocks_[at(plane, block)];
  if (b.state != BlockState::free) hal_->panic("a block in use cannot change its region");
  const std::uint32_t from = list_of(plane, b);
  const std::uint32_t search =
      lists_[from].search; // the block is not opened: the search goes on where it was
  for (std::uint32_t t = 0; t < order_->types(); ++t) free_pages_[t] -= order_->wordlines();
  leave_free(plane, block);
  lists_[from].search = search;
  --domains_[from].blocks;
  domains_[from].valid -= b.valid;
  b.region = to & 3u;
  enter_free(plane, block);
  ++domains_[list_of(plane, b)].blocks;
  domains_[list_of(plane, b)].valid += b.valid;
}

/// What the mode leaves out is not free any more, until the next erase.
void BlockTable::open_unit(std::uint32_t site, std::uint32_t block) {
  transition_unit(site, block, BlockState::open);
  const PageMode used = mode(unit(site, block).region);
  if (used == PageMode::all) return;
  if (used == PageMode::slc) use_in_slc_mode(site, block);
  for (std::uint32_t t = 1; t < order_->types(); ++t) free_pages_[t] -= order_->wordlines();
}

void BlockTable::transition(std::uint32_t plane, std::uint32_t block, BlockState to) {
  BlockInfo& b = blocks_[at(plane, block)];
  const BlockState from = b.state;
  if ((kNext[static_cast<std::uint32_t>(from)] & bit(to)) == 0) hal_->panic("block life cycle");
  b.state = to;
  if (from == BlockState::free) leave_free(plane, block);
  if (from == BlockState::free && to != BlockState::open) {
    for (std::uint32_t t = 0; t < order_->types(); ++t) free_pages_[t] -= order_->wordlines();
    if (space_in_pages_) planes_[plane].space -= geometry_.pages_per_block;
  }
  if (twins_ == 1) unit_changed(plane, block, from);
  if (to == BlockState::bad) {
    --good_blocks_;
    if (regions_.count != 1) --domains_[list_of(plane, b)].blocks;
  }
  if (regions_.count != 1 && (b.system_owned != 0) != (to == BlockState::metadata))
    set_system_owned(plane, block, to);
  if (to == BlockState::erasing) {
    ++erases_;
    worn(++b.erases);
    if (slc_erases_ != nullptr) slc_erases_[at(plane, block)] += b.slc_mode;
  }
  if (to == BlockState::free) enter_free(plane, block);
}

/// Its region has to do without the block, until it has been erased.
void BlockTable::set_system_owned(std::uint32_t plane, std::uint32_t block, BlockState to) {
  BlockInfo& b = blocks_[at(plane, block)];
  if (to == BlockState::erasing) return;
  b.system_owned = to == BlockState::metadata ? 1 : 0;
  domains_[list_of(plane, b)].own += b.system_owned != 0 ? 1u : ~0u;
}

BlockState BlockTable::after_erase(std::uint32_t site, std::uint32_t block) {
  std::uint32_t bad = 0;
  for (std::uint32_t p = 0; p < twins_; ++p) bad += blocks_[at(first_plane_of(site) + p, block)].grown_bad;
  if (bad == 0 || replace_bad(site, block)) return BlockState::free;
  leave_spares(site, block);
  return BlockState::bad;
}

void BlockTable::retire_marked(std::uint32_t site, std::uint32_t block, std::uint32_t planes) {
  for (; planes != 0; planes &= planes - 1) {
    blocks_[at(first_plane_of(site) + lowest_bit(planes), block)].grown_bad = 1;
  }
  if (!replace_bad(site, block)) lose_unit(site, block);
}

void BlockTable::recall(std::uint32_t site, std::uint32_t block, std::uint32_t erases) {
  for (std::uint32_t p = 0; p < twins_; ++p) {
    BlockInfo& b = blocks_[at(first_plane_of(site) + p, block)];
    erases_ += erases - b.erases;
    b.erases = erases;
  }
  units_[at(site, block)].erases = erases;
  worn(erases);
}

/// Replaces the unit's bad blocks by spare ones. False when there are not enough: then none is.
bool BlockTable::replace_bad(std::uint32_t site, std::uint32_t block) {
  if (in_die_ == nullptr || keeps_blocks(site, block)) return false;
  const std::uint32_t first = first_plane_of(site);
  std::uint32_t behind[kMaxPlanesPerDie] = {};
  for (std::uint32_t p = 0; p < twins_; ++p) {
    behind[p] = blocks_[at(first + p, block)].grown_bad != 0 ? find_spare(first + p) : block;
    if (behind[p] == kNoBlock) return false;
  }
  for (std::uint32_t p = 0; p < twins_; ++p) exchange_blocks(first + p, block, behind[p]);
  return true;
}

/// Of a unit that the transition to bad follows for: that takes all of its blocks off the good ones.
void BlockTable::leave_spares(std::uint32_t site, std::uint32_t block) {
  if (in_die_ == nullptr) return;
  const bool kept = keeps_blocks(site, block);
  for (std::uint32_t p = first_plane_of(site); p < first_plane_of(site) + twins_; ++p) {
    BlockInfo& b = blocks_[at(p, block)];
    if (kept) b.grown_bad = 1;
    good_blocks_ += b.grown_bad != 0 ? 0 : 1;
  }
}

std::uint32_t BlockTable::find_spare(std::uint32_t plane) const {
  for (std::uint32_t b = 0; b < geometry_.blocks_per_plane; ++b) {
    if (is_spare(plane, b)) return b;
  }
  return kNoBlock;
}

void BlockTable::exchange_blocks(std::uint32_t plane, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t spares = (is_spare(plane, a) ? 1u : 0u) + (is_spare(plane, b) ? 1u : 0u);
  const std::uint16_t in_die = in_die_[at(plane, a)];
  in_die_[at(plane, a)] = in_die_[at(plane, b)];
  in_die_[at(plane, b)] = in_die;
  for (const std::uint32_t n : {a, b})
    number_[at(plane, in_die_[at(plane, n)])] = static_cast<std::uint16_t>(n);
  const std::uint8_t bad = blocks_[at(plane, a)].grown_bad;
  blocks_[at(plane, a)].grown_bad = blocks_[at(plane, b)].grown_bad;
  blocks_[at(plane, b)].grown_bad = bad & 1;
  good_blocks_ += (is_spare(plane, a) ? 1u : 0u) + (is_spare(plane, b) ? 1u : 0u);
  good_blocks_ -= spares;
}

void BlockTable::count_space_in_pages() {
  space_in_pages_ = true;
  for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
    planes_[p].space = planes_[p].free_blocks * geometry_.pages_per_block;
  }
}

/// What depends on a unit being closed: the space that can be reclaimed, and the victim policy.
void BlockTable::unit_changed(std::uint32_t site, std::uint32_t block, BlockState from) {
  BlockInfo& u = units_[at(site, block)];
  const std::uint32_t domain = domain_of(site, u.region);
  PlaneInfo& d = domains_[domain];
  if (from == BlockState::closed) {
    d.reclaimable -= invalid_data(domain, block);
    victim_->left(domain, block);
  }
  if (from == BlockState::erasing) returns_no_more(site, block);
  if (u.state == BlockState::closed) {
    u.closed_at = clock_;
    d.reclaimable += invalid_data(domain, block);
    victim_->closed(domain, block);
  }
}

void BlockTable::transition_unit(std::uint32_t site, std::uint32_t block, BlockState to) {
  if (twins_ == 1) {
    transition(site, block, to);
    return;
  }
  BlockInfo& u = units_[at(site, block)];
  const BlockState from = u.state;
  if (to != BlockState::closed) { // the twins close one by one
    for (std::uint32_t p = 0; p < twins_; ++p) transition(first_plane_of(site) + p, block, to);
  }
  u.state = to;
  PlaneInfo& d = domains_[site];
  if (from == BlockState::free) d.space = --d.free_blocks;
  if (from == BlockState::free && to != BlockState::open) d.free_pages -= unit_pages();
  unit_changed(site, block, from);
  if (to == BlockState::erasing) ++u.erases;
  if (to == BlockState::free) {
    u.written = 0;
    d.space = ++d.free_blocks;
    d.free_pages += unit_pages();
  }
}

void BlockTable::close_early(std::uint32_t site, std::uint32_t block) {
  for (std::uint32_t p = first_plane_of(site); p < first_plane_of(site) + twins_; ++p) {
    const BlockInfo& b = blocks_[at(p, block)];
    if (b.state != BlockState::open) continue; // of twins one may be full
    const bool all = mode(b.region) == PageMode::all;
    for (std::uint32_t n = b.written; n < region_pages(b.region); ++n)
      --free_pages_[all ? order_->type(n) : 0];
    transition(p, block, BlockState::closed);
  }
  if (twins_ == 1) return;
  domains_[site].free_pages -= unit_pages() - units_[at(site, block)].written;
  transition_unit(site, block, BlockState::closed);
}

void BlockTable::take_twin_page(std::uint32_t site, std::uint32_t block) {
  BlockInfo& u = units_[at(site, block)];
  --domains_[site].free_pages;
  if (++u.written == unit_pages()) transition_unit(site, block, BlockState::closed);
}

void BlockTable::valid_again(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  const std::uint32_t site = site_of_plane_[plane];
  link_page(at(plane, block), plane, block, page);
  const BlockInfo& u = units_[at(site, block)];
  if (u.state != BlockState::closed || data_ != nullptr) return;
  const std::uint32_t domain = domain_of(site, u.region);
  --domains_[domain].reclaimable;
  if (victim_->wants_updates()) victim_->invalidated(domain, block, u.valid);
}

/// A page has become invalid: those sums, and what can be reclaimed.
void BlockTable::account_invalid(std::uint32_t plane, std::uint32_t block) {
  const std::uint32_t site = site_of_plane_[plane];
  BlockInfo& u = units_[at(site, block)];
  const std::uint32_t domain = domain_of(site, u.region);
  if (twins_ != 1) {
    --u.valid;
  } else {
    --domains_[domain].valid;
  }
  if (u.state != BlockState::closed || data_ != nullptr) return;
  ++domains_[domain].reclaimable;
  if (victim_->wants_updates()) victim_->invalidated(domain, block, u.valid);
}

std::uint32_t BlockTable::pending_reads(std::uint32_t site, std::uint32_t block) const {
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < twins_; ++p)
    sum += blocks_[at(first_plane_of(site) + p, block)].pending_reads;
  return sum;
}

void BlockTable::serialise(StateVisitor& state) {
  const std::size_t blocks = geometry_.blocks();
  const std::size_t planes = geometry_.planes();
  const auto of_life = [this](const BlockInfo& b) { return can_be(b, geometry_.pages_per_block); };
  const auto of_unit = [this](const BlockInfo& u) { return can_be(u, unit_pages()); };
  const auto sums = [this](const PlaneInfo& p) { return can_be(p); };
  const auto of_plane = [this](std::uint16_t b) { return b < geometry_.blocks_per_plane; };
  state.table(blocks_, blocks, "it is damaged (a block in a state that there is not)", of_life);
  state.table(planes_, planes, "it is damaged (the sums of a plane)", sums);
  if (units_ != blocks_)
    state.table(units_, blocks / twins_, "it is damaged (twin blocks in a state that there is not)", of_unit);
  if (domains_ != planes_)
    state.table(domains_, domains(), "it is damaged (the sums of a die or a region)", sums);
  state.table(in_die_, blocks, "it is damaged (a block that the die does not have)", of_plane);
  state.table(number_, blocks, "it is damaged (a number that no block has)", of_plane);
  state.table(returning_, blocks / twins_, "it is damaged (more pages than a block has)",
              [this](std::uint32_t n) { return n <= unit_pages() << data_shift_; });
  state.table(data_, blocks / twins_, "it is damaged (more data than a block has)",
              [this](std::uint32_t n) { return n <= unit_pages() << data_shift_; });
  state.table(slc_erases_, slc_erases_ == nullptr ? 0 : blocks);
  free_.serialise(state);
  valid_.serialise(state);
  state.table(free_pages_, kMaxPageTypes);
  state.value(free_blocks_);
  state.value(valid_pages_);
  state.value(good_blocks_);
  state.value(erases_);
  state.value(clock_);
  state.value(slc_blocks_);
  if (!state.loading()) return;
  for (std::size_t i = 0; i < blocks; ++i) worn(blocks_[i].erases);
  state.require(bits_hold(), "it is damaged (a bit of a page or block that is not)");
}

bool BlockTable::can_be(const BlockInfo& b, std::uint32_t pages) const {
  return b.state <= BlockState::metadata && b.region < regions_.count && b.valid <= pages &&
         b.written <= pages && b.pending_reads == 0;
}

bool BlockTable::can_be(const PlaneInfo& p) const {
  return p.search < geometry_.blocks_per_plane && is_bool(p.stalled) && p.asked <= regions_.count;
}

/// Free blocks have a bit on the list of their region, and nothing else has one.
bool BlockTable::bits_hold() const {
  for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
    for (std::uint32_t b = 0; b < geometry_.blocks_per_plane; ++b) {
      const BlockInfo& info = blocks_[at(p, b)];
      for (std::uint32_t r = 0; r < 1u << region_shift_; ++r) {
        const bool free = info.state == BlockState::free && info.region == r;
        if (free_.test((p << region_shift_) + r, b) != free) return false;
      }
    }
  }
  return free_.hold() && valid_.hold();
}

bool BlockTable::has(Ppn page) const {
  return die_of(page) < geometry_.dies() && plane_of(page) < geometry_.planes() &&
         (static_cast<std::uint32_t>(page) >> shift_.plane & mask_.plane) < geometry_.planes_per_die &&
         block_of(page) < geometry_.blocks_per_plane && page_of(page) < geometry_.pages_per_block;
}

} // namespace twinplane::fw
