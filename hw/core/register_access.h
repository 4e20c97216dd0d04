// One 32-bit register access as a reused TLM-2.0 transaction, and the way back to plain integers.
#pragma once

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

/// sc_time::from_value() without the library call, which is a tenth of a bus tenure's cost. An sc_time is its
/// value (IEEE 1666 leaves that open; SystemC 2.3 and 3.0 have one 64-bit member).
inline sc_core::sc_time to_sc_time(TimePs time) {
  sc_core::sc_time result;
  static_assert(sizeof result == sizeof time, "sc_time holds its value and nothing else");
  std::memcpy(static_cast<void*>(&result), &time, sizeof time);
  return result;
}
/// sc_time_stamp() without the library call: asked for several times per register access.
inline TimePs kernel_now() {
  return sc_core::sc_get_curr_simcontext()->time_stamp().value();
}

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

 private:
  template <typename Socket>
  void send(Socket& socket, tlm::tlm_command command, std::uint32_t offset, sc_core::sc_time& delay) {
    payload_.set_command(command);
    payload_.set_address(offset);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(payload_, delay);
  }

  std::uint32_t word_ = 0;
  tlm::tlm_generic_payload payload_;
};

/// Target side: true when the payload is one aligned 32-bit access; else sets the error response.
inline bool is_word_access(tlm::tlm_generic_payload& payload) {
  if (payload.get_data_length() == 4 && (payload.get_address() & 3) == 0 &&
      payload.get_byte_enable_ptr() == nullptr) {
    return true;
  }
  payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
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
