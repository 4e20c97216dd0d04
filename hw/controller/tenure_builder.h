// Turns descriptors into the command, address and data phases of ONFI bus tenures.
//
// Sequences (ONFI 4.x command definitions):
//   read     00h-A5-32h ... 00h-A5-30h, then per plane [06h-A5-E0h] data out
//   program  80h-A5-data-11h ... 80h-A5-data-10h
//   erase    60h-A3-D1h ... 60h-A3-D0h
//   status   70h (one LUN on the chip, one plane) or 78h-A3 for each plane of the group
// The 06h form selects LUN and plane; it is left out only where nothing has to be selected.
#pragma once

#include <cstdint>

#include "hw/controller/flash_group.h"
#include "hw/core/onfi_tenure.h"
#include "hw/spec/data_mode.h"

namespace twinplane::hw {

class TenureBuilder {
 public:
  /// `dram` is the start of device DRAM; page payloads are packed at the data mode's stride.
  TenureBuilder(const Geometry& geometry, DataMode mode);
  void set_dram(std::uint8_t* dram) { dram_ = dram; }

  void read_command(OnfiTenure& tenure, const FlashGroup& group) const;
  /// Data of plane `group.next_out`; the page's out-of-band word goes to `oob`. `after_status`: the
  /// die still drives its status register, so 00h must return it to data output first.
  void data_out(OnfiTenure& tenure, const FlashGroup& group, std::uint64_t& oob, bool after_status) const;
  void program(OnfiTenure& tenure, FlashGroup& group) const;
  void erase(OnfiTenure& tenure, const FlashGroup& group) const;
  /// One status byte per plane into `status`, or one for all planes where 70h suffices.
  /// Returns the number of bytes.
  std::uint32_t status(OnfiTenure& tenure, const FlashGroup& group, std::uint8_t* status) const;
  void reset(OnfiTenure& tenure, const FlashGroup& group) const;

 private:
  void start(OnfiTenure& tenure, TenureKind kind) const;
  void row_address(OnfiTenure& tenure, std::uint32_t row) const;
  void page_address(OnfiTenure& tenure, const FlashDescriptor& descriptor) const;
  OnfiPhase& page_data(OnfiTenure& tenure, PhaseKind kind, const FlashDescriptor& descriptor) const;
  void slc_prefix(OnfiTenure& tenure, const FlashGroup& group) const;

  std::uint32_t sector_size_;
  std::uint32_t payload_;
  std::uint32_t luns_;
  std::uint32_t planes_;
  std::uint32_t row_cycles_;
  std::uint8_t* dram_ = nullptr;
};

} // namespace twinplane::hw
