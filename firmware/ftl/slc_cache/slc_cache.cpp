// SlcCache: tables, reading, and where writes go.
#include "firmware/ftl/slc_cache/slc_cache.h"

#include <cstring>

namespace twinplane::fw {

void SlcCache::boot(BootMemory& memory, BlockTable& blocks, const FtlConfig& config,
                    std::uint32_t exported_pages, FtlStatistics& statistics) {
  blocks_ = &blocks;
  statistics_ = &statistics;
  config_ = config.slc_cache;
  exported_pages_ = exported_pages;
  torn_ = torn_reserve_pages(config, 0);
  const Geometry& g = config.geometry;
  sectors_per_subpage_ = g.sectors_per_page() / g.subpages_per_page;
  map.boot(memory, blocks, exported_pages, g.subpages_per_page);
  number_own_pages(0);
  if (config_.packed_eviction) map.tell_of_every_subpage();
  scheme_ = make_cache_scheme(SchemeContext{memory, blocks, map}, config.regions);
  extent_.boot(blocks, map, config, scheme_ != nullptr && scheme_->packs());
  open_ = memory.array<OpenBlock>(std::size_t{g.planes()} * kCacheLevels);
  native_host_ = memory.array<OpenBlock>(g.planes());
  native_collector_ =
      config.frontier == Frontier::shared ? native_host_ : memory.array<OpenBlock>(g.planes());
  append_ = memory.array<Ppn>(g.planes());
  slc_erases_ = memory.zeroed<std::uint32_t>(g.blocks());
  levelling_ = memory.zeroed<std::uint8_t>(g.planes());
  if (memory.exhausted()) return;
  for (std::uint32_t i = 0; i < g.planes() * kCacheLevels; ++i) open_[i].next = blocks.region_pages(kCache);
  for (std::uint32_t p = 0; p < g.planes(); ++p) {
    append_[p] = kNoPpn;
    native_host_[p].next = native_collector_[p].next = g.pages_per_block;
  }
}

void SlcCache::attach(BootMemory& memory, Hal& hal, std::uint32_t transactions, std::uint32_t payload,
                      std::uint32_t untimed_words) {
  hal_ = &hal;
  untimed_words_ = untimed_words;
  payload_ = payload;
  page_bytes_ = map.subpages() * sectors_per_subpage_ * payload;
  works_ = memory.array<CacheWork>(transactions);
}

void SlcCache::serialise(StateVisitor& state) {
  const Geometry& g = blocks_->geometry();
  map.serialise(state);
  state.table(open_, std::size_t{g.planes()} * kCacheLevels);
  state.table(native_host_, g.planes());
  if (native_collector_ != native_host_) state.table(native_collector_, g.planes());
  state.table(append_, g.planes(), "it is damaged (a page that there is not goes on)",
              [this](Ppn page) { return page == kNoPpn || blocks_->has(page); });
  state.table(slc_erases_, g.blocks());
  state.table(levelling_, g.planes());
  state.value(clock_);
  for (std::uint32_t p = 0; state.loading() && p < g.planes(); ++p)
    state.require(frontiers_hold(p), kNoFrontier);
}

bool SlcCache::frontiers_hold(std::uint32_t plane) const {
  const auto holds = [&](const OpenBlock& open, std::uint32_t level) {
    const std::uint32_t pages = level == 0 ? blocks_->pages_per_block() : blocks_->region_pages(kCache);
    return can_be(*blocks_, plane, open, pages) &&
           (open.next == pages || map.sums(plane, open.block).level == level);
  };
  for (std::uint32_t level = 1; level <= kCacheLevels; ++level) {
    if (!holds(open_[plane * kCacheLevels + level - 1], level)) return false;
  }
  if (append_[plane] != kNoPpn && blocks_->plane_of(append_[plane]) != plane) return false;
  return holds(native_host_[plane], 0) && holds(native_collector_[plane], 0);
}

std::uint32_t SlcCache::sectors_of(std::uint32_t subpages) const {
  std::uint32_t sectors = 0;
  for (; subpages != 0; subpages &= subpages - 1) sectors |= subpage_sectors(lowest_bit(subpages));
  return sectors;
}

std::uint32_t SlcCache::cover(std::uint32_t sectors) const {
  std::uint32_t subpages = 0;
  for (std::uint32_t s = 0; s < map.subpages(); ++s)
    subpages |= ((sectors & subpage_sectors(s)) != 0 ? 1u : 0u) << s;
  return subpages;
}

// --- reading ---

SlcCache::Run SlcCache::run_of(std::uint32_t lpn, std::uint32_t subpages) const {
  Run run;
  run.ppn = map.page_of(map.at(lpn, lowest_bit(subpages)));
  for (; subpages != 0; subpages &= subpages - 1) {
    const std::uint32_t s = lowest_bit(subpages);
    if (map.page_of(map.at(lpn, s)) == run.ppn) run.subpages |= 1u << s;
  }
  return run;
}

void SlcCache::aim(Transaction& t, const Run& run, std::uint32_t sectors) {
  CacheWork& w = work(t);
  w.reading = static_cast<std::uint8_t>(run.subpages);
  w.again = static_cast<std::uint8_t>(w.again & ~run.subpages);
  w.cells = 0;
  for (std::uint32_t left = run.subpages; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t inside = (sectors & subpage_sectors(s)) >> s * sectors_per_subpage_;
    if (!w.packed) w.from[s] = map.at(t.lpn, s);
    w.cells |= inside << map.slot_of(w.from[s]) * sectors_per_subpage_;
  }
  t.flash_mask = sectors & sectors_of(run.subpages);
}

void SlcCache::arrived(Transaction& t, std::uint32_t sectors) {
  CacheWork& w = work(t);
  for (std::uint32_t left = w.reading; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t slot = map.slot_of(w.from[s]);
    const std::uint32_t to = t.buffer + s * sectors_per_subpage_ * payload_;
    const std::uint32_t from = landing(t) + slot * sectors_per_subpage_ * payload_;
    copy_sectors(*hal_, payload_, to, from, (sectors & subpage_sectors(s)) >> s * sectors_per_subpage_);
  }
  w.have |= sectors;
}

/// The completion names sectors of the physical page.
std::uint32_t SlcCache::failed_sectors(const Transaction& t, const FlashCompletion& c) const {
  if (c.result != flash_result::uncorrectable) return c.result == 0 ? 0 : t.flash_mask;
  const CacheWork& w = works_[t.index];
  std::uint32_t failed = 0;
  for (std::uint32_t left = w.reading; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t cells = c.failed_sectors >> map.slot_of(w.from[s]) * sectors_per_subpage_;
    failed |= (cells & low_mask(sectors_per_subpage_)) << s * sectors_per_subpage_;
  }
  return failed & t.flash_mask;
}

void SlcCache::host_read(const Run& run) {
  ++(blocks_->slc_mode(run.ppn) ? statistics_->cache.read_hits_cache : statistics_->cache.read_hits_native);
  if (config_.any_access) map.accessed(run.ppn, ++clock_);
}

// --- where a write goes ---

void SlcCache::begin_write(Transaction& t) {
  CacheWork& w = work(t);
  w = CacheWork();
  w.todo = static_cast<std::uint8_t>(cover(t.mask) | (config_.union_update ? map.mapped(t.lpn) : 0));
}

/// In the cache: the page of the first subpage that is rewritten, else of any subpage of the logical page.
Ppn SlcCache::page_of_old(std::uint32_t lpn, std::uint32_t subpages) const {
  const std::uint32_t cached = map.mapped(lpn) & ~map.in_native(lpn);
  if (cached == 0) return kNoPpn;
  const std::uint32_t rewritten = cached & subpages;
  return map.page_of(map.at(lpn, lowest_bit(rewritten != 0 ? rewritten : cached)));
}

bool SlcCache::fits_in_place(const Transaction& t, Ppn& ppn) const {
  const CacheWork& w = works_[t.index];
  if (!scheme_->rewrites_in_place() || w.native) return false;
  ppn = page_of_old(t.lpn, w.todo);
  if (ppn == kNoPpn) return false;
  const BlockInfo& block = blocks_->block(blocks_->plane_of(ppn), blocks_->block_of(ppn));
  if (block.state > BlockState::closed || block.grown_bad != 0) return false;
  const PageRecord& p = map.page(ppn);
  const std::uint32_t left = map.subpages() - p.used;
  const std::uint32_t size = bits_set(w.todo);
  return p.programs < config_.partial_programs && (config_.at_most ? size <= left : size < left);
}

std::uint32_t SlcCache::level_for(std::uint32_t lpn, const CacheWork& w) const {
  if (w.native || (config_.full_to_native && w.todo == map.all() && w.first)) return 0;
  const Ppn old = page_of_old(lpn, w.todo);
  const std::uint32_t level =
      old == kNoPpn ? 0 : map.sums(blocks_->plane_of(old), blocks_->block_of(old)).level;
  return scheme_->level_of_update(level);
}

bool SlcCache::complete_for(const Transaction& t, std::uint32_t plane, const PageSlot& slot) const {
  if (config_.packed_eviction) return true;
  if (blocks_->block(plane, slot.block).region == kCache) return true;
  return (map.in_native(t.lpn) & ~works_[t.index].todo) == 0;
}

// --- moves ---

void SlcCache::begin_move(Transaction& t, Ppn page, std::uint32_t slot) {
  CacheWork& w = work(t);
  w = CacheWork();
  t.lpn = map.owner_lpn(page, slot);
  const std::uint32_t plane = blocks_->plane_of(page);
  const std::uint32_t block = blocks_->block_of(page);
  const std::uint32_t from = map.sums(plane, block).level;
  const auto level_of = [&](Ppn p) { return scheme_->level_of_move(from, map.page(p).updated != 0); };
  const std::uint32_t level = from == 0 ? 0 : level_of(page);
  for (std::uint32_t s = 0; s < map.subpages(); ++s) {
    const Psn psn = map.at(t.lpn, s);
    if (psn == kNoPsn) continue;
    const Ppn p = map.page_of(psn);
    const bool same_block = blocks_->plane_of(p) == plane && blocks_->block_of(p) == block;
    const bool along = p == page || (from != 0 && level == 0 && same_block && level_of(p) == 0);
    if (along) w.todo = static_cast<std::uint8_t>(w.todo | 1u << s);
  }
  w.native = level == 0;
  if (w.native) w.todo = static_cast<std::uint8_t>(w.todo | map.in_native(t.lpn));
  t.hint = static_cast<PageHint>(level);
}

std::uint32_t SlcCache::current(const Transaction& t) const {
  return where_read(t, works_[t.index].todo);
}

/// Of these subpages, those that are still where they were read.
std::uint32_t SlcCache::where_read(const Transaction& t, std::uint32_t subpages) const {
  std::uint32_t bits = 0;
  for (; subpages != 0; subpages &= subpages - 1) {
    const std::uint32_t s = lowest_bit(subpages);
    const LogicalSubpage l = logical(t, s);
    if (map.at(l.lpn, l.subpage) == works_[t.index].from[s]) bits |= 1u << s;
  }
  return bits;
}

bool SlcCache::any_at_home(const Transaction& t, std::uint32_t subpages) const {
  for (; subpages != 0; subpages &= subpages - 1) {
    const Ppn ppn = map.page_of(works_[t.index].from[lowest_bit(subpages)]);
    if (ppn == t.source) return true;
    if (blocks_->plane_of(ppn) == blocks_->plane_of(t.home) &&
        blocks_->block_of(ppn) == blocks_->block_of(t.home))
      return true;
  }
  return false;
}

std::uint32_t SlcCache::reading_there(const Transaction& t) const {
  return where_read(t, works_[t.index].reading);
}

// --- failures ---

void SlcCache::spoilt(Ppn ppn) {
  Ppn& open_page = append_[blocks_->plane_of(ppn)];
  if (open_page == ppn) open_page = kNoPpn;
  map.use_up(ppn);
}

bool SlcCache::has_failed(const Transaction& t, const FlashCompletion& c) {
  if (c.result == 0) return map.program_failed(t.ppn);
  ++statistics_->flash_failures;
  blocks_->mark_grown_bad(t.ppn);
  spoilt(t.ppn);
  map.fail_program(t.ppn);
  return true;
}

/// By slot: a page may hold an older version of the subpage, too.
std::uint32_t SlcCache::failed_at(const Transaction& t) const {
  const CacheWork& w = works_[t.index];
  std::uint32_t bits = 0;
  for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
    const LogicalSubpage l = logical(t, lowest_bit(left));
    if (map.at(l.lpn, l.subpage) == w.at[lowest_bit(left)]) bits |= 1u << lowest_bit(left);
  }
  return bits;
}

