// Frontiers, space and victims of an SLC-mode cache and of its native blocks.
//
// Why a plane cannot deadlock. What leaves a block of the cache finds a page whatever happens: a block is
// collected only when native blocks have as many pages to spare as could be evicted from it, beyond the block
// that their own collection must find (media/write_stream.h); while it is collected neither host nor anything else
// gets those. Moves inside the cache take pages of it while it has some, and native ones else. So the cache
// itself needs no reserve. Native blocks obey the rule of conventional allocation; they hold one page per
// logical page at most, and capacity is theirs alone.
//
// Where native pages are programmed by whole wordlines, in one pass, whatever goes to native blocks of a plane waits
// until there are as many pages as a wordline has (wordline_moves.cpp); at the end of a block's collection the wordline
// is completed with pages of padding, which are invalid from the beginning. So a collection takes its pages rounded
// up to wordlines, and a native block is worth collecting when it gains a wordline. Native blocks are counted one
// wordline short (guaranteed_pages_per_block), so that of the closed ones there is always one like that. Host pages
// that find no place in the cache take a wordline together, as many as there are.
#pragma once

#include "firmware/ftl/features/slc_cache/cache_extent.h"
#include "firmware/ftl/features/slc_cache/cache_part.h"

namespace twinplane::fw {

class CacheSpace : public CachePart {
 public:
  void boot(BootMemory& memory, const CacheContext& c, const FtlConfig& config);
  void serialise_frontiers(StateVisitor& state);
  [[nodiscard]] bool frontiers_hold(std::uint32_t plane) const;

  // --- pages to hand out ---
  /// Names the page for a write or move of this level, or of the next one down where the cache has no page
  /// for it; false: it has none at all.
  [[nodiscard]] bool next_page(std::uint32_t plane, std::uint32_t level, PageSlot& slot);
  [[nodiscard]] bool next_native(std::uint32_t plane, Stream stream, PageSlot& slot);
  /// That page was handed out.
  void handed_out(const Placement& where, const PageSlot& slot);
  /// Nothing more goes to that page.
  void stop_appending(Ppn ppn);
  /// Pages that the wordline lacks in which the host's native frontier stands; 0: it has begun none.
  std::uint32_t left_of_pass(std::uint32_t plane) const {
    return native_.host.left_of_pass(native_domain(plane));
  }

  // --- space ---
  /// The plane's cache has fewer pages to hand out than the threshold, or no erased block.
  bool short_of_pages(std::uint32_t plane) const;
  /// What finds no place in the cache goes to native blocks, so that no page waits for collections of the cache.
  bool goes_past(std::uint32_t plane, std::uint32_t reclaiming) const {
    return config_.direct_when_full && native_for_host(plane, reclaiming);
  }
  /// Native pages beyond those that the collection under way, or the next one, must find.
  std::uint32_t native_spare(std::uint32_t plane, std::uint32_t reclaiming) const;
  /// Blocks are collected, or no longer: the host may take what has been kept for that.
  bool collects() const { return native_.keeps(); }
  void end_collection() { native_.keep_nothing(); }
  /// The host may take a native page.
  bool native_for_host(std::uint32_t plane, std::uint32_t reclaiming) const;
  /// A block of the plane's cache can be collected, perhaps after some of its native blocks.
  bool can_evict(std::uint32_t plane) const;
  /// The plane's cache is larger than its data leave room for, and can be made smaller now.
  bool can_shrink(std::uint32_t plane) const;
  /// How many blocks it has.
  const CacheExtent& extent() const { return extent_; }
  /// Blocks that the cache can do without, of the whole drive, and when it is smallest.
  std::uint32_t spare_blocks() const;
  /// The plane has an erased one of these.
  bool can_give_block(std::uint32_t plane) const;
  /// So many of these, spare_blocks() at most, are given away or erased: the planes keep equal numbers, or what they have.
  void keep_to_give(std::uint32_t blocks);

