// A copy from or to memory that is mapped from another process's file, which may be cut short at any time.
#pragma once

#include <cstddef>

namespace twinplane::platform {

/// False: a part of the memory is no longer there (SIGBUS); some of the rest may have been copied. While no
/// such copy is under way the signal does what it did before the first one.
bool guarded_copy(void* to, const void* from, std::size_t bytes);

} // namespace twinplane::platform
