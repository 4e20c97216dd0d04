#include "firmware/nvme/async_events.h"

namespace twinplane::fw {

void AsyncEvents::request(Command& command) {
  if (parked_count_ == limit_) {
    completion_->finish(command, nvme::status::aer_limit);
    return;
  }
  command.phase = Phase::async_event;
  parked_.push_back(command);
  ++parked_count_;
  deliver();
}

void AsyncEvents::report(EventType type, std::uint8_t info, std::uint8_t log_page) {
  Event& event = of(type);
  event.pending = true;
  event.info = info;
  event.log_page = log_page;
  deliver();
}

void AsyncEvents::deliver() {
  for (const EventType type : kTypes) {
    Event& event = of(type);
    if (!event.pending || event.masked || parked_.empty()) continue;
    event.pending = false;
    event.masked = true;
    --parked_count_;
    completion_->finish(parked_.pop_front(), nvme::status::success,
                        static_cast<std::uint32_t>(type) | std::uint32_t{event.info} << 8 |
                            std::uint32_t{event.log_page} << 16);
  }
}

void AsyncEvents::log_read(std::uint8_t log_page) {
  for (Event& event : events_) {
    if (event.log_page == log_page) event.masked = false;
  }
  deliver();
}

Command* AsyncEvents::remove(std::uint16_t cid) {
  Command* command = parked_.remove(0, cid);
  if (command != nullptr) --parked_count_;
  return command;
}

void AsyncEvents::reset() {
  while (!parked_.empty()) completion_->finish(parked_.pop_front(), nvme::status::abort_requested);
  parked_count_ = 0;
  for (Event& event : events_) event = Event{};
}

} // namespace twinplane::fw
