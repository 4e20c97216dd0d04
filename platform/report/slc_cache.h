// What summary.json and timeline.csv say of a drive with an SLC-mode cache.
#pragma once

#include <string>

#include "firmware/ftl/statistics.h"
#include "platform/report/summary.h"

namespace twinplane::platform {

/// Columns of the timeline behind the others, with a comma in front: blocks of the cache in use by level and
/// valid subpages at the end of the row; subpages evicted since the start; blocks that are the cache's.
const char* slc_cache_columns();
void append_slc_cache_cells(std::string& row, const fw::FtlStatistics& s);

Json slc_cache_json(const fw::FtlStatistics& s);

} // namespace twinplane::platform
