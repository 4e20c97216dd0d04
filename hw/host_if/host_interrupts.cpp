#include "hw/host_if/host_interrupts.h"

#include <algorithm>

namespace twinplane::hw {

namespace {
constexpr std::uint32_t kWordsPerVector = 4;
constexpr std::uint32_t kControlWord = 3;
} // namespace

HostInterrupts::HostInterrupts(HostAccess& host, PcieLink& link, QueueSet& queues, std::uint32_t vectors)
    : host_(host),
      link_(link),
      queues_(queues),
      message_wire_(link.wire(sizeof(std::uint32_t))),
      vectors_(vectors) {}

void HostInterrupts::set_control(std::uint32_t control, TimePs at) {
  control_ = control & (pci::msix::enable | pci::msix::mask_all);
  for (Vector& vector : vectors_) release_pending(vector, at);
  service_by(at); // with MSI-X on, the pin must fall (PCI Local Bus Specification 3.0, section 6.8.2.3)
}

std::uint32_t HostInterrupts::read_table(std::uint32_t word) const {
  const std::uint32_t vector = word / kWordsPerVector;
  return vector < vectors_.size() ? vectors_[vector].words[word % kWordsPerVector] : 0;
}

void HostInterrupts::write_table(std::uint32_t word, std::uint32_t value, TimePs at) {
  const std::uint32_t index = word / kWordsPerVector;
  if (index >= vectors_.size()) return;
  Vector& vector = vectors_[index];
  const std::uint32_t field = word % kWordsPerVector;
  vector.words[field] = field == kControlWord ? value & 1 : value;
  if (field == kControlWord) release_pending(vector, at);
}

std::uint32_t HostInterrupts::read_pending(std::uint32_t word) const {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < 32 && word * 32 + i < vectors_.size(); ++i) {
    if (vectors_[word * 32 + i].pending) bits |= 1u << i;
  }
  return bits;
}

void HostInterrupts::set_mask(std::uint32_t bits, TimePs at) {
  mask_ |= bits;
  review_pin(at);
}

void HostInterrupts::clear_mask(std::uint32_t bits, TimePs at) {
  mask_ &= ~bits;
  review_pin(at);
}

void HostInterrupts::set_coalescing(std::uint32_t value) {
  threshold_ = value & 0xFF;
  aggregation_time_ = us(100) * ((value >> 8) & 0xFF);
}

void HostInterrupts::on_completion(const CompletionQueue& queue, bool admin, TimePs sent, TimePs visible) {
  if (!queue.interrupts) return;
  if (!msix()) {
    service_by(visible);
  } else if (aggregation_time_ == 0 || admin) {
    signal(vectors_[queue.vector], sent);
  } else {
    aggregate(vectors_[queue.vector], sent);
  }
}

void HostInterrupts::aggregate(Vector& vector, TimePs sent) {
  if (++vector.aggregated > threshold_) {
    signal(vector, sent);
    return;
  }
  if (vector.aggregated == 1) {
    vector.deadline = sent + aggregation_time_;
    service_by(vector.deadline);
  }
}

void HostInterrupts::signal(Vector& vector, TimePs at) {
  vector.aggregated = 0;
  vector.deadline = kNever;
  if (!msix() || masked(vector)) { // off since the completions were aggregated
    vector.pending = true;
    return;
  }
  ++messages_;
  const TimePs arrives = link_.post(at, sizeof vector.words[2], message_wire_) + link_.latency();
  const std::uint64_t address = vector.words[0] | std::uint64_t{vector.words[1]} << 32;
  host_.send(address, vector.words[2], arrives);
}

void HostInterrupts::release_pending(Vector& vector, TimePs at) {
  if (!vector.pending || !msix() || masked(vector)) return;
  vector.pending = false;
  signal(vector, at);
}

void HostInterrupts::review_pin(TimePs at) {
  if (!msix()) service_by(at);
}

void HostInterrupts::reset(TimePs at) {
  for (Vector& vector : vectors_) {
    vector.pending = false;
    vector.aggregated = 0;
    vector.deadline = kNever;
  }
  mask_ = 0;
  review_pin(at);
}

bool HostInterrupts::service(TimePs now) {
  due_ = kNever;
  for (Vector& vector : vectors_) {
    if (vector.deadline <= now) signal(vector, now);
    service_by(vector.deadline);
  }
  return pin_level(now);
}

void HostInterrupts::reset_table(TimePs at) {
  reset(at);
  for (Vector& vector : vectors_) vector = Vector{};
}

void HostInterrupts::set_blocked(bool blocked, TimePs at) {
  blocked_ = blocked;
  for (Vector& vector : vectors_) release_pending(vector, at);
}

void HostInterrupts::disable_pin(bool disabled, TimePs at) {
  pin_disabled_ = disabled;
  review_pin(at);
}

/// An unmasked queue holds an entry that the host can see and has not taken. `next`: when one can be seen
/// that cannot yet, if that is earlier.
bool HostInterrupts::entries_wait(TimePs now, TimePs& next) const {
  bool any = false;
  for (std::uint32_t id = 0; id < queues_.count(); ++id) {
    const CompletionQueue& queue = queues_.cq(id);
    if (!queue.exists || !queue.interrupts || queue.empty()) continue;
    const TimePs visible = queue.visible_at[queue.head];
    if (visible > now) {
      next = std::min(next, visible);
    } else if ((mask_ >> (queue.vector & 31) & 1) == 0) {
      any = true;
    }
  }
  return any;
}

bool HostInterrupts::pin_wanted(TimePs now) const {
  TimePs next = kNever;
  return !msix() && entries_wait(now, next);
}

bool HostInterrupts::pin_level(TimePs now) {
  if (msix()) return false;
  TimePs next = kNever;
  const bool level = entries_wait(now, next);
  service_by(next);
  return level && !pin_disabled_;
}

} // namespace twinplane::hw
