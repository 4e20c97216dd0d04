#include "platform/session/pacer.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace twinplane::platform {

namespace {

using Steady = std::chrono::steady_clock;
constexpr TimePs kPerNs = 1000;
constexpr TimePs kBegin = TimePs{1} << 62;

std::int64_t machine_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch()).count();
}

} // namespace

MachineClock::MachineClock() : begin_ns_(machine_ns()) {}

TimePs MachineClock::now() {
  return kBegin + static_cast<TimePs>(machine_ns() - begin_ns_) * kPerNs;
}

void MachineClock::sleep_until(TimePs time) {
  const std::int64_t ns = begin_ns_ + static_cast<std::int64_t>((time - kBegin + kPerNs - 1) / kPerNs);
  std::this_thread::sleep_until(Steady::time_point(std::chrono::nanoseconds(ns)));
}

TimePs Pacer::due() {
  const TimePs wall = clock_.now();
  return wall > offset() ? wall - offset() : 0;
}

TimePs Pacer::until(TimePs time) {
  const TimePs wall = clock_.now();
  return time + offset() > wall ? time + offset() - wall : 0;
}

void Pacer::on_rung(TimePs at) {
  Rung& rung = rung_[at];
  if (rung.requests++ == 0) rung.ahead = clock_.now() - at;
  furthest_ = std::max(furthest_, rung.ahead);
}

void Pacer::on_finished(const GuestRequest& request) {
  const auto rung = rung_.find(request.rung);
  if (rung == rung_.end()) return;
  const TimePs earliest = request.completed + rung->second.ahead;
  TimePs wall = clock_.now();
  if (wall < earliest) {
    clock_.sleep_until(earliest);
    wall = clock_.now();
  }
  const TimePs late = wall - std::min(wall, earliest);
  ++finished_;
  late_ps_ += static_cast<double>(late);
  late_max_ = std::max(late_max_, late);
  forget(rung);
}

void Pacer::on_given_up(TimePs rung, TimePs) {
  if (const auto found = rung_.find(rung); found != rung_.end()) forget(found);
}

void Pacer::forget(Rungs::iterator rung) {
  if (--rung->second.requests != 0) return;
  const bool was_furthest = rung->second.ahead == furthest_;
  rung_.erase(rung);
  if (!was_furthest) return;
  furthest_ = 0;
  for (const auto& [at, other] : rung_) furthest_ = std::max(furthest_, other.ahead);
}

PaceSummary Pacer::summary() const {
  if (finished_ == 0) return {};
  return {late_ps_ / static_cast<double>(finished_) / 1e3, static_cast<double>(late_max_) / 1e3};
}

} // namespace twinplane::platform
