// The two ways in which the schedulers of this folder choose between lanes.
#pragma once

#include "firmware/ftl/scheduling/scheduling.h"

namespace twinplane::fw {

/// Orders of lanes: reads first, then what the host writes, or what makes space for it.
constexpr Lane kWritesNext[kLanes] = {Lane::read, Lane::write, Lane::gc_write, Lane::gc_read, Lane::erase};
constexpr Lane kCollectionNext[kLanes] = {Lane::read, Lane::erase, Lane::gc_write, Lane::gc_read,
                                          Lane::write};
constexpr std::uint32_t kLaneWindow = 16; // Scheduling::window() that bounds the cost of a deep queue

/// The first lane of `order` (kLanes entries) that has work.
inline Lane first_of(const DieView& die, const Lane* order) {
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    if (die.oldest[static_cast<std::uint32_t>(order[i])] != nullptr) return order[i];
  }
  return Lane::none;
}

/// Work that has waited for longer than a limit: no stream of reads keeps it back for ever.
class AgeLimit {
 public:
  explicit AgeLimit(const FtlConfig& config) : limit_ps_(config.age_limit_ps) {}

  /// Of the lanes whose first transaction has waited for longer, reads among them, the one with the oldest;
  /// Lane::none when there is none. Overdue work that comes faster than it can be done is done in order.
  Lane overdue(const DieView& die) const {
    if (limit_ps_ == 0) return Lane::none;
    Lane best = Lane::none;
    const Transaction* oldest = nullptr;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const Transaction* t = die.oldest[i];
      if (t == nullptr || die.now_ps <= t->queued_ps + limit_ps_) continue;
      if (oldest != nullptr && oldest->queued_ps <= t->queued_ps) continue;
      oldest = t;
      best = static_cast<Lane>(i);
    }
    return best;
  }

 private:
  std::uint64_t limit_ps_;
};

/// The lane with the oldest transaction.
inline Lane oldest_of(const DieView& die) {
  Lane best = Lane::none;
  const Transaction* oldest = nullptr;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const Transaction* t = die.oldest[i];
    if (t == nullptr || (oldest != nullptr && !older(*t, *oldest))) continue;
    oldest = t;
    best = static_cast<Lane>(i);
  }
  return best;
}

} // namespace twinplane::fw
