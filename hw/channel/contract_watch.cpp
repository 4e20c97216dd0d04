#include "hw/channel/contract_watch.h"

#include "hw/core/block_error.h"

namespace twinplane::hw {

void ContractWatch::on_tenure(std::uint32_t /*channel*/, std::uint32_t /*chip*/, const OnfiTenure& tenure,
                              TimePs start, TimePs end) {
  const char* const breach = breach_of(tenure, start, end);
  last_end_ = end;
  if (breach != nullptr) report_breach(channel_, breach, start);
}

const char* ContractWatch::breach_of(const OnfiTenure& tenure, TimePs start, TimePs end) const {
  if (!timing_told_) return "tells observers of a tenure before its timing (BusObserver::on_timing)";
  if (end <= start) return "tells observers of a tenure that takes no time";
  if (start < last_end_) return "tells observers of a tenure that begins before the last one has ended";
  if (tenure.sequence == Sequence::raw) return breach_of_phases(tenure, start, end);
  if (const char* const breach = breach_of_planes(tenure, start, end)) return breach;
  return phases_expected_ ? breach_of_phases(tenure, start, end) : nullptr;
}

const char* ContractWatch::breach_of_phases(const OnfiTenure& tenure, TimePs start, TimePs end) const {
  if (tenure.phase_count == 0)
    return "tells observers that want phases of a sequence without phases (BusObserver::wants_phases)";
  TimePs at = start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    if (phase.start < at || phase.end < phase.start || phase.end > end)
      return "tells observers of a tenure whose phases have no times, or times outside of it";
    at = phase.end;
  }
  return nullptr;
}

const char* ContractWatch::breach_of_planes(const OnfiTenure& tenure, TimePs start, TimePs end) {
  TimePs at = start;
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    const OnfiPlane& plane = tenure.planes[i];
    if (plane.begin < at || plane.end < plane.begin || plane.end > end)
      return "tells observers of a sequence whose planes have no times, or times outside of it";
    at = plane.begin;
  }
  return nullptr;
}

} // namespace twinplane::hw
