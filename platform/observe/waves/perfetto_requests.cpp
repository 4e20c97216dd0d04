#include "platform/observe/waves/perfetto_requests.h"

#include <algorithm>
#include <string>

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kFirstRequestThread = 1;

/// "16 KiB", or bytes where it is no whole number.
std::string size_text(std::uint64_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB" : std::to_string(bytes) + " B";
}

} // namespace

void TraceCounter::write(TraceEventFile& file) {
  std::sort(changes_.begin(), changes_.end());
  std::int64_t value = before_;
  file.counter(PerfettoRequests::kProcess, name_, window_.begin, value);
  for (auto change = changes_.begin(); change != changes_.end();) {
    const TimePs at = change->first;
    const std::int64_t shown = value;
    for (; change != changes_.end() && change->first == at; ++change) value += change->second;
    if (value != shown) file.counter(PerfettoRequests::kProcess, name_, at, value);
  }
}

PerfettoRequests::PerfettoRequests(TraceEventFile& file, const WaveWindow& window)
    : file_(file), window_(window), depth_(window, "queue depth"), planes_(window, "planes busy") {}

TraceTrack PerfettoRequests::track_of(const RequestTrace& request) {
  std::size_t track = 0;
  while (track < tracks_.size() && tracks_[track] > request.arrival) ++track;
  const TraceTrack place{kProcess, kFirstRequestThread + static_cast<std::uint32_t>(track)};
  if (track == tracks_.size()) {
    tracks_.push_back(0);
    file_.name_track(place, "requests " + std::to_string(tracks_.size()));
  }
  tracks_[track] = request.completed;
  return place;
}

void PerfettoRequests::finished(const RequestTrace& r) {
  depth_.add(r.completed, -1);
  if (!outside(r.arrival, r.completed)) {
    const TraceTrack track = track_of(r);
    std::string arguments =
        "\"offset\":" + std::to_string(r.offset) + ",\"bytes\":" + std::to_string(r.bytes);
    arguments += ",\"latency_ps\":" + std::to_string(r.completed - r.arrival);
    arguments += ",\"status\":" + std::to_string(r.status);
    file_.slice(track, std::string(r.op) + " " + size_text(r.bytes), r.arrival, r.completed, arguments);
    if (r.done != 0) {
      file_.slice(track, "wait", r.arrival, r.doorbell, {});
      file_.slice(track, "queue", r.doorbell, r.taken, {});
      file_.slice(track, "firmware", r.taken, r.done, {});
      file_.slice(track, "completion", r.done, r.completed, {});
    }
    draw_flows(r, track);
  }
  const auto found = by_command_.find(r.command);
  if (found == by_command_.end()) return;
  for (const Issue& issue : found->second) {
    Place& place = by_transaction_[issue.transaction];
    if (place.flow == issue.flow) place.flow = 0;
  }
  by_command_.erase(found);
}

// A request of several commands is told with one of them: what an earlier command of the same identifier left
// is older than this one.
void PerfettoRequests::draw_flows(const RequestTrace& r, const TraceTrack& track) {
  const auto found = by_command_.find(r.command);
  if (found == by_command_.end()) return;
  for (const Issue& issue : found->second) {
    if (issue.drawn && issue.at >= r.taken && issue.at <= r.done)
      file_.flow_begin(track, issue.flow, issue.at);
  }
}

void PerfettoRequests::issued(std::uint32_t command, std::uint32_t transaction, TimePs at) {
  if (at < window_.begin || at > window_.end) return;
  if (transaction >= by_transaction_.size()) by_transaction_.resize(transaction + 1u);
  by_command_[command].push_back({++last_flow_, transaction, at, false});
  by_transaction_[transaction] = {command, last_flow_};
}

std::uint32_t PerfettoRequests::take_flow(std::uint32_t transaction) {
  if (transaction >= by_transaction_.size()) return 0;
  const Place place = by_transaction_[transaction];
  by_transaction_[transaction].flow = 0;
  if (place.flow == 0) return 0;
  for (Issue& issue : by_command_[place.command]) {
    if (issue.flow == place.flow) issue.drawn = true;
  }
  return place.flow;
}

void PerfettoRequests::free_blocks(TimePs at, std::uint64_t blocks) {
  if (blocks == blocks_ || outside(at, at)) return;
  blocks_ = blocks;
  file_.counter(kProcess, "free blocks", at, static_cast<std::int64_t>(blocks));
}

/// A cause that never has any is not drawn.
void PerfettoRequests::plane_times(TimePs begin, TimePs end, const PlaneTimes& spent) {
  if (begin >= end || outside(begin, end)) return;
  for (std::size_t cause = 0; cause < kPlaneCauses; ++cause) {
    const double planes = static_cast<double>(spent[cause]) / static_cast<double>(end - begin);
    if (planes == shown_[cause]) continue;
    shown_[cause] = planes;
    file_.counter(kProcess, std::string("planes: ") + kPlaneCauseNames[cause], std::max(begin, window_.begin),
                  planes);
  }
}

void PerfettoRequests::finish() {
  depth_.write(file_);
  planes_.write(file_);
}

} // namespace twinplane::platform
