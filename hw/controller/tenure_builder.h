// Turns descriptors into ONFI bus tenures: the short form of the command sequences
// (hw/core/onfi_tenure.h), and cycles for what has none.
//
// Data out uses the 06h form, which selects LUN and plane; it is left out only where nothing has to be
// selected. Status uses 70h (one LUN on the chip, one plane) or 78h for each plane of the group.
#pragma once

#include <cstdint>

#include "hw/controller/flash_group.h"
#include "hw/core/onfi_tenure.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

class TenureBuilder {
 public:
  /// `parity`: bytes that follow the data of each sector on the bus.
  TenureBuilder(const Geometry& geometry, DataMode mode, std::uint32_t parity = 0);
  /// What comes from or goes to DRAM of so many bytes of page data on the bus: no parity.
  std::uint64_t data_of(std::uint64_t bus_bytes) const { return bus_bytes / bus_bytes_ * sector_size_; }
  /// The start of device DRAM; page payloads are packed at the data mode's stride.
  void set_dram(std::uint8_t* dram) { dram_ = words_ = dram; }
  /// Arrays of out-of-band words are counted from there instead.
  void set_words(std::uint8_t* words) { words_ = words; }

  /// The group's read command, program or erase with all its planes, or the read of its copyback.
  void operation(OnfiTenure& tenure, const FlashGroup& group) const;
  /// Data of plane `group.next_out`. `after_status`: the die still drives its status register, so 00h
  /// must return it to data output first.
  void data_out(OnfiTenure& tenure, const FlashGroup& group, bool after_status) const;
  /// 85h-10h: the page that the copyback has read goes to its place, with another out-of-band word, whose bytes take
  /// no time on the bus, as those of any page's.
  void copy(OnfiTenure& tenure, const FlashGroup& group) const;
  /// One status byte per plane. `by_plane`: of the group's only plane, not of its LUN.
  void status(OnfiTenure& tenure, const FlashGroup& group, bool by_plane = false) const;

  // Cycles that have no short form: raw(), then what follows.
  void raw(OnfiTenure& tenure, TenureKind kind = TenureKind::other) const {
    start(tenure, Sequence::raw, kind, 0);
  }
  /// The row, behind `column_cycles` cycles of column 0.
  void address(OnfiTenure& tenure, std::uint32_t row, std::uint32_t column_cycles) const;
  /// 78h on chips with several LUNs, for a command that carries no address.
  void select_lun(OnfiTenure& tenure, std::uint32_t row) const;
  /// Bytes that are no page's; `bytes` must live as long as the tenure.
  static void move(OnfiTenure& tenure, PhaseKind kind, std::uint32_t count, std::uint8_t* bytes);

 private:
  void start(OnfiTenure& tenure, Sequence sequence, TenureKind kind, std::uint32_t planes) const;
  void page(OnfiPlane& plane, const FlashDescriptor& descriptor) const;
  std::uint64_t* words(const FlashDescriptor& descriptor) const;
  std::uint32_t lost(const OnfiPlane& plane) const;

  std::uint32_t sector_size_;
  std::uint32_t bus_bytes_; // of a sector
  std::uint32_t sectors_;
  std::uint32_t subpages_;   // of a page
  std::uint32_t whole_page_; // mask of all its sectors
  bool moves_payload_;
  bool one_lun_;
  bool one_plane_;
  std::uint8_t row_cycles_;
  std::uint8_t* dram_ = nullptr;
  std::uint8_t* words_ = nullptr;
};

} // namespace twinplane::hw
