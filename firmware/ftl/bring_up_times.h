// How long the steps took that boot does on the flash buses.
#pragma once

#include <cstdint>

namespace twinplane::fw {

struct BringUpTimes {
  std::uint64_t marks_ps = 0; // the maker's bad-block marks
};

} // namespace twinplane::fw
