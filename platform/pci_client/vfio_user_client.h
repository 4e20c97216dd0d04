// A program's own way to a PCI function behind a vfio-user server: no virtual machine, no kernel. It is a
// load generator's and a test's. Errors are InputErrors that name the server's path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/pci_host/descriptor.h"
#include "platform/pci_host/vfio_user_protocol.h"

namespace twinplane::platform {

class VfioUserClient {
 public:
  /// Connects, as soon as a server listens there, and agrees on the version.
  explicit VfioUserClient(const std::string& path, int milliseconds = 0);
  /// Over a connection that stands.
  VfioUserClient(Descriptor connection, std::string name);
  ~VfioUserClient();
  VfioUserClient(const VfioUserClient&) = delete;
  VfioUserClient& operator=(const VfioUserClient&) = delete;

  /// Fresh memory, zeroed, that the device reaches at this address. All of it is given back at the end.
  std::uint8_t* share(std::uint64_t address, std::uint64_t bytes);
  /// Takes memory away from the device; it stays readable here.
  void take_away(std::uint64_t address);

  /// 1 to 8 bytes of a region (vfio_user::kBar0, kConfig).
  std::uint64_t read(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes);
  void write(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes, std::uint64_t value);
  /// The same without waiting for an answer.
  void post(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes, std::uint64_t value);

  /// An eventfd for each of the first `count` vectors of MSI-X.
  void enable_vectors(std::uint32_t count);
  std::uint32_t vectors() const { return static_cast<std::uint32_t>(events_.size()); }
  /// Waits for any of them, and takes all that have fired. False when none has in so many milliseconds.
  bool wait(int milliseconds);
  /// Whether the vector was among them.
  bool fired(std::uint32_t vector) const { return fired_[vector]; }
  void reset();

  /// Any command: returns the errno of the reply, whose payload goes to `reply`.
  int command(std::uint16_t number, const void* payload, std::uint32_t bytes, const std::vector<int>& files,
              std::vector<std::uint8_t>* reply = nullptr);

 private:
  struct Shared {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint8_t* memory = nullptr;
    bool given = true; // to the device
  };
  void greet();
  void send(const vfio_user::Header& header, const void* payload, const std::vector<int>& files);
  void receive(void* to, std::size_t bytes);
  void require(int error, const char* what) const;

  std::string name_;
  Descriptor socket_;
  std::uint16_t next_id_ = 0;
  std::size_t files_taken_ = 1; // by the server, with one message
  std::vector<Shared> shared_;
  std::vector<Descriptor> events_;
  std::vector<bool> fired_;
};

} // namespace twinplane::platform
