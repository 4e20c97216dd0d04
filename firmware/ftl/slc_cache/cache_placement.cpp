#include "firmware/ftl/slc_cache/cache_placement.h"

namespace twinplane::fw {

void CachePlacement::boot(const CacheContext& c, SubpageIo& io, CacheSpace& space) {
  begin(c);
  io_ = &io;
  space_ = &space;
}

void CachePlacement::begin_write(Transaction& t) {
  CacheWork& w = io_->work(t);
  w = CacheWork();
  w.todo = static_cast<std::uint8_t>(io_->cover(t.mask) | (config_.union_update ? map_->mapped(t.lpn) : 0));
}

/// In the cache: the page of the first subpage that is rewritten, else of any subpage of the logical page.
Ppn CachePlacement::page_of_old(std::uint32_t lpn, std::uint32_t subpages) const {
  const std::uint32_t cached = map_->mapped(lpn) & ~map_->in_native(lpn);
  if (cached == 0) return kNoPpn;
  const std::uint32_t rewritten = cached & subpages;
  return map_->page_of(map_->at(lpn, lowest_bit(rewritten != 0 ? rewritten : cached)));
}

bool CachePlacement::fits_in_place(const Transaction& t, Ppn& ppn) const {
  const CacheWork& w = io_->work(t);
  if (!scheme_->rewrites_in_place() || w.native) return false;
  ppn = page_of_old(t.lpn, w.todo);
  if (ppn == kNoPpn) return false;
  const BlockInfo& block = blocks_->block(blocks_->plane_of(ppn), blocks_->block_of(ppn));
  if (block.state > BlockState::closed || block.grown_bad != 0) return false;
  const PageRecord& p = map_->page(ppn);
  const std::uint32_t left = map_->subpages() - p.used;
  const std::uint32_t size = bits_set(w.todo);
  return p.programs < config_.partial_programs && (config_.at_most ? size <= left : size < left);
}

std::uint32_t CachePlacement::level_for(std::uint32_t lpn, const CacheWork& w) const {
  if (w.native || (config_.full_to_native && w.todo == map_->all() && w.first)) return 0;
  const Ppn old = page_of_old(lpn, w.todo);
  const std::uint32_t level =
      old == kNoPpn ? 0 : map_->sums(blocks_->plane_of(old), blocks_->block_of(old)).level;
  return scheme_->level_of_update(level);
}

bool CachePlacement::complete_for(const Transaction& t, std::uint32_t plane, const PageSlot& slot) const {
  if (config_.packed_eviction) return true;
  if (blocks_->block(plane, slot.block).region == kCache) return true;
  return (map_->in_native(t.lpn) & ~io_->work(t).todo) == 0;
}

void CachePlacement::begin_move(Transaction& t, Ppn page, std::uint32_t slot) {
  CacheWork& w = io_->work(t);
  w = CacheWork();
  t.lpn = map_->owner_lpn(page, slot);
  const std::uint32_t plane = blocks_->plane_of(page);
  const std::uint32_t block = blocks_->block_of(page);
  const std::uint32_t from = map_->sums(plane, block).level;
  const auto level_of = [&](Ppn p) { return scheme_->level_of_move(from, map_->page(p).updated != 0); };
  const std::uint32_t level = from == 0 ? 0 : level_of(page);
  for (std::uint32_t s = 0; s < map_->subpages(); ++s) {
    const Psn psn = map_->at(t.lpn, s);
    if (psn == kNoPsn) continue;
    const Ppn p = map_->page_of(psn);
    const bool same_block = blocks_->plane_of(p) == plane && blocks_->block_of(p) == block;
    const bool along = p == page || (from != 0 && level == 0 && same_block && level_of(p) == 0);
    if (along) w.todo = static_cast<std::uint8_t>(w.todo | 1u << s);
  }
  w.native = level == 0;
  if (w.native) w.todo = static_cast<std::uint8_t>(w.todo | map_->in_native(t.lpn));
  t.hint = static_cast<PageHint>(level);
}

CachePlacement::SlotOfBlock CachePlacement::begin_pack(Transaction& t, Ppn page, std::uint32_t slot) {
  CacheWork& w = io_->work(t);
  w = CacheWork();
  w.packed = true;
  t.lpn = map_->owner_lpn(page, slot);
  t.hint = 0;
  const std::uint32_t plane = blocks_->plane_of(page);
  const std::uint32_t block = blocks_->block_of(page);
  SlotOfBlock next{blocks_->page_of(page), slot};
  std::uint32_t count = 0;
  while (next.page != blocks_->pages_per_block()) {
    const Ppn ppn = blocks_->ppn(plane, block, next.page);
    std::uint32_t left = map_->page(ppn).valid & ~low_mask(next.slot);
    for (; left != 0 && count != map_->subpages(); left &= left - 1) {
      w.from[count++] = map_->psn(ppn, lowest_bit(left));
      next.slot = lowest_bit(left) + 1;
    }
    if (count == map_->subpages()) break;
    next = SlotOfBlock{blocks_->next_valid(plane, block, next.page + 1), 0};
  }
  w.todo = static_cast<std::uint8_t>(low_mask(count));
  return next;
}

/// Links what the page takes of the work: packed, or all of it.
SubpageIo::Written CachePlacement::link(CacheWork& w, std::uint32_t lpn, Ppn ppn, TouchedPlanes& touched) {
  const bool native = !blocks_->slc_mode(ppn);
  const std::uint32_t used = map_->page(ppn).used;
  std::uint32_t room = map_->subpages() - used;
  Written done{0, used, native && !config_.packed_eviction};
  for (std::uint32_t left = w.todo; left != 0 && room != 0; left &= left - 1, --room) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t slot = done.in_order ? s : used + bits_set(done.subpages);
    const LogicalSubpage l = io_->logical(w, lpn, s);
    done.subpages |= 1u << s;
    const Psn old = map_->at(l.lpn, l.subpage);
    const bool repeats = (w.again >> s & 1) != 0 && old == w.at[s]; // what it had replaced stays so
    if (!repeats) w.replaced[s] = old == kNoPsn ? kNoPpn : map_->page_of(old);
    w.at[s] = map_->psn(ppn, slot);
    map_->link(l.lpn, l.subpage, w.at[s], touched);
  }
  const std::uint32_t slots = native ? map_->subpages() : bits_set(done.subpages);
  w.cells = native ? low_mask(map_->subpages() * io_->sectors_per_subpage())
                   : low_mask(slots * io_->sectors_per_subpage()) << used * io_->sectors_per_subpage();
  w.written = static_cast<std::uint8_t>(done.subpages);
  w.todo = static_cast<std::uint8_t>(w.todo & ~done.subpages);
  w.again = static_cast<std::uint8_t>(w.again & ~done.subpages);
  if (used != 0) count_disturbed(ppn);
  if (used != 0 && scheme_->rewrites_in_place()) map_->rewritten(ppn);
  map_->programmed(ppn, slots);
  return done;
}

