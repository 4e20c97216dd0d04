// Whom the firmware works for, for a profile of the core. In an image it is a byte that firmware writes when
// it begins with something, as for a trace port, and that an observer outside reads; elsewhere
// nothing.
#pragma once

#include <cstdint>

namespace twinplane::fw {

enum class WorkFor : std::uint8_t {
  turn,     // for no request in particular: interrupts, queues, doorbells
  dispatch, // choosing what dies are given next
  read,     // commands of the host, with their flash operations
  write,
  other, // trims, flushes, ...
  admin,
  collection, // moves and erases
  upkeep,     // metadata, copies of lower pages, recovery
};
constexpr std::uint32_t kWorkFor = 8;

/// While it lives the firmware works for this; then for what it did before.
class WorkMark {
 public:
#if defined(TWINPLANE_TARGET)
  explicit WorkMark(WorkFor whom) : before_(current) {
    current = whom;
  }
  ~WorkMark() {
    current = before_;
  }
  WorkMark(const WorkMark&) = delete;
  WorkMark& operator=(const WorkMark&) = delete;

  static volatile WorkFor current; // firmware/target/window.cpp

 private:
  const WorkFor before_;
#else
  explicit WorkMark(WorkFor) {}
#endif
};

} // namespace twinplane::fw
