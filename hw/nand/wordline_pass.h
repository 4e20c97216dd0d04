// One-pass programming (die_wordline.cpp): pages that have been loaded and wait for the rest of their
// wordline.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/nand/page_register.h"

namespace twinplane::hw {

struct WordlinePass {
  std::uint32_t loaded = 0;                                       // page types; 0: no pass is open
  std::uint32_t planes = 0;                                       // of each
  std::array<PlaneAddress, kMaxPlanesPerDie> last{};              // of the type that was loaded last
  std::array<std::vector<PageRegister>, kMaxPageTypes - 1> pages; // by order of loading, and plane
};

} // namespace twinplane::hw
