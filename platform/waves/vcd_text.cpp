#include "platform/waves/vcd_text.h"

#include <array>
#include <charconv>
#include <cstring>

namespace twinplane::platform {
namespace {

constexpr TimePs kShared = 1'000'000; // ps in a microsecond

struct Digits {
  std::array<char, 4> text{};
};
constexpr std::array<Digits, 1000> make_decimals() {
  std::array<Digits, 1000> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    table[i].text = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                     static_cast<char>('0' + i % 10), '\n'};
  }
  return table;
}
constexpr std::array<Digits, 1000> kDecimals = make_decimals();

constexpr std::array<vcd_detail::ShortValue, 256> make_short_values() {
  std::array<vcd_detail::ShortValue, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    vcd_detail::ShortValue& v = table[i];
    v.text[v.length++] = 'b';
    for (std::uint32_t bit = 8; bit-- > 0;) {
      if (i >> bit != 0 || bit == 0) v.text[v.length++] = static_cast<char>('0' + (i >> bit & 1));
    }
    v.text[v.length++] = ' ';
  }
  return table;
}

} // namespace

char* VcdStamp::append(char* out, TimePs time) {
  const TimePs us = time / kShared;
  if (us != us_) {
    us_ = us;
    prefix_[0] = '#';
    const char* const end = std::to_chars(prefix_ + 1, prefix_ + sizeof prefix_, us).ptr;
    length_ = us == 0 ? 1 : static_cast<std::size_t>(end - prefix_);
  }
  const auto rest = static_cast<std::uint32_t>(time - us * kShared);
  if (us == 0) { // no leading zeros
    *out = '#';
    out = std::to_chars(out + 1, out + 8, rest).ptr;
    *out = '\n';
    return out + 1;
  }
  std::memcpy(out, prefix_, sizeof prefix_);
  out += length_;
  std::memcpy(out, kDecimals[rest / 1000].text.data(), 4);
  std::memcpy(out + 3, kDecimals[rest % 1000].text.data(), 4); // with the end of the line
  return out + 7;
}

namespace vcd_detail {

const std::array<ShortValue, 256> kShortValues = make_short_values();

char* append_long_value(char* out, std::uint64_t value, std::uint32_t bits) {
  if (value >= kHighZ) {
    if (bits > 1) *out++ = 'b';
    *out++ = value == kHighZ ? 'z' : 'x';
    if (bits > 1) *out++ = ' ';
    return out;
  }
  *out++ = 'b';
  const std::uint32_t digits = 64 - static_cast<std::uint32_t>(__builtin_clzll(value | 1));
  for (std::uint32_t bit = digits; bit-- > 0;) *out++ = static_cast<char>('0' + (value >> bit & 1));
  *out++ = ' ';
  return out;
}

} // namespace vcd_detail

} // namespace twinplane::platform
