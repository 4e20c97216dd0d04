// When a part of the host acts, and what time it is for it.
//
// By itself the host acts at kernel events. Beside a drive that runs ahead of the kernel it can act with it:
// then it is a worker of the drive's event queue (hw/core/event_queue.h), goes before all else that is due in the drive
// at its time, and may be ahead of the kernel, too.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>

#include "hw/core/event_queue.h"
#include "hw/core/kernel_time.h"

namespace twinplane::platform {

class HostTimer final : private hw::EventQueue::Worker {
 public:
  /// `call` is called at the time that was asked for.
  HostTimer(const char* name, std::function<void()> call) : event_(name), call_(std::move(call)) {}

  /// Before simulation starts.
  void act_with(hw::EventQueue& event_queue) {
    event_queue_ = &event_queue;
    worker_ = event_queue.register_worker(*this, true);
  }
  [[nodiscard]] bool acts_with_drive() const { return event_queue_ != nullptr; }
  [[nodiscard]] TimePs now() const {
    return event_queue_ != nullptr ? event_queue_->run_ahead().now() : hw::kernel_now();
  }

  /// Calls at `at`, unless it will do so earlier.
  void call_at(TimePs at) {
    if (at >= at_) return; // the kernel ignores a later notification, and an earlier one leaves a dead entry
    at_ = at;
    if (event_queue_ != nullptr) return event_queue_->schedule_earlier(worker_, at);
    const TimePs now = hw::kernel_now();
    event_.notify(hw::to_sc_time(at > now ? at - now : 0));
  }
  /// A process of the owner that is sensitive to event() calls on_event().
  [[nodiscard]] const sc_core::sc_event& event() const { return event_; }
  void on_event() {
    ++events_;
    on_due(0);
  }
  [[nodiscard]] std::uint64_t events() const { return events_; }

  /// In an SC_THREAD that does not act with the drive: what the drive does at the event's time comes first,
  /// whether it is ahead of the kernel or not.
  static void wait_for(const sc_core::sc_event& event) {
    sc_core::wait(event);
    sc_core::wait(sc_core::SC_ZERO_TIME);
  }
  /// For processes that do not act with the drive: notifies `event` at now().
  void notify(sc_core::sc_event& event) const {
    const TimePs lead = now() - hw::kernel_now();
    event.notify(hw::to_sc_time(lead)); // a delta cycle later when it is 0
    if (event_queue_ != nullptr) event_queue_->run_ahead().kernel_changed();
  }

 private:
  void on_due(TimePs) override {
    at_ = kNever;
    call_();
  }

  sc_core::sc_event event_;
  std::function<void()> call_;
  hw::EventQueue* event_queue_ = nullptr;
  std::uint32_t worker_ = 0;
  TimePs at_ = kNever; // kNever: it is not going to call
  std::uint64_t events_ = 0;
};

} // namespace twinplane::platform
