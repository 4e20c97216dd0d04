// PlaneTimeAccount: facts as they come.
#include "platform/observe/plane_time/account.h"

#include <algorithm>
#include <utility>

namespace twinplane::platform {

namespace {

constexpr std::uint32_t kSettleEvery = 4096; // commands: bounds the memory
constexpr fw::HeldReason kNotRefused = fw::HeldReason::no_work;

} // namespace

PlaneTimeAccount::PlaneTimeAccount(const Geometry& geometry, bool polls, std::function<TimePs()> now)
    : geometry_(geometry),
      rows_(geometry),
      polls_(polls),
      now_(std::move(now)),
      dies_(geometry.dies(), DieTimeline(geometry.planes_per_die)),
      buses_(geometry.channels),
      class_of_(geometry.planes(), fw::kNoClass),
      space_since_(geometry.dies(), kNever),
      refused_(geometry.planes(), kNotRefused) {}

void PlaneTimeAccount::listen(hw::PowerGrant& grant) {
  power_ = &grant;
  grant.attach(*this);
}

void PlaneTimeAccount::set_classes(const std::vector<std::uint32_t>& classes) {
  class_of_ = classes;
  for (const std::uint32_t c : classes) class_timeline(c);
}

ClassTimeline& PlaneTimeAccount::class_timeline(std::uint32_t c) {
  if (c >= classes_.size()) classes_.resize(c + 1);
  return classes_[c];
}

PlaneTimeAccount::Open& PlaneTimeAccount::open(std::uint32_t slot) {
  if (slot >= open_.size()) open_.resize(slot + 1);
  return open_[slot];
}

// --- hardware ---

void PlaneTimeAccount::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  die(channel, operation.chip, operation.lun).array(operation, operation.plane);
}

void PlaneTimeAccount::on_group(std::uint32_t channel, const hw::ArrayOperation& operation,
                                const hw::PlaneAddress* places) {
  DieTimeline& timeline = die(channel, operation.chip, operation.lun);
  for (std::uint32_t i = 0; i < operation.planes_in_group; ++i) timeline.array(operation, places[i].plane);
}

void PlaneTimeAccount::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                       const hw::ArrayOperation& operation) {
  die(channel, operation.chip, operation.lun).array_changed(change, operation);
}

void PlaneTimeAccount::on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure,
                                 TimePs start, TimePs end) {
  buses_[channel].add(start, end);
  die(channel, chip, tenure.lun).tenure(tenure, rows_, start, end);
}

/// A controller counts the planes of each die, and the die as a whole behind them.
void PlaneTimeAccount::on_power_wait(std::uint32_t channel, std::uint32_t who, TimePs since, TimePs until) {
  const std::uint32_t askers = geometry_.planes_per_die + 1;
  dies_[channel * geometry_.dies_per_channel() + who / askers].short_of_power(who % askers, since, until);
}

void PlaneTimeAccount::on_fetched(std::uint32_t slot, TimePs at) {
  open(slot) = Open{at, false};
}

void PlaneTimeAccount::on_completed(std::uint32_t slot, TimePs fetched, TimePs at) {
  commands_.add(fetched, at);
  Open& command = open(slot);
  if (!command.seen) unseen_.add(fetched, at); // the firmware has answered it without a look at the flash
  command = Open{};
}

// --- firmware ---

void PlaneTimeAccount::on_seen(std::uint32_t slot, std::uint64_t now_ps) {
  Open& command = open(slot);
  if (command.fetched == kNever || command.seen) return;
  command.seen = true;
  unseen_.add(command.fetched, now_ps);
}

/// Of what waits for a plane in particular the firmware has said why it is left out; writes that wait for any
/// plane of a class have been refused, or none was asked for.
void PlaneTimeAccount::judge_refusals(fw::IssuedWork& work) {
  const bool program = work.op == FlashOp::program || work.op == FlashOp::copyback;
  fw::HeldReason* const refused = &refused_[work.die * geometry_.planes_per_die];
  for (std::uint32_t p = 0; p < geometry_.planes_per_die; ++p) {
    const fw::HeldReason noted = std::exchange(refused[p], kNotRefused);
    const fw::HeldReason by_policy = noted == kNotRefused ? fw::HeldReason::policy : noted;
    if (program && work.held[p] == fw::HeldReason::policy) work.held[p] = by_policy;
    if ((work.writes_wait >> p & 1) == 0) continue;
    work.held[p] = std::min(work.held[p], program ? by_policy : fw::HeldReason::kind);
  }
}

