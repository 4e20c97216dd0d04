// Which submission queue is served next (NVMe 1.4 section 4.13).
//
// Round robin: all queues, the admin queue among them, in turns of up to AB commands.
// Weighted round robin with urgent class: admin first, then the urgent class, then high, medium and low
// in weighted rounds: a class is served for weight commands and then loses its turn; a class with nothing to
// do gives the rest of its turn away. Inside a class round robin in turns of up to AB commands.
#pragma once

#include <array>
#include <cstdint>

#include "hw/host_if/queues.h"

namespace twinplane::hw {

class QueueArbiter {
 public:
  struct Grant {
    std::uint32_t sqid = 0;
    std::uint32_t commands = 0; // at most this many in this turn
  };

  void set_weighted(bool weighted) { weighted_ = weighted; }
  /// reg::host::arbitration, layout of feature 01h.
  void configure(std::uint32_t arbitration);
  /// Forgets all turns (controller reset).
  void reset();

  /// Next queue to fetch from; call only while queues.pending() != 0.
  Grant pick(const QueueSet& queues);
  /// Grant for the only queue that has entries: it has no rival, so no class and no burst limits it, but
  /// one fetch takes no more than kAlone entries. Weighted rounds are left as they were.
  Grant take_alone(std::uint32_t sqid) {
    alone_ = true;
    if (!weighted_) rings_[0] = Ring{sqid, 0}; // others are next when they come
    return Grant{sqid, kAlone};
  }
  /// Reports how much of the grant was used.
  void consume(std::uint32_t commands);

 private:
  struct Ring {
    std::uint32_t current = 0;
    std::uint32_t left = 0; // of the current queue's turn
  };
  static constexpr std::uint32_t kClasses = 5; // QueueClass
  static constexpr std::uint32_t kUnlimited = 0xFFFF'FFFF;
  static constexpr std::uint32_t kAlone = 8;

  bool serve(std::uint32_t ring, const QueueSet& queues, Grant& grant);
  bool serve_weighted(const QueueSet& queues, Grant& grant);
  bool in_ring(std::uint32_t ring, const SubmissionQueue& queue) const {
    return !weighted_ || static_cast<std::uint32_t>(queue.priority) == ring;
  }

  bool weighted_ = false;
  bool alone_ = false; // the last grant was take_alone()
  std::uint32_t burst_ = 1;
  std::array<std::uint32_t, kClasses> weight_{1, 1, 1, 1, 1};
  std::array<Ring, kClasses> rings_{};
  std::uint32_t turn_ = static_cast<std::uint32_t>(QueueClass::high); // class whose weighted turn it is
  std::uint32_t credits_ = 1;
  std::uint32_t last_ = 0; // ring of the last grant
};

} // namespace twinplane::hw
