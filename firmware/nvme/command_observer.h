// For observers of the firmware from outside, as through a trace port: it costs the core nothing.
#pragma once

#include <cstdint>

#include "firmware/nvme/command.h"

namespace twinplane::fw {

class CommandObserver {
 public:
  /// A command of an I/O queue leaves the firmware at `now_ps`; its completion is posted next. `command` is
  /// valid during the call.
  virtual void on_command_done(const Command& command, std::uint64_t now_ps) = 0;

 protected:
  ~CommandObserver() = default;
};

} // namespace twinplane::fw
