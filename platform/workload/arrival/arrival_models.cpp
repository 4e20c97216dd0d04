#include "platform/workload/arrival/arrival_model.h"

#include <stdexcept>

namespace twinplane::platform {

const std::vector<ArrivalModelRow>& arrival_models() {
  static const std::vector<ArrivalModelRow> kRows = {
      {"none", "no arrival times", make_no_arrival},
      {"linear", "equal distances", make_linear_arrival},
      {"poisson", "independent arrivals", make_poisson_arrival},
      {"mmpp", "two rates: bursts (`burst_rate`, `burst_share`, `burst_length`) and quiet",
       make_mmpp_arrival},
      {"b_model", "bursty on every scale: `bias` of each interval's requests come in one half",
       make_b_model_arrival},
  };
  return kRows;
}

std::unique_ptr<ArrivalModel> make_arrival_model(const ArrivalSpec& spec, std::uint64_t requests) {
  for (const ArrivalModelRow& row : arrival_models()) {
    if (spec.model == row.name) return row.make(spec, requests);
  }
  throw std::logic_error("arrival model " + spec.model + " is in no table");
}

} // namespace twinplane::platform
