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
    if (call(at, [&] { return typed_->read32(address, value, at); })) return true;
    const Behind behind{target_};
    transact(at, [&](sc_core::sc_time& delay) { value = access.read(behind, address, delay); });
    return access.ok();
  }
  bool write(RegisterAccess& access, std::uint32_t address, std::uint32_t value, TimePs& at) const {
    if (call(at, [&] { return typed_->write32(address, value, at); })) return true;
    const Behind behind{target_};
    transact(at, [&](sc_core::sc_time& delay) { access.write(behind, address, value, delay); });
    return access.ok();
  }

 private:
  /// For RegisterAccess, which looks at pointers itself.
  struct Behind {
    tlm::tlm_blocking_transport_if<>* target;
    tlm::tlm_blocking_transport_if<>* operator->() const { return target; }
  };
  template <typename Access>
  bool call(const TimePs& at, Access access) const {
    if (typed_ == nullptr) return false;
    try {
      return access();
    } catch (...) {
      rethrow_from(answers_to(target_), at);
    }
  }
  template <typename Access>
  static void transact(TimePs& at, Access access) {
    const TimePs now = kernel_now();
    sc_core::sc_time delay = to_sc_time(at > now ? at - now : 0);
    access(delay);
    at = now + to_ps(delay);
  }

  tlm::tlm_blocking_transport_if<>* target_ = nullptr;
  RegisterTarget* typed_ = nullptr;
};

} // namespace twinplane::hw
