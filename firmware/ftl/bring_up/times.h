// How long the steps took that boot does on the flash buses.
#pragma once

#include <cstdint>

namespace twinplane::fw {

struct BringUpTimes {
  std::uint64_t reset_ps = 0;          // FFh to every target
  std::uint64_t read_id_ps = 0;        // 90h
  std::uint64_t parameter_page_ps = 0; // ECh
  std::uint64_t timing_mode_ps = 0;    // EFh and EEh
  std::uint64_t marks_ps = 0;          // the maker's bad-block marks
};

} // namespace twinplane::fw
