// SlcCache: subpages enter pages, and are counted.
#include "firmware/ftl/slc_cache/slc_cache.h"

#include <cstring>

namespace twinplane::fw {

/// Links what the page takes of the work: packed, or all of it.
SlcCache::Written SlcCache::link(CacheWork& w, std::uint32_t lpn, Ppn ppn, TouchedPlanes& touched) {
  const bool native = !blocks_->slc_mode(ppn);
  const std::uint32_t used = map.page(ppn).used;
  std::uint32_t room = map.subpages() - used;
  Written done{0, used, native && !config_.packed_eviction};
  for (std::uint32_t left = w.todo; left != 0 && room != 0; left &= left - 1, --room) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t slot = done.in_order ? s : used + bits_set(done.subpages);
    const LogicalSubpage l = logical(w, lpn, s);
    done.subpages |= 1u << s;
    const Psn old = map.at(l.lpn, l.subpage);
    const bool repeats = (w.again >> s & 1) != 0 && old == w.at[s]; // what it had replaced stays so
    if (!repeats) w.replaced[s] = old == kNoPsn ? kNoPpn : map.page_of(old);
    w.at[s] = map.psn(ppn, slot);
    map.link(l.lpn, l.subpage, w.at[s], touched);
  }
  const std::uint32_t slots = native ? map.subpages() : bits_set(done.subpages);
  w.cells = native ? low_mask(map.subpages() * sectors_per_subpage_)
                   : low_mask(slots * sectors_per_subpage_) << used * sectors_per_subpage_;
  w.written = static_cast<std::uint8_t>(done.subpages);
  w.todo = static_cast<std::uint8_t>(w.todo & ~done.subpages);
  w.again = static_cast<std::uint8_t>(w.again & ~done.subpages);
  if (used != 0) count_disturbed(ppn);
  if (used != 0 && scheme_->rewrites_in_place()) map.rewritten(ppn);
  map.programmed(ppn, slots);
  return done;
}

/// A page that is programmed once more: what is valid in it but for the slots being written, which come after
/// those used so far, and on both sides of it.
void SlcCache::count_disturbed(Ppn ppn) {
  CacheCounters& c = statistics_->cache;
  c.disturbed_in_page += bits_set(map.page(ppn).valid & low_mask(map.page(ppn).used));
  const std::uint32_t plane = blocks_->plane_of(ppn);
  const std::uint32_t block = blocks_->block_of(ppn);
  const std::uint32_t page = blocks_->page_of(ppn);
  if (page != 0) c.disturbed_neighbour += bits_set(map.page(blocks_->ppn(plane, block, page - 1)).valid);
  if (page + 1 != blocks_->region_pages(kCache))
    c.disturbed_neighbour += bits_set(map.page(blocks_->ppn(plane, block, page + 1)).valid);
}

/// A write of the host that goes to this page, before it does.
void SlcCache::count_host(const CacheWork& w, std::uint32_t lpn, Ppn ppn) {
  CacheCounters& c = statistics_->cache;
  const std::uint32_t level = map.sums(blocks_->plane_of(ppn), blocks_->block_of(ppn)).level;
  if (level == 0) ++c.native_host_pages;
  if (!w.first) return;
  if ((map.mapped(lpn) & w.todo) == 0) {
    ++c.new_writes;
    return;
  }
  ++c.updates[level];
  if (scheme_->rewrites_in_place() && map.page(ppn).programs != 0) ++c.in_page;
}

