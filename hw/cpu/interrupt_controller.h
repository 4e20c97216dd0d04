// Interrupt controller: remembers for each source the times at which it becomes pending.
//
// Interrupts inside the device are message-signalled: a peripheral writes its source number with an
// annotated delay, so an interrupt may lie in the future of the kernel's time, and one source may have
// several messages under way. Nothing is visible before its time and no message is lost: cause()
// reports and clears what is pending by then, later messages stay.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/spec/registers.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class InterruptController {
 public:
  InterruptController() {
    pending_at_.fill(kNever);
    earliest_of_.fill(kNever);
  }

  /// False for a source that does not exist.
  bool trigger(std::uint32_t source, TimePs at) {
    if (source >= reg::intc::sources) return false;
    if (at < pending_at_[source]) {
      if (pending_at_[source] != kNever) keep_later(source, pending_at_[source]);
      pending_at_[source] = at;
      armed_[source / 32] |= 1u << (source % 32);
      earliest_of_[source / 32] = std::min(earliest_of_[source / 32], at);
      earliest_ = std::min(earliest_, at);
    } else if (at > pending_at_[source]) {
      keep_later(source, at);
    }
    return true;
  }

  /// Forgets all messages of a source.
  void clear(std::uint32_t source) {
    pending_at_[source] = kNever;
    later_[source].clear();
    armed_[source / 32] &= ~(1u << (source % 32));
    TimePs earliest = kNever;
    for (std::uint32_t other = source / 32 * 32; other < (source / 32 + 1) * 32; ++other) {
      earliest = std::min(earliest, pending_at_[other]);
    }
    set_earliest(source / 32, earliest);
  }

  /// Earliest pending time over all sources, kNever when none.
  TimePs earliest() const { return earliest_; }

  /// What cause() would say.
  std::uint32_t pending(std::uint32_t word, TimePs now) const {
    std::uint32_t result = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      if (pending_at_[word * 32 + bit] <= now) result |= 1u << bit;
    }
    return result;
  }

  /// Reads and clears the sources of one 32-bit word that are pending at `now`.
  std::uint32_t cause(std::uint32_t word, TimePs now) {
    if (earliest_of_[word] > now) return 0;
    std::uint32_t result = 0;
    TimePs earliest = kNever;
    for (std::uint32_t bits = armed_[word]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(__builtin_ctz(bits));
      TimePs& pending_at = pending_at_[word * 32 + bit];
      if (pending_at <= now) {
        result |= 1u << bit;
        pending_at = next_after(word * 32 + bit, now);
        if (pending_at == kNever) armed_[word] &= ~(1u << bit);
      }
      earliest = std::min(earliest, pending_at);
    }
    set_earliest(word, earliest);
    return result;
  }

 private:
  /// Messages behind the pending one, latest first; few, and mostly sent in the order of their times.
  void keep_later(std::uint32_t source, TimePs at) {
    std::vector<TimePs>& times = later_[source];
    auto place = times.begin();
    while (place != times.end() && *place > at) ++place;
    if (place == times.end() || *place != at) times.insert(place, at);
  }

  /// Drops what is pending by `now`; the first later time becomes the pending one.
  TimePs next_after(std::uint32_t source, TimePs now) {
    std::vector<TimePs>& times = later_[source];
    while (!times.empty() && times.back() <= now) times.pop_back();
    if (times.empty()) return kNever;
    const TimePs next = times.back();
    times.pop_back();
    return next;
  }

  void set_earliest(std::uint32_t word, TimePs earliest) {
    earliest_of_[word] = earliest;
    earliest_ = *std::min_element(earliest_of_.begin(), earliest_of_.end());
  }

  static constexpr std::size_t kWords = reg::intc::sources / 32;
  std::array<TimePs, reg::intc::sources> pending_at_{};
  std::array<std::vector<TimePs>, reg::intc::sources> later_;
  std::array<std::uint32_t, kWords> armed_{};
  std::array<TimePs, kWords> earliest_of_{}; // the sources of one word
  TimePs earliest_ = kNever;                 // all of them
};

} // namespace twinplane::hw
