// A stream socket that carries messages with file descriptors among their bytes. Reading never waits: a
// message may come in any number of pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/pci_host/descriptor.h"

namespace twinplane::platform {

class MessageSocket {
 public:
  enum class State { complete, partial, closed };
  static constexpr std::size_t kMostDescriptors = 64; // with one message

  explicit MessageSocket(Descriptor socket) : socket_(std::move(socket)) {}

  /// Reads on until the message has `bytes` bytes, and never beyond: what follows may bring descriptors.
  State fill(std::size_t bytes);
  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  /// What has come with the message.
  std::vector<Descriptor>& descriptors() { return descriptors_; }
  /// The message is done with: the next one begins.
  void next() {
    bytes_.clear();
    descriptors_.clear();
  }

  /// False when the other side has gone, or takes nothing for kPatienceMs.
  bool send(const void* data, std::size_t bytes);

  int descriptor() const { return socket_.get(); }

 private:
  static constexpr int kPatienceMs = 5000;
  State receive(std::size_t bytes);

  Descriptor socket_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Descriptor> descriptors_;
};

} // namespace twinplane::platform
