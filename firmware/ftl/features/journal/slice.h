// A page of metadata: a slice of what out-of-band words do not tell, or not soon enough.
//
// trims   Which LPNs are unmapped, and which of their sectors are lost. Words tell where the newest version
//         of an LPN is, but not that it has none any more: a trimmed LPN would come back in whatever version is
//         still in the flash. What is older than the page of an LPN that it calls unmapped is void.
// parts   The same of fewer LPNs, with a bit for each sector: where a slice has more losses than its list has
//         room for, its parts are written in its place. Of an LPN the newer one of both tells.
// map     Where the LPNs are: of a checkpoint. What lies in the flash unchanged since then need not be read.
// blocks  Erase counts, blocks that have gone bad, and what the front end counts (DriveRecord).
//
// A page tells of the moment of its stamp. Its content is a function of the tables at that moment, so any
// page of a slice makes all older ones of it superfluous. What is newer counts as ever.
//
// A program that is under way at that moment may never be whole, so its LPN is as it was before. If it is
// whole its word tells, which may be older than the page of metadata: where the LPN was unmapped before, the
// program is named with its stamp, else the word would be void.
//
//   header | trims:  a bit per LPN: unmapped         | programs under way: LPN and stamp | losses: LPN and
//          sectors | parts:  a bit per LPN: unmapped; per sector: lost | programs under way
//          | map:    the page of each LPN             | programs under way
//          | blocks: record | erases and bad, by block
//
// Little endian; the CRC (32 bits, polynomial EDB88320h) covers all of the page behind itself.
#pragma once

#include <cstdint>

#include "firmware/ftl/bits.h"
#include "firmware/ftl/drive_record.h"
#include "firmware/ftl/transaction.h"

namespace twinplane::fw {

enum class SliceKind : std::uint8_t { trims, map, blocks, parts };

constexpr bool tells_trims(SliceKind kind) {
  return kind == SliceKind::trims || kind == SliceKind::parts;
}

struct SliceHeader {
  std::uint32_t magic = 0;
  std::uint32_t crc = 0;
  std::uint32_t stamp = 0; // of the page (FtlState::make_oob)
  std::uint32_t slice = 0;
  std::uint32_t items = 0; // LPNs or blocks
  std::uint32_t programs = 0;
  std::uint32_t losses = 0;
  std::uint32_t scan_from = 0; // map: all programs with this stamp or an older one had ended
};

constexpr std::uint32_t kSliceHeaderBytes = sizeof(SliceHeader);
constexpr std::uint32_t kSliceRecordBytes = sizeof(KeptRecord);

struct SliceProgram {
  std::uint32_t lpn = 0;
  std::uint32_t stamp = 0;
};

struct SliceLoss {
  std::uint32_t lpn = 0;
  std::uint32_t sectors = 0; // of the item
};

/// A block's entry: its erases, that it is bad, or that a program has failed and it will be.
constexpr std::uint32_t kBlockIsBad = 1u << 31;
constexpr std::uint32_t kBlockHasFailed = 1u << 30;
constexpr std::uint32_t kBlockIsFirst = 1u << 29; // of two partitions, it is on the first one's list
constexpr std::uint32_t kBlockErases = kBlockIsFirst - 1;

/// Rounded up.
constexpr std::uint32_t divided(std::uint32_t items, std::uint32_t per) {
  return (items + per - 1) / per;
}

/// How the drive is cut into slices: those of trims, then those of the map (with checkpoints) and of blocks.
class SliceLayout {
 public:
  static constexpr std::uint32_t kMagic = 0x324D5054; // "TPM2"

