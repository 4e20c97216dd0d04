// Fields at byte offsets of a data structure, as the specification's figures give them.
// Host and device are little endian (checked), so a copy is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace twinplane::fw {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "NVMe structures are little endian");

template <typename T>
void put(std::uint8_t* structure, std::size_t offset, T value) {
  std::memcpy(structure + offset, &value, sizeof value);
}

template <typename T>
T load(const std::uint8_t* structure, std::size_t offset) {
  T value;
  std::memcpy(&value, structure + offset, sizeof value);
  return value;
}

/// ASCII field of fixed width, padded with spaces (NVMe 1.4 section 1.5).
inline void put_text(std::uint8_t* structure, std::size_t offset, std::size_t width, const char* text) {
  for (std::size_t i = 0; i < width; ++i) {
    structure[offset + i] = *text != '\0' ? static_cast<std::uint8_t>(*text++) : std::uint8_t{' '};
  }
}

} // namespace twinplane::fw
