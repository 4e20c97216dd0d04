// 32-bit registers by call, where both ends are ours: a transaction costs 60 instructions more.
//
// A target of ours implements this beside the transport functions of its socket. Initiators look behind their
// sockets and call what they find there (RegisterPort). Any other target gets transactions, and
// so does a block that stands between the two.
#pragma once

#include <cstdint>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class RegisterTarget {
 public:
  /// What b_transport does with one aligned word at `at`, an absolute time that may be ahead of the kernel's.
  /// `at` comes back as the time at which the initiator goes on. False: it is refused, and nothing has
  /// happened; the initiator repeats it as a transaction, which is answered with the error.
  virtual bool read32(std::uint64_t address, std::uint32_t& value, TimePs& at) = 0;
  virtual bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) = 0;

 protected:
  ~RegisterTarget() = default;
};

} // namespace twinplane::hw
