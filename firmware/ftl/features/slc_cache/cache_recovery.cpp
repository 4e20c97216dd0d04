#include "firmware/ftl/features/slc_cache/cache_recovery.h"

namespace twinplane::fw {

void CacheRecovery::boot(const CacheContext& c, Units& units, CacheSpace& space) {
  CachePart::begin(c);
  io_ = &units.io;
  placement_ = &units.placement;
  space_ = &space;
}

void CacheRecovery::begin(BootMemory& memory) {
  sequences_ = memory.zeroed<std::uint64_t>(std::size_t{exported_pages_} * map_->units());
  for (std::uint32_t plane = 0; plane < blocks_->geometry().planes(); ++plane) {
    for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks_->block(plane, b);
      const bool first = exchanges_blocks(config_) && info.state != BlockState::bad;
      blocks_->read_in_slc_mode(plane, b, first || info.region == kCache);
    }
  }
}

CacheRecovery::FoundPage CacheRecovery::found(const Transaction& t) {
  const std::uint64_t* const words = io_->words_read(t);
  const StampOrder order = io_->words().order();
  FoundPage page;
  PageRecord record{0, 0, 0, 0, 0};
  std::uint64_t last = 0;
  for (std::uint32_t slot = 0; slot < map_->units(); ++slot) {
    if (words[slot] == kNoWord) continue;
    const std::uint64_t sequence = io_->words().sequence(words[slot]);
    if (!page.any || order.newer(page.oldest, sequence)) page.oldest = sequence;
    if (!page.any || order.newer(sequence, page.newest)) page.newest = sequence;
    if (!page.any || sequence != last) ++record.programs; // slots of a program lie side by side
    last = sequence;
    ++record.used;
    page.any = true;
    const std::uint32_t own = io_->own_number(words[slot]);
    if (own == 0) note_word(map_->pun(t.ppn, slot), words[slot]);
    if (own != 0) page.own = own;
  }
  const bool native = !blocks_->slc_mode(t.ppn);
  if (page.any == native) record.used = map_->units() & 0x7F; // but of padding
  if (!page.any) record.programs = kUsedUp;
  record.updated = scheme_->rewrites_in_place() && page.any && record.programs > 1 ? 1 : 0;
  record.stamp = static_cast<std::uint32_t>(page.newest);
  map_->found(t.ppn, record);
  return page;
}

void CacheRecovery::note_word(Pun pun, std::uint64_t word) {
  const std::uint32_t number = io_->words().number(word);
  const std::uint32_t lpn = number / map_->units();
  const std::uint32_t subpage = number % map_->units();
  const bool newest = map_->at(lpn, subpage) == kNoPun ||
                      io_->words().order().newer(io_->words().sequence(word), sequences_[number]);
  map_->found(pun, lpn, subpage, newest);
  if (newest) sequences_[number] = io_->words().sequence(word);
  const Ppn ppn = map_->page_of(pun);
  map_->reopen(blocks_->plane_of(ppn), blocks_->block_of(ppn), io_->words().level(word));
}

void CacheRecovery::reopen(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
  const bool cache = blocks_->block(plane, block).region == kCache;
  const std::uint32_t level = map_->sums(plane, block).level;
  blocks_->read_in_slc_mode(plane, block, false);
  blocks_->open_unit(plane, block);
  map_->reopen(plane, block, !cache ? 0 : level == 0 ? kWork : level); // 0: none of its pages has a word
  for (std::uint32_t page = 0; page < pages; ++page) map_->retake(blocks_->ppn(plane, block, page));
  blocks_->close_if_full(plane, block);
}

void CacheRecovery::give_up_rest(std::uint32_t plane, std::uint32_t block) {
  const BlockInfo& info = blocks_->block(plane, block);
  const std::uint32_t pages = blocks_->region_pages(info.region);
  for (std::uint32_t page = info.written; page < pages; ++page) {
    const Ppn ppn = blocks_->ppn(plane, block, page);
    map_->found(ppn, PageRecord{0, 0, 0, kUsedUp, 0});
    map_->retake(ppn);
  }
  blocks_->close_if_full(plane, block);
}

bool CacheRecovery::is_split(std::uint32_t lpn) const {
  const std::uint32_t native = config_.packed_eviction ? 0 : map_->in_native(lpn);
  return native != 0 && io_->run_of(lpn, native).units != native;
}

void CacheRecovery::recovered(std::uint64_t sequence) {
  placement_->set_clock(static_cast<std::uint32_t>(sequence));
  for (std::uint32_t plane = 0; plane < blocks_->geometry().planes(); ++plane) {
    for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
      if (blocks_->block(plane, b).state == BlockState::free) blocks_->read_in_slc_mode(plane, b, false);
    }
    if (scheme_->packs()) space_->append_to(plane, page_to_append(plane));
  }
}

/// The page of the plane's cache that was written last, if it takes more.
Ppn CacheRecovery::page_to_append(std::uint32_t plane) const {
  Ppn last = kNoPpn;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    const BlockInfo& info = blocks_->block(plane, b);
    if (info.region != kCache || info.state == BlockState::free || info.state == BlockState::bad) continue;
    for (std::uint32_t page = 0; page < info.written; ++page) {
      const Ppn ppn = blocks_->ppn(plane, b, page);
      if (map_->page(ppn).programs == kUsedUp) continue;
      const std::uint32_t age = placement_->clock() - map_->page(ppn).stamp; // modulo 2^32
      if (last == kNoPpn || age < placement_->clock() - map_->page(last).stamp) last = ppn;
    }
  }
  if (last == kNoPpn) return kNoPpn;
  const PageRecord& p = map_->page(last);
  return p.used < map_->units() && p.programs < config_.partial_programs ? last : kNoPpn;
}

} // namespace twinplane::fw
