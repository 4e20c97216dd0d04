#include "hw/host_if/shadow_doorbells.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "hw/core/kernel_time.h"

namespace twinplane::hw {

namespace {
constexpr std::uint32_t kBytes = 4; // of a value
bool is_head(std::uint32_t number) {
  return (number & 1) != 0;
}
} // namespace

ShadowDoorbells::ShadowDoorbells(const Path& path, User user)
    : path_(path), user_(std::move(user)), places_(2 * path.queues.count()) {}

void ShadowDoorbells::start(std::uint64_t event_indices, TimePs at) {
  stop();
  on_ = true;
  shadow_ = next_shadow_;
  events_ = event_indices;
  for (std::uint32_t number = kFirst; number < places_.size(); ++number) {
    if (exists(number)) created(number, at);
  }
}

void ShadowDoorbells::stop() {
  on_ = false;
  ++life_;
  std::fill(places_.begin(), places_.end(), Place{});
}

// Behind what was posted before, and ahead of the entry that tells the host of the queue.
void ShadowDoorbells::created(std::uint32_t number, TimePs time) {
  if (!covers(number)) return;
  const std::uint32_t value = known(number);
  places_[number] = Place{};
  places_[number].initial = value;
  for (const std::uint64_t buffer : std::array{shadow_, events_}) {
    PostedWrite write;
    write.address = buffer + kBytes * number;
    std::memcpy(write.data, &value, kBytes);
    write.length = kBytes;
    write.at = path_.link.post(time, kBytes) + path_.link.latency();
    if (!path_.host.write_at_once(write.address, write.data, kBytes, write.at)) path_.host.post(write);
  }
}

void ShadowDoorbells::written(std::uint32_t number, std::uint32_t value, TimePs time) {
  Place& place = places_[number];
  if (place.live) return look(number, time);
  place.written = value;
  at(number, time);
}

void ShadowDoorbells::wait_for_head(std::uint32_t cqid, TimePs time) {
  const std::uint32_t number = nvme::shadow::cq_head(cqid);
  if (covers(number) && places_[number].live && places_[number].due == kNever) look(number, time);
}

void ShadowDoorbells::look(std::uint32_t number, TimePs time) {
  places_[number].patience = kPatience;
  at(number, time);
}

void ShadowDoorbells::review_heads(TimePs time) {
  for (std::uint32_t number = kFirst; number < places_.size(); ++number) {
    if (on_ && is_head(number) && exists(number) && places_[number].live) look(number, time);
  }
}

bool ShadowDoorbells::exists(std::uint32_t number) const {
  return is_head(number) ? path_.queues.has_cq(number / 2) : path_.queues.has_sq(number / 2);
}

std::uint32_t ShadowDoorbells::known(std::uint32_t number) const {
  return is_head(number) ? path_.queues.cq(number / 2).head : path_.queues.sq(number / 2).tail;
}

std::uint32_t ShadowDoorbells::generation(std::uint32_t number) const {
  return is_head(number) ? path_.queues.cq(number / 2).generation : path_.queues.sq(number / 2).generation;
}

bool ShadowDoorbells::pin_needs(std::uint32_t number) const {
  return is_head(number) && user_.wants_head(path_.queues.cq(number / 2));
}

bool ShadowDoorbells::wants_more(std::uint32_t number) const {
  return !is_head(number) || !path_.queues.cq(number / 2).held.empty();
}

/// True when serve() is to be called again, behind what others do at this time.
bool ShadowDoorbells::others_act() {
  if (deltas_ == kMostDeltas || !sc_core::sc_pending_activity_at_current_time()) {
    deltas_ = 0;
    return false;
  }
  ++deltas_;
  path_.host.notify(due_event_, sc_core::SC_ZERO_TIME);
  return true;
}

void ShadowDoorbells::serve(bool in_thread) {
  if (others_act()) return;
  serving_ = true;
  for (std::uint32_t number = kFirst; number < places_.size(); ++number) {
    if (places_[number].due <= kernel_now()) visit(number, in_thread);
  }
  serving_ = false;
  armed_for_ = kNever;
  arm();
}

void ShadowDoorbells::visit(std::uint32_t number, bool in_thread) {
  places_[number].due = kNever;
  if (!on_ || !exists(number)) return;
  const std::uint32_t life = life_;
  const std::uint32_t queue = generation(number);
  HostCall call{kernel_now(), in_thread};
  std::uint32_t value = known(number);
  busy_ = true;
  bool ok = places_[number].patience != 0 || move_event(number, call);
  ok = ok && read(number, value, call);
  busy_ = false;
  const bool current = life == life_ && exists(number) && generation(number) == queue;
  if (current && ok) return settle(number, value, call.at);
  if (current) return user_.lost();
  // The host took its time, and the queue has gone: EventIdx of one that came meanwhile may be the old one's.
  places_[number].patience = 0;
  if (on_ && exists(number)) at(number, kernel_now());
}

/// Leaves in `call` when it is there.
bool ShadowDoorbells::move_event(std::uint32_t number, HostCall& call) {
  const std::uint32_t value = known(number);
  const HostAnswer answer = path_.host.write(events_ + kBytes * number, &value, kBytes, call);
  call.at = std::max(path_.link.post(call.at, kBytes), call.answered);
  return answer == HostAnswer::ok;
}

bool ShadowDoorbells::read(std::uint32_t number, std::uint32_t& value, HostCall& call) {
  const TimePs arrived = path_.link.fetch(call.at, kBytes);
  HostCall own{kernel_now(), call.in_thread};
  const HostAnswer answer = path_.host.read(shadow_ + kBytes * number, &value, kBytes, own);
  call.at = std::max(arrived, own.answered);
  return answer == HostAnswer::ok;
}

/// A value that makes no sense was reported; then the register counts until there is another one.
void ShadowDoorbells::settle(std::uint32_t number, std::uint32_t value, TimePs arrived) {
  Place& place = places_[number];
  if (!place.live && value == place.initial) return settle_register(number, arrived);
  place.live = true;
  const bool armed = place.patience == 0;
  const bool news = value != known(number);
  if (news && !user_.take(number, value, arrived)) {
    place = Place{};
    place.initial = value;
    return at(number, arrived); // for EventIdx
  }
  if (armed && !news) return; // the host writes the register next
  if (pin_needs(number)) {    // every head counts
    place.patience = 0;
    return at(number, arrived);
  }
  place.patience = news ? kPatience : static_cast<std::uint8_t>(place.patience - 1);
  if (wants_more(number)) at(number, arrived + kPeriod);
}

/// The host writes registers still: it has moved nothing in memory.
void ShadowDoorbells::settle_register(std::uint32_t number, TimePs arrived) {
  Place& place = places_[number];
  const std::uint32_t value = std::exchange(place.written, kNothing);
  if (value == kNothing || value == known(number)) return;
  if (user_.take(number, value, arrived))
    at(number, arrived); // EventIdx, and it may have gone over meanwhile
}

void ShadowDoorbells::at(std::uint32_t number, TimePs time) {
  places_[number].due = std::min(places_[number].due, time);
  if (!serving_) arm();
}

// Notified only when the wake-up moves forward: the kernel ignores a later one.
void ShadowDoorbells::arm() {
  TimePs next = kNever;
  for (const Place& place : places_) next = std::min(next, place.due);
  if (next >= armed_for_) return;
  armed_for_ = next;
  const TimePs now = kernel_now();
  path_.host.notify(due_event_, to_sc_time(std::max(next, now) - now));
}

} // namespace twinplane::hw
