// Requests that end when what has happened before them outlasts a power cut, and those that erase everything.
#pragma once

#include "firmware/ftl/io/host_io.h"

namespace twinplane::fw {

class Purge;

class Commits {
 public:
  void boot(HostIo& io) { io_ = &io; }
  void attach(Purge& purge) { purge_ = &purge; }

  void begin(Request& r);
  /// Metadata have been written: ends what has waited for that.
  void answer_durable();
  bool any_waits() const;
  void purged(Request& r) { io_->part_done(r, nullptr); }

 private:
  void finish();

  HostIo* io_ = nullptr;
  Purge* purge_ = nullptr;
  RequestList waiting_; // for metadata, in the order of their epochs
};

} // namespace twinplane::fw
