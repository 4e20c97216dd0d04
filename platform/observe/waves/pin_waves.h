// The pins of the flash buses, cycle by cycle:
//
//   ssd.ch0.pins.{ce0_n,ce1_n,...}   chip enables         ssd.ch0.pins.{rb0_n,rb1_n,...}  ready/busy
//   ssd.ch0.pins.{cle,ale,we_n,re_n}                      of each chip: low while one of its dies is busy
//   ssd.ch0.pins.dqs                 DDR interfaces       ssd.ch0.pins.dq[7:0]
//
// Cycles begin where the timing model puts them (hw/channel/tenure_timing.h). The data sheets leave pulse
// widths to the controller: WE# and RE# of asynchronous cycles are low for their first half, RE# of a DDR
// burst leads DQS by tDQSRE, DQS is centred on the bytes of data in and aligned to those of data out. DQ
// shows the bytes of page data in data mode `full`, else x; z means that the wire is not driven. NV-DDR calls
// WE# CLK and RE# W/R#: clocked_pins.h.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/nand_timing.h"
#include "platform/observe/waves/wave_signals.h"

namespace twinplane::platform {

class PinWaves {
 public:
  PinWaves(const Geometry& geometry, DataMode data, WaveSignals& signals);

  /// Declares the pins of a channel.
  void declare(std::uint32_t channel);
  /// Must be told before the channel's first tenure.
  void set_timing(std::uint32_t channel, const BusTiming& bus) { channels_[channel].timing = bus; }
  /// The tenure's phases carry their times (its sequences are expanded).
  void record(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure, TimePs start,
              TimePs end);
  void ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready, TimePs at);

 private:
  struct Channel {
    std::vector<WaveSignals::Signal> ce_n, rb_n; // per chip
    WaveSignals::Signal cle, ale, we_n, re_n, dqs, dq;
    bool recorded = false;
    BusTiming timing;
  };
  /// A die's share in the ready/busy pin of its chip.
  struct Die {
    TimePs busy_from = 0;
    TimePs busy_until = 0;
  };

  void show_cycles(const Channel& c, const hw::OnfiPhase& phase);
  void show_sdr_data(const Channel& c, const hw::OnfiPhase& phase);
  void show_ddr_in(const Channel& c, const hw::OnfiPhase& phase);
  void show_ddr_out(const Channel& c, const hw::OnfiPhase& phase);
  void show_bytes(const Channel& c, const hw::OnfiPhase& phase);
  void show_strobes(const Channel& c, const hw::OnfiPhase& phase);
  WaveValue byte_of(const hw::OnfiPhase& phase, std::uint32_t i) const;

  Geometry geometry_;
  DataMode data_;
  WaveSignals& signals_;
  std::vector<Channel> channels_;
  std::vector<Die> dies_;
};

} // namespace twinplane::platform
