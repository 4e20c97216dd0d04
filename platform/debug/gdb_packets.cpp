#include "platform/debug/gdb_packets.h"

#include <cstdio>

namespace twinplane::platform {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char kInterruptByte = 3;

} // namespace

GdbPackets::Event GdbPackets::take(char byte) {
  switch (state_) {
    case State::between: // acknowledgements, and what is lost of a packet, mean nothing here
      if (byte == kInterruptByte) return Event::interrupt;
      if (byte != '$') return Event::none;
      text_.clear();
      sum_ = 0;
      state_ = State::text;
      return Event::none;
    case State::text:
      if (byte == '#') {
        digits_.clear();
        state_ = State::first_digit;
        return Event::none;
      }
      if (text_.size() == kLongest) {
        state_ = State::between;
        return Event::too_long;
      }
      sum_ = static_cast<std::uint8_t>(sum_ + static_cast<std::uint8_t>(byte));
      text_ += byte;
      return Event::none;
    case State::first_digit:
      digits_ = byte;
      state_ = State::second_digit;
      return Event::none;
    case State::second_digit:
      break;
  }
  state_ = State::between;
  const int high = digit_of(digits_[0]);
  const int low = digit_of(byte);
  return high >= 0 && low >= 0 && high * 16 + low == sum_ ? Event::packet : Event::bad_sum;
}

std::string gdb_packet(std::string_view text) {
  std::uint8_t sum = 0;
  for (const char c : text) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
  return "$" + std::string(text) + "#" + to_hex(&sum, 1);
}

std::string to_hex(const void* data, std::size_t bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint8_t byte = static_cast<const std::uint8_t*>(data)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit_of(digits[i]);
    const int low = digit_of(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  std::size_t used = 0;
  for (; used < text.size() && digit_of(text[used]) >= 0; ++used) {
    value = value * 16 + static_cast<std::uint64_t>(digit_of(text[used]));
    if (value > 0xFFFF'FFFFu) return std::nullopt;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return static_cast<std::uint32_t>(value);
}

bool take_word(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

} // namespace twinplane::platform
