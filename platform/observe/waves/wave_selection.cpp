#include "platform/observe/waves/wave_selection.h"

#include <fnmatch.h>

#include "platform/config/error.h"
#include "platform/config/units.h"

namespace twinplane::platform {
namespace {

TimePs bound(std::string_view text, std::string_view whole, TimePs if_empty) {
  if (text.empty()) return if_empty;
  const auto time = parse_quantity(Dimension::time, text);
  if (time) return *time;
  throw InputError("wave window \"" + std::string(whole) + "\": \"" + std::string(text) +
                   "\" is not a time; expected BEGIN:END with units, such as 1.5ms:2ms");
}

bool glob(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

} // namespace

WaveWindow parse_wave_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw InputError("wave window \"" + std::string(text) + "\": expected BEGIN:END, such as 1.5ms:2ms");
  }
  const WaveWindow window{bound(text.substr(0, colon), text, 0), bound(text.substr(colon + 1), text, kNever)};
  if (window.begin < window.end) return window;
  throw InputError("wave window \"" + std::string(text) + "\": it ends before it begins");
}

WaveScope::WaveScope(std::string_view patterns, std::string_view module)
    : prefix_(std::string(module) + ".") {
  while (!patterns.empty()) {
    const std::size_t comma = patterns.find(',');
    const std::string_view one = patterns.substr(0, comma);
    if (!one.empty()) patterns_.push_back({std::string(one), false});
    patterns.remove_prefix(comma == std::string_view::npos ? patterns.size() : comma + 1);
  }
}

bool WaveScope::matches(const std::string& signal) {
  bool any = patterns_.empty();
  for (Pattern& p : patterns_) {
    const bool hit = glob(p.text, signal) || glob(p.text + ".*", signal) || glob(prefix_ + p.text, signal) ||
                     glob(prefix_ + p.text + ".*", signal);
    p.used = p.used || hit;
    any = any || hit;
  }
  return any;
}

std::string WaveScope::unmatched() const {
  std::string out;
  for (const Pattern& p : patterns_) {
    if (!p.used) out += (out.empty() ? "" : ",") + p.text;
  }
  return out;
}

} // namespace twinplane::platform
