// When the descriptors of the DMA ring are done: a stamp each, by their index. Stamps never decrease along
// the ring.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class DmaStamps {
 public:
  /// `entries` of the ring, a power of two.
  void set_size(std::uint32_t entries) {
    mask_ = entries - 1;
    stamps_.assign(entries, Stamp{});
  }
  /// 0: none was set.
  std::uint32_t size() const { return mask_ + 1; }
  std::uint32_t mask() const { return mask_; }
  /// Descriptors that have one; kNever is one of those that are not done.
  std::uint32_t count() const { return count_; }
  /// Of the newest that is done.
  TimePs last() const { return last_; }
  /// Those to come are done no earlier.
  void not_before(TimePs at) { last_ = std::max(last_, at); }

  /// One more.
  void add(TimePs at, bool notify) {
    make_room(1);
    ++count_;
    stamps_[count_ & mask_] = Stamp{at, notify};
    notices_ += notify ? 1 : 0;
  }
  /// `count` more, each done when `book` says or with the one before.
  template <typename Book>
  void add_each(std::uint32_t count, bool notify, Book book) {
    make_room(count);
    TimePs done = last_;
    Stamp* const stamps = stamps_.data();
    for (std::uint32_t i = count_ + 1; i != count_ + count + 1; ++i) {
      done = std::max(done, book());
      stamps[i & mask_] = Stamp{done, notify};
    }
    last_ = done;
    count_ += count;
    notices_ += notify ? count : 0;
  }
  /// The descriptor, which was not done, is done with the newest one.
  void set_to_last(std::uint32_t index) { stamps_[index & mask_].at = last_; }

  /// Descriptors done by `at`.
  std::uint32_t done(TimePs at) {
    while (reported_ != count_ && stamps_[(reported_ + 1) & mask_].at <= at) report_next();
    return reported_;
  }
  /// What done() has come to.
  std::uint32_t seen_done() const { return reported_; }
  /// When the next one with the notify flag that was not done at the last done() will be done; kNever when
  /// none.
  TimePs next_notice() const { return notices_ == 0 ? kNever : first_notice(); }
  /// Of a descriptor; kNever: it has no stamp, or is not done. 0: it is long done.
  TimePs done_at(std::uint32_t index) const {
    const std::uint32_t age = count_ - index;
    if (static_cast<std::int32_t>(age) < 0) return kNever;
    return age < size() ? stamps_[index & mask_].at : 0;
  }

 private:
  struct Stamp {
    TimePs at = 0;
    bool notify = false;
  };
  /// When firmware has not asked for so long that there is none, the oldest are given up.
  void make_room(std::uint32_t count) {
    const std::uint32_t oldest = count_ + count - (mask_ + 1); // the last one to be overwritten
    if (static_cast<std::int32_t>(oldest - reported_) <= 0) return;
    if (notices_ == 0) reported_ = oldest;
    while (reported_ != oldest) report_next();
  }
  void report_next() {
    ++reported_;
    notices_ -= stamps_[reported_ & mask_].notify ? 1 : 0;
  }
  TimePs first_notice() const {
    std::uint32_t index = reported_ + 1;
    while (!stamps_[index & mask_].notify) ++index;
    return stamps_[index & mask_].at;
  }

  std::uint32_t mask_ = ~0u; // size() - 1; no size yet
  std::uint32_t count_ = 0;
  std::uint32_t reported_ = 0;
  std::uint32_t notices_ = 0; // with notify, not yet reported
  TimePs last_ = 0;
  std::vector<Stamp> stamps_; // by index & mask_
};

} // namespace twinplane::hw
