// The controller's side of the bus at one moment. NV-DDR calls WE# CLK and RE# W/R#.
#pragma once

#include <cstdint>

namespace twinplane::hw {

struct PinLevels {
  std::uint32_t selected = 0; // bit per CE# that is low
  bool cle = false;
  bool ale = false;
  bool we_n = true;
  bool re_n = true;
  bool wp_n = true;
  bool dqs = true;
  bool dqs_driven = false;
  bool dq_driven = false;
  std::uint8_t dq = 0xFF;

  bool data_cycle() const { return selected != 0 && !cle && !ale; }
};

} // namespace twinplane::hw
