// Asynchronous event requests (NVMe 1.4 section 5.2).
//
// The host parks up to kLimit requests, fewer when the front end has few command slots: each occupies one
// until an event comes, and other commands must find one. An event completes the oldest. An event without a
// parked request is kept, one per type (the newest), until a request arrives. After an event of a type was
// reported, further ones of that type wait until the host has read the log page named in it.
#pragma once

#include <cstdint>

#include "firmware/nvme/completion_port.h"

namespace twinplane::fw {

enum class EventType : std::uint8_t { error = 0, health = 1, command_set = 6 };

namespace event_info {
constexpr std::uint8_t invalid_doorbell_register = 0; // type error
constexpr std::uint8_t invalid_doorbell_value = 1;    // type error
constexpr std::uint8_t reliability = 0;               // type health
constexpr std::uint8_t temperature = 1;               // type health
constexpr std::uint8_t spare = 2;                     // type health
constexpr std::uint8_t sanitize_completed = 1;        // type command set
} // namespace event_info

class AsyncEvents {
 public:
  static constexpr std::uint32_t kLimit = 4;

  /// Requests that may be parked at once where the front end has `slots` (at least 2): identify AERL + 1.
  static constexpr std::uint32_t limit(std::uint32_t slots) { return slots > kLimit ? kLimit : slots - 1; }

  void boot(CompletionPort& completion, std::uint32_t limit) {
    completion_ = &completion;
    limit_ = limit;
  }

  void request(Command& command);
  void report(EventType type, std::uint8_t info, std::uint8_t log_page);
  /// An event of the type that the host has not been told of is forgotten.
  void withdraw(EventType type) { of(type).pending = false; }
  /// The host has read `log_page` and did not ask to retain the event.
  void log_read(std::uint8_t log_page);
  /// Takes a parked request back for an abort; nullptr when it is not parked.
  Command* remove(std::uint16_t cid);
  /// Controller reset: parked requests are dropped, events forgotten.
  void reset();

 private:
  struct Event {
    bool pending = false;
    bool masked = false; // reported, log page not read yet
    std::uint8_t info = 0;
    std::uint8_t log_page = 0;
  };

  void deliver();

  CompletionPort* completion_ = nullptr;
  std::uint32_t limit_ = kLimit;
  CommandList parked_;
  std::uint32_t parked_count_ = 0;
  static constexpr EventType kTypes[] = {EventType::error, EventType::health, EventType::command_set};
  Event& of(EventType type) { return events_[type == EventType::command_set ? 2 : static_cast<int>(type)]; }

  Event events_[3];
};

} // namespace twinplane::fw
