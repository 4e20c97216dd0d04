// The bus of one channel: passes tenures on to packages and says how long they take.
//
//   in     target: tenures with the chip (CE#) as address (hw/core/onfi_tenure.h). b_transport fills in the
//          times of planes and phases, which begin at now + delay, forwards the tenure to the package, adds
//          its length to the delay, and hands on the package's answer (a package that wants phases gets them
//          here). The delay is the channel's alone to change. It does not queue: who waits for the bus is the
//          controller's business. transport_dbg takes no time.
//   chips  initiators, one per CE#
#pragma once

#include <cstdint>
#include <systemc>

#include "hw/channel/tenure_timing.h"
#include "hw/core/block.h"
#include "hw/core/observer.h"
#include "hw/core/onfi_protocol.h"

namespace twinplane::hw {

struct ChannelStatistics {
  std::uint64_t tenures = 0;
  TimePs busy = 0;   // sum of `use`
  BusUseTimes use{}; // by BusUse

  TimePs used_for(BusUse what) const { return use[static_cast<std::size_t>(what)]; }
};

class ChannelBlock : public Block {
 public:
  OnfiTargetSocket in{"in"};
  sc_core::sc_vector<OnfiInitiatorSocket> chips;

  /// Waves, monitors and timelines. Called in the order of attachment; observers outlive the simulation. Each is
  /// told the timing when it is attached and when it changes, then every tenure with its times, sequences with
  /// their phases as soon as one of the observers wants phases. The drive looks at channels that are not ours
  /// (hw/channel/contract_watch.h).
  virtual void attach(BusObserver& observer) = 0;
  [[nodiscard]] virtual ChannelStatistics statistics() const = 0;
  /// The same as statistics().busy, where it is asked for often.
  [[nodiscard]] virtual TimePs busy() const { return statistics().busy; }

 protected:
  ChannelBlock(const sc_core::sc_module_name& name, std::uint32_t chip_count)
      : Block(name), chips("chip", chip_count) {}
};

} // namespace twinplane::hw
