// Checks of drives that keep a limit of current: whatever one die may be asked to do must fit under it.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "platform/config/checks.h"

namespace twinplane::platform {

namespace {

struct Need {
  const char* what;
  double ma;
};

std::string milliamperes(double ma) {
  std::ostringstream text;
  text << std::ceil(ma * 1000) / 1000 << " mA";
  return text.str();
}

} // namespace

std::vector<Finding> check_peak_limit(const Config& config) {
  const EnergyKeys& e = config.energy;
  if (e.peak_limit == 0) return {};
  const double planes = config.geometry.planes_per_die;
  const double share = 1 + (planes - 1) * e.further_planes;
  const Need needs[] = {{"a read of all planes of a die", e.ICC1 * share},
                        {"a program of all planes of a die", e.ICC2 * share},
                        {"an erase of all planes of a die", e.ICC3 * share},
                        {"data out of a part", e.ICC4R},
                        {"data into a part", e.ICC4W}};
  const Need& most = *std::max_element(std::begin(needs), std::end(needs),
                                       [](const Need& a, const Need& b) { return a.ma < b.ma; });
  const double standby = e.ISB * config.geometry.dies();
  if (most.ma + standby <= e.peak_limit) return {};
  return {{true, "energy.peak_limit",
           "must be at least " + milliamperes(most.ma + standby) + ", or 0 for no limit: " + most.what +
               " draws " + milliamperes(most.ma) + ", and all dies in standby draw " +
               milliamperes(standby)}};
}

} // namespace twinplane::platform
