// SIGINT and SIGTERM as a wish that a run polls: it stops sending, waits for what is in flight, and reports.
#pragma once

#include <csignal>

namespace twinplane::platform {

/// While one lives, the first SIGINT or SIGTERM is only remembered; a second one ends the process as ever.
/// A signal that was ignored stays ignored (background jobs of a script). At most one at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal that arrived, 0 without one. A property of the process, as signals are.
  static int signal() { return arrived_; }

 private:
  static void remember(int number);

  static volatile std::sig_atomic_t arrived_;
  struct sigaction before_[2] = {};
};

} // namespace twinplane::platform