void PlaneTimeAccount::on_issue(const fw::IssuedWork& work) {
  posted_.push_back({work, work.host_write ? std::exchange(space_since_[work.die], kNever) : kNever});
  judge_refusals(posted_.back().work);
}

void PlaneTimeAccount::add_wait(const fw::WaitingWork& work, TimePs until) {
  TimePs since = work.since_ps;
  if (work.index < ready_since_.size()) since = std::max(since, ready_since_[work.index]);
  if (work.plane_class == fw::kNoClass) {
    const std::uint32_t planes = geometry_.planes_per_die;
    dies_[work.plane / planes].waited(work.plane % planes, since, until);
  } else {
    class_timeline(work.plane_class).waiting.add(since, until);
  }
}

void PlaneTimeAccount::on_doorbells(std::uint64_t channels, std::uint64_t now_ps) {
  for (const auto& [work, short_since] : posted_) {
    if (short_since != kNever) dies_[work.die].short_of_space(short_since, now_ps);
    if ((channels >> work.channel & 1) == 0) continue;
    dies_[work.die].issued(work, now_ps);
    for (std::uint32_t i = 0; i < work.count; ++i) {
      add_wait(work.pages[i], now_ps);
      if (work.pages[i].index < ready_since_.size()) ready_since_[work.pages[i].index] = 0;
    }
    ++unsettled_;
    any_issued_ = true;
  }
  posted_.clear(); // all have rung, or their pages have been moved in no time
  // All that happened before the turn has been announced. The kernel's time would depend on how far the
  // firmware is ahead of it.
  const TimePs last = std::exchange(doorbells_at_, now_ps);
  if (unsettled_ >= kSettleEvery) settle(std::min(last, limit_), now_ps);
}

void PlaneTimeAccount::on_done(std::uint32_t index, std::uint32_t plane, std::uint64_t ecc_ps,
                               std::uint64_t now_ps) {
  const std::uint32_t planes = geometry_.planes_per_die;
  dies_[plane / planes].done(index, plane % planes, ecc_ps, now_ps);
}

void PlaneTimeAccount::on_dependency(const fw::WaitingWork& work) {
  const auto same = [&work](const Dependency& d) { return d.index == work.index; };
  if (std::any_of(dependencies_.begin(), dependencies_.end(), same)) return;
  dependencies_.push_back({work.index, work.plane_class, work.since_ps});
}

void PlaneTimeAccount::on_dependency_over(std::uint32_t index, std::uint64_t now_ps) {
  const auto same = [index](const Dependency& d) { return d.index == index; };
  const auto found = std::find_if(dependencies_.begin(), dependencies_.end(), same);
  if (found == dependencies_.end()) return;
  class_timeline(found->plane_class).dependency.add(found->since, now_ps);
  dependencies_.erase(found);
  if (index >= ready_since_.size()) ready_since_.resize(index + 1);
  ready_since_[index] = now_ps;
}

void PlaneTimeAccount::on_space(std::uint32_t die, bool short_of_it, std::uint64_t now_ps) {
  TimePs& since = space_since_[die];
  if (short_of_it) {
    since = std::min(since, now_ps);
  } else if (since != kNever) {
    dies_[die].short_of_space(since, now_ps);
    since = kNever;
  }
}

void PlaneTimeAccount::on_page_buffers(bool short_of_them, std::uint64_t now_ps) {
  if (short_of_them) {
    short_of_buffers_since_ = std::min(short_of_buffers_since_, now_ps);
  } else if (short_of_buffers_since_ != kNever) {
    buffers_.add(short_of_buffers_since_, now_ps);
    short_of_buffers_since_ = kNever;
  }
}

void PlaneTimeAccount::on_waiting(const fw::WaitingWork& work) {
  add_wait(work, waiting_until_);
}

PlaneTimes PlaneTimeAccount::ever() const {
  PlaneTimes sum = all();
  for (std::size_t i = 0; i < kPlaneCauses; ++i) sum[i] += before_[i];
  return sum;
}

PlaneTimes PlaneTimeAccount::all() const {
  PlaneTimes sum{};
  for (const DieTimeline& timeline : dies_) {
    for (std::size_t i = 0; i < kPlaneCauses; ++i) sum[i] += timeline.times()[i];
  }
  return sum;
}

} // namespace twinplane::platform
