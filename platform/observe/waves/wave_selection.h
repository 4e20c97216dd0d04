// Which signals, and when: the values of --vcd=SCOPE and --vcd-window A:B.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/observe/waves/wave_writer.h"

namespace twinplane::platform {

/// "A:B", times with units; either side may be empty ("2ms:", ":500us"). Throws InputError.
WaveWindow parse_wave_window(std::string_view text);

/// Comma-separated patterns. A pattern names a signal or a scope with everything below it; the wildcards
/// * ? [] cross dots. Signals start with the drive's module name ("ssd."); a pattern may leave that out, and one
/// that begins with the name means it as it is, also where it has brackets ("ssd[0].ch0").
/// Empty: everything.
///   "ch0"   "ssd.ch*.bus"   "ch0.chip1.die0,ch1.bus.phase"   "*.rb_n"
class WaveScope {
 public:
  explicit WaveScope(std::string_view patterns, std::string_view module = "ssd");
  /// Remembers which patterns have matched something.
  bool matches(const std::string& signal);
  /// Patterns that matched nothing so far, comma-separated.
  std::string unmatched() const;

 private:
  struct Pattern {
    std::string text;
    std::vector<std::string> globs; // one of which matches
    bool used = false;
  };
  std::vector<Pattern> patterns_;
};

} // namespace twinplane::platform
