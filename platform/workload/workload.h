// Synthetic workloads as a stream of I/O records.
#pragma once

#include <memory>

#include "platform/trace/io_record.h"
#include "platform/workload/workload_spec.h"

namespace twinplane::platform {

/// The same specification gives the same records, after every rewind(); next_round() draws on. Throws
/// InputError naming the key that cannot be met: no space, a block larger than the space, shares that do not
/// add up to 100, a parameter out of range, randommap with a skewed distribution.
std::unique_ptr<IoSource> make_workload(const WorkloadSpec& spec);

} // namespace twinplane::platform
