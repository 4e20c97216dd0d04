// Times of NV-DDR's edges that the timing tables (hw/spec/bus_timing.h) do not have, because no tenure lasts
// longer for them.
#pragma once

#include "hw/spec/bus_timing.h"

namespace twinplane::hw::clocked {

/// W/R# low to DQ and DQS driven by the package, at most: the same in every mode (Linux's table).
constexpr TimePs kDqsDriven = ns(18); // tDQSD
/// CLK may stand while CE# is high only. tCK of a running clock is not longer than this in any mode.
constexpr TimePs kLongestPeriod = ns(100);

/// Shares of tCK, from general knowledge of the standard.
constexpr TimePs percent_of_clock(const BusTiming& bus, TimePs percent) {
  return bus.tCK * percent / 100;
}
constexpr TimePs half_period(const BusTiming& bus) { // tCKH, tCKL
  return percent_of_clock(bus, 43);
}
constexpr TimePs strobe_pulse(const BusTiming& bus) { // tDQSH, tDQSL
  return percent_of_clock(bus, 40);
}
constexpr TimePs strobe_apart(const BusTiming& bus) { // tDSS, tDSH
  return percent_of_clock(bus, 20);
}
constexpr TimePs first_strobe_min(const BusTiming& bus) { // tDQSS
  return percent_of_clock(bus, 75);
}
constexpr TimePs first_strobe_max(const BusTiming& bus) {
  return percent_of_clock(bus, 125);
}
/// tCKWR: the data sheet rounds up to whole periods, as a host does whose W/R# changes with its clock.
constexpr TimePs turn_back(const BusTiming& bus) {
  return bus.tDQSRE + bus.tCK;
}

} // namespace twinplane::hw::clocked
