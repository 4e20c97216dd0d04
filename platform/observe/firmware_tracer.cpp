#include "platform/observe/firmware_tracer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "firmware/ftl/feature_set.h"

namespace twinplane::platform {
namespace {

using fw::TraceShape;

using fw::text_of;

bool same_group(fw::TraceEvent a, fw::TraceEvent b) {
  return std::string_view(text_of(a).group) == text_of(b).group;
}

std::string arguments(fw::TraceEvent event, std::uint32_t a, std::uint32_t b) {
  const fw::TraceEventText& text = text_of(event);
  std::string out;
  for (const auto& [name, value] : {std::pair(text.a, a), std::pair(text.b, b)}) {
    if (name == nullptr) continue;
    if (!out.empty()) out += ',';
    out.append("\"").append(name).append("\":").append(std::to_string(value));
  }
  return out;
}

} // namespace

void FirmwareTracer::on_trace_event(fw::TraceEvent event, std::uint32_t a, std::uint32_t b,
                                    std::uint64_t now_ps) {
  switch (text_of(event).shape) {
    case TraceShape::step:
      close_those(now_ps, [event](const Open& o) { return same_group(o.event, event); });
      open_.push_back({event, a, b, now_ps});
      break;
    case TraceShape::begin:
      open_.push_back({event, a, b, now_ps});
      break;
    case TraceShape::end:
      close_those(now_ps, [event, a](const Open& o) { return same_group(o.event, event) && o.a == a; });
      break;
    case TraceShape::last:
      close_those(now_ps, [event](const Open& o) { return same_group(o.event, event); });
      break;
    case TraceShape::mark:
      trace_.mark(text_of(event).name, now_ps, arguments(event, a, b));
      break;
  }
}

template <typename Wanted>
void FirmwareTracer::close_those(TimePs end, Wanted wanted) {
  for (const Open& o : open_) {
    if (wanted(o)) close(o, end);
  }
  open_.erase(std::remove_if(open_.begin(), open_.end(), wanted), open_.end());
}

/// What took no time is not drawn.
void FirmwareTracer::close(const Open& o, TimePs end) {
  if (end != o.begin) trace_.slice(text_of(o.event).name, o.begin, end, arguments(o.event, o.a, o.b));
}

void FirmwareTracer::finish(TimePs end) {
  close_those(end, [end](const Open& o) { return o.begin <= end; });
}

} // namespace twinplane::platform
