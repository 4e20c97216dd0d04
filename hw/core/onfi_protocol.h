// The ONFI bus as a TLM-2.0 protocol of its own. Its transactions mean nothing without their mandatory
// extension OnfiTenure (hw/core/onfi_tenure.h), so its sockets bind to no memory and to no register file:
// that does not compile. R/B# is a wire beside the bus, and a typed port here.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/core/onfi_tenure.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// Only b_transport and transport_dbg are used.
struct OnfiProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

using OnfiTargetSocket = tlm::tlm_target_socket<32, OnfiProtocol>;

/// A target of ours takes tenures by call, too, as hw/core/register_target.h says of registers: initiators
/// look behind their sockets. It derives publicly from this and from the interface that it binds.
class TenureTarget {
 public:
  /// What b_transport does with a tenure that begins at `start`, an absolute time that may be ahead of the
  /// kernel's, and answers with TLM_OK_RESPONSE. `end`: of the tenure, from a channel; a package leaves it
  /// alone. False: nothing has happened. A channel wants a transaction, a package the phases of a sequence
  /// that has come without.
  [[nodiscard]] virtual bool take_tenure(std::uint32_t chip, OnfiTenure& tenure, TimePs start,
                                         TimePs& end) = 0;

 protected:
  ~TenureTarget() = default;
};

/// Sends tenures; nothing comes back but with them.
class OnfiInitiatorSocket : public tlm::tlm_initiator_socket<32, OnfiProtocol> {
 public:
  explicit OnfiInitiatorSocket(const char* name) : tlm_initiator_socket(name) { bind(ignored_); }
  using tlm_initiator_socket::bind;

 private:
  struct Ignored final : tlm::tlm_bw_transport_if<OnfiProtocol> {
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
      return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };
  Ignored ignored_;
};

/// The R/B# wires of a channel's packages, as far as the tenures have not told when they rise.
class ReadyBusy : public virtual sc_core::sc_interface {
 public:
  /// R/B# of the LUN, low since a tenure that was answered with ready_at = kNever, rises at `at`, which is
  /// now or later. Not to be called from inside a tenure.
  virtual void on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) = 0;
};

} // namespace twinplane::hw
