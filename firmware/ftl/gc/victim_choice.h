// Which block of a site is reclaimed next, and what is done for a region that is short of space.
#pragma once

#include "firmware/ftl/gc/space_need.h"
#include "firmware/ftl/regions/regions.h"

namespace twinplane::fw {

/// A victim of one of several regions; kNoBlock: nothing is to be done now.
struct Reclaim {
  std::uint32_t site = 0;
  std::uint32_t victim = kNoBlock;
  bool across = false;   // its valid pages leave their region
  bool for_wear = false; // it lags behind in wear
};

class VictimChoice {
 public:
  void boot(BootMemory& memory, FtlState& state, SpaceNeed& need);

  /// The victim of a site with one region.
  std::uint32_t choose(std::uint32_t site) const;
  /// A block of the domain that lags behind in wear, while there is room for a block full of valid pages beside the one
  /// that the host writes; else kNoBlock.
  std::uint32_t lagging_for_wear(std::uint32_t domain);
  /// The next victim of a site with several regions. `borrowed`: so many erased blocks have changed their region
  /// instead.
  Reclaim choose_in_region(std::uint32_t site, std::uint32_t& borrowed);
  /// At most 5 % more free pages than when collection starts: then the frontier unit has just been opened.
  bool near_threshold(std::uint32_t site) const;

 private:
  bool short_of_torn_pages(std::uint32_t domain) const;
  [[nodiscard]] Step plan(Shortage& shortage, std::uint32_t domain);
  void borrow_free_block(std::uint32_t site, Region region);
  std::uint32_t made_of(const Shortage& shortage);

  FtlState* state_ = nullptr;
  SpaceNeed* need_ = nullptr;
  std::uint32_t* least_erases_ = nullptr; // per domain: of no block fewer
};

} // namespace twinplane::fw
