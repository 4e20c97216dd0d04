// Why a drive is refused at boot: which chip, what was found there, and what was expected.
#pragma once

#include <cstddef>
#include <cstdint>

namespace twinplane::fw {

class Refusal {
 public:
  /// "channel 1 chip 0: pages per block: found 128, expected 256".
  struct Field {
    const char* name;
    std::uint32_t found;
    std::uint32_t expected;
  };
  const char* of(std::uint32_t channel, std::uint32_t chip, const Field& field) {
    where(channel, chip);
    add(field.name);
    add(": found ");
    add(field.found);
    add(", expected ");
    add(field.expected);
    return text_;
  }
  /// "channel 1 chip 0: read ID (90h): failed".
  const char* of(std::uint32_t channel, std::uint32_t chip, const char* command) {
    where(channel, chip);
    add(command);
    add(": failed");
    return text_;
  }

 private:
  void where(std::uint32_t channel, std::uint32_t chip) {
    length_ = 0;
    add("channel ");
    add(channel);
    add(" chip ");
    add(chip);
    add(": ");
  }
  void add(const char* part) {
    for (; *part != '\0' && length_ + 1 < sizeof text_; ++part) text_[length_++] = *part;
    text_[length_] = '\0';
  }
  void add(std::uint32_t number) {
    char digits[11] = {};
    std::size_t at = sizeof digits - 1;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(digits + at);
  }

  char text_[160] = {};
  std::size_t length_ = 0;
};

} // namespace twinplane::fw
