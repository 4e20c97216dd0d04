// The core has one timer (reg::timer) for all parts of the firmware: each asks for a turn at a time of its own
// (Hal::wake_at), and the timer is armed for the earliest.
#pragma once

#include <cstdint>

namespace twinplane::fw {

/// What one part of the firmware has asked for. It is a member of that part and lives as long as the Hal.
class Alarm {
 public:
  /// True once, when its time has come.
  [[nodiscard]] bool take(std::uint64_t now_ps) {
    if (at_ps_ > now_ps) return false;
    at_ps_ = kNever;
    return true;
  }

 private:
  friend class Alarms;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t at_ps_ = kNever;
  Alarm* next_ = nullptr; // of all that have ever been set
  bool known_ = false;
};

/// All alarms of a core.
class Alarms {
 public:
  void set(Alarm& alarm, std::uint64_t at_ps) {
    if (!alarm.known_) {
      alarm.next_ = first_;
      alarm.known_ = true;
      first_ = &alarm;
    }
    alarm.at_ps_ = at_ps;
  }

  /// What the timer is to be armed with: ns from now until the earliest that is still to come, 0 when there is none. Of
  /// one that the timer cannot wait for, as long as it can.
  [[nodiscard]] std::uint32_t wait_ns(std::uint64_t now_ps) const {
    std::uint64_t earliest = Alarm::kNever;
    for (const Alarm* a = first_; a != nullptr; a = a->next_) {
      if (a->at_ps_ > now_ps && a->at_ps_ < earliest) earliest = a->at_ps_;
    }
    if (earliest == Alarm::kNever) return 0;
    const std::uint64_t ns = (earliest - now_ps + 999) / 1000;
    return ns > kLongestNs ? kLongestNs : static_cast<std::uint32_t>(ns);
  }

 private:
  static constexpr std::uint32_t kLongestNs = 0xFFFFFFFF;

  Alarm* first_ = nullptr;
};

} // namespace twinplane::fw
