// BROMS: the border between the regions moves one erased block at a time, as predicted cost says (section 2
// of the digest of "How Many MLCs Should Impersonate SLCs to Optimize SSD Performance?").
//
// When a region of a plane is short of space, three things are compared by what a page write would cost after
// them (partition/write_cost.h):
//   collect  a victim of its own, as always: nothing changes
//   grab     an erased block of the other region: its capacity grows, the other's shrinks
//   across   its victim's pages go to the other region: utilisations change
// The first stays unless one of the others costs less by `broms.hysteresis`, relative.
//
// What keeps the border honest
//  * A region gives blocks only while it keeps threshold + 2 of them, its data fit into what is left
//    (equation 12), and the drive keeps its exported capacity: a block that becomes hot loses its slow pages.
//  * The capacity includes the blocks that metadata may need, where the drive keeps some.
//  * It gives a block only while `threshold` of its blocks are erased, so that its own collection has what it
//    needs. When it has fewer, one victim of it is collected first, and everything is asked again: one
//    collection at a time. The region that is short does not wait for that when it has one erased block or
//    none; it collects a victim of its own.
//  * Pages leave their region only where it could grow, too, and pay for their move: else both regions push
//    their pages to and fro. They come back with their next write, so what a move gains lasts that long, and
//    the host's pages of that time pay for it: the region's data over its share of the writes, or
//    `broms.horizon` pages.
//
// Inputs: theta as an average over the last `broms.window` pages written, utilisations and capacities of the
// plane, victims by equation 6, or fitted to those measured (`broms.victim_model`): data that are never
// written lie still in full blocks, and what is collected is as empty as a smaller region's would be. How
// much lies still follows from the mean of the last victims, and then stays as it is while the region
// changes.
#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/features/partitions/two_regions.h"

namespace twinplane::fw {

namespace {

constexpr double kVictimMemory = 32; // collections that the mean of victims remembers, more or less

class Broms final : public TwoRegions {
 public:
  explicit Broms(const RegionContext& c) : TwoRegions(c) {
    const Geometry& g = c.config.geometry;
    const std::uint32_t share = (c.exported_pages + g.planes() - 1) / g.planes();
    hot_loses_ = beyond(blocks_.guaranteed_pages_per_block(kCold), blocks_.region_pages(kHot));
    keep_ = share + kept_[kHot] + kept_[kCold] + 2;
    const std::uint64_t set_aside =
        spare_blocks_of_features(c.config, blocks_, c.exported_pages, c.statistics.spare_blocks_at_boot);
    keep_ += static_cast<std::uint32_t>((set_aside + g.planes() - 1) / g.planes()) *
             blocks_.guaranteed_pages_per_block(kCold);
    fewest_ = fewest_region_blocks(c.config);
  }

  bool can_rebalance(std::uint32_t plane, Region region) const override {
    return may_grow(plane, region) && has_spare(plane, other(region));
  }

  Step plan_reclaim(Shortage& s) override {
    if (take_misplaced(s)) return Step::collect;
    const bool grows = may_grow(s.plane, s.region);
    const Region giver = other(s.region);
    const bool spare = has_spare(s.plane, giver);
    if (s.victim == kNoBlock) return grows && spare ? Step::borrow_free_block : Step::none;
    if (!grows) return Step::collect;
    const Division now = division(s.plane);
    const Stills still = lying_still(now);
    const double stay = cost(now, now, still, Change::none);
    const double grabbed = cost(now, after_grab(now, s), still, Change::capacity);
    const double moved =
        spare ? cost(now, after_move(now, s), still, Change::data) + moving_once(s, now) : kImpossible;
    if (!((grabbed < moved ? grabbed : moved) < stay * (1.0 - config_.hysteresis))) return Step::collect;
    if (moved < grabbed) return Step::across;
    if (spare) return Step::borrow_free_block;
    const bool waits = domain(s.plane, s.region).space <= 1 || domain(s.plane, giver).reclaimable == 0;
    return waits ? Step::collect : Step::make;
  }

  /// Each region gets as many erased blocks as it keeps. With the rest the border comes as near as it can to
  /// where it was when the drive was new; what a region needs, and the exported capacity, go before.
  std::uint32_t deal(std::uint32_t plane, const std::uint32_t* known, std::uint32_t others) const override {
    std::uint32_t hot = others / 2;
    if (others > 2 * threshold_) {
      const std::uint32_t wanted = hot_at_boot(plane);
      hot = wanted > known[kHot] + threshold_ ? wanted - known[kHot] : threshold_;
      if (hot > others - threshold_) hot = others - threshold_;
    }
    const std::uint32_t blocks = known[kHot] + known[kCold] + others;
    const std::uint64_t all = std::uint64_t{blocks} * blocks_.guaranteed_pages_per_block(kCold);
    while (hot != 0 && all < keep_ + std::uint64_t{known[kHot] + hot} * hot_loses_) --hot;
    while (hot != 0 && known[kCold] + others - hot < fewest_) --hot;
    const bool padded = blocks_.padding(kCold) != 0; // then data need more room than their pages
    const auto cold_data = [&](std::uint32_t n) { return capacity(kCold, known[kCold] + others - n); };
    while (hot != 0 && padded && domain(plane, kCold).valid > cold_data(hot)) --hot;
    while (hot != others && known[kHot] + hot < fewest_) ++hot;
    return hot;
  }

