// ComboFTL's hot region: two circular logs (Im and Shin, "ComboFTL: Improving performance and lifespan of MLC
// flash memory using SLC flash buffer", JSA 56(12), 2010).
//
// Hot writes go to the hot log. When the region is short of space, the oldest block of one log, its tail, is
// recycled: what is still valid in the hot log's tail goes to the cold log, and of the cold log's tail each
// page gets another chance at the log's head, `ftl.second_chances` times, and then goes to the cold region.
// The log that has more than its share of the blocks is the one (`ftl.cold_log`); a page that the host writes
// again starts in the hot log with all its chances.
//
// Both logs are frontiers of one region: the host fills the blocks of the hot log, the collector those of the
// cold one, so they need frontiers of their own (ftl.frontier = separate). Chances are counted by logical
// page, a byte each.
//
// Recycling a tail gains nothing where all of it is valid, but it cannot go on for ever: pages change from
// the hot log to the cold one, their chances run out, and then they leave. That needs room in the cold
// region; while it has none the block with the fewest valid pages is collected, as in combo.
#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/features/partitions/two_regions.h"

namespace twinplane::fw {

namespace {

class ComboLogs final : public TwoRegions {
 public:
  explicit ComboLogs(const RegionContext& c)
      : TwoRegions(c),
        blocks_per_plane_(c.blocks.blocks_per_plane()),
        of_collector_(c.memory.zeroed<std::uint8_t>(c.blocks.geometry().blocks())),
        from_cold_log_(c.memory.zeroed<std::uint8_t>(c.blocks.geometry().planes())),
        used_chances_(c.memory.zeroed<std::uint8_t>(c.exported_pages)) {}

  void opened(std::uint32_t plane, std::uint32_t block, bool by_collector) override {
    of_collector_[plane * blocks_per_plane_ + block] = by_collector ? 1 : 0;
  }

  /// Tails may be recycled, even if all of their pages are valid: they go on.
  bool can_rebalance(std::uint32_t plane, Region region) const override {
    return region == kHot && has_spare(plane, kCold) && !nearly_full(plane, kCold) &&
           (tail_of(plane, false) != kNoBlock || tail_of(plane, true) != kNoBlock);
  }

  Step plan_reclaim(Shortage& s) override {
    if (!can_rebalance(s.plane, s.region)) return TwoRegions::plan_reclaim(s);
    if (take_misplaced(s)) return Step::collect;
    const bool cold_log = recycles_cold_log(s.plane);
    s.victim = tail_of(s.plane, cold_log);
    return cold_log ? Step::across : Step::collect;
  }

  void begun(std::uint32_t plane, Region region, std::uint32_t victim, bool /*across*/) override {
    TwoRegions::begun(plane, region, victim, false); // pages leave one by one, by their chances
    from_cold_log_[plane] = of_collector_[plane * blocks_per_plane_ + victim];
  }

  PageHint for_moved(std::uint32_t plane, Region from, std::uint32_t lpn) override {
    const PageHint hint = TwoRegions::for_moved(plane, from, lpn);
    if (hint != kHotHint || lpn >= exported_pages_) return hint;
    if (from_cold_log_[plane] == 0) {
      used_chances_[lpn] = 0;
    } else if (used_chances_[lpn] >= config_.second_chances) {
      return kHotHint + 1;
    } else {
      ++used_chances_[lpn];
    }
    return kHotHint;
  }

  void serialise(StateVisitor& state) override {
    TwoRegions::serialise(state);
    state.table(of_collector_, blocks_.geometry().blocks());
    state.table(from_cold_log_, blocks_.geometry().planes());
    state.table(used_chances_, exported_pages_);
  }

 private:
  bool in_log(std::uint32_t plane, std::uint32_t block, bool cold_log) const {
    return blocks_.is_member(blocks_.domain_of(plane, kHot), block) &&
           blocks_.block(plane, block).state == BlockState::closed &&
           (of_collector_[plane * blocks_per_plane_ + block] != 0) == cold_log;
  }

  bool recycles_cold_log(std::uint32_t plane) const {
    double closed[2] = {0, 0};
    for (std::uint32_t b = 0; b < blocks_per_plane_; ++b) {
      for (const bool cold_log : {false, true})
        closed[cold_log ? 1 : 0] += in_log(plane, b, cold_log) ? 1 : 0;
    }
    return closed[1] * (1.0 - config_.cold_log) > closed[0] * config_.cold_log;
  }

  /// Its oldest full block; kNoBlock when it has none.
  std::uint32_t tail_of(std::uint32_t plane, bool cold_log) const {
    std::uint32_t tail = kNoBlock;
    std::uint32_t age = 0;
    for (std::uint32_t b = 0; b < blocks_per_plane_; ++b) {
      if (!in_log(plane, b, cold_log)) continue;
      const std::uint32_t since = blocks_.clock() - blocks_.block(plane, b).closed_at;
      if (tail != kNoBlock && since <= age) continue;
      tail = b;
      age = since;
    }
    return tail;
  }

  std::uint32_t blocks_per_plane_;
  std::uint8_t* of_collector_;  // by plane and block: the collector has opened it
  std::uint8_t* from_cold_log_; // by plane: the victim is
  std::uint8_t* used_chances_;  // by logical page
};

} // namespace

Regions* make_combo_logs(const RegionContext& c) {
  return c.memory.make<ComboLogs>(c);
}

} // namespace twinplane::fw
