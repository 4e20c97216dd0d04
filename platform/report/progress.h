// Live progress of a run on stderr, never stdout. On a terminal one line is redrawn; elsewhere (logs,
// CI, parent programs) a line of key=value pairs appears every few seconds:
//   progress requests=50000 percent=41.7 simulated_ms=812.402 requests_per_s=48310 eta_s=1
// What takes no simulated time (preconditioning) counts something else than requests:
//   progress pages_preconditioned=50000 percent=41.7 pages_preconditioned_per_s=48310 eta_s=1
// tick() costs two instructions until a report may be due; the wall clock decides nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class Progress {
 public:
  struct Options {
    bool terminal = false;
    std::uint64_t total = 0;          // of what; 0: unknown, then neither percent nor time left is shown
    double interval_s = 0;            // 0: a tenth of a second on a terminal, ten seconds elsewhere
    std::string of_what = "requests"; // in words; of anything else no simulated time is shown
  };
  using WallClock = std::function<double()>; // seconds, monotonic

  /// Writes to stderr with the machine's clock.
  static Progress on_stderr(std::uint64_t total, const std::string& of_what = "requests");

  Progress(std::ostream& out, const Options& options, WallClock clock);

  /// Call after every completed request (or whatever is counted); `done` never decreases.
  void tick(std::uint64_t done, TimePs simulated) {
    if (done >= next_look_) look(done, simulated);
  }
  /// Clears the terminal's line (nothing elsewhere), so that the report starts on a clean one.
  void finish();

 private:
  void look(std::uint64_t done, TimePs simulated);
  void show(std::uint64_t done, TimePs simulated, double elapsed);

  std::ostream& out_;
  Options options_;
  WallClock clock_;
  double start_;
  double next_report_;
  std::uint64_t next_look_ = 1;
  std::uint64_t step_ = 1; // requests between two looks at the wall clock
  double last_look_;
  std::size_t drawn_ = 0; // characters of the terminal's line
};

} // namespace twinplane::platform
