// The pins of one tenure of NV-DDR, where WE# is a clock and RE# says who drives (CLK, W/R#):
//
//   CLK rises with CLE = 1, ALE = 0              command on DQ
//             with CLE = 0, ALE = 1              address on DQ
//             with CLE = ALE = 1, W/R# = 1 or 0  data in or data out, by DQS
//             with CLE = ALE = 0                 nothing
//
// The clock runs with tCK while bytes move. Between bursts and cycles its periods are stretched, by less than
// tCK, so that cycles lie where the timing model puts them, which counts in tCAD and knows no edges of a
// clock; a controller would wait for its next edge instead. In mode 0 tCAD (45 ns) is less than tCK, and so
// is the clock's period there. Where the data sheet leaves a choice, the simplest one is taken: a cycle is
// latched half a tCK after it has begun, the first DQS edge of data in comes one tCK after the clock edge
// that announces it (tDQSS), on the middle of the byte.
#pragma once

#include "hw/core/onfi_tenure.h"
#include "hw/spec/bus_timing.h"
#include "platform/observe/waves/wave_signals.h"

namespace twinplane::platform {

class ClockedPins {
 public:
  struct Wires {
    const WaveSignals::Signal& cle;
    const WaveSignals::Signal& ale;
    const WaveSignals::Signal& clk;
    const WaveSignals::Signal& w_r_n;
    const WaveSignals::Signal& dqs;
    const WaveSignals::Signal& dq;
  };
  /// For the phases of one tenure, in their order.
  ClockedPins(WaveSignals& signals, const Wires& wires, const BusTiming& timing)
      : signals_(signals), wires_(wires), timing_(timing) {}

  void show_cycles(const hw::OnfiPhase& phase);
  /// All but DQ.
  void show_data(const hw::OnfiPhase& phase);

 private:
  void show_in(const hw::OnfiPhase& phase);
  void show_out(const hw::OnfiPhase& phase);
  void announce_data(TimePs first, const hw::OnfiPhase& phase);
  void rise(TimePs at);

  WaveSignals& signals_;
  Wires wires_;
  const BusTiming& timing_;
  TimePs last_rise_ = kNever;   // of the clock, in this tenure
  TimePs turned_back_ = kNever; // W/R# has risen, and the clock not yet
};

} // namespace twinplane::platform
