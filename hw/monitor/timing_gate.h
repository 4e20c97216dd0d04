// Keeps the time of the last event of each kind and says what may follow when: the rows of
// hw/spec/timing_rules.h as a gate. One gate per CE#. Cost of a check: the rows of its event.
#pragma once

#include <array>
#include <cstddef>

#include "hw/spec/timing_rules.h"

namespace twinplane::hw {

class TimingGate {
 public:
  TimingGate(const BusTiming& bus, const ArrayTiming& array) {
    last_.fill(kNever);
    set(bus, array);
  }
  /// Other intervals from now on; what has happened stays.
  void set(const BusTiming& bus, const ArrayTiming& array) {
    for (std::size_t i = 0; i < timing::kRules.size(); ++i) {
      latencies_[i] = timing::latency(timing::kRules[i], bus, array);
    }
  }

  /// The events happened at `at`; times may go back (R/B# can be told late).
  void insert(timing::EventMask events, TimePs at) {
    for (std::size_t e = 0; e < last_.size(); ++e) {
      if ((events >> e & 1u) != 0) last_[e] = at;
    }
  }
  /// The first time at which `following` breaks no row.
  TimePs earliest(timing::Event following) const {
    TimePs at = 0;
    for (std::size_t i = 0; i < timing::kRules.size(); ++i) at = std::max(at, edge(i, following));
    return at;
  }
  /// Calls broken(row) for each row that forbids `following` at `at`.
  template <typename Broken>
  void check(timing::Event following, TimePs at, Broken&& broken) const {
    for (std::size_t i = 0; i < timing::kRules.size(); ++i) {
      if (at < edge(i, following)) broken(timing::kRules[i]);
    }
  }

 private:
  /// When row i allows `following`; 0 when the row has no say.
  TimePs edge(std::size_t i, timing::Event following) const {
    const timing::Rule& rule = timing::kRules[i];
    const TimePs last = last_[static_cast<std::size_t>(rule.preceding)];
    const bool applies = (rule.following & timing::mask(following)) != 0 && last != kNever;
    return applies && latencies_[i] != 0 ? last + latencies_[i] : 0;
  }

  std::array<TimePs, timing::kRules.size()> latencies_{};
  std::array<TimePs, timing::kEvents> last_{}; // kNever: has not happened
};

} // namespace twinplane::hw
