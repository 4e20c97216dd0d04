// Which partition a block serves, in a drive of two.
//
// Pages are read by their types. A block with a slow page that is written, or torn, was filled with all of its pages
// and is a cold one. A block that has more fast pages than stand before its first slow one in the order of its pages,
// and no slow one, was filled with its fast pages alone and is a hot one. Of others the cells do not tell: of those
// that are erased, or begun with no more than these few pages, which have the same place in either mode, or torn by an
// erase, which are victims without a valid page wherever they are.
//
// How many of them each region gets is for the policy to say (Regions::deal), but that one that has lost its space to
// the cut gets one first: where its collector cannot reach as many pages in begun blocks as the victim with the fewest
// valid ones needs. Before the cut it had that space, so it is among them. Erased blocks are dealt by their numbers,
// the lowest to the hot region, as at the first boot: so planes pair.
#include "firmware/ftl/features/partitions/two_regions.h"
#include "firmware/ftl/recovery/units.h"

namespace twinplane::fw {

namespace {

/// What is known of a region of a plane.
struct Side {
  std::uint32_t known = 0;    // blocks
  std::uint32_t begun = 0;    // of them
  std::uint32_t reach = 0;    // pages that the one of these with most has left
  std::uint32_t fewest = ~0u; // valid pages of a full block that has invalid ones
  std::uint32_t left = 0;     // blocks that it still gets
  /// It cannot collect with what it has, and a begun block of so many pages left.
  std::uint32_t lacks(std::uint32_t more = 0) const { return reach < fewest && more < fewest ? 1 : 0; }
};

class PartitionUnits final : public FoundUnits {
 public:
  using FoundUnits::FoundUnits;
  void reserve_for_metadata(std::uint32_t site, std::uint32_t block) override {
    if (blocks_.block(site, block).region != kCold) blocks_.change_region(site, block, kCold);
  }
  void versions_known(const FoundMap& map) override {
    for (std::uint32_t plane = 0; plane < blocks_.geometry().planes(); ++plane) deal_plane(plane);
    for (std::uint32_t lpn = 0; lpn < state_.exported_pages; ++lpn) {
      if (!is_page(map.page_of(lpn))) continue;
      state_.policy.regions->found(lpn, static_cast<std::uint32_t>(found_.age(map.stamp_of(lpn))));
    }
  }

 private:
  enum class Use : std::uint8_t { none, fast, all, either, torn, erased };
  Use use_of(std::uint32_t plane, std::uint32_t block) const {
    if (blocks_.block(plane, block).state != BlockState::free) return Use::none;
    const FoundBlock& f = found_.at(plane, block);
    if (f.written[0] == 0) return Use::erased;
    if (!f.stamped && f.pages() == blocks_.pages_per_block()) return Use::torn;
    if (f.written[1] != 0) return Use::all;
    return f.written[0] > fast_pages_before_first_slow_ ? Use::fast : Use::either;
  }
  void deal_plane(std::uint32_t plane) {
    const std::uint32_t blocks = blocks_.blocks_per_plane();
    Side side[2];
    std::uint32_t others = 0;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const Use use = use_of(plane, block);
      if (use == Use::none) continue;
      const bool known = use == Use::fast || use == Use::all;
      if (known) assign(plane, block, use == Use::fast ? kHot : kCold);
      known ? look_at(plane, block, side[use == Use::fast ? kHot : kCold]) : void(++others);
    }
    const std::uint32_t known[2] = {side[kHot].known, side[kCold].known};
    std::uint32_t hot = state_.policy.regions->deal(plane, known, others);
    if (hot < side[kHot].lacks() && others != 0) hot = 1;
    if (others - hot < side[kCold].lacks() && hot > side[kHot].lacks()) --hot;
    side[kHot].left = hot;
    side[kCold].left = others - hot;
    for (const Use next : {Use::either, Use::torn, Use::erased}) {
      for (std::uint32_t block = 0; block < blocks; ++block) {
        if (use_of(plane, block) == next) assign(plane, block, next_taker(plane, block, next, side));
      }
    }
  }
  /// A block that is begun goes where a frontier is wanting, best to a region that can collect then; others to
  /// the hot region first. A region that lacks space keeps a place for a block that has some.
  Region next_taker(std::uint32_t plane, std::uint32_t block, Use use, Side* side) const {
    const bool begun = use == Use::either;
    const std::uint32_t written = begun ? found_.at(plane, block).pages() : 0;
    const std::uint32_t frontiers = state_.config.frontier == Frontier::shared ? 1 : 2;
    const auto gains = [&](Region r) {
      return begun && side[r].begun < frontiers ? blocks_.region_pages(r) - written : 0;
    };
    const auto spare = [&](Region r) {
      return side[r].left > (use == Use::erased ? 0 : side[r].lacks(gains(r)));
    };
    const auto order = [&](Region r) {
      return side[r].lacks() > side[r].lacks(gains(r)) ? 0 : 1 + side[r].begun;
    };
    const Region first = !begun || order(kHot) < order(kCold) ? kHot : kCold;
    const Region second = first == kHot ? kCold : kHot;
    const Region to = spare(first) || (!spare(second) && side[first].left != 0) ? first : second;
    --side[to].left;
    if (gains(to) > side[to].reach) side[to].reach = gains(to);
    if (begun) ++side[to].begun;
    return to;
  }
  /// Of a block that is known to serve the region.
  void look_at(std::uint32_t plane, std::uint32_t block, Side& side) const {
    const BlockInfo& info = blocks_.block(plane, block);
    const std::uint32_t all = blocks_.region_pages(info.region);
    const std::uint32_t written = found_.at(plane, block).pages();
    ++side.known;
    if (written != all) {
      ++side.begun;
      if (all - written > side.reach) side.reach = all - written;
    } else if (info.valid != all && info.valid < side.fewest) {
      side.fewest = info.valid;
    }
  }
  const std::uint32_t fast_pages_before_first_slow_ = fast_pages_before_first_slow(blocks_);
};

} // namespace

FoundUnits* make_partition_units(BootMemory& memory, const RecoveryPart& part) {
  return memory.make<PartitionUnits>(memory, part);
}

} // namespace twinplane::fw
