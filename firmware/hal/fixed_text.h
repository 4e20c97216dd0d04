// A short text that is part of what holds it: names in a configuration that lies in memory of fixed layout,
// the same for every compiler that the firmware is built with.
#pragma once

#include <cstddef>

namespace twinplane::fw {

/// Up to `N` - 1 characters; longer texts are cut.
template <std::size_t N>
class FixedText {
 public:
  constexpr FixedText(const char* text) {
    for (std::size_t i = 0; i + 1 < N && text[i] != '\0'; ++i) text_[i] = text[i];
  }
  constexpr operator const char*() const { return text_; }

 private:
  char text_[N] = {};
};

} // namespace twinplane::fw
