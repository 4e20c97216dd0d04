// The drive's event queue: what is due inside the device, and when, one time per worker; and until when no other
// can act (RunAhead). Its server, the core, calls the workers in the order of their times; so one kernel
// process serves all of them, and can be ahead of the kernel while nothing outside has anything to do. It
// belongs to the drive: blocks reach it through ports (sc_port<EventQueue>). A host of the platform's own
// registers a worker, too, and then acts ahead of the kernel with the drive. Without a server it is of use for its
// run_ahead() only, and no worker may be registered.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "hw/core/run_ahead.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class EventQueue : public sc_core::sc_interface {
 public:
  static constexpr std::size_t kMaxWorkers = 66; // 64 channels, and the two timers of a host

  class Worker {
   public:
    /// `at`: the time that was set, which may be ahead of the kernel's. A worker that notifies a kernel
    /// event, or calls a function that does, tells RunAhead::kernel_changed().
    virtual void on_due(TimePs at) = 0;

   protected:
    ~Worker() = default;
  };
  /// Told of a time that comes before the one it sleeps until.
  class Server {
   public:
    virtual void wake_at(TimePs at) = 0;

   protected:
    ~Server() = default;
  };

  /// How far the server may be ahead of the kernel at most.
  explicit EventQueue(TimePs run_ahead = 0) : ahead_(run_ahead) {}

  RunAhead& run_ahead() { return ahead_; }
  const RunAhead& run_ahead() const { return ahead_; }

  /// Before the simulation starts, once.
  void serve_by(Server& server) {
    assert(server_ == nullptr && "one process serves all");
    server_ = &server;
  }

  /// Before simulation starts, at most kMaxWorkers times. The worker outlives the simulation. One that goes
  /// `ahead` is called before all others that are due at its time, as a kernel process of its own would be.
  std::uint32_t register_worker(Worker& worker, bool ahead = false) {
    assert(times_.size() < kMaxWorkers && "the event queue has room for the configuration's channels");
    workers_.push_back(&worker);
    times_.push_back(kNever);
    fixed_order_.push_back(ahead ? times_.size() : 0);
    return static_cast<std::uint32_t>(times_.size() - 1);
  }

  /// The worker's next time becomes `at` when that is earlier than what it was. Workers that are due at the
  /// same time are called in the order of these calls, behind those that go ahead, which are called in the
  /// order in which they were registered.
  void schedule_earlier(std::uint32_t worker, TimePs at) {
    if (at >= times_[worker]) return;
    if (times_[worker] != kNever) take_out(worker);
    times_[worker] = at;
    put_in({at, (fixed_order_[worker] != 0 ? fixed_order_[worker] : ++calls_) << kWorkerBits | worker});
    if (at < asleep_until_) server_->wake_at(at);
  }

  /// kNever: nothing is due.
  TimePs earliest() const { return due_[begin_].at; }

  /// Calls the worker that is due first; there must be one.
  void serve() {
    const Due& first = due_[begin_++];
    const std::uint32_t worker = first.worker();
    times_[worker] = kNever;
    workers_[worker]->on_due(first.at);
  }

  /// The server sleeps until `at` (0: it is awake and looks at earliest() before it sleeps).
  void sleep_until(TimePs at) { asleep_until_ = at; }

 private:
  static constexpr std::uint32_t kWorkerBits = 7;
  static_assert(kMaxWorkers <= 1u << kWorkerBits);
  struct Due {
    TimePs at = kNever;
    std::uint64_t order = 0; // among those of one time; the worker in its last bits

    std::uint32_t worker() const { return order & ((1u << kWorkerBits) - 1); }
    bool is_behind(const Due& other) const {
      return at > other.at || (at == other.at && order > other.order);
    }
  };

  /// Times are mostly set in their order: what is to be moved is at the end, and little. What is due before
  /// all others goes where the one served last has been.
  void put_in(const Due& due) {
    if (begin_ != 0 && due_[begin_].is_behind(due)) {
      due_[--begin_] = due;
      return;
    }
    if (end_ == kPlaces) move_to_front();
    std::size_t place = end_;
    for (; place != begin_ && due_[place - 1].is_behind(due); --place) due_[place] = due_[place - 1];
    due_[place] = due;
    due_[++end_].at = kNever;
  }
  void take_out(std::uint32_t worker) {
    std::size_t place = begin_;
    while (due_[place].worker() != worker) ++place;
    for (; place != end_; ++place) due_[place] = due_[place + 1];
    --end_;
  }
  void move_to_front() {
    std::copy(due_.begin() + static_cast<std::ptrdiff_t>(begin_), due_.end(), due_.begin());
    end_ -= begin_;
    begin_ = 0;
  }

  RunAhead ahead_;
  Server* server_ = nullptr;
  std::vector<Worker*> workers_;
  std::vector<TimePs> times_;              // by worker; kNever: it wants nothing
  std::vector<std::uint64_t> fixed_order_; // of a worker that goes ahead; 0: it does not
  std::uint64_t calls_ = kMaxWorkers;
  static constexpr std::size_t kPlaces = 2 * kMaxWorkers;
  std::array<Due, kPlaces + 1> due_{}; // [begin_, end_): in their order; behind them one with kNever
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  TimePs asleep_until_ = 0;
};

} // namespace twinplane::hw
