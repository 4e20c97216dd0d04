// Do the FTL's tables agree with each other? The map, the bits and counts of valid pages, the sums of planes,
// dies and regions, the life of blocks, the pool and the locks, looked at from outside between two turns of
// the firmware. It walks through all of them, so it is for tests and for runs with `run.check_turns`; nothing
// of it is part of the firmware's image.
#pragma once

#include <cstdint>

namespace twinplane::fw {

class FtlCore;

/// The first rule that does not hold, and where. What does not apply is kNowhere.
struct BrokenRule {
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;

  const char* rule = nullptr; // nullptr: all hold
  std::uint32_t lpn = kNowhere;
  std::uint32_t plane = kNowhere; // device-wide index; of rules about dies or sites their first
  std::uint32_t block = kNowhere;
  std::uint32_t page = kNowhere;
  std::uint64_t found = 0;
  std::uint64_t expected = 0;
};

/// Any time between two turns. When nothing is under way, nothing may be locked, either.
BrokenRule check_tables(const FtlCore& core);

} // namespace twinplane::fw
