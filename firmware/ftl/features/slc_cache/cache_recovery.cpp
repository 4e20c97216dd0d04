// What recovery has to find out of a drive with an SLC-mode cache besides the map: which blocks the cache has, and which
// page goes on being filled.
//
// Which blocks it has is known from their numbers, as at the drive's first boot, unless its size moves or worn blocks
// are exchanged. Cells that are read in the other mode give garbage. So a block's first page is read in SLC mode then,
// and if that brings neither a word nor good data the block is read as a native one; if all of its pages are unreadable
// in native mode as well, in SLC mode once more, to the end: pages may be torn in either mode. The first page that can
// be read tells. Erased cells are blank in both.
//
// Blocks that nothing tells of are erased, or have only torn pages: their erase was cut off, or all of their programs
// were. The cache gets as many of them as it lacks of its least size, torn ones before erased ones, and native blocks
// the rest: what they lack would be missing for good, while a cache that may be larger takes blocks as soon as it is
// short of pages. Torn ones are not written on, for a block has one mode.
#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {
namespace {

class CacheUnits final : public FoundUnits {
 public:
  CacheUnits(BootMemory& memory, const RecoveryPart& part) : FoundUnits(memory, part) {
    const bool exchanged = exchanges_blocks(cache_.config());
    for_each_block([&](std::uint32_t plane, std::uint32_t b) {
      const BlockInfo& info = blocks_.block(plane, b);
      const bool first = exchanged && info.state != BlockState::bad;
      blocks_.read_in_slc_mode(plane, b, first || info.region == kCache);
      if (exchanged) found_.at(plane, b).mode = ModeProbe::first;
    });
  }
  void words_known() override {
    for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) deal_plane(plane);
  }
  void recovered() override {
    for_each_block([&](std::uint32_t plane, std::uint32_t b) {
      if (blocks_.block(plane, b).state == BlockState::free) blocks_.read_in_slc_mode(plane, b, false);
    });
    for (std::uint32_t p = 0; cache_.scheme().appends() && p < blocks_.geometry().planes(); ++p)
      cache_.space.append_to(p, page_to_append(p));
  }

 private:
  template <typename Each>
  void for_each_block(const Each& each) const {
    for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) {
      for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) each(plane, b);
    }
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
        if (!is(b, false, torn)) continue;
        to_region(b, lacking != 0);
        if (blocks_.block(plane, b).region == kNative) count_as_native(plane, b);
      }
    }
  }
  /// Its torn pages have been counted in SLC mode.
  void count_as_native(std::uint32_t plane, std::uint32_t block) {
    FoundBlock& f = found_.at(plane, block);
    const std::uint32_t pages = f.pages();
    f.fill(kMaxPageTypes, 0);
    for (std::uint32_t page = 0; page < pages; ++page) ++f.written[blocks_.order().type(page)];
    blocks_.read_in_slc_mode(plane, block, false);
  }
  /// The page of the plane's cache that was written last, if it takes more.
  Ppn page_to_append(std::uint32_t plane) const {
    Ppn last = kNoPpn;
    for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
      const BlockInfo& info = blocks_.block(plane, b);
      if (info.region != kCache || info.state == BlockState::free || info.state == BlockState::bad) continue;
      for (std::uint32_t page = 0; page < info.written; ++page) {
        const Ppn ppn = blocks_.ppn(plane, b, page);
        if (map_.page(ppn).programs != kUsedUp && (last == kNoPpn || age(ppn) < age(last))) last = ppn;
      }
    }
    if (last == kNoPpn) return kNoPpn;
    const PageRecord& p = map_.page(last);
    return p.used < map_.units() && p.programs < cache_.config().partial_programs ? last : kNoPpn;
  }
  /// Modulo 2^32.
  std::uint32_t age(Ppn page) const { return state_.units->placement.clock() - map_.page(page).stamp; }

  SlcCache& cache_ = *state_.policy.cache;
  const UnitMap& map_ = state_.units->map;
};

} // namespace

FoundUnits* make_cache_units(BootMemory& memory, const RecoveryPart& part) {
  return memory.make<CacheUnits>(memory, part);
}

} // namespace twinplane::fw
