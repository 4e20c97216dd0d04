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
  InterruptController() { pending_at_.fill(kNever); }

  /// False for a source that does not exist.
  bool trigger(std::uint32_t source, TimePs at) {
    if (source >= reg::intc::sources) return false;
    if (at < pending_at_[source]) {
      if (pending_at_[source] != kNever) keep_later(source, pending_at_[source]);
      pending_at_[source] = at;
      armed_[source / 32] |= 1u << (source % 32);
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
    update_earliest();
  }

  /// Earliest pending time over all sources, kNever when none.
  TimePs earliest() const { return earliest_; }

  /// Reads and clears the sources of one 32-bit word that are pending at `now`.
  std::uint32_t cause(std::uint32_t word, TimePs now) {
    std::uint32_t result = 0;
    for (std::uint32_t bits = armed_[word]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint32_t>(__builtin_ctz(bits));
      const std::uint32_t source = word * 32 + bit;
      if (pending_at_[source] > now) continue;
      result |= 1u << bit;
      pending_at_[source] = next_after(source, now);
      if (pending_at_[source] == kNever) armed_[word] &= ~(1u << bit);
    }
    if (result != 0) update_earliest();
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

  void update_earliest() {
    earliest_ = kNever;
    for (std::size_t word = 0; word < kWords; ++word) {
      for (std::uint32_t bits = armed_[word]; bits != 0; bits &= bits - 1) {
        earliest_ =
            std::min(earliest_, pending_at_[word * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits))]);
      }
    }
  }

  static constexpr std::size_t kWords = reg::intc::sources / 32;
  std::array<TimePs, reg::intc::sources> pending_at_{};
  std::array<std::vector<TimePs>, reg::intc::sources> later_;
  std::array<std::uint32_t, kWords> armed_{};
  TimePs earliest_ = kNever;
};

} // namespace twinplane::hw
