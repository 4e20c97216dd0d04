#include "hw/controller/tenure_builder.h"

#include <algorithm>
#include <cassert>

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

TenureBuilder::TenureBuilder(const Geometry& geometry, DataMode mode, std::uint32_t parity)
    : sector_size_(geometry.sector_size),
      bus_bytes_(geometry.sector_size + parity),
      sectors_(geometry.sectors_per_page()),
      subpages_(geometry.subpages_per_page),
      whole_page_(static_cast<std::uint32_t>((std::uint64_t{1} << sectors_) - 1)),
      moves_payload_(payload_bytes(mode, geometry.sector_size) != 0),
      one_lun_(geometry.dies_per_chip == 1),
      one_plane_(geometry.planes_per_die == 1),
      row_cycles_(static_cast<std::uint8_t>(onfi::row_cycles(RowLayout(geometry)))) {}

void TenureBuilder::start(OnfiTenure& tenure, Sequence sequence, TenureKind kind,
                          std::uint32_t planes) const {
  tenure.sequence = sequence;
  tenure.form = 0;
  tenure.row_cycles = row_cycles_;
  tenure.plane_count = planes;
  tenure.phase_count = 0;
  tenure.kind = kind;
}

// A transfer starts at the column of its first sector and runs to its last one; sectors between that
// are not in the mask pass on the bus and are dropped at the buffer.
inline void TenureBuilder::page(OnfiPlane& plane, const FlashDescriptor& d) const {
  plane.sector_mask = d.sector_mask;
  plane.words = (d.flags & flash_flag::oob_words) == 0 ? nullptr : words(d);
  plane.lost = (d.flags & flash_flag::loses) == 0 ? 0 : lost(plane);
  const std::uint32_t sectors = d.sector_mask | plane.lost; // columns of lost ones pass like others
  std::uint32_t first = 0;
  std::uint32_t span = 0;
  if (sectors == whole_page_) {
    span = sectors_;
  } else if (sectors != 0) {
    first = static_cast<std::uint32_t>(__builtin_ctz(sectors));
    span = 32u - static_cast<std::uint32_t>(__builtin_clz(sectors)) - first;
  }
  plane.row = d.row;
  plane.column = static_cast<std::uint16_t>(first * sector_size_);
  plane.bytes = span * bus_bytes_;
  plane.sectors = moves_payload_ && dram_ != nullptr ? dram_ + d.buffer : nullptr;
}

/// What a program stores as lost.
std::uint32_t TenureBuilder::lost(const OnfiPlane& plane) const {
  if (plane.words == nullptr) return whole_page_ & ~plane.sector_mask;
  std::uint32_t stored = 0;
  const std::uint32_t own = sectors_ / subpages_;
  for (std::uint32_t s = 0; s < subpages_; ++s) {
    if (plane.words[s] != ~std::uint64_t{0}) stored |= (whole_page_ >> (sectors_ - own)) << s * own;
  }
  return stored & ~plane.sector_mask;
}

std::uint64_t* TenureBuilder::words(const FlashDescriptor& d) const {
  // aligned: see Addressing::pages_in_dram()
  return words_ == nullptr ? nullptr : reinterpret_cast<std::uint64_t*>(words_ + d.oob);
}

void TenureBuilder::operation(OnfiTenure& tenure, const FlashGroup& group) const {
  switch (group.op()) {
    case FlashOp::read:
      start(tenure, Sequence::read_command, TenureKind::read_command, group.count);
      for (std::uint32_t i = 0; i < group.count; ++i) page(tenure.planes[i], group.planes[i]);
      break;
    case FlashOp::program:
      start(tenure, Sequence::program, TenureKind::program, group.count);
      for (std::uint32_t i = 0; i < group.count; ++i) {
        page(tenure.planes[i], group.planes[i]);
        tenure.planes[i].oob = group.planes[i].oob;
      }
      break;
    case FlashOp::erase:
      start(tenure, Sequence::erase, TenureKind::erase, group.count);
      for (std::uint32_t i = 0; i < group.count; ++i) tenure.planes[i].row = group.planes[i].row;
      break;
    case FlashOp::copyback:
      start(tenure, Sequence::raw, TenureKind::other, 0);
      tenure.command(onfi::opcode::read);
      address(tenure, group.planes[0].buffer, onfi::kColumnCycles);
      tenure.command(onfi::opcode::read_copyback);
      break;
    case FlashOp::reset:
    case FlashOp::read_id:
    case FlashOp::read_parameter_page:
    case FlashOp::get_features:
    case FlashOp::set_features:
      assert(false && "its sequence composes it");
      break;
  }
  const std::uint32_t flags = group.planes[0].flags;
  if ((flags & (flash_flag::slc_mode | flash_flag::load)) == 0) return;
  if ((flags & flash_flag::slc_mode) != 0) tenure.form |= sequence_form::slc;
  if ((flags & flash_flag::load) != 0 && group.op() == FlashOp::program) tenure.form |= sequence_form::load;
}

void TenureBuilder::data_out(OnfiTenure& tenure, const FlashGroup& group, bool after_status) const {
  start(tenure, Sequence::data_out, TenureKind::data_out, 1);
  page(tenure.planes[0], group.planes[group.next_out]);
  if (!one_lun_ || !one_plane_) {
    tenure.form = sequence_form::addressed;
  } else if (after_status) {
    tenure.form = sequence_form::resume;
  }
}

void TenureBuilder::status(OnfiTenure& tenure, const FlashGroup& group, bool by_plane) const {
  start(tenure, Sequence::status, TenureKind::status, group.count);
  if (!one_lun_ || group.count != 1 || by_plane) tenure.form = sequence_form::addressed;
  for (std::uint32_t i = 0; i < group.count; ++i) tenure.planes[i].row = group.planes[i].row;
}

// --- cycles that have no short form ---

void TenureBuilder::address(OnfiTenure& tenure, std::uint32_t row, std::uint32_t column_cycles) const {
  OnfiPhase& phase = tenure.add(PhaseKind::address);
  phase.address_cycles = static_cast<std::uint8_t>(column_cycles + row_cycles_);
  for (std::uint32_t i = 0; i < row_cycles_; ++i) {
    phase.address[column_cycles + i] = static_cast<std::uint8_t>(row >> (8 * i));
  }
}

void TenureBuilder::move(OnfiTenure& tenure, PhaseKind kind, std::uint32_t count, std::uint8_t* bytes) {
  OnfiPhase& data = tenure.add(kind);
  data.bytes = count;
  data.data = bytes;
}

void TenureBuilder::copy(OnfiTenure& tenure, const FlashGroup& group) const {
  start(tenure, Sequence::raw, TenureKind::other, 0);
  tenure.command(onfi::opcode::change_write_column);
  address(tenure, group.planes[0].row, onfi::kColumnCycles);
  tenure.planes[0].oob = group.planes[0].oob;
  tenure.add(PhaseKind::data_in).oob = &tenure.planes[0].oob;
  tenure.command(onfi::opcode::program_confirm);
}

void TenureBuilder::select_lun(OnfiTenure& tenure, std::uint32_t row) const {
  if (one_lun_) return;
  tenure.command(onfi::opcode::read_status_enhanced);
  address(tenure, row, 0);
  move(tenure, PhaseKind::data_out, 1, &tenure.planes[0].status);
}

} // namespace twinplane::hw
