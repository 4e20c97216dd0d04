// SlcCache: its tables once more, from the words of the pages that recovery reads.
//
// Of all words of a subpage the newest one says where it is (subpage_word.h). A page's words say how many of
// its slots and programs are used, and the level of its block; when its data were last accessed they do not
// say, so that its last program counts for it. Pages without a word cannot be read, are padding, or were
// filled in: they are used up, and nobody's.
//
// Which blocks the cache has is known from their numbers, as at the drive's first boot, unless its size moves
// or worn blocks are exchanged: then recovery looks for the mode of each (recovery/slc_cache.cpp).
#include <utility>

#include "firmware/ftl/slc_cache/slc_cache.h"

namespace twinplane::fw {

void SlcCache::begin_recovery(BootMemory& memory) {
  sequences_ = memory.zeroed<std::uint64_t>(std::size_t{exported_pages_} * map.subpages());
  for (std::uint32_t plane = 0; plane < blocks_->geometry().planes(); ++plane) {
    for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks_->block(plane, b);
      const bool first = exchanges_blocks(config_) && info.state != BlockState::bad;
      blocks_->read_in_slc_mode(plane, b, first || info.region == kCache);
    }
  }
}

SlcCache::FoundPage SlcCache::found(const Transaction& t) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(hal_->dram() + words_of(t));
  const StampOrder order = words_.order();
  FoundPage page;
  PageRecord record{0, 0, 0, 0, 0};
  std::uint64_t last = 0;
  for (std::uint32_t slot = 0; slot < map.subpages(); ++slot) {
    if (words[slot] == kNoWord) continue;
    const std::uint64_t sequence = words_.sequence(words[slot]);
    if (!page.any || order.newer(page.oldest, sequence)) page.oldest = sequence;
    if (!page.any || order.newer(sequence, page.newest)) page.newest = sequence;
    if (!page.any || sequence != last) ++record.programs; // slots of a program lie side by side
    last = sequence;
    ++record.used;
    page.any = true;
    const std::uint32_t own = own_number(words[slot]);
    if (own == 0) note_word(map.psn(t.ppn, slot), words[slot]);
    if (own != 0) page.own = own;
  }
  const bool native = !blocks_->slc_mode(t.ppn);
  if (page.any == native) record.used = static_cast<std::uint8_t>(map.subpages()); // but of padding
  if (!page.any) record.programs = kUsedUp;
  record.updated = scheme_->rewrites_in_place() && page.any && record.programs > 1 ? 1 : 0;
  record.stamp = static_cast<std::uint32_t>(page.newest);
  map.found(t.ppn, record);
  return page;
}

void SlcCache::note_word(Psn psn, std::uint64_t word) {
  const std::uint32_t number = words_.number(word);
  const std::uint32_t lpn = number / map.subpages();
  const std::uint32_t subpage = number % map.subpages();
  const bool newest =
      map.at(lpn, subpage) == kNoPsn || words_.order().newer(words_.sequence(word), sequences_[number]);
  map.found(psn, lpn, subpage, newest);
  if (newest) sequences_[number] = words_.sequence(word);
  const Ppn ppn = map.page_of(psn);
  map.reopen(blocks_->plane_of(ppn), blocks_->block_of(ppn), words_.level(word));
}

void SlcCache::reopen(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
  const bool cache = blocks_->block(plane, block).region == kCache;
  const std::uint32_t level = map.sums(plane, block).level;
  blocks_->read_in_slc_mode(plane, block, false);
  blocks_->open_in_region(plane, block);
  map.reopen(plane, block, !cache ? 0 : level == 0 ? kWork : level); // 0: none of its pages has a word
  for (std::uint32_t page = 0; page < pages; ++page) map.retake(blocks_->ppn(plane, block, page));
  blocks_->close_if_full(plane, block);
}

/// As in conventional.cpp: the collector goes on where most pages are left, so that it reaches at least what
/// it has reached before.
bool SlcCache::resume(std::uint32_t plane, std::uint32_t block, std::uint32_t pages) {
  const OpenBlock found{block, pages, 0};
  const std::uint32_t level = map.sums(plane, block).level;
  if (level != 0) {
    OpenBlock& o = open(plane, level);
    if (o.next != blocks_->region_pages(kCache)) return false;
    o = found;
    return true;
  }
  OpenBlock& host = native_host_[plane];
  OpenBlock& collector = native_collector_[plane];
  if (collector.next == blocks_->pages_per_block()) {
    collector = found;
    return true;
  }
  if (host.next != blocks_->pages_per_block()) return false;
  host = found;
  if (host.next < collector.next) std::swap(host, collector);
  return true;
}

/// Pages that nothing has been written to: nothing ever will be.
void SlcCache::give_up_rest(std::uint32_t plane, std::uint32_t block) {
  const BlockInfo& info = blocks_->block(plane, block);
  const std::uint32_t pages = blocks_->region_pages(info.region);
  for (std::uint32_t page = info.written; page < pages; ++page) {
    const Ppn ppn = blocks_->ppn(plane, block, page);
    map.found(ppn, PageRecord{0, 0, kUsedUp, 0, 0});
    map.retake(ppn);
  }
  blocks_->close_if_full(plane, block);
}

bool SlcCache::is_split(std::uint32_t lpn) const {
  const std::uint32_t native = config_.packed_eviction ? 0 : map.in_native(lpn);
  return native != 0 && run_of(lpn, native).subpages != native;
}

void SlcCache::recovered(std::uint64_t sequence) {
  clock_ = static_cast<std::uint32_t>(sequence);
  for (std::uint32_t plane = 0; plane < blocks_->geometry().planes(); ++plane) {
    for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
      if (blocks_->block(plane, b).state == BlockState::free) blocks_->read_in_slc_mode(plane, b, false);
    }
    if (scheme_->packs()) append_[plane] = page_to_append(plane);
  }
}

/// The page of the plane's cache that was written last, if it takes more.
Ppn SlcCache::page_to_append(std::uint32_t plane) const {
  Ppn last = kNoPpn;
  for (std::uint32_t b = 0; b < blocks_->blocks_per_plane(); ++b) {
    const BlockInfo& info = blocks_->block(plane, b);
    if (info.region != kCache || info.state == BlockState::free || info.state == BlockState::bad) continue;
    for (std::uint32_t page = 0; page < info.written; ++page) {
      const Ppn ppn = blocks_->ppn(plane, b, page);
      if (map.page(ppn).programs == kUsedUp) continue;
      const std::uint32_t age = clock_ - map.page(ppn).stamp; // modulo 2^32
      if (last == kNoPpn || age < clock_ - map.page(last).stamp) last = ppn;
    }
  }
  if (last == kNoPpn) return kNoPpn;
  const PageRecord& p = map.page(last);
  return p.used < map.subpages() && p.programs < config_.partial_programs ? last : kNoPpn;
}

} // namespace twinplane::fw
