// The drive's front end: NVMe towards the host, registers and rings towards the firmware (hw/spec/nvme.h:
// bar; hw/spec/registers.h: reg::host; hw/spec/host_descriptor.h).
//
//   bar     target, host side: BAR0 (hw/spec/nvme.h: bar) in 32-bit or aligned 64-bit accesses. Writes are
//           posted (no delay is added) and take effect after the link's latency; reads add a round trip.
//           The MSI-X table and pending bits lie in BAR0. Message Control is in the PCI function's
//           configuration space (hw/pci); for hosts without one it is the register nvme::bar::msix_control,
//           too.
//   dma     initiator, host memory: queue entries, PRP lists, data, completions, MSI-X messages. What happens
//           in the future of the kernel's time carries it as delay. Data and completion entries go by
//           DMI where the host grants it: a host that polls completion queues in simulated time must not
//           grant DMI for them; MSI-X messages are always transactions, at the time they arrive.
//   device  target, firmware's registers; reads answer for the time of the access (now + delay).
//   irq     initiator: 32-bit writes of an interrupt source number to reg::intc::trigger.
//   dram    initiator: device memory; must grant DMI for all of it from address 0.
//   intx    pin interrupt while MSI-X is disabled.
//   fence   export: when the data of a DMA descriptor are there, for the flash controllers
//   event_queue  port: what may be ahead of the kernel. A front end that does not act unannounced tells
//           run_ahead()'s kernel_changed() of every event that it notifies and every call of the host's
//           memory, and refuses accesses that have passed()
// It is the client of the drive's PCI function as well.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "hw/core/block.h"
#include "hw/core/dma_fence.h"
#include "hw/core/event_queue.h"
#include "hw/core/observer.h"
#include "hw/pci/pci_client.h"
#include "hw/pci/pci_function.h"

namespace twinplane::hw {

struct FrontEndStatistics {
  std::uint64_t fetched = 0;
  std::uint64_t completed = 0;
  std::uint64_t held_completions = 0; // waited for a free completion queue entry
  std::uint64_t bytes_in = 0;         // sectors of commands, host to device (no admin data)
  std::uint64_t bytes_out = 0;        // ... device to host
  std::uint64_t link_bytes_up = 0;    // all payload, device to host
  std::uint64_t link_bytes_down = 0;
  TimePs link_busy_up = 0;
  TimePs link_busy_down = 0;
  TimePs in_flight_time = 0;    // sum of (completion - fetch): over a span, span * mean commands in flight
  std::uint64_t interrupts = 0; // MSI-X messages
  std::uint64_t bad_doorbells = 0;
  std::uint64_t firmware_faults = 0; // DMA descriptors that make no sense
  std::uint64_t activations = 0;     // kernel events of this module
};

/// How far one queue is. Head and tail are entries of it.
struct QueueLevel {
  bool submission = false;
  std::uint32_t id = 0;
  std::uint32_t entries = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t waiting = 0;    // announced and not fetched, or completions that wait for a free entry
  std::uint32_t completion = 0; // of a submission queue, its completion queue
};

class FrontEndBlock : public Block, public PciClient {
 public:
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0, sc_core::SC_ZERO_OR_MORE_BOUND> bar{"bar"};
  tlm_utils::simple_initiator_socket<FrontEndBlock> dma{"dma"};
  tlm::tlm_target_socket<32> device{"device"};
  tlm_utils::simple_initiator_socket<FrontEndBlock> irq{"irq"};
  tlm_utils::simple_initiator_socket<FrontEndBlock> dram{"dram"};
  sc_core::sc_out<bool> intx{"intx"};
  sc_core::sc_export<DmaFence> fence{"fence"};
  sc_core::sc_port<EventQueue, 1, sc_core::SC_ZERO_OR_MORE_BOUND> event_queue{"event_queue"};

  /// The function in whose configuration space the device is found.
  [[nodiscard]] virtual PciFunctionConfig pci_function() const = 0;
  [[nodiscard]] virtual FrontEndStatistics statistics() const = 0;
  /// The queues that exist, for people who debug; a front end that cannot tell has none.
  [[nodiscard]] virtual std::vector<QueueLevel> queue_levels() const { return {}; }
  /// At most one. A front end that tells nothing leaves out what reports know by it.
  virtual void attach(FrontEndObserver& /*observer*/) {}

 protected:
  explicit FrontEndBlock(const sc_core::sc_module_name& name) : Block(name) {
    dma.register_invalidate_direct_mem_ptr(this, &FrontEndBlock::on_invalidate);
  }

 private:
  /// The host takes back the memory [start, end] that it has granted by DMI.
  virtual void on_invalidate(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) {}
};

} // namespace twinplane::hw
