// One queue pair of the driver model: the host's ends of the two rings.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hw/spec/nvme.h"
#include "hw/spec/sim_time.h"

namespace twinplane::platform {

class HostQueue {
 public:
  /// An interrupt on its way: completions up to `upto` (free running) can be seen from `at` on.
  struct Notice {
    TimePs at = 0;
    std::uint32_t upto = 0;
  };

  HostQueue(std::uint32_t number, std::uint32_t size) : id(number), entries(size), notices_(size) {}

  void place(std::uint64_t sq, std::uint8_t* sq_memory, std::uint64_t cq, std::uint8_t* cq_memory) {
    sq_address = sq;
    cq_address = cq;
    sq_memory_ = sq_memory;
    cq_memory_ = cq_memory;
  }

  bool full() const { return in_flight + 1 >= entries; }
  bool has_news() const { return tail != rung; }

  /// The entry that push() hands over.
  nvme::Sqe& next() { return reinterpret_cast<nvme::Sqe*>(sq_memory_)[tail]; }
  void push(const nvme::Sqe& sqe) {
    next() = sqe;
    push();
  }
  void push() {
    if (++tail == entries) tail = 0;
    ++in_flight;
  }

  /// An interrupt arrives at `at`: it announces the entries that are in memory now.
  void announce(TimePs at) {
    const std::uint32_t old = noted_;
    while ((status_of(noted_position_) & 1) == noted_phase_) {
      ++noted_;
      if (++noted_position_ == entries) {
        noted_position_ = 0;
        noted_phase_ ^= 1;
      }
    }
    if (noted_ == old) return;
    notices_[notice_tail_] = Notice{at, noted_};
    if (++notice_tail_ == entries) notice_tail_ = 0;
  }
  TimePs next_notice() const { return notice_head_ == notice_tail_ ? kNever : notices_[notice_head_].at; }
  Notice take_notice() {
    const Notice notice = notices_[notice_head_];
    if (++notice_head_ == entries) notice_head_ = 0;
    return notice;
  }

  /// Next completion entry; the caller knows that there is one.
  nvme::Cqe pop() {
    nvme::Cqe entry;
    std::memcpy(&entry, cq_memory_ + std::size_t{cq_head} * sizeof entry, sizeof entry);
    if (++cq_head == entries) cq_head = 0;
    ++taken;
    --in_flight;
    return entry;
  }

  std::uint32_t id;
  std::uint32_t entries;
  std::uint64_t sq_address = 0;
  std::uint64_t cq_address = 0;
  std::uint32_t tail = 0;      // of the submission queue
  std::uint32_t rung = 0;      // tail that the drive knows
  std::uint32_t in_flight = 0; // commands
  std::uint32_t cq_head = 0;
  std::uint32_t taken = 0; // completions, free running

 private:
  std::uint16_t status_of(std::uint32_t position) const {
    nvme::Cqe entry;
    std::memcpy(&entry, cq_memory_ + std::size_t{position} * sizeof entry, sizeof entry);
    return entry.status;
  }

  std::uint8_t* sq_memory_ = nullptr;
  std::uint8_t* cq_memory_ = nullptr;
  std::uint32_t noted_ = 0; // completions announced by interrupts, free running
  std::uint32_t noted_position_ = 0;
  std::uint32_t noted_phase_ = 1;
  std::vector<Notice> notices_;
  std::uint32_t notice_head_ = 0;
  std::uint32_t notice_tail_ = 0;
};

} // namespace twinplane::platform
