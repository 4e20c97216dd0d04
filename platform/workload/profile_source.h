// Requests like those of a profile, as a stream.
#pragma once

#include <memory>

#include "platform/trace/io_record.h"
#include "platform/workload/profile.h"

namespace twinplane::platform {

/// Memory does not grow with the number of requests. Reads and writes, sizes of a mix and addresses of a
/// histogram come in exactly their shares, in random order; the order knows no correlation between them. The
/// same profile gives the same records, on every round. Requires what ProfileLoader checks.
std::unique_ptr<IoSource> make_profile_source(const Profile& profile);

} // namespace twinplane::platform
