#include "platform/report/activity_bins.h"

#include <algorithm>

namespace twinplane::platform {

void ActivityBins::add_slowly(std::uint32_t lane, TimePs start, TimePs end, std::uint64_t many) {
  const TimePs second = front_ + width_;
  if (start >= front_ && start < second && end > second && end - second <= width_ &&
      cells_.size() >= 2 * std::size_t{lanes_}) {
    cells_[lane] += many * (second - start);
    cells_[lanes_ + lane] += many * (end - second);
    return;
  }
  start = std::max(start, front_);
  if (end <= start) return;
  while ((end - front_ - 1) / width_ >= kMostAhead) widen();
  const std::uint64_t last = (end - front_ - 1) / width_;
  if (cells_.size() < (last + 1) * lanes_) cells_.resize((last + 1) * lanes_);
  for (std::uint64_t i = (start - front_) / width_; i <= last; ++i) {
    const TimePs from = std::max(start, front_ + i * width_);
    const TimePs to = std::min(end, front_ + (i + 1) * width_);
    cells_[i * lanes_ + lane] += many * (to - from);
  }
}

void ActivityBins::remove(std::uint32_t lane, TimePs start, TimePs end, std::uint64_t many) {
  start = std::max(start, front_);
  if (end <= start) return;
  const std::uint64_t last = (end - front_ - 1) / width_;
  for (std::uint64_t i = (start - front_) / width_; i <= last; ++i) {
    const TimePs from = std::max(start, front_ + i * width_);
    const TimePs to = std::min(end, front_ + (i + 1) * width_);
    cells_[i * lanes_ + lane] -= many * (to - from);
  }
}

std::uint64_t ActivityBins::idle_intervals(std::uint64_t limit) const {
  const auto busy = std::find_if(cells_.begin(), cells_.end(), [](std::uint64_t c) { return c != 0; });
  if (busy == cells_.end()) return limit;
  return std::min(limit, static_cast<std::uint64_t>(busy - cells_.begin()) / lanes_);
}

void ActivityBins::advance(std::uint64_t count) {
  front_ += count * width_;
  const std::uint64_t drop = std::min<std::uint64_t>(count * lanes_, cells_.size());
  cells_.erase(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(drop));
}

void ActivityBins::widen() {
  width_ *= 2;
  const std::uint64_t intervals = (cells_.size() / lanes_ + 1) / 2;
  cells_.resize(intervals * 2 * lanes_);
  for (std::uint64_t i = 0; i < intervals; ++i) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      const std::uint64_t sum = cells_[2 * i * lanes_ + lane] + cells_[(2 * i + 1) * lanes_ + lane];
      cells_[i * lanes_ + lane] = sum;
    }
  }
  cells_.resize(intervals * lanes_);
}

} // namespace twinplane::platform
