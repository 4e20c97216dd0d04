// A page of metadata: which LPNs of a slice of the drive are unmapped, and which of their sectors are lost.
//
// Out-of-band words tell where the newest version of an LPN is, but not that it has none any more: a trimmed
// LPN would come back in whatever version is still in the flash. A page of metadata tells that, for as many
// LPNs as it has room for, at the moment of its stamp: what is older of an unmapped LPN is void, what is
// newer counts as ever. Its content is a function of the tables at that moment, so any page of a slice makes
// all older ones of it superfluous.
//
// An LPN whose first program is under way at that moment is unmapped, too: the page may never be whole. If it
// is, it counts, although it is older than the page of metadata: the program is named with its stamp.
//
//   header | a bit per LPN: unmapped | programs under way: LPN and stamp | losses: LPN and sectors
//
// Little endian; the CRC (32 bits, polynomial EDB88320h) covers all of the page behind itself.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"

namespace twinplane::fw {

struct SliceHeader {
  std::uint32_t magic = 0;
  std::uint32_t crc = 0;
  std::uint32_t stamp = 0; // of the page (FtlState::make_oob)
  std::uint32_t slice = 0;
  std::uint32_t lpns = 0;
  std::uint32_t programs = 0;
  std::uint32_t losses = 0;
};

struct SliceProgram {
  std::uint32_t lpn = 0;
  std::uint32_t stamp = 0;
};

struct SliceLoss {
  std::uint32_t lpn = 0;
  std::uint32_t sectors = 0;
};

/// How the drive is cut into slices.
class SliceLayout {
 public:
  static constexpr std::uint32_t kMagic = 0x314D5054; // "TPM1"

  SliceLayout() = default;
  /// Pages of so many bytes, 512 or more.
  SliceLayout(std::uint32_t page_bytes, std::uint32_t exported_pages)
      : page_bytes_(page_bytes),
        bitmap_bytes_((page_bytes - list_bytes(page_bytes) - header_bytes()) / 4 * 4),
        exported_(exported_pages) {}

  std::uint32_t page_bytes() const { return page_bytes_; }
  std::uint32_t slices() const { return (exported_ + per_slice() - 1) / per_slice(); }
  std::uint32_t slice_of(std::uint32_t lpn) const { return lpn / per_slice(); }
  std::uint32_t first(std::uint32_t slice) const { return slice * per_slice(); }
  std::uint32_t lpns(std::uint32_t slice) const {
    const std::uint32_t left = exported_ - first(slice);
    return left < per_slice() ? left : per_slice();
  }
  /// Programs under way and losses that a page has room for; losses beyond are forgotten with the supply.
  std::uint32_t most_entries() const {
    return (page_bytes_ - header_bytes() - bitmap_bytes_) / static_cast<std::uint32_t>(sizeof(SliceLoss));
  }
  static constexpr std::uint32_t header_bytes() { return sizeof(SliceHeader); }
  /// Where in the page entry `n` lies; the programs come first.
  std::uint32_t entry_at(std::uint32_t n) const {
    return header_bytes() + bitmap_bytes_ + n * static_cast<std::uint32_t>(sizeof(SliceLoss));
  }

  /// Completes a page: the header, whose CRC is worked out here.
  void seal(std::uint8_t* page, SliceHeader header) const;
  /// False: these bytes are no page of metadata of this drive.
  [[nodiscard]] bool open(const std::uint8_t* page, SliceHeader& header) const;
  static bool unmapped(const std::uint8_t* page, std::uint32_t n) {
    return (page[header_bytes() + n / 8] >> n % 8 & 1) != 0;
  }
  static void set_unmapped(std::uint8_t* page, std::uint32_t n) {
    page[header_bytes() + n / 8] = static_cast<std::uint8_t>(page[header_bytes() + n / 8] | 1u << n % 8);
  }

 private:
  static_assert(sizeof(SliceLoss) == sizeof(SliceProgram), "they share the entries of a page");

  static constexpr std::uint32_t list_bytes(std::uint32_t page_bytes) {
    return page_bytes < 2048 ? 256 : page_bytes / 8;
  }
  std::uint32_t per_slice() const { return bitmap_bytes_ * 8; }

  std::uint32_t page_bytes_ = 0;
  std::uint32_t bitmap_bytes_ = 0;
  std::uint32_t exported_ = 0;
};

/// CRC-32 of IEEE 802.3.
std::uint32_t crc32(const std::uint8_t* bytes, std::uint32_t count);

} // namespace twinplane::fw