  SliceLayout() = default;
  /// Pages of so many bytes, 512 or more. `blocks` 0: without the block table, and so without a map.
  SliceLayout(std::uint32_t page_bytes, std::uint32_t exported_pages, std::uint32_t blocks,
              std::uint32_t sectors, bool map = true)
      : page_bytes_(page_bytes),
        body_bytes_((page_bytes - (page_bytes < 2048 ? 256 : page_bytes / 8) - kSliceHeaderBytes) / 4 * 4),
        exported_(exported_pages),
        blocks_(blocks),
        sectors_(sectors),
        part_(body_bytes_ * 8 / (1 + sectors) / 32 * 32),
        parts_each_(divided(body_bytes_ * 8, part_)) {
    trims_ = divided(exported_, per_slice(SliceKind::trims));
    maps_ = blocks == 0 || !map ? 0 : divided(exported_, per_slice(SliceKind::map));
    slices_ = trims_ + maps_ + divided(blocks_, per_slice(SliceKind::blocks));
  }

  std::uint32_t page_bytes() const { return page_bytes_; }
  std::uint32_t slices() const { return slices_; }
  /// With the parts, whose numbers come behind.
  std::uint32_t with_parts() const { return slices_ + trims_ * parts_each_; }
  bool keeps_blocks() const { return blocks_ != 0; }
  bool checkpoints() const { return maps_ != 0; }
  std::uint32_t begin(SliceKind kind) const {
    if (kind == SliceKind::parts) return slices_;
    return kind == SliceKind::trims ? 0 : kind == SliceKind::map ? trims_ : trims_ + maps_;
  }
  SliceKind kind(std::uint32_t slice) const {
    if (slice >= slices_) return SliceKind::parts;
    return slice < trims_ ? SliceKind::trims : slice < trims_ + maps_ ? SliceKind::map : SliceKind::blocks;
  }
  /// That of the trims of the LPN.
  std::uint32_t slice_of(std::uint32_t lpn) const { return lpn / per_slice(SliceKind::trims); }
  /// First LPN or block of a slice, and how many there are.
  std::uint32_t first(std::uint32_t slice) const {
    if (slice >= slices_) return first(whole_of(slice)) + (slice - slices_) % parts_each_ * part_;
    return (slice - begin(kind(slice))) * per_slice(kind(slice));
  }
  std::uint32_t items(std::uint32_t slice) const {
    std::uint32_t most = per_slice(kind(slice));
    if (slice >= slices_) {
      const std::uint32_t behind = first(whole_of(slice)) + per_slice(SliceKind::trims) - first(slice);
      if (behind < most) most = behind;
    }
    const std::uint32_t left = (kind(slice) == SliceKind::blocks ? blocks_ : exported_) - first(slice);
    return left < most ? left : most;
  }
  /// Part `n` of a slice of trims, which has so many.
  std::uint32_t part(std::uint32_t slice, std::uint32_t n) const { return slices_ + slice * parts_each_ + n; }
  std::uint32_t parts(std::uint32_t slice) const { return divided(items(slice), part_); }
  std::uint32_t part_of(std::uint32_t lpn) const {
    return part(slice_of(lpn), lpn % per_slice(SliceKind::trims) / part_);
  }
  /// What it is a part of.
  std::uint32_t whole_of(std::uint32_t part) const { return (part - slices_) / parts_each_; }
  /// Of a slice of LPNs.
  bool holds(std::uint32_t slice, std::uint32_t lpn) const { return lpn - first(slice) < items(slice); }
  /// Programs under way and losses that a page has room for; parts list no losses.
  std::uint32_t most_entries() const {
    return (page_bytes_ - kSliceHeaderBytes - body_bytes_) / static_cast<std::uint32_t>(sizeof(SliceLoss));
  }
  /// Where in the page entry `n` lies; the programs come first.
  std::uint32_t entry_at(std::uint32_t n) const {
    return kSliceHeaderBytes + body_bytes_ + n * static_cast<std::uint32_t>(sizeof(SliceLoss));
  }

  /// Completes a page: the header, whose CRC is worked out here.
  void seal(std::uint8_t* page, SliceHeader header) const;
  /// False: these bytes are no page of metadata of this drive.
  [[nodiscard]] bool open(const std::uint8_t* page, SliceHeader& header) const;

