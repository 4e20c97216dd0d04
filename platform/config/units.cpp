#include "platform/config/units.h"

#include <array>
#include <charconv>
#include <limits>

namespace twinplane::platform {

namespace {

struct Unit {
  Dimension dimension;
  std::string_view name;
  std::uint64_t scale; // base units
  bool shown;          // used by format_quantity
};

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kKilo = 1000;

// Ascending scale within a dimension: format_quantity walks it backwards.
constexpr std::array kUnits = {
    Unit{Dimension::time, "ps", 1, true},
    Unit{Dimension::time, "ns", kKilo, true},
    Unit{Dimension::time, "us", kKilo* kKilo, true},
    Unit{Dimension::time, "ms", kKilo* kKilo* kKilo, true},
    Unit{Dimension::time, "s", kKilo* kKilo* kKilo* kKilo, true},
    Unit{Dimension::size, "B", 1, true},
    Unit{Dimension::size, "KB", kKilo, false},
    Unit{Dimension::size, "KiB", kKi, true},
    Unit{Dimension::size, "k", kKi, false},
    Unit{Dimension::size, "K", kKi, false},
    Unit{Dimension::size, "MB", kKilo* kKilo, false},
    Unit{Dimension::size, "MiB", kKi* kKi, true},
    Unit{Dimension::size, "m", kKi* kKi, false},
    Unit{Dimension::size, "M", kKi* kKi, false},
    Unit{Dimension::size, "GB", kKilo* kKilo* kKilo, false},
    Unit{Dimension::size, "GiB", kKi* kKi* kKi, true},
    Unit{Dimension::size, "g", kKi* kKi* kKi, false},
    Unit{Dimension::size, "G", kKi* kKi* kKi, false},
    Unit{Dimension::size, "TB", kKilo* kKilo* kKilo* kKilo, false},
    Unit{Dimension::size, "TiB", kKi* kKi* kKi* kKi, true},
    Unit{Dimension::size, "t", kKi* kKi* kKi* kKi, false},
    Unit{Dimension::size, "T", kKi* kKi* kKi* kKi, false},
    Unit{Dimension::frequency, "Hz", 1, true},
    Unit{Dimension::frequency, "kHz", kKilo, true},
    Unit{Dimension::frequency, "MHz", kKilo* kKilo, true},
    Unit{Dimension::frequency, "GHz", kKilo* kKilo* kKilo, true},
    Unit{Dimension::bandwidth, "B/s", 1, true},
    Unit{Dimension::bandwidth, "KB/s", kKilo, false},
    Unit{Dimension::bandwidth, "KiB/s", kKi, false},
    Unit{Dimension::bandwidth, "MB/s", kKilo* kKilo, true},
    Unit{Dimension::bandwidth, "MiB/s", kKi* kKi, false},
    Unit{Dimension::bandwidth, "GB/s", kKilo* kKilo* kKilo, true},
    Unit{Dimension::bandwidth, "GiB/s", kKi* kKi* kKi, false},
};

constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max();

/// A decimal number as digits and a power of ten: 1.50 -> 150, 2.
struct Decimal {
  std::uint64_t digits = 0;
  std::uint32_t fraction_digits = 0;
};

/// Reads digits[.digits] from the front of `text` and removes it; nullopt when there are none or too many.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal d;
  std::size_t i = 0;
  bool point = false;
  bool any = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_' && any) continue;
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    if (d.digits > (kLimit - 9) / 10) return std::nullopt;
    d.digits = d.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (point) ++d.fraction_digits;
    any = true;
  }
  if (!any) return std::nullopt;
  text.remove_prefix(i);
  return d;
}

/// digits * scale / 10^fraction_digits when that is whole and within limits.
std::optional<std::uint64_t> exact_product(Decimal d, std::uint64_t scale) {
  while (d.fraction_digits > 0) {
    if (d.digits % 10 == 0) {
      d.digits /= 10;
    } else if (scale % 10 == 0) {
      scale /= 10;
    } else if (d.digits % 5 == 0 && scale % 2 == 0) { // binary units: 1.5 KiB = 15 * 1024 / 10
      d.digits /= 5;
      scale /= 2;
    } else if (d.digits % 2 == 0 && scale % 5 == 0) {
      d.digits /= 2;
      scale /= 5;
    } else {
      return std::nullopt;
    }
    --d.fraction_digits;
  }
  if (scale != 0 && d.digits > kLimit / scale) return std::nullopt;
  return d.digits * scale;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

} // namespace

std::optional<std::uint64_t> parse_quantity(Dimension dimension, std::string_view text) {
  text = trim(text);
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  const std::string_view unit = trim(text);
  if (unit.empty()) return number->digits == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  for (const Unit& u : kUnits) {
    if (u.dimension == dimension && u.name == unit) return exact_product(*number, u.scale);
  }
  return std::nullopt;
}

std::string format_quantity(Dimension dimension, std::uint64_t value) {
  for (auto u = kUnits.rbegin(); u != kUnits.rend(); ++u) {
    if (u->dimension != dimension || !u->shown || (value < u->scale && u->scale != 1)) continue;
    const std::uint64_t whole = value / u->scale;
    const std::uint64_t rest = value % u->scale;
    if (rest == 0) return std::to_string(whole) + std::string(u->name);
    // Up to three decimals when they are exact; else a smaller unit.
    if (rest * 1000 % u->scale == 0) {
      std::string decimals = std::to_string(1000 + rest * 1000 / u->scale).substr(1);
      while (decimals.back() == '0') decimals.pop_back();
      return std::to_string(whole) + "." + decimals + std::string(u->name);
    }
  }
  return std::to_string(value); // not reached: every dimension has a unit of scale 1
}

std::string_view describe(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "a time such as \"65us\" (units ps, ns, us, ms, s)";
    case Dimension::size:
      return "a size such as \"16KiB\" (units B, KiB, MiB, GiB, TiB, KB, MB, GB, TB)";
    case Dimension::frequency:
      return "a frequency such as \"1.2GHz\" (units Hz, kHz, MHz, GHz)";
    case Dimension::bandwidth:
      return "a bandwidth such as \"12.8GB/s\" (units B/s, MB/s, MiB/s, GB/s, GiB/s)";
  }
  return "";
}

std::optional<double> parse_real(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string format_real(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

std::optional<double> parse_fraction(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.back() != '%') return parse_real(text);
  text.remove_suffix(1);
  text = trim(text);
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  return parse_real(std::string(text) + "e-2"); // shifts the decimal point: 15% is exactly 0.15
}

std::string format_fraction(double value) {
  std::array<char, 64> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value * 100, std::chars_format::fixed, 6);
  std::string percent(buffer.data(), result.ptr);
  while (percent.back() == '0') percent.pop_back();
  if (percent.back() == '.') percent.pop_back();
  percent += '%';
  const auto back = parse_fraction(percent);
  return back && *back == value ? percent : format_real(value);
}

} // namespace twinplane::platform
