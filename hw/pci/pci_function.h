// A PCI Express endpoint with one function: type 0 configuration space, one 64-bit memory BAR, power
// management, MSI-X, PCI Express capability with function level reset. No SystemC: pci_port.h makes sockets
// of it, and any other transport (a vfio-user server, a link to an emulator) calls it directly.
//
// Not there: expansion ROM, MSI, extended configuration space (reads as zero), error reporting. Transactions
// Pending reads as 0: the device's transactions end with the call that makes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/pci/pci_client.h"
#include "hw/spec/pci.h"

namespace twinplane::hw {

struct PciFunctionConfig {
  std::uint16_t vendor = pci::kVendor;
  std::uint16_t device = 0x0001;
  std::uint32_t class_code = pci::kNvmeClass;
  std::uint32_t bar_bytes = 0x10000; // power of two, 16 and more
  std::uint32_t msix_vectors = 1;    // 1 .. 2048
  std::uint32_t msix_table = 0;      // in the BAR, multiples of 8
  std::uint32_t msix_pending = 0;
  std::uint32_t link_generation = 3; // 1 .. 5
  std::uint32_t link_lanes = 4;
  std::uint32_t max_payload = 256; // bytes, power of two, 128 .. 4096
};

class PciFunction {
 public:
  PciFunction(const PciFunctionConfig& config, PciClient& client);

  /// 1, 2 or 4 bytes at an offset that is a multiple of their number, 0 .. 4095; what is not there reads as
  /// 0.
  std::uint32_t read(std::uint32_t offset, std::uint32_t bytes) const;
  void write(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value, TimePs at);

  /// Where in the BAR a memory access of the host goes. None: the function does not answer (memory space is
  /// off, the power state is not D0, or the access is not all in the BAR).
  std::optional<std::uint32_t> decode(std::uint64_t address, std::uint32_t bytes) const;

  /// Power-on, or a conventional reset. FLR is what a host writes into Device Control.
  void reset(TimePs at);

  std::uint64_t bar() const { return (field(pci::bar0, 4) & ~std::uint64_t{15}) | field(pci::bar1, 4) << 32; }
  std::uint64_t resets() const { return resets_; } // by FLR

 private:
  std::uint64_t field(std::uint32_t offset, std::uint32_t bytes) const;
  void put(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value);
  void allow(std::uint32_t offset, std::uint32_t bytes, std::uint32_t mask);
  void defaults();
  void capability(std::uint32_t offset, std::uint8_t id, std::uint32_t next);
  void put_link();
  bool awake() const { return (field(pci::power::control, 2) & 3) == 0; }
  void tell(TimePs at);

  PciFunctionConfig config_;
  PciClient& client_;
  std::array<std::uint8_t, pci::config_bytes> bytes_{};
  std::array<std::uint8_t, pci::config_bytes> writable_{};
  std::array<std::uint8_t, pci::config_bytes> cleared_by_one_{};
  std::uint64_t resets_ = 0;
};

} // namespace twinplane::hw
