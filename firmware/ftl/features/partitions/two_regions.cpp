#include "firmware/ftl/features/partitions/two_regions.h"

#include "firmware/ftl/media/write_stream.h"

namespace twinplane::fw {

namespace {

/// The hot region's pages at boot, in the whole drive.
std::uint64_t hot_pages(const BlockTable& blocks) {
  std::uint64_t pages = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p)
    pages += std::uint64_t{blocks.domain(blocks.domain_of(p, kHot)).blocks} * blocks.region_pages(kHot);
  return pages;
}

std::uint32_t kept_pages(const RegionContext& c, Region region) {
  return 2 * c.blocks.region_pages(region) + padded_reserve_pages(c.config, c.blocks.padding(region));
}

class Combo final : public TwoRegions {
 public:
  using TwoRegions::TwoRegions;
};

} // namespace

TwoRegions::TwoRegions(const RegionContext& c)
    : blocks_(c.blocks),
      statistics_(c.statistics),
      config_(c.config.region),
      threshold_(c.config.gc_threshold_blocks),
      hot_writes_(c.config.region.hot_share),
      exported_pages_(c.exported_pages),
      kept_{kept_pages(c, kHot), kept_pages(c, kCold)},
      too_old_(static_cast<std::uint64_t>(config_.cold_age * static_cast<double>(hot_pages(c.blocks)))),
      hot_at_boot_(c.memory.zeroed<std::uint32_t>(c.blocks.geometry().planes())),
      across_(c.memory.zeroed<std::uint8_t>(c.blocks.geometry().planes())) {
  if (config_.cold_age > 0 && too_old_ == 0) too_old_ = 1;
  for (std::uint32_t p = 0; hot_at_boot_ != nullptr && p < c.blocks.geometry().planes(); ++p)
    hot_at_boot_[p] = domain(p, kHot).blocks;
  if (too_old_ != 0) written_ = c.memory.zeroed<std::uint32_t>(c.exported_pages);
}

bool TwoRegions::nearly_full(std::uint32_t plane, Region region) const {
  const PlaneInfo& d = domain(plane, region);
  const std::uint32_t used = beyond(d.serving() * blocks_.guaranteed_pages_per_block(region), kept_[region]);
  return d.valid + used / 64 + 1 >= used;
}

Region TwoRegions::for_host(std::uint32_t plane, PageHint hint) const {
  const Region wanted = of_hint(hint);
  return nearly_full(plane, wanted) && !nearly_full(plane, other(wanted)) ? other(wanted) : wanted;
}

void TwoRegions::serialise(StateVisitor& state) {
  state.value(hot_writes_);
  state.value(misplaced_);
  state.value(now_);
  state.table(across_, blocks_.geometry().planes());
  if (written_ != nullptr) state.table(written_, exported_pages_);
}

PageHint TwoRegions::for_moved(std::uint32_t plane, Region from, std::uint32_t lpn) {
  const PageHint cold = kHotHint + 1;
  if (across_[plane] != 0) return from == kHot ? cold : kHotHint;
  if (from == kCold) return cold;
  if (written_ == nullptr || lpn >= exported_pages_ || now_ - written_[lpn] <= too_old_) return kHotHint;
  ++statistics_.misplaced_pages;
  misplaced_ += 1.0 / config_.window;
  return cold;
}

/// Only where the cold region has room: a victim without invalid pages gains nothing if they stay.
bool TwoRegions::take_misplaced(Shortage& s) const {
  if (s.region != kHot || too_old_ == 0 || !has_spare(s.plane, kCold) || nearly_full(s.plane, kCold))
    return false;
  const std::uint32_t hot = blocks_.domain_of(s.plane, kHot);
  std::uint32_t age = 0;
  std::uint32_t oldest = kNoBlock;
  for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
    if (blocks_.block(s.plane, b).state != BlockState::closed || !blocks_.is_member(hot, b)) continue;
    const std::uint32_t since = blocks_.clock() - blocks_.block(s.plane, b).closed_at;
    if (oldest != kNoBlock && since <= age) continue;
    oldest = b;
    age = since;
  }
  if (oldest == kNoBlock || age <= too_old_) return false;
  s.victim = oldest;
  return true;
}

Step TwoRegions::plan_reclaim(Shortage& shortage) {
  if (take_misplaced(shortage)) return Step::collect;
  return shortage.victim == kNoBlock ? Step::none : Step::collect;
}

void TwoRegions::begun(std::uint32_t plane, Region /*region*/, std::uint32_t /*victim*/, bool across) {
  across_[plane] = across ? 1 : 0;
}

/// Averages over the last `window` pages, more or less: older ones fade.
void TwoRegions::host_page(PageHint hint, std::uint32_t lpn) {
  const bool hot = of_hint(hint) == kHot;
  ++now_;
  if (written_ != nullptr) written_[lpn] = now_;
  hot_writes_ += ((hot ? 1.0 : 0.0) - hot_writes_) / config_.window;
  if (hot) misplaced_ -= misplaced_ / config_.window;
  statistics_.hot_writes = hot_writes_;
}

/// What the maker has marked is on no list of hot blocks.
std::uint32_t TwoRegions::hot_at_boot(std::uint32_t plane) const {
  std::uint32_t bad = 0;
  for (std::uint32_t b = 0; b < blocks_.blocks_per_plane(); ++b) {
    const BlockInfo& info = blocks_.block(plane, b);
    bad += info.state == BlockState::bad && info.region == kHot ? 1 : 0;
  }
  return hot_at_boot_[plane] > bad ? hot_at_boot_[plane] - bad : 0;
}

/// The border stays where it was.
std::uint32_t TwoRegions::deal(std::uint32_t plane, const std::uint32_t* known, std::uint32_t others) const {
  const std::uint32_t wanted = hot_at_boot(plane);
  if (known[kHot] >= wanted) return 0;
  return wanted - known[kHot] < others ? wanted - known[kHot] : others;
}

/// Modulo 2^32, as the numbers are.
void TwoRegions::found(std::uint32_t lpn, std::uint32_t programs) {
  if (written_ != nullptr) written_[lpn] = now_ - programs;
}

std::uint32_t hot_blocks_at_boot(const FtlConfig& config, std::uint32_t good_blocks) {
  const RegionConfig& r = config.region;
  const auto bits = static_cast<double>(config.geometry.cell);
  const double share = r.share_of_capacity ? blocks_of_capacity(r.hot_share, bits) : r.hot_share;
  const std::uint32_t fewest = fewest_region_blocks(config);
  if (good_blocks < 2 * fewest) return good_blocks / 2;
  const auto wanted = static_cast<std::uint32_t>(share * good_blocks + 0.5);
  if (wanted < fewest) return fewest;
  return wanted > good_blocks - fewest ? good_blocks - fewest : wanted;
}

Regions* make_combo_regions(const RegionContext& c) {
  return c.memory.make<Combo>(c);
}

} // namespace twinplane::fw
