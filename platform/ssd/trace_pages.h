// What preconditioning has to write so that a trace's reads find data.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/config/config.h"
#include "platform/trace/io_record.h"

namespace twinplane::platform {

/// By logical page: whether a request reads a sector of it that no earlier request has written, or trimmed
/// with its whole page. Addresses are folded as the replay folds them, and only the requests count that it
/// will play; `source` is rewound. Throws what the source throws.
std::vector<bool> pages_read_first(const Config& config, std::uint64_t exported_sectors, IoSource& source);

} // namespace twinplane::platform