/// Slots of the cache are filled from the first one on, and the last one counts; native pages hold a subpage
/// once, in its own slot unless eviction is packed.
Psn SlcCache::version_before(const Transaction& t, std::uint32_t subpage) const {
  const CacheWork& w = works_[t.index];
  const Ppn page = w.replaced[subpage];
  if (!is_page(page) || page == map.page_of(w.at[subpage]) || map.program_failed(page)) return kNoPsn;
  const LogicalSubpage l = logical(t, subpage);
  const bool cached = blocks_->slc_mode(page);
  if (!cached && !config_.packed_eviction) return map.psn(page, l.subpage);
  const std::uint32_t used = map.page(page).used;
  for (std::uint32_t i = 0; i < used; ++i) {
    const std::uint32_t slot = cached ? used - 1 - i : i;
    if (map.owner_lpn(page, slot) == l.lpn && map.owner_subpage(page, slot) == l.subpage)
      return map.psn(page, slot);
  }
  return kNoPsn;
}

void SlcCache::repeat_move(Transaction& t, std::uint32_t subpages) {
  CacheWork& w = work(t);
  w.todo = static_cast<std::uint8_t>(subpages);
  w.have = sectors_of(subpages);
  w.again = w.todo;
  t.source = t.ppn;
  for (; subpages != 0; subpages &= subpages - 1) {
    const LogicalSubpage l = logical(t, lowest_bit(subpages)); // by where it was read, until now
    w.from[lowest_bit(subpages)] = map.at(l.lpn, l.subpage);
  }
}

bool SlcCache::unmap(std::uint32_t lpn, std::uint32_t subpages, TouchedPlanes& touched) {
  subpages &= map.mapped(lpn);
  for (std::uint32_t left = subpages; left != 0; left &= left - 1) map.unlink(lpn, lowest_bit(left), touched);
  return subpages != 0;
}

} // namespace twinplane::fw
