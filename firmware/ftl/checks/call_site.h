// Checks inside the firmware's own calls, compiled in by the option TWINPLANE_FIRMWARE_CHECKS (the preset
// `dev` sets it) and left out of every other build: a resource that is released twice, or used after its
// release.
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"

namespace twinplane::fw {

#ifdef TWINPLANE_FIRMWARE_CHECKS
constexpr bool kFirmwareChecks = true;
#else
constexpr bool kFirmwareChecks = false;
#endif

/// The line that has called. As a default argument it costs nothing where it is not looked at.
struct CallSite {
  const char* file = nullptr;
  std::uint32_t line = 0;

  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return CallSite{file, static_cast<std::uint32_t>(line)};
  }
};

/// The last words of a check, built up piece by piece; longer ones are cut.
class CheckText {
 public:
  CheckText& text(const char* words) {
    for (; *words != '\0' && length_ + 1 < sizeof text_; ++words) text_[length_++] = *words;
    return *this;
  }
  CheckText& number(std::uint64_t value) {
    char digits[20];
    std::uint32_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    while (count != 0 && length_ + 1 < sizeof text_) text_[length_++] = digits[--count];
    return *this;
  }
  CheckText& site(const CallSite& site) {
    if (site.file == nullptr) return text("(never)");
    return text(site.file).text(":").number(site.line);
  }
  const char* c_str() const { return text_; }

 private:
  char text_[400] = {};
  std::uint32_t length_ = 0;
};

} // namespace twinplane::fw
