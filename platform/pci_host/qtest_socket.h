// QEMU's qtest socket (-object qtest), of which one command is used: a physical write of 32 bits, which is an
// interrupt where it goes to the local APICs' window. Its answers are not waited for.
#pragma once

#include <cstdint>
#include <string>

#include "platform/pci_host/descriptor.h"

namespace twinplane::platform {

class QtestSocket {
 public:
  explicit QtestSocket(Descriptor socket) : socket_(std::move(socket)) {}

  void write32(std::uint64_t address, std::uint32_t data);
  /// Sends what has found no room yet, and takes the answers that have come. False: QEMU has gone.
  bool exchange();
  std::uint64_t unanswered() const { return unanswered_; }

 private:
  bool flush();

  Descriptor socket_;
  std::string waiting_; // for room
  std::uint64_t unanswered_ = 0;
  bool gone_ = false;
};

} // namespace twinplane::platform
