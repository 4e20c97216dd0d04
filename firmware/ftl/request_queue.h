// Requests that wait to be split, in order, and what the first of them has waited for: what that is, all that
// stand behind it wait for too. Nothing is kept of a request that has never waited.
#pragma once

#include <cstdint>

#include "firmware/ftl/request.h"

namespace twinplane::fw {

/// What a request that cannot be split further has not found. `none`: data on their way, or metadata.
enum class Stall : std::uint8_t { none, page_buffers, write_buffer };

class RequestQueue {
 public:
  bool empty() const { return requests_.empty(); }
  const Request* front() const { return requests_.front(); }
  bool short_of_page_buffers() const { return lacks_ == Stall::page_buffers; }

  void push(Request& r, std::uint64_t now_ps) {
    r.stalls = stalls_until(now_ps);
    requests_.push(r);
  }

  /// The first one is tried again. Its breakdown tells of its waiting so far.
  Request& pop(std::uint64_t now_ps) {
    Request& r = requests_.pop();
    stalls_ = stalls_until(now_ps);
    lacks_ = Stall::none;
    r.breakdown.page_buffer_wait = stalls_.page_buffer - r.stalls.page_buffer;
    r.breakdown.write_buffer_wait = stalls_.write_buffer - r.stalls.write_buffer;
    return r;
  }

  void put_back(Request& r) { requests_.push_first(r); }

  /// The first one waits from now on.
  void stall(Stall lacks, std::uint64_t now_ps) {
    lacks_ = lacks;
    since_ps_ = now_ps;
  }

 private:
  QueueStalls stalls_until(std::uint64_t now_ps) const {
    QueueStalls sum = stalls_;
    if (lacks_ == Stall::page_buffers) sum.page_buffer += now_ps - since_ps_;
    if (lacks_ == Stall::write_buffer) sum.write_buffer += now_ps - since_ps_;
    return sum;
  }

  RequestList requests_;
  QueueStalls stalls_; // until the first one began to wait
  Stall lacks_ = Stall::none;
  std::uint64_t since_ps_ = 0;
};

} // namespace twinplane::fw
