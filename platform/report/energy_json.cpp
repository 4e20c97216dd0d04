#include "platform/report/energy_json.h"

#include <nlohmann/json.hpp>

#include "platform/report/number_text.h"

namespace twinplane::platform {

Json energy_json(const EnergySummary& e) {
  if (!e.modelled) return nullptr;
  Json causes = Json::object();
  for (std::size_t i = 0; i < kEnergyCauses; ++i) causes[kEnergyCauseNames[i]] = rounded(e.nj[i]);
  return Json{
      {"total_nj", rounded(e.total_nj())},
      {"causes_nj", causes},
      {"average_mw", rounded(e.average_mw)},
      {"peak_mw", rounded(e.peak_mw)},
      {"nj_per_host_byte", e.nj_per_host_byte == 0 ? Json(nullptr) : Json(rounded(e.nj_per_host_byte))}};
}

} // namespace twinplane::platform
