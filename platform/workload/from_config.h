// The [workload] section of a configuration as a WorkloadSpec.
#pragma once

#include <cstdint>

#include "platform/config/config.h"
#include "platform/config/loader.h"
#include "platform/workload/workload_spec.h"

namespace twinplane::platform {

/// workload.size = 0 stands for all of the drive from workload.offset on; `exported_bytes` is the
/// drive's capacity. Throws InputError naming the key with a text that cannot be read (bssplit,
/// random_distribution) or a space that does not fit the drive.
WorkloadSpec to_workload_spec(const Config& config, std::uint64_t exported_bytes);

/// Throws InputError with file, line and key unless make_workload() takes the section, on a drive of that capacity.
void require_workload(const LoadedConfig& loaded, std::uint64_t exported_bytes);

} // namespace twinplane::platform
