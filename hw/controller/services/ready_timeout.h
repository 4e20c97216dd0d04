// How long a die may be busy before the controller says that it does not answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>

#include "hw/core/block_error.h"
#include "hw/core/kernel_time.h"

namespace twinplane::hw {

class ReadyTimeout {
 public:
  /// `chip_name`: of a chip of the channel, for messages. `luns`: of a chip.
  ReadyTimeout(TimePs timeout, std::uint32_t luns, std::function<std::string(std::uint32_t)> chip_name)
      : timeout_(timeout), luns_(luns), chip_name_(std::move(chip_name)) {}

  /// Notified when dies are to be looked at that wait for an edge which was not announced.
  const sc_core::sc_event& event() const { return event_; }
  /// A die has waited for such an edge since `since`. `now`: the kernel's time.
  [[gnu::cold]] void watch(TimePs since, TimePs now) {
    const TimePs at = std::max(since + timeout_, now);
    if (at >= until_) return; // what is due earlier looks again
    until_ = at;
    event_.notify(to_sc_time(at - now));
  }
  /// The event was notified.
  void end_watch() { until_ = kNever; }

  /// SC_ERROR when the die has been busy since `since`, and that is too long.
  void check(std::uint32_t die, TimePs since, TimePs now) const {
    if (now >= since + timeout_) report(die, since, now);
  }

 private:
  [[gnu::cold]] void report(std::uint32_t die, TimePs since, TimePs now) const {
    report_timeout(chip_name_(die / luns_), "become ready (LUN " + std::to_string(die % luns_) + ")", since,
                   now);
  }

  const TimePs timeout_;
  const std::uint32_t luns_;
  const std::function<std::string(std::uint32_t)> chip_name_;
  TimePs until_ = kNever;
  sc_core::sc_event event_{"watch"};
};

} // namespace twinplane::hw
