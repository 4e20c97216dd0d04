// The device's way into host memory: by pointer where the host grants DMI, by b_transport elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class HostAccess {
 public:
  using Socket = tlm::tlm_initiator_socket<>;
  explicit HostAccess(Socket& socket) : socket_(socket) {
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_streaming_width(0);
  }

  /// A part of host memory that the host has granted: [start, end]. Valid until the next transaction.
  struct Grant {
    std::uint64_t start = 1;
    std::uint64_t end = 0; // inclusive
    std::uint8_t* memory = nullptr;

    std::uint8_t* at(std::uint64_t address, std::uint64_t length) const {
      return address >= start && address + (length - 1) <= end ? memory + (address - start) : nullptr;
    }
  };

  /// Direct pointer to [address, address + length), or null when there is no grant for it (yet).
  std::uint8_t* direct(std::uint64_t address, std::uint64_t length) {
    for (std::uint32_t i = 0; i < grants_; ++i) {
      if (std::uint8_t* memory = grant_[i].at(address, length)) return memory;
    }
    return nullptr;
  }
  /// The grant that holds [address, address + length), an empty one when there is none (yet).
  Grant grant_of(std::uint64_t address, std::uint64_t length) const {
    for (std::uint32_t i = 0; i < grants_; ++i) {
      if (grant_[i].at(address, length) != nullptr) return grant_[i];
    }
    return Grant{};
  }

  /// Moves bytes at absolute time `at`. False when the host answers with an error.
  bool read(std::uint64_t address, void* data, std::uint32_t length, TimePs at) {
    if (const std::uint8_t* memory = direct(address, length)) {
      std::memcpy(data, memory, length);
      return true;
    }
    return transport(tlm::TLM_READ_COMMAND, address, data, length, at);
  }
  bool write(std::uint64_t address, const void* data, std::uint32_t length, TimePs at) {
    if (std::uint8_t* memory = direct(address, length)) {
      std::memcpy(memory, data, length);
      return true;
    }
    return transport(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), length, at);
  }
  /// Always a transaction: message-signalled interrupts must be seen by the host at their time.
  bool send(std::uint64_t address, std::uint32_t word, TimePs at);

  /// DMI invalidation: forgets grants that overlap [start, end].
  void invalidate(std::uint64_t start, std::uint64_t end);
  /// How often grants have ended. While it stays the same, pointers got before are good.
  std::uint32_t grants_ended() const { return grants_ended_; }

 private:
  bool transport(tlm::tlm_command command, std::uint64_t address, void* data, std::uint32_t length,
                 TimePs at);
  void ask_for_grant(std::uint64_t address);

  Socket& socket_;
  tlm::tlm_generic_payload payload_;
  std::array<Grant, 8> grant_{};
  std::uint32_t grants_ = 0;
  std::uint32_t next_victim_ = 0;
  std::uint32_t grants_ended_ = 0;
};

} // namespace twinplane::hw
