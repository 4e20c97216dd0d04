// The PCI function as a vfio-user server (QEMU 10.1 and newer, other virtual machine monitors, programs).
//
// The client keeps the table of MSI-X to itself and gives an eventfd per vector. So the server writes the
// device's table: vector v sends the message v to the message window, and the message fires the eventfd.
// Memory that the client maps without a file is not reached by DMA.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/pci_host/event_line.h"
#include "platform/pci_host/message_socket.h"
#include "platform/pci_host/transport.h"
#include "platform/pci_host/vfio_user_protocol.h"

namespace twinplane::platform {

class VfioUserServer final : public Transport {
 public:
  /// A connection with a client that has said nothing yet.
  explicit VfioUserServer(Descriptor connection) : socket_(std::move(connection)) {}

  Served serve(PciDevice& device) override;
  int descriptor() const override { return socket_.descriptor(); }
  void message(std::uint64_t address, std::uint32_t data) override;
  void pin(bool level) override;

 private:
  /// What a command is answered: an errno, or 0 and the bytes in reply_.
  using Handler = int (VfioUserServer::*)(PciDevice& device);
  static Handler handler_of(std::uint16_t command);
  Served reject(const char* why);
  bool answer(int error);

  int on_version(PciDevice& device);
  int on_map(PciDevice& device);
  int on_unmap(PciDevice& device);
  int on_info(PciDevice& device);
  int on_region_info(PciDevice& device);
  int on_irq_info(PciDevice& device);
  int on_set_irqs(PciDevice& device);
  int on_read(PciDevice& device);
  int on_write(PciDevice& device);
  int on_reset(PciDevice& device);

  int set_vectors(PciDevice& device, const vfio_user::SetIrqs& request);
  int set_pin(const vfio_user::SetIrqs& request);
  void give_vector(PciDevice& device, std::uint32_t vector, Descriptor* event);
  void program_vector(PciDevice& device, std::uint32_t vector);
  void restore_vectors(PciDevice& device);
  void fire_pin();
  /// Whether the bool of this number is true; for requests without data all are.
  bool chosen(const vfio_user::SetIrqs& request, std::uint32_t number) const;

  template <typename T>
  bool take(T& request) const {
    return take_at(&request, sizeof request);
  }
  bool take_at(void* request, std::size_t bytes) const;
  const std::uint8_t* payload() const { return socket_.data() + sizeof(vfio_user::Header); }
  std::size_t payload_bytes() const { return socket_.size() - sizeof(vfio_user::Header); }
  void put(const void* bytes, std::size_t count);

  MessageSocket socket_;
  vfio_user::Header header_;
  std::vector<std::uint8_t> reply_; // with room for its header
  bool greeted_ = false;
  std::vector<EventLine> vectors_;
  EventLine pin_event_;
  bool pin_ = false;
  bool pin_masked_ = false;
};

} // namespace twinplane::platform
