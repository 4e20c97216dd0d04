// Requests that end when what has happened before them outlasts a power cut, and those that erase everything.
#pragma once

#include "firmware/ftl/io/host_io.h"

namespace twinplane::fw {

class Commits {
 public:
  void boot(HostIo& io) { io_ = &io; }

  void begin(Request& r);
  /// Metadata have been written: ends what has waited for that.
  void answer_durable();
  bool any_waits() const;
  /// A feature executes a request (Hooks::begin), and has ended it.
  bool executing() const { return executing_ != 0; }
  void executed(Request& r) {
    --executing_;
    io_->part_done(r, nullptr);
  }

 private:
  void finish();

  HostIo* io_ = nullptr;
  std::uint32_t executing_ = 0; // requests
  RequestList waiting_;         // for metadata, in the order of their epochs
};

} // namespace twinplane::fw
