// Packets of gdb's remote serial protocol (gdb's manual, appendix "Remote Protocol"): `$text#sum`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twinplane::platform {

/// Finds packets in a stream of bytes.
class GdbPackets {
 public:
  static constexpr std::size_t kLongest = 16384; // of the text, as we promise it to gdb

  enum class Event : std::uint8_t { none, packet, bad_sum, interrupt, too_long };
  /// Takes a byte; `packet`: text() is one.
  Event take(char byte);
  const std::string& text() const { return text_; }

 private:
  enum class State : std::uint8_t { between, text, first_digit, second_digit };
  State state_ = State::between;
  std::string text_;
  std::uint8_t sum_ = 0;
  std::string digits_;
};

/// With frame and checksum.
std::string gdb_packet(std::string_view text);

std::string to_hex(const void* data, std::size_t bytes);
/// Nothing when that are not pairs of hexadecimal digits.
std::optional<std::string> from_hex(std::string_view digits);
/// The number that `text` begins with, which is cut off; nothing where there is none, or one of more than 32
/// bits.
std::optional<std::uint32_t> take_number(std::string_view& text);
/// Whether `text` begins so; then that is cut off.
bool take_word(std::string_view& text, std::string_view word);

} // namespace twinplane::platform
