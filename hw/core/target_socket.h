// A TLM-2.0 target socket for modules that are called blocking: tlm_utils::simple_target_socket with a fifth
// of its instructions per call, which counts where every bus tenure passes three of them.
//
// A non-blocking request is answered at once (TLM_COMPLETED with the annotated time), as the base protocol
// allows. Without a registered function: transport_dbg moves nothing, DMI is refused.
#pragma once

#include <cassert>
#include <systemc>
#include <tlm>

namespace twinplane::hw {

/// `kInitiators`: how many may be bound; 0: any number. `kPolicy`: whether there must be one.
template <typename Module, int kInitiators = 1,
          sc_core::sc_port_policy kPolicy = sc_core::SC_ONE_OR_MORE_BOUND>
class TargetSocket : public tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, kInitiators, kPolicy> {
  using Base = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, kInitiators, kPolicy>;

 public:
  using Transport = void (Module::*)(tlm::tlm_generic_payload&, sc_core::sc_time&);
  using Debug = unsigned (Module::*)(tlm::tlm_generic_payload&);

  explicit TargetSocket(const char* name) : Base(name) { this->bind(calls_); }

  void register_b_transport(Module* module, Transport transport) {
    calls_.module = module;
    calls_.transport = transport;
  }
  void register_transport_dbg(Module* module, Debug debug) {
    calls_.module = module;
    calls_.debug = debug;
  }

 private:
  struct Calls final : tlm::tlm_fw_transport_if<> {
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
      assert(transport != nullptr && "the module has registered its function");
      (module->*transport)(payload, delay);
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      if (phase == tlm::BEGIN_REQ) b_transport(payload, delay);
      return tlm::TLM_COMPLETED;
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
      dmi.allow_none();
      dmi.set_start_address(0);
      dmi.set_end_address(~sc_dt::uint64{0});
      return false;
    }

    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
      return debug == nullptr ? 0 : (module->*debug)(payload);
    }

    Module* module = nullptr;
    Transport transport = nullptr;
    Debug debug = nullptr;
  };

  Calls calls_;
};

} // namespace twinplane::hw
