// For the account of the time of planes: what work waits for them and which commands they get. Null
// unless an observer attaches (FtlState::probe); on silicon there is none. Times are the core's local time in
// picoseconds; nothing is charged for a call.
#pragma once

#include <cstdint>

#include "hw/spec/flash_descriptor.h"
#include "hw/spec/geometry.h"

namespace twinplane::fw {

/// Whom a command works for.
enum class WorkOrigin : std::uint8_t { host, collection };

/// Why a plane of the die is not in a command that its die is given. `no_work`: nothing waits for it.
enum class HeldReason : std::uint8_t { policy, bac, pac, kind, no_work };

constexpr std::uint32_t kNoClass = 0xFFFFFFFFu;

/// A page or block operation that waits for a plane, or for any plane of an allocation class.
struct WaitingWork {
  std::uint32_t index;       // of its transaction
  std::uint32_t plane;       // of the device; of a class: not looked at
  std::uint32_t plane_class; // kNoClass: of a plane
  std::uint64_t since_ps;
};

/// A command that goes into a channel's ring.
struct IssuedWork {
  std::uint32_t channel = 0;
  std::uint32_t die = 0; // of the device
  FlashOp op = FlashOp::read;
  WorkOrigin origin = WorkOrigin::host;
  bool host_write = false;
  std::uint32_t count = 0;
  WaitingWork pages[kMaxPagesPerCommand]; // with the planes they have got; only `count` of them are set
  HeldReason held[kMaxPlanesPerDie]; // by plane of the die: least obstacle of what waits for it in particular
  std::uint32_t writes_wait = 0;     // planes of the die, as bits, for which host writes wait
};

class WorkProbe {
 public:
  /// The firmware begins with the host command in this slot.
  virtual void on_seen(std::uint32_t slot, std::uint64_t now_ps) = 0;
  /// A waiting write has not joined the command that is being formed for the die of this plane.
  virtual void on_refused(std::uint32_t plane, HeldReason why) = 0;
  virtual void on_issue(const IssuedWork& work) = 0;
  /// The controllers of these channels hear of all that has been issued to them.
  virtual void on_doorbells(std::uint64_t channels, std::uint64_t now_ps) = 0;
  /// The firmware has seen the completion of an operation.
  virtual void on_done(std::uint32_t index, std::uint32_t plane, std::uint64_t ecc_ps,
                       std::uint64_t now_ps) = 0;
  /// A write that could have any plane of its class cannot be queued until another page has been read, or
  /// another write of its page has been placed; and that it can.
  virtual void on_dependency(const WaitingWork& work) = 0;
  virtual void on_dependency_over(std::uint32_t index, std::uint64_t now_ps) = 0;
  /// Host writes find no space on the die, or may look again.
  virtual void on_space(std::uint32_t die, bool short_of_it, std::uint64_t now_ps) = 0;
  /// Requests of the host wait for a page buffer of the firmware's pool, or may look again.
  virtual void on_page_buffers(bool short_of_them, std::uint64_t now_ps) = 0;
  /// Answer to Ftl::tell_waiting(): something that waits now.
  virtual void on_waiting(const WaitingWork& work) = 0;

 protected:
  ~WorkProbe() = default;
};

} // namespace twinplane::fw
