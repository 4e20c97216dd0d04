// TLM-2.0 targets for modules that are called blocking: what tlm_utils::simple_target_socket does, in a fifth
// of its instructions per call, which counts where every bus tenure passes three of them.
//
// A non-blocking request is answered at once (TLM_COMPLETED with the annotated time), as the base protocol
// allows. transport_dbg moves nothing and DMI is refused where the module does not say otherwise.
#pragma once

#include <cassert>
#include <cstdint>
#include <systemc>
#include <tlm>

namespace twinplane::hw {

/// For a module with one target socket of the protocol: it is the target, socket.bind(*this).
template <typename Protocol = tlm::tlm_base_protocol_types>
class BlockingTarget : public tlm::tlm_fw_transport_if<Protocol> {
 public:
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.allow_none();
    dmi.set_start_address(0);
    dmi.set_end_address(~sc_dt::uint64{0});
    return false;
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) final {
    if (phase == tlm::BEGIN_REQ) this->b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
  }
};

/// For a module with several: calls functions of the module.
template <typename Module, typename Protocol = tlm::tlm_base_protocol_types>
class TargetCalls final : public BlockingTarget<Protocol> {
 public:
  using Transport = void (Module::*)(tlm::tlm_generic_payload&, sc_core::sc_time&);
  using Debug = unsigned (Module::*)(tlm::tlm_generic_payload&);

  TargetCalls(Module& module, Transport transport, Debug debug)
      : module_(module), transport_(transport), debug_(debug) {}

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    (module_.*transport_)(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return debug_ == nullptr ? 0 : (module_.*debug_)(payload);
  }

  Module& module_;
  Transport transport_;
  Debug debug_;
};

} // namespace twinplane::hw
