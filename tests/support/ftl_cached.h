// Drives with an SLC-mode cache for the bare FTL.
#pragma once

#include <string_view>

#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test {

/// 2 channels x 2 dies x 2 planes x 24 blocks x 16 pages of MLC, eight sectors in four subpages each; six
/// blocks of a plane are the cache. "packed" is mga with packed eviction, "packed_ipu" ipu, and so on;
/// "packed_pslc" is the only pslc that there is.
inline FtlBenchConfig cached_drive(const char* scheme) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::mlc;
  c.ftl.geometry.blocks_per_plane = 24;
  c.ftl.geometry.page_size = 4096;
  c.ftl.geometry.sector_size = 512;
  c.ftl.geometry.subpages_per_page = 4;
  c.ftl.over_provisioning = 0.45;
  const std::string_view packed = "packed";
  c.ftl.slc_cache.packed_eviction = std::string_view(scheme).substr(0, packed.size()) == packed;
  c.ftl.regions = scheme == packed                  ? "mga"
                  : c.ftl.slc_cache.packed_eviction ? scheme + packed.size() + 1
                                                    : scheme;
  c.ftl.slc_cache.share = 0.25;
  return c;
}

/// All of them.
inline constexpr const char* kCacheSchemes[] = {"slc_cache",        "mga",        "packed",     "ipu",
                                                "packed_slc_cache", "packed_ipu", "packed_pslc"};

} // namespace twinplane::test
