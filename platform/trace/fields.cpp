#include "platform/trace/fields.h"

#include <charconv>

namespace twinplane::platform {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

void split_at_blanks(std::string_view line, Fields& fields, std::size_t wanted) {
  std::size_t i = 0;
  while (fields.count < wanted) {
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i == line.size()) return;
    const std::size_t start = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    fields.at[fields.count++] = line.substr(start, i - start);
  }
}

void split_at(char separator, std::string_view line, Fields& fields, std::size_t wanted) {
  while (fields.count < wanted) {
    const std::size_t end = line.find(separator);
    fields.at[fields.count++] = trim(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

constexpr std::array<TimeUnit, 6> kTimeUnits{{{"s", 1'000'000'000, 1},
                                              {"ms", 1'000'000, 1},
                                              {"us", 1'000, 1},
                                              {"ns", 1, 1},
                                              {"ps", 1, 1'000},
                                              {"filetime", 100, 1}}};

} // namespace

void split(std::string_view line, Separator separator, Fields& fields, std::size_t wanted) {
  fields.count = 0;
  if (wanted > Fields::kMax) wanted = Fields::kMax;
  if (separator == Separator::blanks) {
    split_at_blanks(line, fields, wanted);
  } else {
    split_at(static_cast<char>(separator), line, fields, wanted);
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

bool parse_integer(std::string_view text, std::uint64_t& value) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, hex ? 16 : 10);
  return result.ec == std::errc{} && result.ptr == end;
}

const TimeUnit* find_time_unit(std::string_view name) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

bool parse_time(std::string_view text, const TimeUnit& unit, std::uint64_t& nanoseconds) {
  const std::size_t point = text.find('.');
  std::uint64_t whole = 0;
  if (point != 0 && !parse_integer(text.substr(0, point), whole)) return false;
  if (__builtin_mul_overflow(whole, unit.multiply, &nanoseconds)) return false;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  if (point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    if (digits.empty()) return false;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (!is_digit(digits[i])) return false;
      if (i >= 9) continue; // finer than any unit can show
      fraction = fraction * 10 + static_cast<std::uint64_t>(digits[i] - '0');
      scale *= 10;
    }
  }
  const std::uint64_t rest = fraction * unit.multiply / scale;
  if (nanoseconds > ~std::uint64_t{0} - rest) return false;
  nanoseconds = (nanoseconds + rest) / unit.divide;
  return true;
}

} // namespace twinplane::platform
