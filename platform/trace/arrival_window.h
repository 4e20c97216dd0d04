// Puts nearly ordered records in order of arrival while holding back at most `capacity` of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/trace/io_record.h"

namespace twinplane::platform {

/// Records that come in order pass through a ring (O(1)); the others through a heap. Equal times keep their
/// order. Nothing is allocated after construction.
class ArrivalWindow {
 public:
  /// `capacity` records, at least 1 (then the order stays as it is).
  explicit ArrivalWindow(std::size_t capacity);

  bool full() const { return ring_count_ + heap_.size() == capacity_; }
  bool empty() const { return ring_count_ + heap_.size() == 0; }
  void clear();

  /// Requires !full().
  void push(const IoRecord& record);
  /// The earliest record held. Requires !empty().
  IoRecord pop();

 private:
  struct Held {
    IoRecord record;
    std::uint64_t sequence = 0;
  };
  static bool later(const Held& a, const Held& b);

  std::size_t capacity_;
  std::vector<Held> ring_;
  std::size_t ring_first_ = 0;
  std::size_t ring_count_ = 0;
  std::vector<Held> heap_;
  std::uint64_t sequence_ = 0;
};

} // namespace twinplane::platform
