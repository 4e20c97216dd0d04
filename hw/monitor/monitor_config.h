// What a monitor knows about the parts on its channel: their data sheet.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/spec/geometry.h"
#include "hw/spec/nand_timing.h"
#include "hw/spec/onfi_commands.h"
#include "hw/spec/page_order.h"
#include "hw/spec/reliability.h"

namespace twinplane::hw {

struct MonitorConfig {
  std::uint32_t channel = 0;
  Geometry geometry;
  BusTiming bus;
  ArrayTiming array;
  ProgramOrder program_order = ProgramOrder::strict;
  PageTable page_table = PageTable::diagonal;
  bool one_pass = false; // native pages by whole wordlines
  bool pac = true;
  bool bac = false;
  std::uint32_t partial_programs = 1;      // NOP
  std::uint32_t copybacks = kAnyCopybacks; // in a row
  /// Reads at this level and above are the senses of soft reads, in their order; kReadLevels: there are none.
  std::uint32_t first_soft_level = kReadLevels;
  /// 00h-30h of a plane may come while other planes of the LUN read.
  bool independent_plane_reads = false;
  std::uint8_t slc_enter = onfi::opcode::slc_enter;
  std::uint8_t slc_leave = onfi::opcode::slc_leave;
  std::shared_ptr<const PageOrderTable> page_order; // mandatory
  /// A program may first read its wordline's lower pages: tPROG is not the table's then.
  bool programs_read = false;
  /// Attached to the dies, too: R/B# and refusals are compared with them. Otherwise the table is believed.
  bool sees_dies = true;
  bool strict = false; // a finding is an SC_ERROR instead of a warning
};

} // namespace twinplane::hw