void SlcCache::place(Transaction& t, const PageSlot& slot, std::uint64_t sequence, TouchedPlanes& touched) {
  CacheWork& w = work(t);
  const Ppn ppn = t.ppn;
  const bool native = blocks_->block(t.plane, slot.block).region == kNative;
  if (t.traits->stream == Stream::relocation) {
    w.todo = static_cast<std::uint8_t>(current(t));
    const Ppn source = map.page_of(w.from[lowest_bit(std::uint32_t{w.todo})]);
    const std::uint32_t stamp = map.page(source).stamp;
    if (native && blocks_->slc_mode(t.home)) {
      ++statistics_->cache.evicted_pages;
      statistics_->cache.evicted_subpages += bits_set(w.packed ? w.todo : w.todo & ~map.in_native(t.lpn));
    }
    const Written done = link(w, t.lpn, ppn, touched);
    gather_image(t, done);
    store_words(words_of(t), ppn, sequence, done);
    map.accessed(ppn, stamp);
    return;
  }
  count_host(w, t.lpn, ppn);
  const Written done = link(w, t.lpn, ppn, touched);
  gather_image(t, done);
  store_words(words_of(t), ppn, sequence, done);
  map.accessed(ppn, ++clock_);
  w.first = false;
}

void SlcCache::place_losses(const Transaction& t, const LostSectors& lost) {
  CacheWork& w = work(t);
  w.lost = 0;
  for (std::uint32_t left = lost.any() ? w.written : 0; left != 0; left &= left - 1) {
    const LogicalSubpage l = logical(w, t.lpn, lowest_bit(left));
    const std::uint32_t sectors = lost.of(l.lpn) >> l.subpage * sectors_per_subpage_;
    const std::uint32_t slot = map.slot_of(map.at(l.lpn, l.subpage));
    w.lost |= (sectors & low_mask(sectors_per_subpage_)) << slot * sectors_per_subpage_;
  }
}

CacheWork SlcCache::whole_page() const {
  CacheWork w;
  w.todo = static_cast<std::uint8_t>(map.all());
  return w;
}

void SlcCache::place_untimed(CacheWork& w, std::uint32_t lpn, Ppn ppn, std::uint64_t sequence,
                             TouchedPlanes& touched) {
  count_host(w, lpn, ppn);
  store_words(untimed_words_, ppn, sequence, link(w, lpn, ppn, touched));
  map.accessed(ppn, ++clock_);
  w.first = false;
}

void SlcCache::arrange(const CacheWork& w, const std::uint8_t* payload, std::uint8_t* cells) const {
  const std::size_t bytes = std::size_t{sectors_per_subpage_} * payload_;
  std::uint32_t slot = lowest_bit(w.cells) / sectors_per_subpage_; // of a native page the first one, and all
  for (std::uint32_t left = w.written; left != 0; left &= left - 1, ++slot) {
    if (payload == nullptr) {
      std::memset(cells + slot * bytes, 0, bytes);
    } else {
      std::memcpy(cells + slot * bytes, payload + lowest_bit(left) * bytes, bytes);
    }
  }
}

/// Of the slots that have just been linked; none of the others.
void SlcCache::store_words(std::uint32_t to, Ppn ppn, std::uint64_t sequence, const Written& done) const {
  auto* const words = reinterpret_cast<std::uint64_t*>(hal_->dram() + to);
  for (std::uint32_t s = 0; s < map.subpages(); ++s) words[s] = kNoWord;
  const std::uint32_t level = map.sums(blocks_->plane_of(ppn), blocks_->block_of(ppn)).level;
  std::uint32_t slot = done.slot;
  for (std::uint32_t left = done.subpages; left != 0; left &= left - 1) {
    const std::uint32_t at = done.in_order ? lowest_bit(left) : slot++;
    const std::uint32_t number = map.owner_lpn(ppn, at) * map.subpages() + map.owner_subpage(ppn, at);
    words[at] = words_.word(sequence, level, number);
  }
}

/// The subpages in the order in which the page holds them.
void SlcCache::gather_image(const Transaction& t, const Written& done) {
  const std::uint32_t bytes = sectors_per_subpage_ * payload_;
  std::uint32_t slot = done.slot;
  for (std::uint32_t left = done.subpages; left != 0; left &= left - 1) {
    const std::uint32_t s = lowest_bit(left);
    const std::uint32_t at = done.in_order ? s : slot++;
    copy_sectors(*hal_, payload_, landing(t) + at * bytes, t.buffer + s * bytes,
                 low_mask(sectors_per_subpage_));
  }
}

} // namespace twinplane::fw