  // --- victims ---
  /// Native pages that collecting the block may take.
  std::uint32_t most_evicted(std::uint32_t plane, std::uint32_t block) const;
  /// What emptying that native block costs, to be compared with most_evicted(): pages, or units where pages of the cache
  /// are packed as well.
  std::uint32_t moved_from(std::uint32_t plane, std::uint32_t block) const {
    const std::uint32_t per_page = scheme_->packs() ? 1 : data_per_page();
    return (valid_data(plane, block) + per_page - 1) / per_page;
  }
  /// The closed block of the cache that is collected next, kNoBlock when there is none; `clock`: accesses by the
  /// host.
  std::uint32_t select(std::uint32_t plane, std::uint32_t clock);
  void collecting(std::uint32_t plane, std::uint32_t block);
  /// Native blocks are not worth collecting for the sake of a single page: gains_by() says which are.
  bool picks_native() const { return map_->packs() || pass_ != 1; }
  /// Native blocks have room for all that the native block holds.
  bool can_move_all(std::uint32_t plane, std::uint32_t block) const {
    return native_.reach(native_domain(plane)) >= most_moved(plane, block) + native_.torn(kNative) * pass_;
  }
  /// A native block of the plane can be collected.
  bool native_collectable(std::uint32_t plane) const;
  /// Collecting the closed native block gains a page, or a wordline where these are programmed as a whole.
  bool gains_by(std::uint32_t plane, std::uint32_t block) const {
    return valid_data(plane, block) <= (blocks_->pages_per_block() - pass_) * data_per_page();
  }
  /// Of those that gain something, the one with the fewest valid data, the lowest number among equals; kNoBlock when
  /// there is none.
  std::uint32_t native_victim(std::uint32_t plane) const;

  // --- recovery ---
  /// The block, written that far, goes on there. False: it does not, as others are open already.
  [[nodiscard]] bool resume(std::uint32_t plane, std::uint32_t block, std::uint32_t pages);
  /// The page that is not full yet goes on being filled, in a scheme that appends.
  void append_to(std::uint32_t plane, Ppn ppn) { append_[plane] = ppn; }

 private:
  bool next_of(WriteStream& stream, std::uint32_t plane, std::uint32_t level, PageSlot& slot);
  std::uint32_t cache_domain(std::uint32_t plane) const { return blocks_->domain_of(plane, kCache); }
  std::uint32_t native_domain(std::uint32_t plane) const { return blocks_->domain_of(plane, kNative); }
  std::uint32_t open_blocks(std::uint32_t plane) const;
  std::uint32_t spare_blocks_of(std::uint32_t plane) const;
  std::uint32_t erased_to_fill(std::uint32_t plane) const;
  /// Pages, or units where eviction is packed.
  std::uint32_t valid_data(std::uint32_t plane, std::uint32_t block) const {
    return map_->packs() ? map_->sums(plane, block).valid : blocks_->block(plane, block).valid;
  }
  std::uint32_t data_per_page() const { return map_->packs() ? map_->units() : 1; }
  std::uint32_t whole_wordlines(std::uint32_t pages) const { return (pages + pass_ - 1) / pass_ * pass_; }
  std::uint32_t room_for_evicted(std::uint32_t pages) const;
  std::uint32_t most_moved(std::uint32_t plane, std::uint32_t block) const;
  bool closed_before(std::uint32_t plane, std::uint32_t a, std::uint32_t b) const;

  CacheExtent extent_;
  std::uint32_t pass_ = 1;           // native pages of a pass
  std::uint32_t kept_to_give_ = 0;   // blocks of each plane, as far as it can do without
  WriteStream levels_[kCacheLevels]; // of the cache, for the host and for moves
  StreamPair native_;
  Ppn* append_ = nullptr; // by plane: the page that is not full yet, of a scheme that appends
};

} // namespace twinplane::fw
