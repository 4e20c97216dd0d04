#include "platform/report/energy.h"

#include <numeric>

namespace twinplane::platform {
namespace {

/// Milliwatts for picoseconds are attojoules times 1000.
double nj(double mw, TimePs time) {
  return mw * static_cast<double>(time) * 1e-6;
}

double nj_of_bytes(double pj, std::uint64_t bytes) {
  return pj * static_cast<double>(bytes) * 1e-3;
}

} // namespace

double EnergySummary::total_nj() const {
  return std::accumulate(nj.begin(), nj.end(), 0.0);
}

EnergySummary energy_of(const EnergyModel& model, const EnergyCounts& begin, const EnergyCounts& end,
                        const std::array<double, kEnergyCauses>& begin_nj,
                        const std::array<double, kEnergyCauses>& end_nj) {
  EnergySummary s;
  s.modelled = true;
  for (std::size_t i = 0; i < kEnergyCauses; ++i) s.nj[i] = end_nj[i] - begin_nj[i];
  const auto set = [&s](EnergyCause cause, double value) { s.nj[static_cast<std::size_t>(cause)] = value; };
  const TimePs time = end.at - begin.at;
  const std::uint64_t link = end.link_bytes - begin.link_bytes;
  const std::uint64_t pages = end.page_bytes - begin.page_bytes;
  set(EnergyCause::standby, nj(model.VCC * model.ISB * model.dies, time));
  set(EnergyCause::core, nj(model.core_mw, end.core_busy - begin.core_busy));
  set(EnergyCause::controller, nj(model.controller_mw, time));
  set(EnergyCause::link, nj_of_bytes(model.link_pj, link));
  set(EnergyCause::dram, nj(model.dram_mw, time) + nj_of_bytes(model.dram_pj, link + pages));
  set(EnergyCause::ecc, nj_of_bytes(model.ecc_pj, pages));
  if (time != 0) s.average_mw = s.total_nj() / static_cast<double>(time) * 1e6;
  if (link != 0) s.nj_per_host_byte = s.total_nj() / static_cast<double>(link);
  return s;
}

} // namespace twinplane::platform
