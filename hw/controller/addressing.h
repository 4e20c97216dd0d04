// What the descriptors of one channel may name: chips, LUNs and planes of the bus, pages in device DRAM.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/controller/flash_group.h"
#include "hw/spec/data_mode.h"

namespace twinplane::hw {

class Addressing {
 public:
  Addressing(const Geometry& geometry, DataMode mode)
      : geometry_(geometry),
        rows_(geometry),
        lun_shift_(rows_.lun_bits == 0 ? 0 : rows_.lun_shift()),
        lun_mask_((1u << rows_.lun_bits) - 1),
        page_payload_(std::uint64_t{geometry.sectors_per_page()} * payload_bytes(mode, geometry.sector_size)),
        no_sectors_(~static_cast<std::uint32_t>((std::uint64_t{1} << geometry.sectors_per_page()) - 1)) {}
  void set_dram(std::uint64_t bytes) { dram_bytes_ = bytes; }

  std::uint32_t lun(std::uint32_t row) const { return row >> lun_shift_ & lun_mask_; }
  std::uint32_t lun(const FlashDescriptor& d) const { return lun(d.row); }
  std::uint32_t plane(const FlashDescriptor& d) const { return rows_.plane(d.row); }
  /// On the channel: chip * dies_per_chip + lun.
  std::uint32_t die(const FlashDescriptor& d) const { return d.chip * geometry_.dies_per_chip + lun(d); }
  /// Of the same chip: whether both name pages of one block.
  bool same_block(const FlashDescriptor& a, const FlashDescriptor& b) const {
    return (a.row ^ b.row) >> rows_.plane_shift() == 0;
  }

  /// Whether `next` is such a command as `now`, for the same blocks in the same mode.
  bool goes_on(const FlashGroup& now, const FlashGroup& next) const {
    if (next.op() != now.op() || next.count != now.count) return false;
    for (std::uint32_t i = 0; i < now.count; ++i) {
      const FlashDescriptor& a = now.planes[i];
      const FlashDescriptor& b = next.planes[i];
      if (!same_block(a, b) || ((a.flags ^ b.flags) & flash_flag::slc_mode) != 0) return false;
    }
    return true;
  }

  /// Whether the planes of the group are to do the same, and are of one chip and of LUNs that it has.
  bool is_command(const FlashGroup& group) const {
    const FlashDescriptor& first = group.planes[0];
    if (first.chip >= geometry_.chips_per_channel || lun(first) >= geometry_.dies_per_chip) return false;
    for (std::uint32_t i = 1; i < group.count; ++i) {
      const FlashDescriptor& d = group.planes[i];
      if (d.op != first.op || d.chip != first.chip || lun(d) >= geometry_.dies_per_chip) return false;
    }
    return true;
  }
  bool in_dram(std::uint32_t offset, std::uint64_t bytes) const { return offset + bytes <= dram_bytes_; }
  /// Of reads and programs: buffers and words of all planes.
  bool pages_in_dram(const FlashGroup& group) const {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const FlashDescriptor& d = group.planes[i];
      if (!in_dram(d.buffer, page_payload_) || (d.sector_mask & no_sectors_) != 0) return false;
      if ((d.flags & flash_flag::oob_words) != 0 && !words_in_dram(d)) return false;
    }
    return true;
  }

 private:
  bool words_in_dram(const FlashDescriptor& d) const {
    constexpr std::uint64_t kWord = sizeof(std::uint64_t);
    const std::uint64_t end = dram_bytes_ - std::min(dram_bytes_, kWord * geometry_.subpages_per_page);
    return d.oob % kWord == 0 && d.oob <= end;
  }

  const Geometry geometry_;
  const RowLayout rows_;
  const std::uint32_t lun_shift_; // of a row's LUN bits
  const std::uint32_t lun_mask_;
  const std::uint64_t page_payload_; // bytes of a page in DRAM
  const std::uint32_t no_sectors_;   // bits of a mask that name no sector of a page
  std::uint64_t dram_bytes_ = 0;
};

} // namespace twinplane::hw
