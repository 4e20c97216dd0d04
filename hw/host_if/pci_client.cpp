// HostInterface: what its PCI function asks of it (hw/pci/pci_client.h).
#include "hw/host_if/host_interface.h"
#include "hw/spec/nvme.h"

namespace twinplane::hw {

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

/// A controller reset (NVMe 1.4 section 7.3.2: FLR is one of its causes), and all registers. A controller
/// that its firmware has given up stays so.
void HostInterface::reset_function(TimePs at) {
  if ((cc_ & nvme::cc::en) != 0) disable(at);
  ready_.revoke(at);
  ready_.set(false, at, kernel_now());
  cc_ = aqa_ = 0;
  asq_ = acq_ = 0;
  fatal_ = halted_;
  shutdown_status_ = 0;
  interrupts_.reset_table(at);
  arm();
}

void HostInterface::set_msix(std::uint16_t control, TimePs at) {
  interrupts_.set_control(control, at);
  shadow_doorbells_.review_heads(at);
  arm();
}

void HostInterface::set_bus_master(bool enabled, TimePs at) {
  host_.set_enabled(enabled);
  interrupts_.set_blocked(!enabled, at);
  arm();
}

void HostInterface::disable_intx(bool disabled, TimePs at) {
  interrupts_.disable_pin(disabled, at);
  arm();
}

} // namespace twinplane::hw
