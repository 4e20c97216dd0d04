// A PCI function with sockets.
//
//   config  target: configuration space; 1, 2 or 4 bytes at a multiple of their number, address 0 .. 4095, no
//           streams
//   memory  target: memory requests of the host by PCI address. What the BAR claims goes on to `bar`; what it
//           does not is an unsupported request: reads bring all ones, writes are dropped, the answer is OK,
//           as a host bridge has it. Address errors are left to the block that routes addresses.
//   bar     initiator: the device's registers, address 0 at the BAR's begin
//
// A platform that binds `config` enumerates: the function starts as after power-on. When none does, it is
// not asked, and the device behaves as a host's firmware has left it.
//
// Configuration accesses are non-posted: both kinds take the link's latency there and back.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "hw/core/kernel_time.h"
#include "hw/core/target_socket.h"
#include "hw/pci/pci_function.h"

namespace twinplane::hw {

class PciPort : public sc_core::sc_module {
 public:
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> config{
      "config"};
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> memory{
      "memory"};
  tlm_utils::simple_initiator_socket<PciPort> bar{"bar"};

  /// `latency`: of the link, one way.
  PciPort(const sc_core::sc_module_name& name, const PciFunctionConfig& config, PciClient& client,
          TimePs latency);

  /// For transports that are no TLM sockets. They call function().reset() first, as power-on does.
  PciFunction& function() { return function_; }

 private:
  void end_of_elaboration() override;
  void on_config(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void on_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  TargetCalls<PciPort> config_calls_{*this, &PciPort::on_config, nullptr};
  TargetCalls<PciPort> memory_calls_{*this, &PciPort::on_memory, nullptr};
  PciFunction function_;
  TimePs latency_;
};

} // namespace twinplane::hw
