// One 32-bit register access as a reused TLM-2.0 transaction.
#pragma once

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>
#include <type_traits>

#include "hw/core/block_error.h"
#include "hw/core/kernel_time.h"

namespace twinplane::hw {

/// Initiator side: owns the payload, so that an access constructs nothing.
class RegisterAccess {
 public:
  RegisterAccess() {
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&word_));
    payload_.set_data_length(sizeof word_);
    payload_.set_streaming_width(sizeof word_);
    payload_.set_byte_enable_ptr(nullptr);
  }

  /// `delay` is the initiator's local time ahead of the kernel; the target may add to it.
  template <typename Socket>
  std::uint32_t read(Socket& socket, std::uint32_t offset, sc_core::sc_time& delay) {
    send(socket, tlm::TLM_READ_COMMAND, offset, delay);
    return word_;
  }

  template <typename Socket>
  void write(Socket& socket, std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay) {
    word_ = value;
    send(socket, tlm::TLM_WRITE_COMMAND, offset, delay);
  }

  bool ok() const { return payload_.is_response_ok(); }
  /// SC_ERROR: the block behind `port` did not take the last access.
  void report(sc_core::sc_port_base& port, TimePs at) const {
    report_answer(port, payload_, payload_.is_write() ? "a register write" : "a register read", at);
  }

 private:
  /// Behind a socket, or the target itself.
  template <typename Socket>
  static const sc_core::sc_interface* target_of(Socket& socket) {
    if constexpr (std::is_pointer_v<Socket>) {
      return socket;
    } else {
      return socket.operator->();
    }
  }
  template <typename Socket>
  void send(Socket& socket, tlm::tlm_command command, std::uint32_t offset, sc_core::sc_time& delay) {
    payload_.set_command(command);
    payload_.set_address(offset);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    try {
      socket->b_transport(payload_, delay);
    } catch (...) {
      rethrow_from(answers_to(target_of(socket)), to_ps(sc_core::sc_time_stamp() + delay));
    }
  }

  std::uint32_t word_ = 0;
  tlm::tlm_generic_payload payload_;
};

/// A burst to one place over and over (a streaming width below the length) is no access to registers.
inline bool streams(const tlm::tlm_generic_payload& payload) {
  return payload.get_streaming_width() < payload.get_data_length();
}

/// Target side: true when the payload is one aligned 32-bit access; else sets the error response.
inline bool is_word_access(tlm::tlm_generic_payload& payload) {
  const bool word = payload.get_data_length() == 4 && (payload.get_address() & 3) == 0 && !streams(payload);
  if (word && payload.get_byte_enable_ptr() == nullptr) return true;
  payload.set_response_status(word ? tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE : tlm::TLM_BURST_ERROR_RESPONSE);
  return false;
}

inline std::uint32_t word_of(const tlm::tlm_generic_payload& payload) {
  std::uint32_t word;
  std::memcpy(&word, payload.get_data_ptr(), 4);
  return word;
}

inline void set_word(tlm::tlm_generic_payload& payload, std::uint32_t word) {
  std::memcpy(payload.get_data_ptr(), &word, 4);
}

} // namespace twinplane::hw
