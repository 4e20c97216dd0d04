#include "platform/report/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace twinplane::platform {
namespace {

constexpr std::array<std::uint64_t, 10> kPowersOfTen = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

struct Unit {
  double size;
  const char* name;
};

// Three significant digits in the largest unit that leaves at least 1 before the point.
template <std::size_t N>
std::string in_units(double value, const std::array<Unit, N>& units) {
  std::size_t i = 0;
  while (i + 1 < N && value >= units[i + 1].size * 0.9995) ++i;
  const double scaled = value / units[i].size;
  const bool whole = i == 0 && scaled == std::floor(scaled);
  std::string text = human_fixed(scaled, whole || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2);
  if (*units[i].name != '\0') text.append(" ").append(units[i].name);
  return text;
}

} // namespace

void append(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

namespace {

/// "00" to "99" in a row.
constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

} // namespace

// From the last digit on and in one piece, two digits at a time: rows of the timeline are made of it.
void append_scaled(std::string& out, std::uint64_t value, std::uint32_t decimals) {
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  char* at = end;
  const auto put_digit = [&] {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  };
  const auto put_pair = [&] {
    at -= 2;
    std::memcpy(at, &kPairs[2 * (value % 100)], 2);
    value /= 100;
  };
  std::uint32_t left = decimals;
  for (; left > 1; left -= 2) put_pair();
  if (left != 0) put_digit();
  if (decimals != 0) *--at = '.';
  while (value >= 100) put_pair();
  if (value >= 10) {
    put_pair();
  } else {
    put_digit();
  }
  out.append(at, static_cast<std::size_t>(end - at));
}

void append_fixed(std::string& out, double value, std::uint32_t decimals) {
  if (value < 0 || !std::isfinite(value)) value = 0;
  if (value >= 1e15) {
    append(out, value < 1.8e19 ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0});
    return;
  }
  while (decimals > 0 && value * static_cast<double>(kPowersOfTen[decimals]) > 9e18) --decimals;
  const double scale = static_cast<double>(kPowersOfTen[decimals]);
  append_scaled(out, static_cast<std::uint64_t>(std::floor(value * scale + 0.5)), decimals);
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 8).ptr;
  double back = value;
  std::from_chars(text, end, back);
  return back;
}

std::string human_fixed(double value, std::uint32_t decimals) {
  std::string text;
  append_fixed(text, value, decimals);
  return text;
}

std::string human_time(double nanoseconds) {
  static constexpr std::array<Unit, 4> kUnits = {{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
  return in_units(nanoseconds, kUnits);
}

std::string human_bytes(double bytes) {
  static constexpr std::array<Unit, 5> kUnits = {
      {{1, "B"}, {1024.0, "KiB"}, {1048576.0, "MiB"}, {1073741824.0, "GiB"}, {1099511627776.0, "TiB"}}};
  return in_units(bytes, kUnits);
}

std::string human_count(double value) {
  static constexpr std::array<Unit, 4> kUnits = {{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}}};
  return in_units(value, kUnits);
}

std::string human_percent(double fraction) {
  const double percent = fraction * 100;
  return human_fixed(percent, percent >= 99.95 || percent == 0 ? 0 : percent >= 0.095 ? 1 : 3) + " %";
}

} // namespace twinplane::platform
