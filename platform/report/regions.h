// What summary.json and timeline.csv say of a drive with several regions of blocks.
#pragma once

#include <string>

#include "firmware/ftl/partition/write_cost.h"
#include "firmware/ftl/statistics.h"
#include "platform/report/summary.h"

namespace twinplane::platform {

/// More than one region is in use.
bool has_regions(const fw::FtlStatistics& s);

/// Columns of the timeline behind the others, with a comma in front: blocks, shares and utilisations at the
/// end of the row; blocks that changed sides, collections by kind, erases and costs since the start.
const char* region_columns();
void append_region_cells(std::string& row, const fw::FtlStatistics& s, const fw::FlashCosts& flash);

/// Cost of a page that the host wrote into the region, in the flash's units: its program and its share of
/// what collection read, programmed and erased there; 0 when the host wrote nothing.
double page_write_cost(const fw::RegionCounters& r, const fw::FlashCosts& flash, bool hot);

Json regions_json(const fw::FtlStatistics& s, const fw::FlashCosts& flash);

} // namespace twinplane::platform
