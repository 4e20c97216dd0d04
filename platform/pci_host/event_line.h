// An eventfd of another process that stands for an interrupt.
#pragma once

#include "platform/pci_host/descriptor.h"

namespace twinplane::platform {

class EventLine {
 public:
  EventLine() = default;
  explicit EventLine(Descriptor event) : event_(std::move(event)) {}

  /// Whether `file` is an eventfd: a write to anything else may wait for ever.
  static bool is_event(const Descriptor& file);
  bool is_open() const { return event_.is_open(); }
  /// Adds one. Does nothing when the counter has no room.
  void signal();

 private:
  Descriptor event_;
};

} // namespace twinplane::platform
