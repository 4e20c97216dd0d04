// A channel whose bus is wires: for a flash controller that drives pins (RTL, or a bit-banging model), in the
// place of hw/channel in a drive.
//
//   pins   what the controller drives and reads
//   in     takes transport_dbg alone, so that a drive is preconditioned past the wires in no time.
//          b_transport answers TLM_COMMAND_ERROR_RESPONSE: this controller has no tenures to send
//   chips  the packages
// A PinTransactor makes transactions of the wires. The maker of the drive's packages tells them to listen(),
// for R/B#.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "hw/channel/channel_block.h"
#include "hw/core/target_socket.h"
#include "hw/nand/package_block.h"
#include "hw/pins/onfi_pins.h"
#include "hw/pins/pin_config.h"
#include "hw/pins/pin_transactor.h"

namespace twinplane::hw {

class PinChannel final : public ChannelBlock, private BlockingTarget<OnfiProtocol>, private BusObserver {
 public:
  OnfiPins pins;

  PinChannel(const sc_core::sc_module_name& name, const PinConfig& config);

  /// Before the simulation starts: the package's R/B# is that of its chip.
  void listen(PackageBlock& package) { transactor_.listen(package); }
  /// R/B# of a LUN that was not told by the package (ReadyBusy).
  void on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) { transactor_.on_ready(chip, lun, at); }

  void attach(BusObserver& observer) override;
  /// A tenure is what happened between two edges of CE#.
  ChannelStatistics statistics() const override { return statistics_; }

  const PinConfig& config() const { return config_; }
  const PinTransactor& transactor() const { return transactor_; }

 private:
  /// From the transactor to the package on one CE#.
  class Wire final : private BlockingTarget<OnfiProtocol> {
   public:
    OnfiTargetSocket socket;
    Wire(const char* name, OnfiInitiatorSocket& package) : socket(name), package_(package) {
      socket.bind(*this);
    }

   private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
      package_->b_transport(payload, delay);
    }
    OnfiInitiatorSocket& package_;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  void on_tenure(std::uint32_t channel, std::uint32_t chip, const OnfiTenure& tenure, TimePs start,
                 TimePs end) override;

  PinConfig config_;
  PinTransactor transactor_;
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<BusObserver*> observers_;
  ChannelStatistics statistics_;
};

} // namespace twinplane::hw
