// A guest's session: all that crossed between guest and drive, in its order and with its simulated times, so
// that the drive can be led through it again without the guest.
//
// A session depends on nothing but the guest's accesses, their times, and what the drive found in the guest's
// memory (platform/pci_host/guest_port.h). What the drive answered and sent is there to be compared.
#pragma once

#include <cstdint>
#include <functional>

#include "hw/spec/sim_time.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::platform {

using SessionClock = std::function<TimePs()>;

struct SessionEvent {
  enum class Kind : std::uint8_t {
    end, // the guest has gone
    config_read,
    config_write,
    bar_read,
    bar_write,
    reset,
    answer,      // to the read before
    memory_read, // by the device; the data follow
    memory_write,
    memory_test, // whether the device could write
    message,     // MSI-X
    pin,
  };
  Kind kind = Kind::end;
  std::uint8_t ok = 1; // of memory_*: it was there; of end: no signal has ended the session
  std::uint16_t unused = 0;
  std::uint32_t bytes = 0;
  TimePs at = 0;
  std::uint64_t where = 0; // address, or offset in the region
  std::uint64_t value = 0; // written, answered, sent

  /// Of the guest's own accord: the others follow from what the drive does.
  bool is_access() const { return kind <= Kind::reset; }
};
static_assert(sizeof(SessionEvent) == 32, "the layout of a file");

} // namespace twinplane::platform
