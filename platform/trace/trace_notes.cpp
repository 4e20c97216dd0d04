// What a trace's status means, in words.
#include "platform/trace/trace_source.h"

namespace twinplane::platform {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string counted(const NamedCounts& counts) {
  std::string text;
  for (const auto& [name, count] : counts.all()) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return text;
}

} // namespace

std::vector<std::string> notes_of(const TraceStatus& s) {
  std::vector<std::string> notes;
  const auto note = [&notes](std::uint64_t count, const std::string& what) {
    if (count != 0) notes.push_back(std::to_string(count) + " " + what);
  };
  if (const std::string lines = counted(s.lines.actions); !lines.empty()) {
    notes.push_back("lines by action: " + lines + "; replayed are those of " + s.lines.replayed +
                    " (--block-action, D or Q)");
  }
  if (const std::string others = counted(s.lines.other_lines); !others.empty()) {
    notes.push_back("not chosen by where=: " + others);
  }
  if (s.repeated * 3 >= s.requests_read && s.repeated > 1) {
    note(s.repeated,
         "of " + std::to_string(s.requests_read) +
             " requests equal one of those just before them: has the file a line at issue and one at "
             "completion? (where= chooses)");
  }
  for (const auto& [what, count] : s.lines.left_out.all()) note(count, "requests left out: " + what);
  for (const auto& [what, count] : s.lines.changed.all()) note(count, "requests changed: " + what);
  note(s.bad_lines, "malformed lines skipped");
  note(s.zero_length, "requests of zero length dropped");
  note(s.other_devices, "requests of other devices left out (" + listed(s.devices_left_out) + ")");
  note(s.out_of_window, "requests arrived too late for the sort window and were moved in time");
  note(s.clock_jumps, "clock jumps taken out");
  return notes;
}

} // namespace twinplane::platform
