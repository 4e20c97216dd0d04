// The image of a page as registers, tenures and the store move it: the payloads of its sectors, one behind the
// other.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"

namespace twinplane::hw {

struct PageShape {
  PageShape(const Geometry& geometry, DataMode mode)
      : full_mask(static_cast<std::uint32_t>((std::uint64_t{1} << geometry.sectors_per_page()) - 1)),
        sector_bytes(payload_bytes(mode, geometry.sector_size)),
        payload_size(sector_bytes * geometry.sectors_per_page()) {}

  /// Copies the sectors of `mask` between two images.
  void copy(std::uint8_t* to, const std::uint8_t* from, std::uint32_t mask) const {
    if (mask == full_mask) {
      copy_page(to, from);
    } else if (sector_bytes != 0) {
      copy_runs(to, from, mask & full_mask);
    }
  }
  void copy_page(std::uint8_t* to, const std::uint8_t* from) const {
    if (payload_size == kTagBytes) {
      std::memcpy(to, from, kTagBytes); // by far the most frequent; a known size needs no call
    } else {
      std::memcpy(to, from, payload_size);
    }
  }

  std::uint32_t full_mask;    // all sectors
  std::uint32_t sector_bytes; // of a payload
  std::uint32_t payload_size; // bytes of the image

 private:
  void copy_runs(std::uint8_t* to, const std::uint8_t* from, std::uint64_t mask) const {
    while (mask != 0) {
      const auto first = static_cast<std::uint32_t>(__builtin_ctzll(mask));
      const auto run = static_cast<std::uint32_t>(__builtin_ctzll(~(mask >> first)));
      const std::size_t offset = std::size_t{first} * sector_bytes;
      std::memcpy(to + offset, from + offset, std::size_t{run} * sector_bytes);
      mask &= mask + (std::uint64_t{1} << first); // clears the run just copied
    }
  }
};

} // namespace twinplane::hw
