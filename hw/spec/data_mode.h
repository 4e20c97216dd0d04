// How much of a sector's content travels through the model.
#pragma once

#include <cstdint>

namespace twinplane {

/// none: timing only. tag: the first 16 bytes of every sector (LBA, write sequence). full: all bytes.
enum class DataMode : std::uint8_t { none, tag, full };

constexpr std::uint32_t kTagBytes = 16;

/// A sector's content in tag mode; also what host models write into the first bytes in full mode.
struct SectorTag {
  std::uint64_t lba = 0;
  std::uint64_t sequence = 0; // 0 = never written
};
static_assert(sizeof(SectorTag) == kTagBytes, "tag layout");

/// Bytes per sector that buffers inside the device hold. DRAM buffers are packed at this stride.
constexpr std::uint32_t payload_bytes(DataMode mode, std::uint32_t sector_size) {
  return mode == DataMode::none ? 0 : mode == DataMode::tag ? kTagBytes : sector_size;
}

/// Where a buffer of sectors that lies at `offset` would lie if they had all their bytes.
constexpr std::uint64_t nominal_address(std::uint64_t offset, DataMode mode, std::uint32_t sector_size) {
  return mode == DataMode::tag ? offset * sector_size / kTagBytes : offset;
}

} // namespace twinplane
