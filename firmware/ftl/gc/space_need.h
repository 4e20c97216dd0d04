// Does a site need a block reclaimed? A site is a plane, or a die under twin block management.
#pragma once

#include <cstdint>

#include "firmware/ftl/state.h"

namespace twinplane::fw {

/// What is collected although no space is short.
struct AheadOfNeed {
  bool on = false;
  std::uint32_t free_blocks = 0; // that a site shall have
  std::uint32_t least_gain = 0;  // percent of its pages that are invalid in a victim, at least
};

class SpaceNeed {
 public:
  static constexpr std::uint32_t kNoDomain = 0xFFFFFFFFu;
  static constexpr std::uint32_t kNoRegion = kMaxRegions;

  void boot(BootMemory& memory, FtlState& state);

  /// Nearly always false.
  bool wanted(std::uint32_t site) const {
    return asks_more_ ? wanted_for_any_reason(site) : short_of_space(site);
  }
  /// A unit that a feature wants to be collected, while there is room for that; kNoBlock: there is none.
  std::uint32_t due(std::uint32_t site) const;
  /// There is room for a unit full of valid pages beside the one that the host writes.
  bool has_room_in(std::uint32_t domain) const {
    const BlockTable& blocks = state_->blocks;
    return blocks.domain(domain).space >= blocks.space_of_blocks(for_moves_[blocks.region_of_domain(domain)]);
  }
  /// The same for that unit, in its own region and in the last one, to which a cache is emptied.
  bool has_room_for(std::uint32_t site, std::uint32_t block) const {
    return has_room(for_moves_, site, block);
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
    asks_more_ = begins || regions_ != 1 || features_ask_;
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
  /// From now on space is made ahead of need, or not any more.
  void collect_ahead(const AheadOfNeed& wish);
  /// Nothing is short at the site: the victim is worth it all the same.
  bool is_worth_it(std::uint32_t site, std::uint32_t victim) const;
  /// Several regions: each that is short of space gets its turn.
  bool by_region() const { return regions_ != 1; }
  std::uint32_t regions() const { return regions_; }

  void serialise(StateVisitor& visitor) { visitor.table(turn_, state_->blocks.sites()); }

 private:
  void set_threshold();
  bool short_of_space(std::uint32_t site) const {
    const PlaneInfo& d = state_->blocks.domain(site);
    return d.space < threshold_ && d.reclaimable != 0;
  }
  bool wanted_for_any_reason(std::uint32_t site) const;
  [[nodiscard]] bool has_room(const std::uint32_t* units, std::uint32_t site, std::uint32_t block) const;
  [[nodiscard]] std::uint32_t emptied_to_last(std::uint32_t site, std::uint32_t block) const;
  [[nodiscard]] std::uint32_t units_beside_host(std::uint32_t region) const;

  FtlState* state_ = nullptr;
  std::uint8_t* turn_ = nullptr; // several regions: per site, the one that is looked at first
  bool ended_ = false;
  std::uint32_t threshold_ = 0; // see PlaneInfo::space
  std::uint32_t kept_ = 0;      // ... that collection keeps free all the time
  bool all_ = false;            // want_all()
  AheadOfNeed ahead_;
  std::uint32_t regions_ = 1;
  // free units, by region, with which a full one is collected: its moves find pages, or the host goes on writing as well
  std::uint32_t for_moves_[kMaxRegions] = {};
  std::uint32_t beside_host_[kMaxRegions] = {};
  bool purges_ = false;
  bool features_ask_ = false; // for victims
  bool asks_more_ = false;    // one of these, or there are several regions
};

} // namespace twinplane::fw
