// What targets that make workloads share.
#pragma once

#include <cstdint>

#include "platform/trace/io_record.h"
#include "tests/fuzz/fuzzing.h"

namespace twinplane::fuzz {

/// Models of larger address spaces take too much memory here.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;

/// Takes the first requests.
inline void draw(platform::IoSource& source) {
  constexpr int kRequests = 50;
  platform::IoRecord record;
  for (int i = 0; i < kRequests && source.next(record); ++i)
    claim(record.offset + record.length >= record.offset, "a request ends in the address space");
}

} // namespace twinplane::fuzz
