// Page buffers in device DRAM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "firmware/ftl/bits.h"
#include "firmware/hal/hal.h"

namespace twinplane::fw {

/// Copies these sectors of `payload` bytes between two buffers, DRAM offsets, to the same places.
inline void copy_sectors(Hal& hal, std::uint32_t payload, std::uint32_t to, std::uint32_t from,
                         std::uint32_t sectors) {
  for (; sectors != 0; sectors &= sectors - 1) {
    const std::size_t offset = std::size_t{lowest_bit(sectors)} * payload;
    std::memcpy(hal.dram() + to + offset, hal.dram() + from + offset, payload);
  }
}

/// Makes these sectors of a buffer zero.
inline void clear_sectors(Hal& hal, std::uint32_t payload, std::uint32_t buffer, std::uint32_t sectors) {
  for (; sectors != 0; sectors &= sectors - 1)
    std::memset(hal.dram() + buffer + std::size_t{lowest_bit(sectors)} * payload, 0, payload);
}

} // namespace twinplane::fw
