// Energy and power of arrays and buses (platform/report/energy.h). Attach it to every package and channel.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/report/activity_bins.h"
#include "platform/report/energy.h"
#include "platform/report/power_peak.h"

namespace twinplane::platform {

class EnergyMeter final : public hw::NandObserver, public hw::BusObserver {
 public:
  /// `now` is the kernel's time, which no operation begins before that is announced after it.
  EnergyMeter(const Geometry& geometry, const EnergyModel& model, std::function<TimePs()> now);

  void on_array(std::uint32_t channel, const hw::ArrayOperation& operation) override;
  void on_array_change(std::uint32_t channel, hw::ArrayChange change,
                       const hw::ArrayOperation& operation) override;
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  bool wants_ready_busy() const override { return false; }
  void on_violation(std::uint32_t, const hw::Violation&) override {}
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  bool wants_phases() const override { return false; }
  void on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) override;

  /// Gives the power of each operation to Lane::power, too.
  void feed(ActivityBins& bins) { bins_ = &bins; }

  /// Until `now`; those of arrays and buses, the others are 0. Of the array operations under way, which were
  /// announced whole, the part that is over.
  std::array<double, kEnergyCauses> nj(TimePs now) const;
  /// Page data that crossed a bus so far.
  std::uint64_t page_bytes() const { return page_bytes_; }
  /// The highest power until now, and that since this was called last; milliwatts, with what is drawn always.
  double peak_mw();
  double recent_peak_mw();

 private:
  struct Draw {
    TimePs start = 0, end = 0;
    EnergyCause cause = EnergyCause::array_read;
    std::int64_t uw = 0;
  };
  /// The last two operations: cache commands announce one behind that which runs.
  struct Plane {
    Draw last, before;
  };
  Plane& plane_of(std::uint32_t channel, const hw::ArrayOperation& operation);
  void transfer(bool in, TimePs start, TimePs time);
  void cut(Draw& draw, TimePs at);
  void add(EnergyCause cause, TimePs start, TimePs end, std::int64_t uw);
  void feed(TimePs start, TimePs end, std::int64_t uw);
  double with_constant(std::int64_t uw) const;

  Geometry geometry_;
  EnergyModel model_;
  std::function<TimePs()> now_;
  std::vector<Plane> planes_; // of the device
  struct Rates {
    ByteTime in, out;
  };
  std::vector<Rates> rates_; // by channel
  std::array<double, kEnergyCauses> nj_{};
  std::uint64_t page_bytes_ = 0;
  PowerPeak peak_;
  ActivityBins* bins_ = nullptr;
  std::uint32_t unsettled_ = 0; // announcements since the last settle()
};

} // namespace twinplane::platform
