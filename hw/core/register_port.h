// An initiator's end of 32-bit registers: calls the target where that is ours (hw/core/register_target.h), and
// makes transactions elsewhere. What is behind the socket is looked at once, when it is bound; what is ours derives
// publicly from RegisterTarget and from the interface that it binds.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "hw/core/block_error.h"
#include "hw/core/kernel_time.h"
#include "hw/core/register_access.h"
#include "hw/core/register_target.h"

namespace twinplane::hw {

class RegisterPort {
 public:
  RegisterPort() = default;
  /// `target`: what is bound to the initiator's socket, from end of elaboration on.
  explicit RegisterPort(tlm::tlm_blocking_transport_if<>* target)
      : target_(target), typed_(dynamic_cast<RegisterTarget*>(target)) {}

  bool is_bound() const { return target_ != nullptr; }
  /// Null: the target takes transactions only.
  RegisterTarget* typed() const { return typed_; }

  /// False: refused, see RegisterAccess::report(). `access` makes the transaction where one is needed.
  bool read(RegisterAccess& access, std::uint32_t address, std::uint32_t& value, TimePs& at) const {
    return call(at, [&] { return typed_->read32(address, value, at); }) ||
           transact(access, tlm::TLM_READ_COMMAND, address, value, at);
  }
  bool write(RegisterAccess& access, std::uint32_t address, std::uint32_t value, TimePs& at) const {
    return call(at, [&] { return typed_->write32(address, value, at); }) ||
           transact(access, tlm::TLM_WRITE_COMMAND, address, value, at);
  }

 private:
  template <typename Access>
  bool call(const TimePs& at, Access access) const {
    if (typed_ == nullptr) return false;
    try {
      return access();
    } catch (...) {
      rethrow_from(answers_to(target_), at);
    }
  }
  /// Out of the way of calls, which save fewer registers without it.
  [[gnu::noinline]] bool transact(RegisterAccess& access, tlm::tlm_command command, std::uint32_t address,
                                  std::uint32_t& value, TimePs& at) const {
    const TimePs now = kernel_now();
    sc_core::sc_time delay = to_sc_time(at > now ? at - now : 0);
    if (command == tlm::TLM_READ_COMMAND) {
      value = access.read(target_, address, delay);
    } else {
      access.write(target_, address, value, delay);
    }
    at = now + to_ps(delay);
    return access.ok();
  }

  tlm::tlm_blocking_transport_if<>* target_ = nullptr;
  RegisterTarget* typed_ = nullptr;
};

} // namespace twinplane::hw
