// Events that the firmware tells a trace port of: off the paths of host requests, at which nothing may be
// spent (requests are told by CommandObserver, with both of their times, when they end). Whether anybody
// listens is the Hal's business; see Hal::trace_event.
#pragma once

#include <cstdint>

namespace twinplane::fw {

enum class TraceEvent : std::uint8_t {
  collection_begin,
  collection_end,
  wear_levelling,
  // passes of recovery, in the order of Recovery::Pass
  recovery_all,
  recovery_first,
  recovery_own,
  recovery_metadata,
  recovery_last,
  recovery_rest,
  recovery_rescue,
  recovery_end,
  checkpoint_begin,
  checkpoint_end,
  metadata_written,
  supply_failed,
  read_only,
};
constexpr std::uint32_t kTraceEvents = static_cast<std::uint32_t>(TraceEvent::read_only) + 1;

/// How a viewer draws it.
enum class TraceShape : std::uint8_t {
  begin, // of something that ends with `end` of the same group and the same `a`
  end,
  step, // ends what was open of its group, and begins itself
  last, // ends what was open of its group
  mark,
};

struct TraceEventText {
  TraceShape shape;
  const char* group; // joins begins and ends
  const char* name;
  const char* a; // what the arguments are; nullptr: nothing
  const char* b;
};

/// In the order of TraceEvent.
constexpr TraceEventText kTraceEventTexts[kTraceEvents] = {
    {TraceShape::begin, "collection", "collect", "site", "block"},
    {TraceShape::end, "collection", "collect", "site", "block"},
    {TraceShape::mark, "collection", "wear levelling", "site", "block"},
    {TraceShape::step, "recovery", "recovery: all words", nullptr, nullptr},
    {TraceShape::step, "recovery", "recovery: first words", nullptr, nullptr},
    {TraceShape::step, "recovery", "recovery: words of metadata", nullptr, nullptr},
    {TraceShape::step, "recovery", "recovery: metadata", nullptr, nullptr},
    {TraceShape::step, "recovery", "recovery: last words", nullptr, nullptr},
    {TraceShape::step, "recovery", "recovery: other words", nullptr, nullptr},
    {TraceShape::step, "recovery", "recovery: rescue", nullptr, nullptr},
    {TraceShape::last, "recovery", "recovery", nullptr, nullptr},
    {TraceShape::begin, "checkpoint", "checkpoint", nullptr, "shut_down"},
    {TraceShape::end, "checkpoint", "checkpoint", nullptr, nullptr},
    {TraceShape::mark, "metadata", "metadata written", "slice", nullptr},
    {TraceShape::mark, "supply", "supply failed", nullptr, nullptr},
    {TraceShape::mark, "wear", "read-only", nullptr, nullptr},
};

class TraceListener {
 public:
  virtual void on_trace_event(TraceEvent event, std::uint32_t a, std::uint32_t b, std::uint64_t now_ps) = 0;

 protected:
  ~TraceListener() = default;
};

} // namespace twinplane::fw