  void begun(std::uint32_t plane, Region region, std::uint32_t victim, bool across) override {
    TwoRegions::begun(plane, region, victim, across);
    const double valid =
        static_cast<double>(blocks_.block(plane, victim).valid) / blocks_.region_pages(region);
    double& mean = victims_[region];
    mean = mean < 0 ? valid : mean + (valid - mean) / kVictimMemory;
  }

  void serialise(StateVisitor& state) override {
    TwoRegions::serialise(state);
    state.table(victims_, 2);
  }

 private:
  enum class Change : std::uint8_t { none, capacity, data };
  /// Share of each region's capacity whose data are not written.
  struct Stills {
    double hot = 0, cold = 0;
  };

  /// The region may have one block more.
  bool may_grow(std::uint32_t plane, Region region) const {
    const Region giver = other(region);
    const PlaneInfo& from = domain(plane, giver);
    if (from.serving() <= fewest_ || from.valid >= capacity(giver, from.serving() - 1)) return false;
    if (region == kCold) return true;
    const std::uint64_t pages = std::uint64_t{from.serving()} * blocks_.guaranteed_pages_per_block(kCold) +
                                std::uint64_t{domain(plane, kHot).serving()} * blocks_.region_pages(kHot);
    return pages >= std::uint64_t{keep_} + hot_loses_;
  }

  double pages(std::uint32_t plane, Region region) const { return capacity(plane, region); }

  Division division(std::uint32_t plane) const {
    const double hot = pages(plane, kHot);
    const double cold = pages(plane, kCold);
    return Division{hot_writes_, misplaced_, hot / (hot + cold), domain(plane, kHot).valid / hot,
                    domain(plane, kCold).valid / cold};
  }

  Division after_grab(const Division& now, const Shortage& s) const {
    const double growth = blocks_.region_pages(kHot) / (pages(s.plane, kHot) + pages(s.plane, kCold));
    return resized(now, s.region == kHot ? growth : -growth, config_.flash.bits);
  }

  Division after_move(const Division& now, const Shortage& s) const {
    const double valid = blocks_.block(s.plane, s.victim).valid;
    const double to_hot = s.region == kHot ? -valid : valid;
    Division d = now;
    d.hot_utilisation += to_hot / pages(s.plane, kHot);
    d.cold_utilisation -= to_hot / pages(s.plane, kCold);
    return d;
  }

  /// What moving the victim's pages costs each of the pages of the host that pay for it.
  double moving_once(const Shortage& s, const Division& now) const {
    const WriteCosts c = write_costs(config_.flash, now, predicted_victims(now), PageCount::real);
    const double page = s.region == kHot ? c.cold_page_write : c.hot_page_write;
    return blocks_.block(s.plane, s.victim).valid * (config_.flash.read + page) / lasting(s, now);
  }

  /// Pages that the host writes until it has written the region's data once more.
  double lasting(const Shortage& s, const Division& now) const {
    if (config_.horizon != 0) return config_.horizon;
    const double share = s.region == kHot ? now.hot_writes : 1.0 - now.hot_writes;
    const double data = domain(s.plane, s.region).valid;
    return share > 1e-9 ? data / share : 1e18;
  }

  /// From the victims measured: those of a region whose data are all written would be fuller.
  Stills lying_still(const Division& now) const {
    if (!config_.measured_victims) return Stills{};
    return Stills{still(now.hot_utilisation, victims_[kHot]), still(now.cold_utilisation, victims_[kCold])};
  }
  static double still(double utilisation, double victim) {
    if (victim < 0) return 0; // none yet
    const double moving = utilisation_of_victim(victim);
    if (!(moving < utilisation)) return 0;
    return (utilisation - moving) / (1.0 - moving);
  }

  /// Equation 13 after a change: what lies still does so in as many pages as before.
  double cost(const Division& now, const Division& after, const Stills& still, Change change) const {
    const bool resize = change == Change::capacity;
    const double hot = resize ? still.hot * ratio(after.hot_utilisation, now.hot_utilisation) : still.hot;
    const double cold =
        resize ? still.cold * ratio(after.cold_utilisation, now.cold_utilisation) : still.cold;
    const Victims victims{victim_utilisation(without(after.hot_utilisation, hot)),
                          victim_utilisation(without(after.cold_utilisation, cold))};
    return write_costs(config_.flash, after, victims, PageCount::real).overall;
  }
  static double ratio(double a, double b) { return b > 0 ? a / b : 1.0; }
  /// Utilisation of what is left when a share of the region is taken away with the data in it.
  static double without(double utilisation, double still) {
    return still < 1.0 && utilisation > still ? (utilisation - still) / (1.0 - still) : 0.0;
  }

  double victims_[2] = {-1, -1}; // mean valid share of the last ones; none yet
  std::uint32_t hot_loses_ = 0;  // pages that a block loses by becoming hot
  std::uint32_t keep_ = 0;       // pages of a plane for exported data and reserves
  std::uint32_t fewest_ = 0;
};

} // namespace

Regions* make_broms_regions(const RegionContext& c) {
  return c.memory.make<Broms>(c);
}

} // namespace twinplane::fw
