// SIGINT and SIGTERM as a wish that a run polls: it stops sending, waits for what is in flight, and reports.
#pragma once

#include <csignal>

namespace twinplane::platform {

/// While one lives, the first SIGINT or SIGTERM is only remembered; a second one ends the process as ever.
/// So does the first one when it is not asked for within some time: something hangs in a loop of its own.
/// A signal that was ignored stays ignored (background jobs of a script). One that lives within another's life,
/// or in a child process of it, goes on with the signal that the other has heard.
class Interruption {
 public:
  explicit Interruption(unsigned patience_s = 20);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal that arrived, 0 without one. A property of the process, as signals are.
  static int signal() {
    if (arrived_ != 0 && unheard_ != 0) hear();
    return arrived_;
  }

 private:
  static void remember(int number);

  static void give_up(int);
  static void hear();

  static volatile std::sig_atomic_t arrived_;
  static volatile std::sig_atomic_t unheard_; // it has not been asked for since it arrived
  static unsigned patience_s_;
  static int alive_;
  struct sigaction before_[3] = {};
};

} // namespace twinplane::platform
