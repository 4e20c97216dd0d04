// From the counters of all modules to the summary.
#pragma once

#include "platform/report/summary.h"
#include "platform/ssd/ssd.h"

namespace twinplane::platform {

/// Array time of a die until `now`: operations under way count in part.
hw::DieStatistics worked(const hw::PackageBlock& package, std::uint32_t lun, TimePs now);

/// The drive's units of writing.
PageSizes page_sizes(const Config& config);

/// Sets nand, channels, dies, ftl (with wear) and the drive's part of time.
void collect_drive(Summary& summary, const Ssd& ssd);
/// Programs, erases or reads have failed in the cells, or pages were read that say that something is lost.
bool cells_have_failed(const Ssd& ssd);
/// A program or an erase has.
bool blocks_have_failed(const Ssd& ssd);

/// The same quantities counted by different modules: host against link, firmware against dies, bus
/// against dies. All of a run that ended well are equal.
std::vector<Account> collect_accounts(const Summary& summary, const Ssd& ssd);

} // namespace twinplane::platform
