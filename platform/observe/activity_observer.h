// Feeds the timeline with what planes and buses do. Attach it to every package and channel; about 30
// instructions per operation. An operation that cuts another one of its plane short is counted from the
// end of the other, so no plane counts twice. A suspended one is not busy until it goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/report/activity_bins.h"

namespace twinplane::platform {

class ActivityObserver final : public hw::NandObserver, public hw::BusObserver {
 public:
  /// `bins` is the timeline's (lanes of enum Lane) and must outlive this.
  ActivityObserver(const Geometry& geometry, ActivityBins& bins);

  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                const hw::PlaneAddress* places) override;
  void on_array_change(std::uint32_t channel, hw::ArrayChange change,
                       const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  bool wants_ready_busy() const override { return false; }
  void on_violation(std::uint32_t, const hw::Violation&) override {}
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  bool wants_phases() const override { return false; }

  /// Busy time of all planes together so far, picoseconds (operations count in full when they start,
  /// until they are cut short).
  std::uint64_t plane_busy() const { return plane_busy_; }

 private:
  TimePs* planes_of(std::uint32_t channel, const hw::ArrayOperation& operation);
  [[gnu::noinline]] void add(TimePs& until, const hw::ArrayOperation& operation);

  Geometry geometry_;
  ActivityBins& bins_;
  std::vector<TimePs> busy_until_; // per plane of the device
  std::uint64_t plane_busy_ = 0;
};

} // namespace twinplane::platform
