#include "platform/trace/arrival_window.h"

#include <algorithm>

namespace twinplane::platform {

ArrivalWindow::ArrivalWindow(std::size_t capacity)
    : capacity_(std::max<std::size_t>(capacity, 1)), ring_(capacity_) {
  heap_.reserve(capacity_);
}

bool ArrivalWindow::later(const Held& a, const Held& b) {
  if (a.record.arrival_ns != b.record.arrival_ns) return a.record.arrival_ns > b.record.arrival_ns;
  return a.sequence > b.sequence;
}

void ArrivalWindow::clear() {
  ring_first_ = ring_count_ = 0;
  heap_.clear();
  sequence_ = 0;
}

void ArrivalWindow::push(const IoRecord& record) {
  const Held held{record, sequence_++};
  std::size_t next = ring_first_ + ring_count_;
  if (next >= capacity_) next -= capacity_;
  const std::size_t last = (next == 0 ? capacity_ : next) - 1;
  if (ring_count_ == 0 || ring_[last].record.arrival_ns <= record.arrival_ns) {
    ring_[next] = held;
    ++ring_count_;
    return;
  }
  heap_.push_back(held);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

IoRecord ArrivalWindow::pop() {
  const bool from_heap = ring_count_ == 0 || (!heap_.empty() && later(ring_[ring_first_], heap_.front()));
  if (from_heap) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const IoRecord record = heap_.back().record;
    heap_.pop_back();
    return record;
  }
  const IoRecord record = ring_[ring_first_].record;
  if (++ring_first_ == capacity_) ring_first_ = 0;
  --ring_count_;
  return record;
}

} // namespace twinplane::platform
