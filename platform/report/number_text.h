// Numbers as text, the same on every machine and in every locale.
#pragma once

#include <cstdint>
#include <string>

#include "hw/spec/sim_time.h"

namespace twinplane::platform {

void append(std::string& out, std::uint64_t value);

/// value / 10^decimals with all decimals written: (1234, 2) -> "12.34". Exact, integers only.
void append_scaled(std::string& out, std::uint64_t value, std::uint32_t decimals);

/// Picoseconds as nanoseconds or microseconds with picosecond digits cut to `decimals` (rounded down).
inline void append_ns(std::string& out, TimePs time) {
  append_scaled(out, time, 3);
}
inline void append_us(std::string& out, TimePs time) {
  append_scaled(out, time / 1000, 3);
}

/// Fixed-point text of a non-negative finite double, rounded half up: (0.12345, 3) -> "0.123".
/// Values of 10^15 and more are written as integers.
void append_fixed(std::string& out, double value, std::uint32_t decimals);

/// Rounded to nine significant digits, so that a last-bit difference between compilers does not show.
double rounded(double value);

// For people: three or four significant digits and a unit.
std::string human_time(double nanoseconds); // "93.2 us", "5.50 ms"
std::string human_bytes(double bytes);      // "1.50 GiB"
std::string human_count(double value);      // "950", "47.6 k", "1.20 M"
std::string human_percent(double fraction); // "12.3 %"
std::string human_fixed(double value, std::uint32_t decimals);

} // namespace twinplane::platform
