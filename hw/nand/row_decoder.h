// What address cycles mean to the dies of a target: fields of a row address, columns, numbers of cycles.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/core/observer.h"
#include "hw/core/onfi_tenure.h"
#include "hw/nand/command_table.h"
#include "hw/nand/nand_config.h"

namespace twinplane::hw {

struct RowAddress {
  std::uint32_t lun = 0;
  PlaneAddress place;
};

class RowDecoder {
 public:
  RowDecoder(const Geometry& geometry, const RowLayout& layout)
      : plane_shift_(layout.plane_shift()),
        block_shift_(layout.block_shift()),
        lun_shift_(layout.lun_bits == 0 ? 0 : layout.lun_shift()), // its mask is 0 then
        page_mask_(mask(layout.page_bits)),
        plane_mask_(mask(layout.plane_bits)),
        block_mask_(mask(layout.block_bits)),
        lun_mask_(mask(layout.lun_bits)),
        lun_bits_(lun_mask_ << lun_shift_),
        cycles_(onfi::row_cycles(layout)),
        luns_(geometry.dies_per_chip),
        planes_(geometry.planes_per_die),
        columns_(geometry.page_size + geometry.spare_size),
        no_gaps_(lun_mask_ < luns_ && plane_mask_ < planes_) {}

  std::uint32_t lun(std::uint32_t row) const { return row >> lun_shift_ & lun_mask_; }
  std::uint32_t plane(std::uint32_t row) const { return row >> plane_shift_ & plane_mask_; }
  /// Bits above the LUN's (of a fourth cycle that was not sent, or unused ones) are masked away.
  RowAddress decode(std::uint32_t row) const {
    return {lun(row), {plane(row), row >> block_shift_ & block_mask_, row & page_mask_}};
  }
  RowAddress decode(const OnfiPhase& phase, std::uint32_t first_cycle) const {
    std::uint32_t row = 0;
    std::memcpy(&row, &phase.address[first_cycle], sizeof row); // least significant cycle first
    return decode(row);
  }

  /// All planes of the sequence exist and are in one LUN.
  bool addressable(const OnfiTenure& tenure) const {
    const std::uint32_t first = tenure.planes[0].row;
    if (no_gaps_ && tenure.plane_count == 1) return tenure.row_cycles == cycles_;
    if (tenure.row_cycles != cycles_ || lun(first) >= luns_ || plane(first) >= planes_) return false;
    for (std::uint32_t i = 1; i < tenure.plane_count; ++i) {
      const std::uint32_t row = tenure.planes[i].row;
      if (((row ^ first) & lun_bits_) != 0 || plane(row) >= planes_) return false;
    }
    return true;
  }
  bool column_fits(std::uint32_t column, bool ddr) const {
    return column < columns_ && (column % 2 == 0 || !ddr);
  }
  bool columns_fit(const OnfiTenure& tenure, bool ddr) const {
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
      if (!column_fits(tenure.planes[i].column, ddr)) return false;
    }
    return true;
  }

  std::uint32_t luns() const { return luns_; }
  std::uint32_t planes() const { return planes_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t row_cycles() const { return cycles_; }
  /// Of a command's address.
  std::uint32_t cycles(AddressForm form) const { return address_cycles(form, cycles_); }

 private:
  static std::uint32_t mask(std::uint32_t bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

  std::uint32_t plane_shift_, block_shift_, lun_shift_;
  std::uint32_t page_mask_, plane_mask_, block_mask_, lun_mask_;
  std::uint32_t lun_bits_; // of a row
  std::uint32_t cycles_;   // of a row
  std::uint32_t luns_;
  std::uint32_t planes_;
  std::uint32_t columns_; // of a page and its spare area
  bool no_gaps_;          // every LUN and plane that a row can name exists
};

} // namespace twinplane::hw
