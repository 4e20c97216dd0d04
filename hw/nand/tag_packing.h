// Tags in the store: 48 bits of each half, until one comes that needs more.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/spec/data_mode.h"

namespace twinplane::hw {

constexpr std::uint32_t kPackedTag = 12; // bytes

/// Stores a tag, 48 bits of each half; false when it does not fit.
inline bool pack(std::uint8_t* to, const std::uint8_t* from) {
  SectorTag tag;
  std::memcpy(&tag, from, sizeof tag);
  if ((tag.lba | tag.sequence) >> 48 != 0) return false;
  const std::uint64_t low = tag.lba | tag.sequence << 48;
  const auto high = static_cast<std::uint32_t>(tag.sequence >> 16);
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + sizeof low, &high, sizeof high);
  return true;
}

/// The tags of all sectors, whose mask this is.
inline bool pack_page(std::uint8_t* to, const std::uint8_t* from, std::uint32_t full_mask) {
  while (pack(to, from)) {
    full_mask >>= 1;
    if (full_mask == 0) return true;
    to += kPackedTag;
    from += kTagBytes;
  }
  return false;
}

/// The tags of some.
inline bool pack_sectors(std::uint8_t* to, const std::uint8_t* from, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const auto sector = static_cast<std::size_t>(__builtin_ctz(mask));
    if (!pack(to + sector * kPackedTag, from + sector * kTagBytes)) return false;
  }
  return true;
}

/// The tags of all sectors.
inline void unpack_page(std::uint8_t* to, const std::uint8_t* from, std::uint32_t full_mask) {
  constexpr std::uint64_t kLow48 = (std::uint64_t{1} << 48) - 1;
  for (; full_mask != 0; full_mask >>= 1) {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + sizeof low, sizeof high);
    const SectorTag tag{low & kLow48, low >> 48 | std::uint64_t{high} << 16};
    std::memcpy(to, &tag, sizeof tag);
    from += kPackedTag;
    to += kTagBytes;
  }
}

} // namespace twinplane::hw
