#include "hw/core/power_grant.h"

#include <algorithm>

namespace twinplane::hw {

std::uint32_t PowerGrant::add_client(Client& client, std::uint32_t channel) {
  members_.push_back({&client, channel});
  return static_cast<std::uint32_t>(members_.size() - 1);
}

std::size_t PowerGrant::place_of(const Asker& asker) const {
  const auto same = [&asker](const Waiter& w) { return w.asker == asker; };
  return static_cast<std::size_t>(std::find_if(queue_.begin(), queue_.end(), same) - queue_.begin());
}

void PowerGrant::tell(const Waiter& waiter, TimePs until) const {
  const std::uint32_t channel = members_[waiter.asker.client].channel;
  for (Observer* const o : observers_) o->on_power_wait(channel, waiter.asker.who, waiter.since, until);
}

/// The latest time until which more than `level` is drawn; 0: at no time.
TimePs PowerGrant::last_above(std::int64_t level) {
  steps_.clear();
  for (const Draw& d : draws_) {
    steps_.push_back({d.start, d.microamperes});
    if (d.end != kNever) steps_.push_back({d.end, -d.microamperes});
  }
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  std::int64_t sum = 0;
  TimePs last = level < 0 ? kNever : 0;
  for (std::size_t i = 0; i < steps_.size();) {
    const TimePs at = steps_[i].at;
    for (; i < steps_.size() && steps_[i].at == at; ++i) sum += steps_[i].change;
    if (sum > level) last = i < steps_.size() ? steps_[i].at : kNever;
  }
  return last;
}

/// How long a transfer takes is known when it is over, so what is drawn has to fit from its beginning on.
TimePs PowerGrant::earliest(const PowerDemand& demand, TimePs from) {
  const TimePs transfer = demand.transfer == 0 ? 0 : last_above(limit_ - demand.transfer);
  const TimePs array = last_above(limit_ - std::max(demand.array, demand.transfer));
  if (transfer == kNever || array == kNever) return kNever;
  const TimePs at = std::max(from, transfer);
  if (array <= std::max(demand.not_before, at + demand.lead)) return at;
  return array - demand.lead;
}

TimePs PowerGrant::ask(const Asker& asker, const PowerDemand& demand, TimePs at) {
  std::size_t place = place_of(asker);
  const TimePs from = place == 0 ? earliest(demand, at) : kNever;
  if (from <= at) {
    if (!queue_.empty()) { // it is the first one there
      tell(queue_.front(), std::min(at, queue_.front().told));
      queue_.erase(queue_.begin());
    }
    return at;
  }
  if (place == queue_.size()) queue_.push_back({asker, demand, at, kNever});
  queue_[place].demand = demand;
  queue_[place].told = from;
  return from;
}

void PowerGrant::withdraw(const Asker& asker) {
  const std::size_t place = place_of(asker);
  if (place == queue_.size()) return;
  tell(queue_[place], queue_[place].since);
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
}

void PowerGrant::draw(const Asker& asker, TimePs start, TimePs end, std::int64_t microamperes) {
  if (start < end && microamperes != 0) draws_.push_back({asker, start, end, microamperes});
}

void PowerGrant::cut(const Asker& asker, TimePs at) {
  for (Draw& d : draws_) {
    if (d.asker == asker) d.end = std::max(d.start, std::min(d.end, at));
  }
}

void PowerGrant::close(const Asker& asker, TimePs at) {
  for (Draw& d : draws_) {
    if (d.asker == asker && d.end == kNever) d.end = std::max(d.start, at);
  }
}

void PowerGrant::settle(TimePs at, TimePs now) {
  const auto over = [now](const Draw& d) { return d.end <= now || d.start == d.end; };
  draws_.erase(std::remove_if(draws_.begin(), draws_.end(), over), draws_.end());
  if (queue_.empty()) return;
  Waiter& first = queue_.front();
  const TimePs from = std::max(earliest(first.demand, first.since), at);
  if (from >= first.told) return;
  first.told = from;
  members_[first.asker.client].client->power_from(first.asker.who, from);
}

void PowerGrant::tell_waiting(TimePs at) const {
  for (const Waiter& w : queue_) tell(w, std::max(w.since, std::min(at, w.told)));
}

} // namespace twinplane::hw
