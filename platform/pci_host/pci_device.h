// A PCI function, as a transport that brings a guest's accesses asks it, and what it tells the transport. No
// SystemC: protocols are tested without a drive. Accesses happen at the drive's present time; one that reads
// lets the time of its way there and back pass.
#pragma once

#include <cstdint>
#include <optional>

#include "platform/pci_host/guest_memory.h"

namespace twinplane::platform {

class PciDevice {
 public:
  /// Configuration space: 1, 2 or 4 bytes at a multiple of their number, below 4096.
  virtual std::uint32_t read_config(std::uint32_t offset, std::uint32_t bytes) = 0;
  virtual void write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) = 0;
  /// BAR 0: 1, 2, 4 or 8 bytes at any offset below bar_bytes(). What a register cannot do reads as all ones
  /// and is not written.
  virtual std::uint64_t read_bar(std::uint32_t offset, std::uint32_t bytes) = 0;
  virtual void write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) = 0;
  /// Where in BAR 0 an access by address goes; none: the function does not claim it.
  virtual std::optional<std::uint32_t> decode(std::uint64_t address, std::uint32_t bytes) const = 0;
  /// A conventional reset, which ends what is under way.
  virtual void reset() = 0;

  virtual std::uint32_t bar_bytes() const = 0;
  virtual std::uint32_t vectors() const = 0; // of MSI-X
  /// Where the table of MSI-X is in BAR 0.
  virtual std::uint32_t vector_table() const = 0;
  /// What the device reaches by DMA; the transport fills it.
  virtual MappedMemory& memory() = 0;

 protected:
  ~PciDevice() = default;
};

/// What a device sends of its own accord.
class InterruptSink {
 public:
  /// An MSI-X message has arrived, as the device's table says.
  virtual void message(std::uint64_t address, std::uint32_t data) = 0;
  /// The level of the interrupt pin has changed.
  virtual void pin(bool level) = 0;

 protected:
  ~InterruptSink() = default;
};

/// Addresses that are interrupt messages and never memory (x86: the local APICs' window).
constexpr std::uint64_t kMessageWindow = 0xFEE0'0000;
constexpr std::uint64_t kMessageWindowEnd = 0xFEF0'0000;

} // namespace twinplane::platform
