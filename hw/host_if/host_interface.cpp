#include "hw/host_if/host_interface.h"

#include <string>

#include "hw/core/block_error.h"
#include "hw/core/granted_dram.h"

namespace twinplane::hw {

const char* HostInterface::check(const HostInterfaceConfig& config) {
  if (config.max_queue_entries < 2 || config.max_queue_entries > 65536) {
    return "host.queue_size must be 2 to 65536 entries";
  }
  if (config.max_io_queues < 1 || config.max_io_queues > 1023) return "host.queues must be 1 to 1023";
  if (config.max_slots < 1 || config.max_slots >= kNoSlot) return "host.slots must be 1 to 65534";
  if (config.sector_size < 512) return "geometry.sector_size must be 512 bytes or more";
  if (config.pcie.tags < 1 || config.pcie.tags > 256) return "pcie.tags must be 1 to 256";
  return PcieLink::check(config.pcie);
}

HostInterface::HostInterface(const sc_core::sc_module_name& name, const HostInterfaceConfig& config)
    : FrontEndBlock(name),
      config_(config),
      front_(*this, config_),
      controller_(this->name(), config_, front_),
      device_registers_(front_, controller_) {
  require_picoseconds(this->name());
  bar.bind(controller_);
  device.bind(device_registers_);
  fence.bind(front_.dma_engine);
  front_.interrupts.set_control(config.msix_enabled ? pci::msix::enable : 0, 0);
  SC_HAS_PROCESS(HostInterface);
  SC_METHOD(on_wake);
  sensitive << front_.wake();
  dont_initialize();
  if (config.host_waits) {
    start_threads();
  } else {
    SC_METHOD(on_doorbells);
    sensitive << controller_.shadow_doorbells().due();
    dont_initialize();
  }
}

/// What may be made to wait in the host's b_transport.
void HostInterface::start_threads() {
  sc_core::sc_spawn([this] { front_.fetch_engine.serve(); }, "fetch");
  sc_core::sc_spawn([this] { front_.send_posted(); }, "posted");
  const auto doorbells = [this] {
    for (;;) {
      sc_core::wait(controller_.shadow_doorbells().due());
      controller_.shadow_doorbells().serve(true);
    }
  };
  sc_core::sc_spawn(doorbells, "doorbells");
  sc_core::sc_spawn([this] { front_.dma_engine.serve_to_host(); }, "to_host");
  for (std::uint32_t i = 0; i < config_.pcie.tags; ++i) {
    sc_core::sc_spawn([this] { front_.dma_engine.serve_to_device(); },
                      ("to_device" + std::to_string(i)).c_str());
  }
}

void HostInterface::end_of_elaboration() {
  front_.connect(granted_dram(dram), event_queue.size() == 0 ? nullptr : &event_queue->run_ahead());
}

void HostInterface::on_wake() {
  ++activations_;
  const bool level = front_.serve(pin_);
  if (level != pin_) intx.write(pin_ = level);
}

void HostInterface::on_doorbells() {
  ++activations_;
  controller_.shadow_doorbells().serve(false);
}

FrontEndStatistics HostInterface::statistics() const {
  FrontEndStatistics s = front_.statistics();
  s.bad_doorbells = controller_.bad_doorbells();
  s.activations = activations_;
  return s;
}

// --- the PCI function (hw/pci/pci_client.h) ---

PciFunctionConfig HostInterface::pci_function() const {
  PciFunctionConfig f;
  f.bar_bytes = nvme::bar::size;
  f.msix_vectors = config_.max_io_queues + 1;
  f.msix_table = nvme::bar::msix_table;
  f.msix_pending = nvme::bar::msix_pba;
  f.link_generation = config_.pcie.generation;
  f.link_lanes = config_.pcie.lanes;
  f.max_payload = config_.pcie.max_payload;
  return f;
}

void HostInterface::set_bus_master(bool enabled, TimePs at) {
  front_.host.set_enabled(enabled);
  front_.interrupts.set_blocked(!enabled, at);
  front_.arm();
}

void HostInterface::disable_intx(bool disabled, TimePs at) {
  front_.interrupts.disable_pin(disabled, at);
  front_.arm();
}

} // namespace twinplane::hw
