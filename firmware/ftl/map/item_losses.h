// Sectors of items that are lost: what map/lost_sectors.h says by logical page.
#pragma once

#include "firmware/ftl/map/item_map.h"
#include "firmware/ftl/map/lost_sectors.h"

namespace twinplane::fw {

class ItemLosses {
 public:
  ItemLosses() = default;
  ItemLosses(const ItemMap& map, LostSectors& lost, std::uint32_t sectors_per_page)
      : map_(&map), lost_(&lost), sectors_(sectors_per_page / map.each()) {}

  /// Of an item.
  std::uint32_t sectors() const { return sectors_; }
  bool any() const { return lost_->any(); }
  std::uint32_t of(std::uint32_t item) const {
    return lost_->of(map_->lpn_of(item)) >> map_->unit_of(item) * sectors_ & low_mask(sectors_);
  }
  /// Exactly these sectors of the item are lost.
  void set(std::uint32_t item, std::uint32_t sectors) const {
    const std::uint32_t shift = map_->unit_of(item) * sectors_;
    const std::uint32_t others = lost_->of(map_->lpn_of(item)) & ~(low_mask(sectors_) << shift);
    lost_->set(map_->lpn_of(item), others | sectors << shift);
  }

 private:
  const ItemMap* map_ = nullptr;
  LostSectors* lost_ = nullptr;
  std::uint32_t sectors_ = 0;
};

} // namespace twinplane::fw
