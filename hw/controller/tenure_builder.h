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
  /// `dram` is the start of device DRAM; page payloads are packed at the data mode's stride.
  TenureBuilder(const Geometry& geometry, DataMode mode);
  /// Bytes that follow the data of each sector on the bus.
  void set_parity(std::uint32_t per_sector) { bus_bytes_ = sector_size_ + per_sector; }
  /// What comes from or goes to DRAM of so many bytes of page data on the bus: no parity.
  std::uint64_t data_of(std::uint64_t bus_bytes) const { return bus_bytes / bus_bytes_ * sector_size_; }
  /// A DDR bus carries every byte of a feature twice.
  void set_ddr(bool ddr) { parameter_bytes_ = onfi::feature::parameters * (ddr ? 2 : 1); }
  void set_dram(std::uint8_t* dram) { dram_ = words_ = dram; }
  /// Arrays of out-of-band words are counted from there instead.
  void set_words(std::uint8_t* words) { words_ = words; }

  /// The group's read command, program or erase with all its planes, or the read of its copyback.
  void operation(OnfiTenure& tenure, const FlashGroup& group) const;
  /// Data of plane `group.next_out`. `after_status`: the die still drives its status register, so 00h
  /// must return it to data output first.
  void data_out(OnfiTenure& tenure, const FlashGroup& group, bool after_status) const;
  /// 85h-10h: the page that the copyback has read goes to its place.
  void copy(OnfiTenure& tenure, const FlashGroup& group) const;
  /// 61h or 84h for the operation that runs.
  void suspend(OnfiTenure& tenure, const FlashGroup& group) const;
  /// D2h or 13h. D2h carries no address: where the chip has several LUNs 78h selects the one first.
  void resume(OnfiTenure& tenure, const FlashGroup& group) const;
  /// 31h (the page behind the one that was read is next) or 3Fh (none), on the LUN of the group.
  void continue_cache_read(OnfiTenure& tenure, const FlashGroup& group, bool further) const;
  /// FFh, or the command of a target with its address. 90h has its answer in the same tenure, which goes to
  /// `bytes`, and EFh its parameters there; these have room for both edges (`ddr`) and must live as long.
  void target(OnfiTenure& tenure, const FlashDescriptor& descriptor, bool ddr, std::uint8_t* bytes) const;
  /// The answer to ECh or EEh. `after_status`: as above.
  void answer(OnfiTenure& tenure, std::uint32_t count, std::uint8_t* bytes, bool after_status) const;
  /// 70h, after which 00h leads back to the answer (78h is not to be used there).
  void answer_status(OnfiTenure& tenure, bool ddr) const;
  /// D5h with feature 89h. `parameters` has room for both edges and must live as long as the tenure.
  void read_level(OnfiTenure& tenure, std::uint32_t lun, std::uint32_t level, std::uint8_t* parameters) const;
  /// One status byte per plane. `by_plane`: of the group's only plane, not of its LUN.
  void status(OnfiTenure& tenure, const FlashGroup& group, bool by_plane = false) const;

 private:
  void start(OnfiTenure& tenure, Sequence sequence, TenureKind kind, std::uint32_t planes) const;
  static void move(OnfiTenure& tenure, PhaseKind kind, std::uint32_t count, std::uint8_t* bytes);
  void select_lun(OnfiTenure& tenure, std::uint32_t row) const;
  void address(OnfiTenure& tenure, std::uint32_t row, std::uint32_t column_cycles) const;
  void page(OnfiPlane& plane, const FlashDescriptor& descriptor) const;
  std::uint64_t* words(const FlashDescriptor& descriptor) const;
  std::uint32_t lost(const OnfiPlane& plane) const;

  std::uint32_t sector_size_;
  std::uint32_t bus_bytes_; // of a sector
  std::uint32_t sectors_;
  std::uint32_t subpages_; // of a page
  std::uint32_t parameter_bytes_ = onfi::feature::parameters;
  std::uint32_t whole_page_; // mask of all its sectors
  bool moves_payload_;
  bool one_lun_;
  bool one_plane_;
  std::uint8_t row_cycles_;
  std::uint8_t* dram_ = nullptr;
  std::uint8_t* words_ = nullptr;
};

} // namespace twinplane::hw
