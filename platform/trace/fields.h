// Cutting a line into fields and reading numbers from them; no allocation, no locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace twinplane::platform {

/// `blanks` is any run of spaces and tabs; every other separator is one character and makes empty fields.
enum class Separator : char { blanks = ' ', comma = ',', semicolon = ';', tab = '\t', bar = '|' };

/// The first fields of a line; those beyond kMax stay in the last one.
struct Fields {
  static constexpr std::size_t kMax = 24;
  std::array<std::string_view, kMax> at;
  std::size_t count = 0;
};

/// Splits and trims blanks around each field; quotes around one are taken off unless blanks separate. Stops
/// after `wanted` fields (the rest is not looked at).
void split(std::string_view line, Separator separator, Fields& fields, std::size_t wanted = Fields::kMax);

std::string_view trim(std::string_view text);

/// Case-insensitive comparison of ASCII text.
bool same_word(std::string_view a, std::string_view b);

/// Decimal, or hexadecimal with 0x. False unless the whole text is one number that fits.
bool parse_integer(std::string_view text, std::uint64_t& value);

/// A unit of time as nanoseconds = count * multiply / divide.
struct TimeUnit {
  std::string_view name;
  std::uint64_t multiply = 1;
  std::uint64_t divide = 1;
};

/// s, ms, us, ns, ps, filetime (100 ns); null when the name is none of these.
const TimeUnit* find_time_unit(std::string_view name);

/// A non-negative decimal number with an optional fraction, exact to the nanosecond (rounded down). False
/// on anything else or when it does not fit.
bool parse_time(std::string_view text, const TimeUnit& unit, std::uint64_t& nanoseconds);

} // namespace twinplane::platform
