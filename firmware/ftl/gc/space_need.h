// Does a site need a block reclaimed? A site is a plane, or a die under twin block management.
#pragma once

#include <cstdint>

#include "firmware/ftl/state.h"

namespace twinplane::fw {

class SpaceNeed {
 public:
  static constexpr std::uint32_t kNoDomain = 0xFFFFFFFFu;
  static constexpr std::uint32_t kNoRegion = kMaxRegions;

  void boot(BootMemory& memory, FtlState& state);

  /// Nearly always false.
  bool wanted(std::uint32_t site) const {
    if (purges_or_regions_)
      return purges_ ? invalid_domain(site) != kNoDomain : short_region(site) != kNoRegion;
    const PlaneInfo& d = state_->blocks.domain(site);
    return d.space < threshold_ && d.reclaimable != 0;
  }
  /// A domain of the site that has closed blocks with invalid pages.
  std::uint32_t invalid_domain(std::uint32_t site) const;
  /// A region of the site that is short of space and can be helped; the one whose turn it is first.
  std::uint32_t short_region(std::uint32_t site) const;
  /// The region has had its turn.
  void turn_over(std::uint32_t site, std::uint32_t region) {
    turn_[site] = static_cast<std::uint8_t>((region + 1) % regions_);
  }
  /// Nothing is valid any more: all closed blocks are wanted, whatever space there is (or no longer).
  void purge(bool begins) {
    purges_ = begins;
    purges_or_regions_ = begins || regions_ != 1;
  }
  bool purges() const { return purges_; }
  /// No space is wanted any more.
  void end() {
    threshold_ = 0;
    ended_ = true;
  }
  /// Blocks are wanted as long as there is one with invalid pages (or again only when space is short). False: so
  /// it was.
  bool want_all(bool all);
  /// Several regions: each that is short of space gets its turn.
  bool by_region() const { return regions_ != 1; }
  std::uint32_t regions() const { return regions_; }

  void serialise(StateVisitor& visitor) { visitor.table(turn_, state_->blocks.sites()); }

 private:
  FtlState* state_ = nullptr;
  std::uint8_t* turn_ = nullptr; // several regions: per site, the one that is looked at first
  bool ended_ = false;
  std::uint32_t threshold_ = 0; // see PlaneInfo::space
  std::uint32_t regions_ = 1;
  bool purges_ = false;
  bool purges_or_regions_ = false; // or there are several regions
};

} // namespace twinplane::fw
