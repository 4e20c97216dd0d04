// The lines of a VCD's value part, put together in place from small tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// Values of wires that are no numbers.
constexpr std::uint64_t kUnknown = ~std::uint64_t{0}; // x
constexpr std::uint64_t kHighZ = kUnknown - 1;        // z

/// Time stamps. Neighbouring times share their microseconds: only the last six digits are made anew.
class VcdStamp {
 public:
  static constexpr std::size_t kRoom = 32; // that append() may touch

  /// Writes "#TIME\n" and returns its end.
  char* append(char* out, TimePs time);

 private:
  char prefix_[24] = {}; // '#' and the microseconds of the last time
  std::size_t length_ = 0;
  TimePs us_ = kNever;
};

constexpr std::size_t kVcdLineRoom = 96; // of a value, its signal's identifier code, and what stores touch

namespace vcd_detail {
/// "b" and the digits of a byte without leading zeros, a space, and their number.
struct ShortValue {
  char text[15];
  std::uint8_t length;
};
extern const std::array<ShortValue, 256> kShortValues;
char* append_long_value(char* out, std::uint64_t value, std::uint32_t bits);
} // namespace vcd_detail

/// Writes "1" (one bit) or "b101 " (more): what stands before a signal's identifier code.
inline char* append_vcd_value(char* out, std::uint64_t value, std::uint32_t bits) {
  if (value >= vcd_detail::kShortValues.size()) return vcd_detail::append_long_value(out, value, bits);
  if (bits == 1) {
    *out = static_cast<char>('0' + (value & 1));
    return out + 1;
  }
  const vcd_detail::ShortValue& text = vcd_detail::kShortValues[value];
  std::memcpy(out, &text, sizeof text);
  return out + text.length;
}

} // namespace twinplane::platform
