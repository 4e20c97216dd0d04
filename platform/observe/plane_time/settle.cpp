// PlaneTimeAccount: the time that is past is shared out.
#include <algorithm>

#include "platform/observe/plane_time/account.h"

namespace twinplane::platform {

/// What waits still has waited until now: it is not known yet for how long it will.
void PlaneTimeAccount::add_what_waits(TimePs at) {
  waiting_until_ = at;
  if (ask_what_waits_) ask_what_waits_(*this);
  if (power_ != nullptr) power_->tell_waiting(at);
  for (const auto& [work, short_since] : posted_) {
    if (short_since != kNever) dies_[work.die].short_of_space(short_since, at);
    for (std::uint32_t i = 0; i < work.count; ++i) add_wait(work.pages[i], at);
  }
  for (const Dependency& d : dependencies_) class_timeline(d.plane_class).dependency.add(d.since, at);
  for (std::uint32_t i = 0; i < dies_.size(); ++i) {
    if (space_since_[i] != kNever) dies_[i].short_of_space(space_since_[i], at);
  }
  if (short_of_buffers_since_ != kNever) buffers_.add(short_of_buffers_since_, at);
  for (const Open& command : open_) {
    if (command.fetched == kNever) continue;
    commands_.add(command.fetched, at);
    if (!command.seen) unseen_.add(command.fetched, at);
  }
}

/// When any plane of the drive had work.
SpanSet PlaneTimeAccount::work_until(TimePs at) const {
  std::vector<Span> work;
  for (const DieTimeline& timeline : dies_) timeline.add_work(work, at, !ask_what_waits_);
  for (const ClassTimeline& timeline : classes_) {
    timeline.waiting.add_to(work, at);
    timeline.dependency.add_to(work, at);
  }
  std::sort(work.begin(), work.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  SpanSet all;
  all.drop_before(settled_);
  Span open;
  for (const Span& s : work) {
    if (s.begin > open.end) {
      all.add(open.begin, open.end);
      open = s;
    } else {
      open.end = std::max(open.end, s.end);
    }
  }
  all.add(open.begin, std::min(open.end, std::max(at, open.begin)));
  return all;
}

void PlaneTimeAccount::settle(TimePs at) {
  settle(at, now_());
}

/// `now`: of what the drive's resources have counted.
void PlaneTimeAccount::settle(TimePs at, TimePs now) {
  unsettled_ = 0;
  if (at <= settled_) return;
  add_what_waits(at);
  const SpanSet work = work_until(at);
  const Bottleneck bottleneck = bottleneck_.at(now);
  // One class is everybody's; each of many is looked at by few.
  const bool folded = classes_.size() == 1;
  const ClassTimeline* const all = folded ? &classes_[0] : nullptr;
  clock_.build(settled_, at,
               {folded ? &all->waiting : nullptr, folded ? &all->dependency : nullptr, &unseen_, &buffers_,
                &work, &commands_});
  const std::uint32_t per_channel = geometry_.dies_per_channel();
  const std::uint32_t planes = geometry_.planes_per_die;
  for (std::uint32_t d = 0; d < dies_.size(); ++d) {
    DieTimeline::DriveContext around;
    around.bus = &buses_[d / per_channel];
    around.polls = polls_;
    around.clock = &clock_;
    around.bottleneck = &bottleneck;
    for (std::uint32_t p = 0; p < planes; ++p) {
      const std::uint32_t c = class_of_[d * planes + p];
      if (c != fw::kNoClass && !folded) around.by_plane[p] = &classes_[c];
    }
    dies_[d].settle(settled_, at, around);
  }
  for (DieTimeline& timeline : dies_) timeline.drop_before(at);
  for (SpanSet& bus : buses_) bus.drop_before(at);
  for (ClassTimeline& timeline : classes_) {
    timeline.waiting.drop_before(at);
    timeline.dependency.drop_before(at);
  }
  unseen_.drop_before(at);
  buffers_.drop_before(at);
  commands_.drop_before(at);
  settled_ = at;
}

void PlaneTimeAccount::restart(TimePs at) {
  settle(at);
  if (!any_issued_) bottleneck_.restart(at);
  before_ = ever();
  for (DieTimeline& timeline : dies_) timeline.times() = PlaneTimes{};
  begin_ = at;
}

} // namespace twinplane::platform
