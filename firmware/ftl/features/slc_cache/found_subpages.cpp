// A drive with an SLC-mode cache: pages have a word for each subpage, and the cache makes its tables of them
// (features/slc_cache/cache_recovery.h). Where the cache changes its size or exchanges worn blocks numbers do
// not tell in which mode a block was written.
//
// Cells that are read in the other mode give garbage. So a block's first page is read in SLC mode, and if that brings
// neither a word nor good data the block is read as a native one; if all of its pages are unreadable in native mode as
// well, in SLC mode once more, to the end: pages may be torn in either mode. The first page that can be read tells.
// Erased cells are blank in both.
//
// Blocks that nothing tells of are erased, or have only torn pages: their erase was cut off, or all of their programs
// were. The cache gets as many of them as it lacks of its least size, torn ones before erased ones, and native blocks
// the rest: what they lack would be missing for good, while a cache that may be larger takes blocks as soon as it is
// short of pages. Torn ones are not written on, for a block has one mode.
#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {
namespace {

class FoundSubpages final : public FoundMap {
 public:
  FoundSubpages(BootMemory& memory, const RecoveryPart& part, Journal& journal)
      : FoundMap(part, journal), cache_(*state_.policy.cache), units_(*state_.units), map_(units_.map) {
    cache_.recovery.begin(memory);
    if (memory.exhausted() || !exchanges_blocks(state_.config.slc_cache)) return;
    for (FoundBlock& f : found_) f.mode = ModeProbe::first;
  }
  void begin_read(Transaction& t) override { units_.io.begin_read(t); }
  /// Padding has no word, although it can be read.
  void take_page(const Transaction& t, const FlashCompletion& c) override {
    FoundBlock& f = found_.at(t.ppn);
    const bool unreadable = (c.result & flash_result::uncorrectable) != 0;
    const CacheRecovery::FoundPage page = cache_.recovery.found(t);
    if (page.any || !unreadable) f.mode = ModeProbe::told;
    if (page.own != 0) f.copy = static_cast<std::uint8_t>((page.own - 1) % kJournalCopies + 1);
    if (page.any) {
      take_marks(t.ppn, c.failed_sectors);
      found_.note_stamp(f, page.oldest);
      found_.note_stamp(f, page.newest);
    } else if (unreadable) {
      note_torn(t.ppn, true);
    }
  }
  /// Garbage has counted as used up.
  void read_again(std::uint32_t plane, std::uint32_t block, bool slc) override {
    for (std::uint32_t page = 0; page < blocks_.pages_per_block(); ++page)
      map_.found(blocks_.ppn(plane, block, page), PageRecord{0, 0, 0, 0, 0});
    blocks_.read_in_slc_mode(plane, block, slc);
  }
  Place locate(std::uint32_t item) const override {
    const std::uint32_t lpn = item / map_.units();
    const Pun at = map_.at(lpn, item % map_.units());
    return {lpn, at == kNoPun ? kNoPpn : map_.page_of(at)};
  }
  std::uint64_t stamp_of(std::uint32_t item) const override { return cache_.recovery.sequence_of(item); }
  void forget(std::uint32_t item) override { map_.forget(item / map_.units(), item % map_.units()); }
  /// A logical page has one native page, or there would not be room for all of them.
  std::uint32_t next_to_rescue(std::size_t& at) const override {
    while (at < state_.exported_pages) {
      const auto lpn = static_cast<std::uint32_t>(at++);
      if (cache_.recovery.is_split(lpn)) return lpn;
    }
    return kNoLpn;
  }

 private:
  /// Of the subpages whose newest version is in the page.
  void take_marks(Ppn page, std::uint32_t lost) const {
    if (lost == 0 && !state_.lost.any()) return;
    const std::uint32_t sectors = units_.io.sectors_per_unit();
    for (std::uint32_t slot = 0; slot < map_.page(page).used; ++slot) {
      const std::uint32_t lpn = map_.owner_lpn(page, slot);
      const std::uint32_t subpage = map_.owner_unit(page, slot);
      if (map_.at(lpn, subpage) != map_.pun(page, slot)) continue;
      set_losses(lpn * map_.units() + subpage, lost >> slot * sectors & low_mask(sectors));
    }
  }
  SlcCache& cache_;
  Units& units_;
  UnitMap& map_;
};

class CacheUnits final : public FoundUnits {
 public:
  using FoundUnits::FoundUnits;
  void words_known() override {
    for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) deal_plane(plane);
  }
  void recovered() override { cache_.recovery.recovered(found_.newest()); }

 private:
  void reopen(std::uint32_t plane, std::uint32_t block) override {
    cache_.recovery.reopen(plane, block, found_.pages_of(plane, block));
  }
  void give_up_rest(std::uint32_t plane, std::uint32_t block) override {
    cache_.recovery.give_up_rest(plane, block);
  }
  void deal_plane(std::uint32_t plane) {
    std::uint32_t lacking = cache_.space.extent().least(plane);
    const auto to_region = [&](std::uint32_t block, bool cache) {
      assign(plane, block, cache ? kCache : kNative);
      if (cache && lacking != 0) --lacking;
    };
    const auto is = [&](std::uint32_t block, bool told, bool written) {
      const FoundBlock& f = found_.at(plane, block);
      return blocks_.block(plane, block).state == BlockState::free && (f.mode == ModeProbe::told) == told &&
             (f.pages() != 0) == written;
    };
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      if (!is(b, true, true)) continue;
      const bool slc = blocks_.block(plane, b).slc_mode != 0;
      to_region(b, slc);
      blocks_.read_in_slc_mode(plane, b, slc); // its pages, of metadata perhaps, are there yet
    }
    for (const bool torn : {true, false}) {
      for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
        if (is(b, false, torn)) to_region(b, lacking != 0);
      }
    }
  }
  SlcCache& cache_ = *state_.policy.cache;
};

} // namespace

FoundMap* make_found_subpages(BootMemory& memory, const RecoveryPart& part, Journal& journal) {
  return memory.make<FoundSubpages>(memory, part, journal);
}

FoundUnits* make_cache_units(BootMemory& memory, const RecoveryPart& part) {
  return memory.make<CacheUnits>(memory, part);
}

} // namespace twinplane::fw
