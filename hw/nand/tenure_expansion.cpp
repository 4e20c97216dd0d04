#include "hw/nand/tenure_expansion.h"

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

namespace {

namespace op = onfi::opcode;

void add_address(OnfiTenure& tenure, const OnfiPlane& plane, std::uint32_t column_cycles) {
  OnfiPhase& p = tenure.add(PhaseKind::address);
  p.address_cycles = static_cast<std::uint8_t>(column_cycles + tenure.row_cycles);
  for (std::uint32_t i = 0; i < column_cycles; ++i) {
    p.address[i] = static_cast<std::uint8_t>(plane.column >> (8 * i));
  }
  for (std::uint32_t i = 0; i < tenure.row_cycles; ++i) {
    p.address[column_cycles + i] = static_cast<std::uint8_t>(plane.row >> (8 * i));
  }
}

void add_row(OnfiTenure& tenure, const OnfiPlane& plane) {
  add_address(tenure, plane, 0);
}

void add_page_address(OnfiTenure& tenure, const OnfiPlane& plane) {
  add_address(tenure, plane, onfi::kColumnCycles);
}

void add_page_data(OnfiTenure& tenure, PhaseKind kind, OnfiPlane& plane) {
  OnfiPhase& p = tenure.add(kind);
  p.bytes = plane.bytes;
  p.sectors = plane.sectors;
  p.sector_mask = plane.sector_mask;
  p.words = plane.words;
  if (kind == PhaseKind::data_in) p.lost = plane.lost;
  if (kind == PhaseKind::data_out || p.words == nullptr) p.oob = &plane.oob;
}

void expand_read(OnfiTenure& tenure, OnfiPlane& plane, bool last) {
  tenure.command(op::read);
  add_page_address(tenure, plane);
  const std::uint8_t confirm = tenure.has(sequence_form::cache) ? op::read_cache : op::read_confirm;
  tenure.command(last ? confirm : op::read_multiplane);
}

void expand_program(OnfiTenure& tenure, OnfiPlane& plane, bool last) {
  tenure.command(op::program);
  add_page_address(tenure, plane);
  add_page_data(tenure, PhaseKind::data_in, plane);
  const std::uint8_t confirm = tenure.has(sequence_form::load)    ? op::program_load
                               : tenure.has(sequence_form::cache) ? op::program_cache
                                                                  : op::program_confirm;
  tenure.command(last ? confirm : op::program_multiplane);
}

void expand_erase(OnfiTenure& tenure, OnfiPlane& plane, bool last) {
  tenure.command(op::erase);
  add_row(tenure, plane);
  tenure.command(last ? op::erase_confirm : op::erase_multiplane);
}

void expand_data_out(OnfiTenure& tenure, OnfiPlane& plane) {
  if (tenure.has(sequence_form::addressed)) {
    tenure.command(op::change_column_enhanced);
    add_page_address(tenure, plane);
    tenure.command(op::change_column_confirm);
  } else if (tenure.has(sequence_form::resume)) {
    tenure.command(op::read);
  }
  add_page_data(tenure, PhaseKind::data_out, plane);
}

void expand_status(OnfiTenure& tenure, OnfiPlane& plane, std::uint8_t* bytes, bool ddr) {
  if (tenure.has(sequence_form::addressed)) {
    tenure.command(op::read_status_enhanced);
    add_row(tenure, plane);
  } else {
    tenure.command(op::read_status);
  }
  OnfiPhase& p = tenure.add(PhaseKind::data_out);
  p.bytes = ddr ? 2 : 1;
  p.data = bytes;
}

bool is_operation(Sequence sequence) {
  return sequence == Sequence::read_command || sequence == Sequence::program || sequence == Sequence::erase;
}

} // namespace

void expand(OnfiTenure& tenure, bool ddr) {
  tenure.phase_count = 0;
  if (is_operation(tenure.sequence) && tenure.has(sequence_form::slc)) tenure.command(op::slc_enter);
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    OnfiPlane& plane = tenure.planes[i];
    const bool last = i + 1 == tenure.plane_count;
    switch (tenure.sequence) {
      case Sequence::read_command:
        expand_read(tenure, plane, last);
        break;
      case Sequence::program:
        expand_program(tenure, plane, last);
        break;
      case Sequence::erase:
        expand_erase(tenure, plane, last);
        break;
      case Sequence::data_out:
        expand_data_out(tenure, plane);
        break;
      case Sequence::status:
        expand_status(tenure, plane, tenure.status_bytes[i].data(), ddr);
        break;
      case Sequence::raw:
        break;
    }
  }
}

void collect(OnfiTenure& tenure) {
  if (tenure.sequence == Sequence::status) {
    for (std::uint32_t i = 0; i < tenure.plane_count; ++i)
      tenure.planes[i].status = tenure.status_bytes[i][0];
  }
  if (tenure.sequence != Sequence::data_out) return; // the rest was written in place
  OnfiPlane* plane = tenure.planes.data();
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    if (phase.kind != PhaseKind::data_out) continue;
    plane->blank = phase.blank;
    plane->corrupt = phase.corrupt;
    plane->errors = phase.errors;
    ++plane;
  }
}

void show_in_phases(OnfiTenure& tenure) {
  if (tenure.sequence != Sequence::status) return;
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) tenure.status_bytes[i].fill(tenure.planes[i].status);
}

} // namespace twinplane::hw