/// A page that is programmed once more: what is valid in it but for the slots being written, which come after
/// those used so far, and on both sides of it.
void CachePlacement::count_disturbed(Ppn ppn) {
  CacheCounters& c = statistics_->cache;
  c.disturbed_in_page += bits_set(map_->page(ppn).valid & low_mask(map_->page(ppn).used));
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  const std::uint32_t page = blocks_->page_of(ppn);
  if (page != 0) c.disturbed_neighbour += bits_set(map_->page(blocks_->ppn(plane, block, page - 1)).valid);
  if (page + 1 != blocks_->region_pages(kCache))
    c.disturbed_neighbour += bits_set(map_->page(blocks_->ppn(plane, block, page + 1)).valid);
}

/// A write of the host that goes to this page, before it does.
void CachePlacement::count_host(const CacheWork& w, std::uint32_t lpn, Ppn ppn) {
  CacheCounters& c = statistics_->cache;
  const std::uint32_t level = map_->sums(blocks_->plane_of(ppn), blocks_->block_of(ppn)).level;
  if (level == 0) ++c.native_host_pages;
  if (!w.first) return;
  if ((map_->mapped(lpn) & w.todo) == 0) {
    ++c.new_writes;
    return;
  }
  ++c.updates[level];
  if (scheme_->rewrites_in_place() && map_->page(ppn).programs != 0) ++c.in_page;
}

void CachePlacement::place(Transaction& t, const PageSlot& slot, std::uint64_t sequence,
                           TouchedPlanes& touched) {
  CacheWork& w = io_->work(t);
  const Ppn ppn = t.ppn;
  const bool native = blocks_->block(t.plane, slot.block).region == kNative;
  if (t.traits->stream == Stream::relocation) {
    w.todo = static_cast<std::uint8_t>(io_->current(t));
    const Ppn source = map_->page_of(w.from[lowest_bit(std::uint32_t{w.todo})]);
    const std::uint32_t stamp = map_->page(source).stamp;
    if (native && blocks_->slc_mode(t.home)) {
      ++statistics_->cache.evicted_pages;
      statistics_->cache.evicted_subpages += bits_set(w.packed ? w.todo : w.todo & ~map_->in_native(t.lpn));
    }
    const Written done = link(w, t.lpn, ppn, touched);
    io_->gather_image(t, done);
    io_->store_words(io_->words_of(t), ppn, sequence, done);
    map_->accessed(ppn, stamp);
    return;
  }
  count_host(w, t.lpn, ppn);
  const Written done = link(w, t.lpn, ppn, touched);
  io_->gather_image(t, done);
  io_->store_words(io_->words_of(t), ppn, sequence, done);
  map_->accessed(ppn, ++clock_);
  w.first = false;
}

