// ssd.chN.bus.{phase,opcode,chip}: what the buses do, phase by phase.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/geometry.h"
#include "hw/spec/nand_timing.h"
#include "platform/observe/waves/phase_scripts.h"
#include "platform/observe/waves/wave_signals.h"

namespace twinplane::platform {

class BusWaves {
 public:
  BusWaves(const Geometry& geometry, WaveSignals& signals);

  /// Declares the signals of a channel.
  void declare(std::uint32_t channel);
  /// Must be told before the channel's first sequence.
  void set_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY);
  void record(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
              TimePs end);

 private:
  struct Bus {
    bool recorded = false;
    std::uint32_t stream = 0;
    const PhaseScripts* scripts = nullptr;                  // of the timing in force
    std::vector<std::unique_ptr<const PhaseScripts>> known; // pending segments may refer to any of them
  };

  WaveSignals& signals_;
  std::uint32_t chip_bits_;
  std::vector<Bus> buses_;
};

} // namespace twinplane::platform
