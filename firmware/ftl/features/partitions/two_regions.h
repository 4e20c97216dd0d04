// A hot region, whose blocks use their fast pages only, and a cold one, whose blocks use all. A page is hot
// when its hint is the fastest page type: that is what the classifier answers for.
//
//   combo  the border stays (ComboFTL as BROMS compares itself with it): each region collects itself
//   combo_logs  the same with ComboFTL's two logs in the hot region (combo_logs.cpp)
//   broms  the border moves one block at a time, by predicted cost (broms.cpp)
//
// Misplaced data: the number of an LPN's last write is remembered, a word for each logical page where
// `ftl.cold_age` is above 0. A page of a hot victim that is older than that times the hot region's pages, in
// pages of the host, is cold after all and goes to the cold region. A block that was filled so long ago
// becomes the victim, although little of it is invalid: misplaced data would lie in it for good. Hot data in
// the cold region are put right by their next write.
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/partition/write_cost.h"
#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

constexpr Region kHot = 0;
constexpr Region kCold = 1;

/// What the constructors need.
struct RegionContext {
  BootMemory& memory;
  const BlockTable& blocks;
  const FtlConfig& config;
  FtlStatistics& statistics;
  std::uint32_t exported_pages;
};

class FoundUnits;
class Relocation;
struct RecoveryPart;

class TwoRegions : public Regions {
 public:
  explicit TwoRegions(const RegionContext& c);

  Region of_hint(PageHint hint) const override { return hint == kHotHint ? kHot : kCold; }
  Region for_host(std::uint32_t plane, PageHint hint) const override;
  PageHint for_moved(std::uint32_t plane, Region from, std::uint32_t lpn) override;
  bool short_of_space(std::uint32_t plane, Region region) const override {
    return domain(plane, region).space < threshold_;
  }
  bool can_rebalance(std::uint32_t /*plane*/, Region /*region*/) const override { return false; }
  Step plan_reclaim(Shortage& shortage) override;
  void begun(std::uint32_t plane, Region region, std::uint32_t victim, bool across) override;
  void opened(std::uint32_t /*plane*/, std::uint32_t /*block*/, bool /*by_collector*/) override {}
  void host_page(PageHint hint, std::uint32_t lpn) override;

  Region for_metadata() const override { return kCold; }

  std::uint32_t deal(std::uint32_t plane, const std::uint32_t* known, std::uint32_t others) const override;
  void found(std::uint32_t lpn, std::uint32_t programs) override;

  void serialise(StateVisitor& state) override;

 protected:
  ~TwoRegions() = default;

  static constexpr PageHint kHotHint = 1;

  /// Hot blocks of the plane when the drive is new, but for those that have gone bad.
  std::uint32_t hot_at_boot(std::uint32_t plane) const;
  static Region other(Region region) { return region == kHot ? kCold : kHot; }
  const PlaneInfo& domain(std::uint32_t plane, Region region) const {
    return blocks_.domain(blocks_.domain_of(plane, region));
  }
  /// Pages that hold data for sure in a region of that many blocks, but for those that collection keeps.
  std::uint32_t capacity(Region region, std::uint32_t blocks) const {
    const std::uint32_t sure = blocks_.guaranteed_pages_per_block(region);
    const std::uint32_t erased = threshold_ * sure;
    return beyond(blocks * sure, erased > kept_[region] ? erased : kept_[region]);
  }
  std::uint32_t capacity(std::uint32_t plane, Region region) const {
    return capacity(region, domain(plane, region).serving());
  }
  /// So full of valid data that collecting gains hardly anything.
  bool nearly_full(std::uint32_t plane, Region region) const;
  /// It has an erased block that its own collection does not need.
  bool has_spare(std::uint32_t plane, Region region) const {
    return domain(plane, region).free_blocks >= threshold_;
  }
  static std::uint32_t beyond(std::uint32_t pages, std::uint32_t kept) {
    return pages > kept ? pages - kept : 0;
  }
  /// Makes the oldest block of a hot region the victim when its data are misplaced.
  [[nodiscard]] bool take_misplaced(Shortage& shortage) const;

  const BlockTable& blocks_;
  FtlStatistics& statistics_;
  RegionConfig config_;
  std::uint32_t threshold_;
  double hot_writes_;     // theta: of the pages written of late, those that were asked for as hot
  double misplaced_ = 0;  // lambda: of these, those that were moved to the cold region
  std::uint32_t now_ = 0; // number of the host's last page, modulo 2^32
  std::uint32_t exported_pages_;
  std::uint32_t kept_[2];            // pages of a region in a plane: the reserve, and the frontier
  std::uint64_t too_old_;            // pages of the host; 0: none is
  std::uint32_t* hot_at_boot_;       // by plane
  std::uint32_t* written_ = nullptr; // by LPN: the number of its last write; before the first one: 0
  std::uint8_t* across_;             // by plane: the victim's pages shall leave its region
};

Regions* make_combo_regions(const RegionContext& c);
Regions* make_combo_logs(const RegionContext& c);
Regions* make_broms_regions(const RegionContext& c);

/// Inside the plane, to the region that the decision about regions names.
Relocation* make_regional_relocation(BootMemory& memory, const BlockTable& blocks, Regions& regions);
FoundUnits* make_partition_units(BootMemory& memory, const RecoveryPart& part);

/// Blocks of a plane with so many good ones that are hot at first; at least what a region needs, for each.
std::uint32_t hot_blocks_at_boot(const FtlConfig& config, std::uint32_t good_blocks);

} // namespace twinplane::fw
