// What is due inside the device, and when: one time per worker. Whoever owns the agenda (the core) calls the
// workers in the order of their times; so one kernel process serves all of them, and can be ahead of the
// kernel while nobody outside has anything to do.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/core/sorted_run.h"
#include "hw/spec/sim_time.h"

namespace twinplane::hw {

class Agenda {
 public:
  static constexpr std::size_t kMaxWorkers = 64;

  class Worker {
   public:
    /// `at`: the time that was set, which may be ahead of the kernel's. Must not notify kernel events, nor
    /// call anybody who does.
    virtual void on_due(TimePs at) = 0;

   protected:
    ~Worker() = default;
  };
  /// Told of a time that comes before the one it sleeps until.
  class Owner {
   public:
    virtual void wake_at(TimePs at) = 0;

   protected:
    ~Owner() = default;
  };

  explicit Agenda(Owner& owner) : owner_(owner) {}

  /// Before simulation starts, at most kMaxWorkers times. The worker outlives the simulation.
  std::uint32_t enroll(Worker& worker) {
    assert(times_.size() < kMaxWorkers && "the agenda has room for the configuration's channels");
    workers_.push_back(&worker);
    times_.push_back(kNever);
    return static_cast<std::uint32_t>(times_.size() - 1);
  }

  /// The worker's next time becomes `at` when that is earlier than what it was.
  void bring_forward(std::uint32_t worker, TimePs at) {
    if (at >= times_[worker]) return;
    if (times_[worker] != kNever) due_.erase(place_of(worker));
    times_[worker] = at;
    due_.insert({worker, at});
    if (at < asleep_until_) owner_.wake_at(at);
  }

  /// kNever: nothing is due.
  TimePs earliest() const { return due_.empty() ? kNever : due_[0].since; }

  /// Calls the worker that is due first; there must be one.
  void serve() {
    const Due first = due_[0];
    due_.erase(0);
    times_[first.worker] = kNever;
    workers_[first.worker]->on_due(first.since);
  }

  /// The owner sleeps until `at` (0: it is awake and looks at earliest() before it sleeps).
  void sleep_until(TimePs at) { asleep_until_ = at; }

 private:
  struct Due {
    std::uint32_t worker;
    TimePs since;
  };

  std::size_t place_of(std::uint32_t worker) const {
    std::size_t place = 0;
    while (due_[place].worker != worker) ++place;
    return place;
  }

  Owner& owner_;
  std::vector<Worker*> workers_;
  std::vector<TimePs> times_; // by worker
  SortedRun<Due, kMaxWorkers> due_;
  TimePs asleep_until_ = 0;
};

} // namespace twinplane::hw
