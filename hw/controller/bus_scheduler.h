// The bus of one channel: which die gets it when, and the tenure that it is given for.
//
// What wants the bus has a due time. The controller is armed at max(bus free, earliest due); the arbiter chooses
// among the dies that are due. A tenure's end is known when it starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>

#include "hw/controller/bus_waiters.h"
#include "hw/controller/die_queue.h"
#include "hw/controller/flash_controller_config.h"
#include "hw/controller/services/ready_timeout.h"
#include "hw/core/event_queue.h"
#include "hw/core/kernel_time.h"
#include "hw/core/onfi_protocol.h"

namespace twinplane::hw {

class BusScheduler {
 public:
  BusScheduler(const FlashControllerConfig& config, OnfiInitiatorSocket& socket, ReadyTimeout& timeout);
  ~BusScheduler() { payload_.clear_extension(&tenure_); }
  BusScheduler(const BusScheduler&) = delete;
  BusScheduler& operator=(const BusScheduler&) = delete;
  /// Once the sockets are bound. `worker` of the event queue is called when the bus is due; without an event queue
  /// the kernel event is notified.
  void connect(EventQueue* event_queue, std::uint32_t worker);
  const sc_core::sc_event& due_event() const { return due_event_; }

  /// The kernel calls the controller.
  void enter() { now_ = kernel_now(); }
  /// The kernel's time of the call that the controller is in.
  const TimePs& now() const { return now_; }
  /// Where the drive has come, which may be ahead of the kernel.
  TimePs reached() const { return event_queue_ != nullptr ? event_queue_->run_ahead().now() : now_; }

  // --- when ---

  /// The die's next tenure, in place of one that it has wanted.
  void want(DieQueue& die, TenureKind kind, TimePs due) {
    if (die.waits) waiters_.remove(die.number);
    die.waits = true;
    die.kind = kind;
    die.due = due;
    waiters_.add({die.number, kind, due});
  }
  bool due_before(TimePs at) const { return !waiters_.empty() && waiters_.earliest() < at; }
  /// When the next tenure can start; kNever: none is wanted.
  TimePs next() const { return waiters_.empty() ? kNever : std::max(free_, waiters_.earliest()); }
  /// The number of the die that gets the bus at `at`, which is next().
  std::uint32_t grant(TimePs at) { return waiters_.grant(*arbiter_, at); }

  void arm(TimePs at) {
    if (at >= armed_at_) return; // the earlier activation re-arms
    armed_at_ = at;
    if (event_queue_ == nullptr) return due_event_.notify(to_sc_time(at - now_));
    event_queue_->schedule_earlier(worker_, at);
  }
  /// `at`: something has become due then.
  void arm_when_free(TimePs at) { arm(std::max(free_, at)); }
  void disarm() { armed_at_ = kNever; }

  // --- what ---

  OnfiTenure& tenure() { return tenure_; }
  const OnfiTenure& tenure() const { return tenure_; }
  /// Sends the composed tenure, one of `group`; returns its end.
  TimePs drive(DieQueue& die, FlashGroup& group, TimePs at);
  /// The end of the last one.
  TimePs free() const { return free_; }
  /// What the group, whose tenure was the last one, has had of the bus until `end`, before the bus turned round.
  TimePs on_bus(const FlashGroup& group, TimePs end) const { return group.bus - (free_ - end); }

 private:
  TimePs stamped_end() const;
  bool call(std::uint32_t chip, TimePs at);
  void transact(std::uint32_t chip, TimePs at);

  OnfiInitiatorSocket& socket_;
  TenureTarget* channel_ = nullptr; // behind the socket; null: takes transactions
  ReadyTimeout& timeout_;
  std::unique_ptr<Arbiter> arbiter_;
  BusWaiters waiters_;
  TimePs now_ = 0;
  TimePs free_ = 0;
  TimePs armed_at_ = kNever;
  EventQueue* event_queue_ = nullptr;
  std::uint32_t worker_ = 0;
  sc_core::sc_event due_event_{"due"};
  OnfiTenure tenure_;
  tlm::tlm_generic_payload payload_;
};

} // namespace twinplane::hw
