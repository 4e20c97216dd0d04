// Between a transport and a PCI function: lets everything through, and writes it down.
#pragma once

#include "platform/pci_host/pci_device.h"
#include "platform/pci_host/session.h"

namespace twinplane::platform {

class SessionRecorder final : public PciDevice, public GuestMemory, public InterruptSink {
 public:
  /// `device` for the transport, `guest` for the device's interrupts; its memory is the device's own.
  /// `boundary` is called between two events.
  SessionRecorder(
      StateVisitor& file, SessionClock now, PciDevice& device, InterruptSink& guest,
      std::function<void()> boundary = [] {})
      : file_(file), now_(std::move(now)), device_(device), guest_(guest), boundary_(std::move(boundary)) {}

  /// The guest has gone, or a signal has ended its session.
  void end(bool interrupted);

  // PciDevice
  std::uint32_t read_config(std::uint32_t offset, std::uint32_t bytes) override;
  void write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) override;
  std::uint64_t read_bar(std::uint32_t offset, std::uint32_t bytes) override;
  void write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) override;
  std::optional<std::uint32_t> decode(std::uint64_t address, std::uint32_t bytes) const override {
    return device_.decode(address, bytes);
  }
  void reset() override;
  std::uint32_t bar_bytes() const override { return device_.bar_bytes(); }
  std::uint32_t vectors() const override { return device_.vectors(); }
  std::uint32_t vector_table() const override { return device_.vector_table(); }
  MappedMemory& memory() override { return device_.memory(); }

  // GuestMemory
  bool read(std::uint64_t address, void* data, std::uint64_t length) override;
  bool write(std::uint64_t address, const void* data, std::uint64_t length) override;
  bool writable(std::uint64_t address, std::uint64_t length) override;

  // InterruptSink
  void message(std::uint64_t address, std::uint32_t data) override;
  void pin(bool level) override;

 private:
  void note(SessionEvent::Kind kind, std::uint64_t where = 0, std::uint64_t bytes = 0,
            std::uint64_t value = 0, bool ok = true);

  StateVisitor& file_;
  SessionClock now_;
  PciDevice& device_;
  InterruptSink& guest_;
  std::function<void()> boundary_;
};

} // namespace twinplane::platform