void CachePlacement::place_losses(const Transaction& t, const LostSectors& lost) {
  CacheWork& w = io_->work(t);
  w.lost = 0;
  for (std::uint32_t left = lost.any() ? w.written : 0; left != 0; left &= left - 1) {
    const LogicalSubpage l = io_->logical(w, t.lpn, lowest_bit(left));
    const std::uint32_t sectors = lost.of(l.lpn) >> l.subpage * io_->sectors_per_subpage();
    const std::uint32_t slot = map_->slot_of(map_->at(l.lpn, l.subpage));
    w.lost |= (sectors & low_mask(io_->sectors_per_subpage())) << slot * io_->sectors_per_subpage();
  }
}

CacheWork CachePlacement::whole_page() const {
  CacheWork w;
  w.todo = static_cast<std::uint8_t>(map_->all());
  return w;
}

void CachePlacement::place_untimed(CacheWork& w, std::uint32_t lpn, Ppn ppn, std::uint64_t sequence,
                                   TouchedPlanes& touched) {
  count_host(w, lpn, ppn);
  io_->store_words(io_->words_untimed(), ppn, sequence, link(w, lpn, ppn, touched));
  map_->accessed(ppn, ++clock_);
  w.first = false;
}

void CachePlacement::spoilt(Ppn ppn) {
  space_->stop_appending(ppn);
  map_->use_up(ppn);
}

bool CachePlacement::has_failed(const Transaction& t, const FlashCompletion& c) {
  if (c.result == 0) return map_->program_failed(t.ppn);
  ++statistics_->flash_failures;
  blocks_->mark_grown_bad(t.ppn);
  spoilt(t.ppn);
  map_->fail_program(t.ppn);
  return true;
}

/// By slot: a page may hold an older version of the subpage, too.
std::uint32_t CachePlacement::failed_at(const Transaction& t) const {
  const CacheWork& w = io_->work(t);
  std::uint32_t bits = 0;
  for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
    const LogicalSubpage l = io_->logical(t, lowest_bit(left));
    if (map_->at(l.lpn, l.subpage) == w.at[lowest_bit(left)]) bits |= 1u << lowest_bit(left);
  }
  return bits;
}

/// Slots of the cache are filled from the first one on, and the last one counts; native pages hold a subpage
/// once, in its own slot unless eviction is packed.
Psn CachePlacement::version_before(const Transaction& t, std::uint32_t subpage) const {
  const CacheWork& w = io_->work(t);
  const Ppn page = w.replaced[subpage];
  if (!is_page(page) || page == map_->page_of(w.at[subpage]) || map_->program_failed(page)) return kNoPsn;
  const LogicalSubpage l = io_->logical(t, subpage);
  const bool cached = blocks_->slc_mode(page);
  if (!cached && !config_.packed_eviction) return map_->psn(page, l.subpage);
  const std::uint32_t used = map_->page(page).used;
  for (std::uint32_t i = 0; i < used; ++i) {
    const std::uint32_t slot = cached ? used - 1 - i : i;
    if (map_->owner_lpn(page, slot) == l.lpn && map_->owner_subpage(page, slot) == l.subpage)
      return map_->psn(page, slot);
  }
  return kNoPsn;
}

void CachePlacement::repeat_move(Transaction& t, std::uint32_t subpages) {
  CacheWork& w = io_->work(t);
  w.todo = static_cast<std::uint8_t>(subpages);
  w.have = io_->sectors_of(subpages);
  w.again = w.todo;
  t.source = t.ppn;
  for (; subpages != 0; subpages &= subpages - 1) {
    const LogicalSubpage l = io_->logical(t, lowest_bit(subpages)); // by where it was read, until now
    w.from[lowest_bit(subpages)] = map_->at(l.lpn, l.subpage);
  }
}

bool CachePlacement::unmap(std::uint32_t lpn, std::uint32_t subpages, TouchedPlanes& touched) {
  subpages &= map_->mapped(lpn);
  for (std::uint32_t left = subpages; left != 0; left &= left - 1)
    map_->unlink(lpn, lowest_bit(left), touched);
  return subpages != 0;
}

void CachePlacement::host_read(const SubpageIo::Run& run) {
  ++(blocks_->slc_mode(run.ppn) ? statistics_->cache.read_hits_cache : statistics_->cache.read_hits_native);
  if (config_.any_access) map_->accessed(run.ppn, ++clock_);
}

void CachePlacement::write_again(Transaction& t) {
  CacheWork& w = io_->work(t);
  const std::uint32_t failed = failed_at(t);
  w.todo = static_cast<std::uint8_t>(w.todo | failed);
  w.overtaken = static_cast<std::uint8_t>(w.overtaken | (w.written & ~failed));
  w.again = static_cast<std::uint8_t>(w.again | failed);
  const std::uint32_t newest = io_->sectors_of(w.todo);
  t.mask &= newest;
  t.lost &= newest;
  w.have &= newest;
}

void CachePlacement::note_replaced_losses(const Transaction& t, std::uint32_t lost) {
  CacheWork& w = io_->work(t);
  for (std::uint32_t left = w.written; left != 0; left &= left - 1) {
    Ppn& page = w.replaced[lowest_bit(left)];
    if (page == kNoPpn && (lost & io_->subpage_sectors(lowest_bit(left))) != 0) page = kErasedPpn;
  }
}

} // namespace twinplane::fw
