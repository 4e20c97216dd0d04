#include "hw/controller/tenure_builder.h"

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

TenureBuilder::TenureBuilder(const Geometry& geometry, DataMode mode)
    : sector_size_(geometry.sector_size),
      payload_(payload_bytes(mode, geometry.sector_size)),
      luns_(geometry.dies_per_chip),
      planes_(geometry.planes_per_die),
      row_cycles_(onfi::row_cycles(RowLayout(geometry))) {}

void TenureBuilder::start(OnfiTenure& tenure, TenureKind kind) const {
  tenure.phase_count = 0;
  tenure.kind = kind;
  tenure.ready_at = 0;
}

void TenureBuilder::row_address(OnfiTenure& tenure, std::uint32_t row) const {
  OnfiPhase& p = tenure.add(PhaseKind::address);
  p.address_cycles = static_cast<std::uint8_t>(row_cycles_);
  for (std::uint32_t i = 0; i < row_cycles_; ++i) p.address[i] = static_cast<std::uint8_t>(row >> (8 * i));
}

void TenureBuilder::page_address(OnfiTenure& tenure, const FlashDescriptor& d) const {
  const std::uint32_t first =
      d.sector_mask == 0 ? 0 : static_cast<std::uint32_t>(__builtin_ctz(d.sector_mask));
  const std::uint32_t column = first * sector_size_;
  OnfiPhase& p = tenure.add(PhaseKind::address);
  p.address_cycles = static_cast<std::uint8_t>(2 + row_cycles_);
  p.address[0] = static_cast<std::uint8_t>(column);
  p.address[1] = static_cast<std::uint8_t>(column >> 8);
  for (std::uint32_t i = 0; i < row_cycles_; ++i) {
    p.address[2 + i] = static_cast<std::uint8_t>(d.row >> (8 * i));
  }
}

// A transfer starts at the column of its first sector and runs to its last one; sectors between that
// are not in the mask pass on the bus and are dropped at the buffer.
OnfiPhase& TenureBuilder::page_data(OnfiTenure& tenure, PhaseKind kind, const FlashDescriptor& d) const {
  OnfiPhase& p = tenure.add(kind);
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(d.sector_mask | 0x8000'0000u));
  const std::uint32_t span =
      d.sector_mask == 0 ? 0 : 32u - static_cast<std::uint32_t>(__builtin_clz(d.sector_mask)) - first;
  p.bytes = span * sector_size_;
  p.sectors = payload_ == 0 || dram_ == nullptr ? nullptr : dram_ + d.buffer;
  p.sector_mask = d.sector_mask;
  return p;
}

void TenureBuilder::slc_prefix(OnfiTenure& tenure, const FlashGroup& group) const {
  if ((group.planes[0].flags & flash_flag::slc_mode) != 0) tenure.command(onfi::opcode::slc_enter);
}

void TenureBuilder::read_command(OnfiTenure& tenure, const FlashGroup& group) const {
  start(tenure, TenureKind::read_command);
  slc_prefix(tenure, group);
  for (std::uint32_t i = 0; i < group.count; ++i) {
    tenure.command(onfi::opcode::read);
    page_address(tenure, group.planes[i]);
    tenure.command(i + 1 < group.count ? onfi::opcode::read_multiplane : onfi::opcode::read_confirm);
  }
}

void TenureBuilder::data_out(OnfiTenure& tenure, const FlashGroup& group, std::uint64_t& oob,
                             bool after_status) const {
  start(tenure, TenureKind::data_out);
  const FlashDescriptor& d = group.planes[group.next_out];
  if (luns_ > 1 || planes_ > 1) {
    tenure.command(onfi::opcode::change_column_enhanced);
    page_address(tenure, d);
    tenure.command(onfi::opcode::change_column_confirm);
  } else if (after_status) {
    tenure.command(onfi::opcode::read);
  }
  page_data(tenure, PhaseKind::data_out, d).oob = &oob;
}

void TenureBuilder::program(OnfiTenure& tenure, FlashGroup& group) const {
  start(tenure, TenureKind::program);
  slc_prefix(tenure, group);
  for (std::uint32_t i = 0; i < group.count; ++i) {
    tenure.command(onfi::opcode::program);
    page_address(tenure, group.planes[i]);
    page_data(tenure, PhaseKind::data_in, group.planes[i]).oob = &group.planes[i].oob;
    tenure.command(i + 1 < group.count ? onfi::opcode::program_multiplane : onfi::opcode::program_confirm);
  }
}

void TenureBuilder::erase(OnfiTenure& tenure, const FlashGroup& group) const {
  start(tenure, TenureKind::erase);
  slc_prefix(tenure, group);
  for (std::uint32_t i = 0; i < group.count; ++i) {
    tenure.command(onfi::opcode::erase);
    row_address(tenure, group.planes[i].row);
    tenure.command(i + 1 < group.count ? onfi::opcode::erase_multiplane : onfi::opcode::erase_confirm);
  }
}

std::uint32_t TenureBuilder::status(OnfiTenure& tenure, const FlashGroup& group, std::uint8_t* status) const {
  start(tenure, TenureKind::status);
  const bool summary = luns_ == 1 && group.count == 1;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    if (summary) {
      tenure.command(onfi::opcode::read_status);
    } else {
      tenure.command(onfi::opcode::read_status_enhanced);
      row_address(tenure, group.planes[i].row);
    }
    OnfiPhase& p = tenure.add(PhaseKind::data_out);
    p.bytes = 1;
    p.data = status + i;
  }
  return group.count;
}

void TenureBuilder::reset(OnfiTenure& tenure, const FlashGroup&) const {
  start(tenure, TenureKind::other);
  tenure.command(onfi::opcode::reset);
}

} // namespace twinplane::hw
