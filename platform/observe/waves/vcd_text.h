// The lines of a VCD's value part, put together in place from small tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// Of a wire of at most 31 bits.
using WaveValue = std::uint32_t;

/// Values of wires that are no numbers.
constexpr WaveValue kUnknown = ~WaveValue{0}; // x
constexpr WaveValue kHighZ = kUnknown - 1;    // z

/// Time stamps. Neighbouring times share their microseconds: only the last six digits are made anew.
class VcdStamp {
 public:
  static constexpr std::size_t kRoom = 32; // that append() may touch

  /// Writes "#TIME\n" and returns its end.
  char* append(char* out, TimePs time);

 private:
  void begin_microsecond(TimePs time);

  char prefix_[16] = {}; // '#' and the microseconds of the last time
  std::size_t length_ = 0;
  TimePs begin_ = kNever; // of that microsecond
};

constexpr std::size_t kVcdLineRoom = 64; // of a value, its signal's identifier code, and what stores touch

/// "b", the digits of a byte without leading zeros, and a space; or the digit of a single bit.
struct VcdShortValue {
  char text[15];
  std::uint8_t length;
};
/// Texts of the values 0 to 255 of a wire of that many bits; of a single bit, only 0 and 1 are used.
const VcdShortValue* vcd_short_values(std::uint32_t bits);

/// Values from 256 on, x and z.
char* append_vcd_long_value(char* out, WaveValue value, std::uint32_t bits);

/// Writes "1" (one bit) or "b101 " (more): what stands before a signal's identifier code.
inline char* append_vcd_value(char* out, WaveValue value, std::uint32_t bits, const VcdShortValue* texts) {
  if (value >= 256) return append_vcd_long_value(out, value, bits);
  std::memcpy(out, &texts[value], sizeof texts[value]);
  return out + texts[value].length;
}

} // namespace twinplane::platform
