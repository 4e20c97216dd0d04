// The PCI function as the other process of QEMU's x-pci-proxy-dev (multi-process QEMU, version 7.2; this
// layout of its messages is that version's).
//
// Under TCG no part of QEMU reads the interrupt eventfds that it hands out. So the guest programs the
// device's own table of MSI-X, which QEMU does not know of because every configuration access comes here, and
// each message goes back as a physical write over QEMU's qtest socket. The interrupt pin is not connected.
#pragma once

#include <cstdint>

#include "platform/pci_host/message_socket.h"
#include "platform/pci_host/qtest_socket.h"
#include "platform/pci_host/transport.h"

namespace twinplane::platform {

class MpqemuLink final : public Transport {
 public:
  MpqemuLink(Descriptor link, Descriptor qtest) : socket_(std::move(link)), qtest_(std::move(qtest)) {}

  Served serve(PciDevice& device) override;
  int descriptor() const override { return socket_.descriptor(); }
  void message(std::uint64_t address, std::uint32_t data) override { qtest_.write32(address, data); }
  void pin(bool) override {}

 private:
  Served reject(const char* why);
  Served handle(PciDevice& device);
  Served share_memory(PciDevice& device);
  Served access_config(PciDevice& device, bool write);
  Served access_bar(PciDevice& device, bool write);
  Served answer(std::uint64_t value);
  std::uint32_t read_config(PciDevice& device, std::uint32_t offset, std::uint32_t bytes) const;
  const std::uint8_t* payload() const;

  MessageSocket socket_;
  QtestSocket qtest_;
  std::int32_t command_ = 0;
  std::uint64_t size_ = 0;
  bool probing_ = true; // until the first reset QEMU looks for the BARs itself
};

} // namespace twinplane::platform
