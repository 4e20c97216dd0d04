// What all parts of an SLC-mode cache share.
#pragma once

#include "firmware/ftl/block_allocation/block_allocation.h"
#include "firmware/ftl/features/slc_cache/scheme.h"
#include "firmware/ftl/map/unit_map.h"
#include "firmware/ftl/regions/region.h"
#include "firmware/ftl/statistics.h"

namespace twinplane::fw {

constexpr Region kCache = 0;
constexpr Region kNative = 1;

struct CacheContext {
  UnitMap* map = nullptr;
  BlockTable* blocks = nullptr;
  SlcCacheConfig config;
  CacheScheme* scheme = nullptr;
  FtlStatistics* statistics = nullptr;
  std::uint32_t exported_pages = 0;
};

class CachePart {
 public:
  const SlcCacheConfig& config() const { return config_; }

 protected:
  void begin(const CacheContext& c) {
    map_ = c.map;
    blocks_ = c.blocks;
    config_ = c.config;
    scheme_ = c.scheme;
    statistics_ = c.statistics;
    exported_pages_ = c.exported_pages;
  }

  UnitMap* map_ = nullptr;
  BlockTable* blocks_ = nullptr;
  SlcCacheConfig config_;
  CacheScheme* scheme_ = nullptr;
  FtlStatistics* statistics_ = nullptr;
  std::uint32_t exported_pages_ = 0;
};

} // namespace twinplane::fw
