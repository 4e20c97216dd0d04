#include "platform/observe/waves/wave_selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstring>

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

/// A pattern that matches this text alone.
std::string literally(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::strchr("*?[]\\", c) != nullptr) out += '\\';
    out += c;
  }
  return out;
}

/// What a pattern of the user's stands for: itself, with the module's name before it, and with that name as it
/// is where the pattern begins with it; each with all that is below it.
std::vector<std::string> globs_of(std::string_view pattern, std::string_view module) {
  std::vector<std::string> globs{std::string(pattern), literally(module) + "." + std::string(pattern)};
  const std::string_view rest = pattern.substr(std::min(module.size(), pattern.size()));
  const bool named = pattern.substr(0, module.size()) == module && (rest.empty() || rest.front() == '.');
  if (named && literally(module) != module) globs.push_back(literally(module) + std::string(rest));
  for (std::size_t i = globs.size(); i-- > 0;) globs.push_back(globs[i] + ".*");
  return globs;
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

WaveScope::WaveScope(std::string_view patterns, std::string_view module) {
  while (!patterns.empty()) {
    const std::size_t comma = patterns.find(',');
    const std::string_view one = patterns.substr(0, comma);
    if (!one.empty()) patterns_.push_back({std::string(one), globs_of(one, module), false});
    patterns.remove_prefix(comma == std::string_view::npos ? patterns.size() : comma + 1);
  }
}

bool WaveScope::matches(const std::string& signal) {
  bool any = patterns_.empty();
  for (Pattern& p : patterns_) {
    const bool hit = std::any_of(p.globs.begin(), p.globs.end(),
                                 [&signal](const std::string& pattern) { return glob(pattern, signal); });
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
