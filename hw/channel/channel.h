// One ONFI channel: the bus that a flash controller shares out to the packages on it.
//
// `in` takes tenures (hw/core/onfi_tenure.h). The channel stamps every plane of a sequence and every
// phase of a raw tenure with its exact time, forwards the transaction to the package whose CE# is
// `address`, and adds the tenure's length to the annotated delay. It expands a sequence into phases
// when they are to be seen: by an observer that wants_phases(), or a package that cannot execute it at
// once. It does not queue: a tenure that begins before free_at() is an SC_ERROR; who waits is the
// controller's business (hw/channel/arbiter.h). When a target changes its timing mode (feature 01h, reset),
// its next tenure has the new times: as if the controller's PHY had been set to the same mode.
// transport_dbg passes through and takes no time.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/channel/channel_block.h"
#include "hw/channel/sequence_timing.h"
#include "hw/channel/tenure_timing.h"
#include "hw/core/observer.h"
#include "hw/core/onfi_tenure.h"
#include "hw/core/target_socket.h"

namespace twinplane::hw {

struct ChannelConfig {
  std::uint32_t index = 0; // for observers
  std::uint32_t chips = 1;
  BusTiming bus;
  TimePs tDBSY = 0; // held on the bus between the planes of a tenure
  /// Of the mode that the parts are configured for. Tenures to a target that changes to it have `bus`: a channel
  /// with a timing of its own keeps it.
  BusTiming part_bus{};
};

class Channel final : public ChannelBlock, public BlockingTarget<OnfiProtocol>, public TenureTarget {
 public:
  Channel(const sc_core::sc_module_name& name, const ChannelConfig& config);

  /// End of the last tenure: the earliest start of the next one.
  TimePs free_at() const { return free_at_; }
  /// Length of a raw tenure on this bus, in the timing it began with.
  TimePs duration(const OnfiTenure& tenure) const { return timings_[0]->tenures.duration(tenure); }

  bool has_external_events() const override { return false; }
  void attach(BusObserver& observer) override;
  ChannelStatistics statistics() const override;
  TimePs busy() const override { return statistics_.busy; }
  void reset_statistics();

 private:
  void end_of_elaboration() override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool take_tenure(std::uint32_t chip, OnfiTenure& tenure, TimePs start, TimePs& end) override;
  OnfiTenure* accept(tlm::tlm_generic_payload& payload) const;
  /// A mode of the bus. Each chip has one; they share that of the configuration until feature 01h.
  struct Timing {
    Timing(const BusTiming& bus, TimePs tDBSY) : tenures(bus, tDBSY), sequences(tenures) {}
    TenureTiming tenures;
    SequenceTiming sequences;
  };
  static void unfold(const Timing& timing, OnfiTenure& tenure, TimePs start);
  TimePs stamp(Timing& timing, OnfiTenure& tenure, TimePs start);
  void finish(std::uint32_t chip, OnfiTenure& tenure, TimePs start, TimePs end);
  void transact(std::uint32_t chip, OnfiTenure& tenure, tlm::tlm_generic_payload& payload,
                sc_core::sc_time& delay);
  void hand_on(std::uint32_t chip, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void check_answer(std::uint32_t chip, const tlm::tlm_generic_payload& payload, TimePs at);
  void tell_timing(const Timing& timing);
  Timing& timing_like(const BusTiming& bus);

  ChannelConfig config_;
  std::vector<TenureTarget*> packages_;          // behind the sockets; null: takes transactions
  std::vector<std::unique_ptr<Timing>> timings_; // all that were ever in force
  std::vector<Timing*> timing_of_;               // by chip
  const Timing* told_ = nullptr;                 // what observers know
  TimePs free_at_ = 0;
  ChannelStatistics statistics_; // `use` of raw tenures only
  std::vector<BusObserver*> observers_;
  bool phases_wanted_ = false; // by one of them
};

} // namespace twinplane::hw
