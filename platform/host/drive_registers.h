// The drive's registers in BAR0, as its driver uses them.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/core/register_port.h"
#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class DriveRegisters {
 public:
  /// How long the drive may take, and who says so.
  struct Limit {
    sc_core::sc_time time;
    const char* name;
  };

  /// `target`: what is bound to the host's socket, from end of elaboration on.
  void connect(tlm::tlm_blocking_transport_if<>* target) { port_ = hw::RegisterPort(target); }

  // In an SC_THREAD, which waits for the answer.
  std::uint32_t read32(std::uint32_t offset);
  std::uint64_t read64(std::uint32_t offset);
  /// Waits until CSTS has this value under the mask. Throws when the drive does not do `what` in time, or
  /// fails.
  void wait_for_status(std::uint32_t mask, std::uint32_t value, const char* what, const Limit& limit);

  void write32(std::uint32_t offset, std::uint32_t value, TimePs at) {
    port_.write(access_, offset, value, at);
  }
  void write64(std::uint32_t offset, std::uint64_t value, TimePs at) {
    write32(offset, static_cast<std::uint32_t>(value), at);
    write32(offset + 4, static_cast<std::uint32_t>(value >> 32), at);
  }

 private:
  hw::RegisterAccess access_;
  hw::RegisterPort port_; // behind the socket
};

} // namespace twinplane::platform
