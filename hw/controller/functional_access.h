// Executes flash descriptors in zero time: the same tenures as ever, through the channel and the dies'
// decoders by transport_dbg. For preconditioning; of use to every flash controller, whatever it is made of:
//
//   unsigned transport_dbg(tlm::tlm_generic_payload& payload) override { return functional_.serve(payload); }
#pragma once

#include <tlm>

#include "hw/controller/controller_block.h"
#include "hw/controller/tenure_builder.h"
#include "hw/core/onfi_protocol.h"

namespace twinplane::hw {

class FunctionalAccess {
 public:
  /// `bus` is the controller's; it must be bound when the first access comes.
  FunctionalAccess(const TenureBuilder& builder, OnfiInitiatorSocket& bus);
  ~FunctionalAccess() { payload_.clear_extension(&tenure_); }
  FunctionalAccess(const FunctionalAccess&) = delete;
  FunctionalAccess& operator=(const FunctionalAccess&) = delete;

  /// What transport_dbg of a controller's registers returns: 0 for anything but a FunctionalFlash.
  unsigned serve(const tlm::tlm_generic_payload& payload);

 private:
  void run(FunctionalFlash& functional);
  void send();

  TenureBuilder builder_;
  OnfiInitiatorSocket& bus_;
  OnfiTenure tenure_;
  tlm::tlm_generic_payload payload_;
};

} // namespace twinplane::hw
