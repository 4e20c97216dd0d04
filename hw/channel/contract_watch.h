// Holds a channel to what its observers rely on (hw/core/observer.h): waves, monitors and accounts believe the
// times that they are told. For foreign channels; ours are held to it by tests.
#pragma once

#include <cstdint>

#include "hw/channel/channel_block.h"
#include "hw/core/observer.h"

namespace twinplane::hw {

/// What is wrong is an SC_ERROR "twinplane.block" with the channel's name and the time.
class ContractWatch final : public BusObserver {
 public:
  /// `channel` must outlive it. Attached before all others, so that they are told nothing wrong.
  explicit ContractWatch(const ChannelBlock& channel) : channel_(channel) {}

  void on_tenure(std::uint32_t channel, std::uint32_t chip, const OnfiTenure& tenure, TimePs start,
                 TimePs end) override;
  void on_timing(std::uint32_t, const BusTiming&, TimePs) override { timing_told_ = true; }
  bool wants_phases() const override { return false; }
  /// One of the other observers wants phases of sequences.
  void expect_phases() { phases_expected_ = true; }

 private:
  const char* breach_of(const OnfiTenure& tenure, TimePs start, TimePs end) const;
  const char* breach_of_phases(const OnfiTenure& tenure, TimePs start, TimePs end) const;
  static const char* breach_of_planes(const OnfiTenure& tenure, TimePs start, TimePs end);

  const ChannelBlock& channel_;
  bool timing_told_ = false;
  bool phases_expected_ = false;
  TimePs last_end_ = 0;
};

} // namespace twinplane::hw
