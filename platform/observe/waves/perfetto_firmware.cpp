#include "platform/observe/waves/perfetto_firmware.h"

#include <algorithm>
#include <utility>

#include "platform/observe/waves/perfetto_requests.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kFirstThread = 1'000'000; // behind the requests, as many as there may be

} // namespace

void PerfettoFirmware::slice(std::string name, TimePs begin, TimePs end, std::string arguments) {
  if (!outside(begin, end)) items_.push_back({std::move(name), begin, end, std::move(arguments), false});
}

void PerfettoFirmware::mark(std::string name, TimePs at, std::string arguments) {
  if (!outside(at, at)) items_.push_back({std::move(name), at, at, std::move(arguments), true});
}

TraceTrack PerfettoFirmware::track(std::size_t number) {
  const TraceTrack place{PerfettoRequests::kProcess, kFirstThread + static_cast<std::uint32_t>(number)};
  if (number == tracks_.size()) {
    tracks_.push_back(0);
    file_.name_track(place, "firmware " + std::to_string(tracks_.size()));
  }
  return place;
}

void PerfettoFirmware::finish() {
  std::stable_sort(items_.begin(), items_.end(),
                   [](const Item& a, const Item& b) { return a.begin < b.begin; });
  for (const Item& item : items_) {
    if (item.mark) {
      file_.instant(track(0), item.name, item.begin, item.arguments);
      continue;
    }
    std::size_t number = 0;
    while (number < tracks_.size() && tracks_[number] > item.begin) ++number;
    const TraceTrack place = track(number);
    tracks_[number] = item.end;
    file_.slice(place, item.name, item.begin, item.end, item.arguments);
  }
  items_.clear();
}

} // namespace twinplane::platform
