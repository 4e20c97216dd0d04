// What moves commands and data between the host and firmware: submission queues to the command ring, the DMA
// ring to host memory and to completion queues, and interrupts to both sides. The registers of either side
// are its users (controller_registers.h, device_registers.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <vector>

#include "hw/core/bandwidth_port.h"
#include "hw/core/granted_dram.h"
#include "hw/core/kernel_time.h"
#include "hw/core/register_port.h"
#include "hw/core/run_ahead.h"
#include "hw/host_if/dma_engine.h"
#include "hw/host_if/fetch_engine.h"
#include "hw/host_if/front_end_block.h"
#include "hw/host_if/host_access.h"
#include "hw/host_if/host_interrupts.h"
#include "hw/host_if/pcie_link.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

struct HostInterfaceConfig {
  std::uint32_t sector_size = 4096;
  DataMode data_mode = DataMode::tag;
  std::uint32_t max_queue_entries = 1024; // CAP.MQES + 1, 2 .. 65536
  std::uint32_t max_io_queues = 64;       // pairs, 1 .. 1023
  std::uint32_t max_slots = 1024;         // commands in the device, 1 .. 65535
  std::uint32_t ready_timeout = 20;       // CAP.TO, in 500 ms
  bool msix_enabled = true;               // Message Control at power-on (a host may change it)
  PcieConfig pcie;
  // May the host call wait() in b_transport of socket `dma`? A host that never does saves the switches to
  // threads, one per interrupt message at least.
  bool host_waits = true;
  BandwidthPort* dram_port =
      nullptr; // books what host DMA moves through device DRAM; null: DRAM costs no time
};

class FrontEnd {
 public:
  /// `block` has the sockets.
  FrontEnd(FrontEndBlock& block, const HostInterfaceConfig& config);
  /// Once the sockets are bound. `ahead`: null where the drive is never ahead of the kernel.
  void connect(const GrantedDram& granted, RunAhead* ahead);

  /// Fetches commands; firmware is told when they can be seen.
  void fetch(TimePs at);
  /// Interrupt `source` of the core.
  void raise(std::uint32_t source, TimePs at);
  /// Of descriptors that are done, if one asks for it.
  void raise_dma() {
    if (const TimePs next = dma_engine.next_notice(); next != kNever) raise(reg::irq::host_dma, next);
  }
  /// The ring has come on at `at`: firmware may wait for its notice, or a queue for a slot.
  void after_dma(TimePs at);
  /// A thread has read entries; `notice` as of FetchEngine::run().
  void after_fetch(TimePs notice);
  /// Body of an SC_THREAD, for a host that may wait: sends what is posted.
  void send_posted();

  /// Something may be due earlier than before.
  void arm() {
    const TimePs at = std::min(fetch_engine.due(), interrupts.due());
    if (at < wake_at_) wake_up_at(at);
  }
  const sc_core::sc_event& wake() const { return wake_; }
  /// The event was notified: what is due is done. Returns the level of the pin.
  bool serve(bool pin);

  FrontEndStatistics statistics() const;
  std::vector<QueueLevel> queue_levels() const;

  BandwidthPort own_dram_port; // used when none is shared: infinitely fast
  PcieLink link;
  HostAccess host;
  QueueSet queues;
  SlotTable slots;
  CommandRing command_ring;
  HostInterrupts interrupts;
  const CompletionPath path;
  CompletionPoster poster;
  DmaEngine dma_engine;
  FetchEngine fetch_engine;
  RunAhead* ahead = nullptr;
  bool fatal = false; // CSTS.CFS

 private:
  void wake_up_at(TimePs at);

  FrontEndBlock& block_;
  RegisterAccess irq_access_;
  RegisterPort irq_port_; // behind the socket
  sc_core::sc_event wake_{"wake"};
  TimePs wake_at_ = kNever; // time for which wake_ is notified
};

} // namespace twinplane::hw
