#include "platform/observe/waves/vcd_text.h"

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

using ShortValues = std::array<VcdShortValue, 256>;

constexpr ShortValues make_short_values() {
  ShortValues table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    VcdShortValue& v = table[i];
    v.text[v.length++] = 'b';
    for (std::uint32_t bit = 8; bit-- > 0;) {
      if (i >> bit != 0 || bit == 0) v.text[v.length++] = static_cast<char>('0' + (i >> bit & 1));
    }
    v.text[v.length++] = ' ';
  }
  return table;
}
constexpr ShortValues make_bits() {
  ShortValues table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    table[i].text[0] = static_cast<char>('0' + (i & 1));
    table[i].length = 1;
  }
  return table;
}
constexpr ShortValues kShortValues = make_short_values();
constexpr ShortValues kBits = make_bits();

} // namespace

// The microsecond of `time` has not been seen last.
void VcdStamp::begin_microsecond(TimePs time) {
  const TimePs us = time / kShared;
  begin_ = us * kShared;
  prefix_[0] = '#';
  const char* const end = std::to_chars(prefix_ + 1, prefix_ + sizeof prefix_, us).ptr;
  length_ = static_cast<std::size_t>(end - prefix_);
}

char* VcdStamp::append(char* out, TimePs time) {
  if (time < kShared) { // no leading zeros
    *out = '#';
    out = std::to_chars(out + 1, out + 8, time).ptr;
    *out = '\n';
    return out + 1;
  }
  if (time - begin_ >= kShared) begin_microsecond(time);
  const auto rest = static_cast<std::uint32_t>(time - begin_);
  std::memcpy(out, prefix_, sizeof prefix_);
  out += length_;
  std::memcpy(out, kDecimals[rest / 1000].text.data(), 4);
  std::memcpy(out + 3, kDecimals[rest % 1000].text.data(), 4); // with the end of the line
  return out + 7;
}

const VcdShortValue* vcd_short_values(std::uint32_t bits) {
  return bits == 1 ? kBits.data() : kShortValues.data();
}

char* append_vcd_long_value(char* out, WaveValue value, std::uint32_t bits) {
  if (value >= kHighZ) {
    if (bits > 1) *out++ = 'b';
    *out++ = value == kHighZ ? 'z' : 'x';
    if (bits > 1) *out++ = ' ';
    return out;
  }
  *out++ = 'b';
  const std::uint32_t digits = 32 - static_cast<std::uint32_t>(__builtin_clz(value | 1));
  for (std::uint32_t bit = digits; bit-- > 0;) *out++ = static_cast<char>('0' + (value >> bit & 1));
  *out++ = ' ';
  return out;
}

} // namespace twinplane::platform
