// Interrupt controller: remembers for each source the earliest time at which it is pending.
//
// Interrupts inside the device are message-signalled: a peripheral writes its source number with an
// annotated delay, so an interrupt may lie in the future of the kernel's time. Nothing is visible
// before its time. Sources are edge-like: cause() reports and clears what is pending by then.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/spec/registers.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class InterruptController {
 public:
  InterruptController() { pending_at_.fill(kNever); }

  /// False for a source that does not exist.
  bool trigger(std::uint32_t source, TimePs at) {
    if (source >= reg::intc::sources) return false;
    if (at >= pending_at_[source]) return true;
    pending_at_[source] = at;
    armed_[source / 32] |= 1u << (source % 32);
    earliest_ = std::min(earliest_, at);
    return true;
  }

  /// Forgets a pending source.
  void clear(std::uint32_t source) {
    pending_at_[source] = kNever;
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
      if (pending_at_[word * 32 + bit] > now) continue;
      pending_at_[word * 32 + bit] = kNever;
      result |= 1u << bit;
    }
    armed_[word] &= ~result;
    if (result != 0) update_earliest();
    return result;
  }

 private:
  void update_earliest() {
    earliest_ = kNever;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      for (std::uint32_t bits = armed_[word]; bits != 0; bits &= bits - 1) {
        earliest_ =
            std::min(earliest_, pending_at_[word * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits))]);
      }
    }
  }

  static constexpr std::uint32_t kWords = reg::intc::sources / 32;
  std::array<TimePs, reg::intc::sources> pending_at_{};
  std::array<std::uint32_t, kWords> armed_{};
  TimePs earliest_ = kNever;
};

} // namespace twinplane::hw
