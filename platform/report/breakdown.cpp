#include "platform/report/breakdown.h"

#include <algorithm>

namespace twinplane::platform {

void BreakdownMeter::Sums::add(const Sums& other) {
  requests += other.requests;
  for (const auto part : {&Sums::host_wait, &Sums::host_queue, &Sums::page_buffer_wait,
                          &Sums::write_buffer_wait, &Sums::in_firmware, &Sums::die_wait})
    this->*part += other.*part;
  for (const auto part : {&Sums::completion, &Sums::map, &Sums::suspend_wait, &Sums::bus_wait, &Sums::bus,
                          &Sums::array, &Sums::ecc, &Sums::retry})
    this->*part += other.*part;
}

BreakdownNs BreakdownMeter::Sums::total() const {
  const auto ns = [](Wide ps) { return static_cast<double>(ps) / 1e3; };
  BreakdownNs b;
  b.host_wait = ns(host_wait);
  b.host_queue = ns(host_queue);
  b.page_buffer_wait = ns(page_buffer_wait);
  b.write_buffer_wait = ns(write_buffer_wait);
  const Wide waits = page_buffer_wait + write_buffer_wait + die_wait + suspend_wait + bus_wait;
  b.firmware = ns(in_firmware - (map + waits + bus + array + ecc + retry));
  b.map = ns(map);
  b.die_wait = ns(die_wait);
  b.suspend_wait = ns(suspend_wait);
  b.bus_wait = ns(bus_wait);
  b.bus = ns(bus);
  b.array = ns(array);
  b.ecc = ns(ecc);
  b.retry = ns(retry);
  b.completion = ns(completion);
  return b;
}

namespace {

void add_share(BreakdownNs& to, const BreakdownNs& from, double share) {
  for_each_part([&](const char*, double BreakdownNs::*part) { to.*part += from.*part * share; });
}

} // namespace

std::optional<BreakdownNs> BreakdownMeter::mean(IoOp op) const {
  Sums s;
  for (const Sums& step : by_latency_[static_cast<std::uint32_t>(op)]) s.add(step);
  if (s.requests == 0) return std::nullopt;
  BreakdownNs mean;
  add_share(mean, s.total(), 1.0 / static_cast<double>(s.requests));
  return mean;
}

std::optional<BreakdownNs> BreakdownMeter::slowest_tenth() const {
  std::vector<Sums> steps = by_latency_[static_cast<std::uint32_t>(IoOp::read)];
  const std::vector<Sums>& writes = by_latency_[static_cast<std::uint32_t>(IoOp::write)];
  steps.resize(std::max(steps.size(), writes.size()));
  for (std::size_t i = 0; i < writes.size(); ++i) steps[i].add(writes[i]);
  std::uint64_t requests = 0;
  for (const Sums& s : steps) requests += s.requests;
  if (requests == 0) return std::nullopt;
  const std::uint64_t tenth = (requests + 9) / 10;
  BreakdownNs sum;
  std::uint64_t left = tenth;
  for (auto s = steps.rbegin(); left != 0; ++s) {
    if (s->requests == 0) continue;
    const std::uint64_t taken = std::min(left, s->requests);
    add_share(sum, s->total(), static_cast<double>(taken) / static_cast<double>(s->requests));
    left -= taken;
  }
  BreakdownNs mean;
  add_share(mean, sum, 1.0 / static_cast<double>(tenth));
  return mean;
}

} // namespace twinplane::platform
