#include "hw/host_if/arbiter.h"

#include <algorithm>

namespace twinplane::hw {

namespace {
constexpr auto kUrgent = static_cast<std::uint32_t>(QueueClass::urgent);
constexpr auto kHigh = static_cast<std::uint32_t>(QueueClass::high);
constexpr auto kMedium = static_cast<std::uint32_t>(QueueClass::medium);
constexpr auto kLow = static_cast<std::uint32_t>(QueueClass::low);
constexpr auto kAdmin = static_cast<std::uint32_t>(QueueClass::admin);
} // namespace

void QueueArbiter::configure(std::uint32_t arbitration) {
  const std::uint32_t ab = arbitration & 7;
  burst_ = ab == 7 ? kUnlimited : 1u << ab;
  weight_[kLow] = ((arbitration >> 8) & 0xFF) + 1;
  weight_[kMedium] = ((arbitration >> 16) & 0xFF) + 1;
  weight_[kHigh] = (arbitration >> 24) + 1;
  turn_ = kHigh;
  credits_ = weight_[kHigh];
}

void QueueArbiter::reset() {
  rings_ = {};
  turn_ = kHigh;
  credits_ = weight_[kHigh];
  last_ = 0;
}

QueueArbiter::Grant QueueArbiter::pick(const QueueSet& queues) {
  Grant grant;
  alone_ = false;
  if (!weighted_) {
    serve(kUrgent, queues, grant);
  } else if (!serve(kAdmin, queues, grant) && !serve(kUrgent, queues, grant)) {
    serve_weighted(queues, grant);
  }
  return grant;
}

bool QueueArbiter::serve(std::uint32_t ring_index, const QueueSet& queues, Grant& grant) {
  Ring& ring = rings_[ring_index];
  const std::uint32_t count = queues.count();
  const SubmissionQueue& current = queues.sq(ring.current);
  if (ring.left == 0 || current.pending == 0 || !in_ring(ring_index, current)) {
    std::uint32_t id = ring.current;
    std::uint32_t steps = 0;
    do {
      if (++id == count) id = 0;
      if (++steps > count) return false;
    } while (queues.sq(id).pending == 0 || !in_ring(ring_index, queues.sq(id)));
    ring.current = id;
    ring.left = burst_;
  }
  grant = Grant{ring.current, ring.left};
  last_ = ring_index;
  return true;
}

bool QueueArbiter::serve_weighted(const QueueSet& queues, Grant& grant) {
  constexpr std::uint32_t kTurns = 4; // every class once, and the first one again with new credits
  for (std::uint32_t i = 0; i < kTurns; ++i) {
    if (credits_ != 0 && serve(turn_, queues, grant)) {
      grant.commands = std::min(grant.commands, credits_);
      return true;
    }
    turn_ = turn_ == kLow ? kHigh : turn_ + 1;
    credits_ = weight_[turn_];
  }
  return false;
}

void QueueArbiter::consume(std::uint32_t commands) {
  if (alone_) return;
  Ring& ring = rings_[last_];
  if (ring.left != kUnlimited) ring.left -= std::min(commands, ring.left);
  if (weighted_ && last_ >= kHigh && last_ <= kLow) credits_ -= std::min(commands, credits_);
}

} // namespace twinplane::hw
