#include "platform/trace/fields.h"

#include <charconv>
#include <cstring>

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

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
constexpr std::uint64_t kEachByte = 0x0101010101010101u;
constexpr std::uint64_t kHighBits = 0x8080808080808080u;

std::uint64_t load8(const char* text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

/// The first `wanted` character from `from` on, or `end`. Eight characters at a time: the subtraction borrows
/// into the high bit of the bytes that match, and of none before the first such.
const char* find_character(const char* from, const char* end, char wanted) {
  const std::uint64_t pattern = kEachByte * static_cast<unsigned char>(wanted);
  for (; kLittleEndian && end - from >= 8; from += 8) {
    const std::uint64_t word = load8(from) ^ pattern;
    const std::uint64_t matches = (word - kEachByte) & ~word & kHighBits;
    if (matches != 0) return from + __builtin_ctzll(matches) / 8;
  }
  while (from != end && *from != wanted) ++from;
  return from;
}

/// The end of a field that begins with a quote: behind the quote that closes it. A doubled quote is text.
const char* find_closing_quote(const char* from, const char* end) {
  for (const char* at = from + 1; at != end; ++at) {
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') return at + 1;
    ++at;
  }
  return from; // none: the quote is text
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

void split_at(char separator, std::string_view line, Fields& fields, std::size_t wanted) {
  const char* from = line.data();
  const char* const end = from + line.size();
  while (fields.count < wanted) {
    while (from != end && *from != separator && is_blank(*from)) ++from;
    const bool quoted = from != end && *from == '"';
    const char* const stop = find_character(quoted ? find_closing_quote(from, end) : from, end, separator);
    const std::string_view text = trim({from, static_cast<std::size_t>(stop - from)});
    fields.at[fields.count++] = quoted ? without_quotes(text) : text;
    if (stop == end) return;
    from = stop + 1;
  }
}

/// Eight decimal digits as a number; false when one is not a digit. Adjacent digits, pairs and quads are
/// combined in parallel within the word (needs little endian; others take the plain loop).
bool parse_eight(const char* text, std::uint64_t& value) {
  std::uint64_t word = load8(text);
  const std::uint64_t above_nine = word + 0x4646464646464646u; // '9' + 0x46 = 0x7F
  word -= 0x3030303030303030u;
  if (((above_nine | word) & kHighBits) != 0) return false;
  word = word * 10 + (word >> 8);
  word = (((word & 0x000000FF000000FFu) * 0x000F424000000064u) +
          ((word >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
         32;
  value = word;
  return true;
}

bool parse_any(std::string_view text, std::uint64_t& value) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, hex ? 16 : 10);
  return result.ec == std::errc{} && result.ptr == end;
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
  if (a == b) return true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

bool parse_integer(std::string_view text, std::uint64_t& value) {
  constexpr std::size_t kSafeDigits = 19; // any number of so many digits fits
  if (text.empty() || text.size() > kSafeDigits || (text.size() > 1 && text[1] > '9'))
    return parse_any(text, value);
  std::uint64_t sum = 0;
  while (kLittleEndian && text.size() >= 8) {
    std::uint64_t eight = 0;
    if (!parse_eight(text.data(), eight)) return false;
    sum = sum * 100'000'000 + eight;
    text.remove_prefix(8);
  }
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return false;
    sum = sum * 10 + digit;
  }
  value = sum;
  return true;
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