  /// Of trims, parts and map.
  bool unmapped(const std::uint8_t* page, SliceKind kind, std::uint32_t n) const;
  static void set_unmapped(std::uint8_t* page, std::uint32_t n) {
    page[kSliceHeaderBytes + n / 8] =
        static_cast<std::uint8_t>(page[kSliceHeaderBytes + n / 8] | 1u << n % 8);
  }
  /// Of parts: the sectors of item `n` that are lost.
  std::uint32_t lost(const std::uint8_t* page, std::uint32_t n) const;
  void set_lost(std::uint8_t* page, std::uint32_t n, std::uint32_t sectors) const;
  /// Of blocks.
  const KeptRecord* record(const std::uint8_t* page) const {
    return reinterpret_cast<const KeptRecord*>(page + kSliceHeaderBytes);
  }
  /// Of map and blocks: number `n`.
  std::uint32_t word(const std::uint8_t* page, std::uint32_t slice, std::uint32_t n) const;
  /// So many from number `n` on, each of 32 bits.
  void set_words(std::uint8_t* page, std::uint32_t slice, std::uint32_t n, std::uint32_t count,
                 const void* values) const;

 private:
  static_assert(sizeof(SliceLoss) == sizeof(SliceProgram), "they share the entries of a page");

  std::uint32_t per_slice(SliceKind kind) const {
    if (kind == SliceKind::trims) return body_bytes_ * 8;
    if (kind == SliceKind::parts) return part_;
    return (body_bytes_ - (kind == SliceKind::map ? 0 : kSliceRecordBytes)) / 4;
  }
  std::uint32_t losses_at(std::uint32_t n) const { // 32 bits
    return kSliceHeaderBytes + part_ / 8 + n * sectors_ / 32 * 4;
  }
  std::uint32_t word_at(std::uint32_t slice, std::uint32_t n) const {
    return kSliceHeaderBytes + (kind(slice) == SliceKind::blocks ? kSliceRecordBytes : 0) + 4 * n;
  }

  std::uint32_t page_bytes_ = 0;
  std::uint32_t body_bytes_ = 0;
  std::uint32_t exported_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t sectors_ = 0;    // of an item, a power of two up to 32
  std::uint32_t part_ = 0;       // items
  std::uint32_t parts_each_ = 0; // of a slice of trims
  std::uint32_t trims_ = 0;      // slices
  std::uint32_t maps_ = 0;
  std::uint32_t slices_ = 0;
};

// --- the out-of-band word of a page ---

/// Of every slice.
constexpr std::uint32_t kJournalCopies = 2;

constexpr std::uint32_t journal_number(std::uint32_t slice, std::uint32_t copy) {
  return slice * kJournalCopies + copy;
}
/// The LPN in the word of a page. Its first byte is FFh: another one would mark the block as bad.
constexpr std::uint32_t journal_lpn(std::uint32_t number) {
  return kNoLpn - (number + 1) * 0x100;
}
static_assert(journal_lpn(journal_number(1, 0)) == kMostLpns, "one slice at least has numbers");
/// The number of the page with such a word, + 1; 0: not the journal's.
constexpr std::uint32_t journal_number_in(std::uint32_t lpn, std::uint32_t exported_pages) {
  const std::uint32_t below = kNoLpn - lpn;
  return below % 0x100 == 0 && lpn >= exported_pages ? below / 0x100 : 0;
}
/// The copy that the page is of whose number, + 1, this is, + 1; 0: not the journal's.
constexpr std::uint32_t journal_copy(std::uint32_t number) {
  return number == 0 ? 0 : (number - 1) % kJournalCopies + 1;
}
constexpr std::uint32_t journal_copy_in(std::uint32_t lpn, std::uint32_t exported_pages) {
  return journal_copy(journal_number_in(lpn, exported_pages));
}

/// What a word says.
struct JournalWord {
  std::uint32_t number = 0; // + 1; 0: it is not the journal's
  std::uint32_t stamp = 0;
};

/// CRC-32 of IEEE 802.3.
std::uint32_t crc32(const std::uint8_t* bytes, std::uint32_t count);

} // namespace twinplane::fw
