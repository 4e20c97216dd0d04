// Sequences without their cycles: the usual case, in which every cycle is known to be accepted.
#include "hw/nand/decoder.h"

namespace twinplane::hw {

bool Decoder::run_sequence(OnfiTenure& tenure) {
  bool done = false;
  switch (tenure.sequence) {
    case Sequence::read_command:
      done = operate(ArrayKind::read, tenure);
      break;
    case Sequence::program:
      done = program_plainly(tenure) || operate(ArrayKind::program, tenure);
      break;
    case Sequence::erase:
      done = operate(ArrayKind::erase, tenure);
      break;
    case Sequence::data_out:
      done = sequence_data_out(tenure);
      break;
    case Sequence::status:
      done = sequence_status(tenure);
      break;
    case Sequence::raw:
      break;
  }
  if (done) announce_ready(tenure);
  return done;
}

/// Nothing of an earlier operation is pending, the LUN is ready, and every address will be accepted.
bool Decoder::can_operate(ArrayKind kind, const OnfiTenure& tenure) {
  if (!nothing_pending()) return false;
  const NandConfig& config = target_.context.config;
  if (tenure.has(sequence_form::slc) &&
      target_.commands[onfi::opcode::slc_enter].action != Action::slc_enter) {
    return false;
  }
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    const OnfiPlane& plane = tenure.planes[i];
    rows_[i] = decode_row(plane.row);
    if (!addressable(tenure, rows_[i]) || rows_[i].lun != rows_[0].lun) return false;
    if (tenure.sequence != Sequence::erase && !column_fits(plane.column)) return false;
    if (!timed()) continue;
    if (i == 0) {
      const Die& die = target_.dies[rows_[0].lun];
      if (die.judge_open(face_, kind, rows_[0].place.plane, plane.begin) != nullptr) return false;
      if (die.reads_by_plane(plane.begin) && tenure.plane_count != 1) return false;
    } else if (plane.begin < tenure.planes[i - 1].end + target_.context.bus.tWB + config.array.tDBSY) {
      return false;
    }
  }
  if (!tenure.has(sequence_form::cache) || kind != ArrayKind::read) return true;
  return target_.dies[rows_[0].lun].can_read_ahead(face_);
}

bool Decoder::operate(ArrayKind kind, const OnfiTenure& tenure) {
  if (!can_operate(kind, tenure)) return false;
  target_.context.request_tag = tenure.request_tag;
  select(rows_[0].lun);
  begin_operation(kind, rows_[0].place.plane, tenure.planes[0].begin);
  operate_in_steps(kind, tenure);
  end_commands();
  operation_ = {kind, Stage::closed, rows_[tenure.plane_count - 1]};
  output_ = kind == ArrayKind::read ? Output::page : Output::none;
  return true;
}

/// The usual program in one pass: rows that differ in their planes only, whole pages, no form. What operate()
/// would do, and nothing when there is anything else about it.
bool Decoder::program_plainly(const OnfiTenure& tenure) {
  if (!timed() || tenure.form != 0 || !nothing_pending() || tenure.row_cycles != row_cycles_) return false;
  const RowAddress first = decode_row(tenure.planes[0].row);
  if (first.lun >= target_.dies.size()) return false;
  target_.context.request_tag = tenure.request_tag;
  if (!target_.dies[first.lun].program_plainly(
          {first.place, tenure.planes.data(), tenure.plane_count, fields_.plane_shift, fields_.plane_mask}))
    return false;
  select(first.lun);
  end_commands();
  operation_.kind = ArrayKind::program;
  operation_.stage = Stage::closed;
  operation_.at = first;
  operation_.at.place.plane = plane_of(tenure.planes[tenure.plane_count - 1].row);
  operation_.jedec = operation_.cancel = false;
  output_ = Output::none;
  return true;
}

/// The same calls that the cycles would have led to.
void Decoder::operate_in_steps(ArrayKind kind, const OnfiTenure& tenure) {
  Die& die = *die_;
  const std::uint32_t last = tenure.plane_count - 1;
  for (std::uint32_t i = 0;; ++i) {
    const OnfiPlane& plane = tenure.planes[i];
    const PlaneAddress& place = rows_[i].place;
    if (kind == ArrayKind::program) {
      die.begin_program(face_, place.plane);
      die.data_in(face_, place.plane, plane.sector_mask, plane.sectors, &plane.oob);
    }
    if (i == last) break;
    die.queue(face_, kind, place, array_start(plane.end));
  }
  die.launch(face_,
             {kind, tenure.has(sequence_form::slc), rows_[last].place, array_start(tenure.planes[last].end),
              tenure.has(sequence_form::cache) && kind != ArrayKind::erase});
}

bool Decoder::sequence_data_out(OnfiTenure& tenure) {
  if (tenure.plane_count != 1) return false;
  OnfiPlane& plane = tenure.planes[0];
  RowAddress at{lun_, {die_->selected_plane(face_), 0, 0}};
  if (tenure.has(sequence_form::addressed)) {
    at = decode_row(plane.row);
    if (!addressable(tenure, at) || !column_fits(plane.column)) return false;
  } else if (tenure.has(sequence_form::resume)) {
    if (!between_operations() || die_->plane_undefined(face_)) return false;
  } else if (die_->plane_undefined(face_) || output_ != Output::page || waiting_ != Action::unknown) {
    return false;
  }
  Die& die = target_.dies[at.lun];
  if ((timed() && die.plane_busy(at.place.plane, plane.begin)) || !die.readable(face_, at.place.plane))
    return false;

  target_.context.request_tag = tenure.request_tag;
  if (tenure.has(sequence_form::addressed)) {
    select(at.lun);
    die.select_plane(face_, at.place.plane);
    output_addressed_ = false;
  } else if (tenure.has(sequence_form::resume)) {
    operation_.kind = ArrayKind::read;
    operation_.stage = Stage::closed;
  }
  if (operation_.stage == Stage::open) operation_.stage = Stage::closed;
  const PageRegister& page = die.data_out(face_, plane.sector_mask, plane.sectors);
  plane.oob = page.oob;
  plane.blank = page.blank;
  plane.corrupt = page.corrupt;
  if (page.noise) plane.errors = die.raw_errors(page, plane.sector_mask);
  end_commands();
  output_ = Output::page;
  return true;
}

bool Decoder::sequence_status(OnfiTenure& tenure) {
  const bool addressed = tenure.has(sequence_form::addressed);
  if (addressed && !select_for_status(tenure)) return false;
  const Die& die = *die_;
  const bool all_well = die.all_well(face_, tenure.planes[0].data);
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    OnfiPlane& plane = tenure.planes[i];
    const std::uint32_t planes = addressed ? 1u << plane_of(plane.row) : die.all_planes();
    plane.status = all_well ? onfi::status::idle : die.status(face_, plane.data, planes);
  }
  output_ = addressed ? Output::status_enhanced : Output::status;
  target_.context.request_tag = tenure.request_tag;
  output_offset_ += tenure.plane_count;
  end_commands();
  return true;
}

/// Selects the LUN and the last plane that the addresses of a 78h sequence name; false when they name several
/// LUNs, or nothing.
bool Decoder::select_for_status(const OnfiTenure& tenure) {
  const std::uint32_t first = tenure.planes[0].row;
  const std::uint32_t lun = first >> fields_.lun_shift & fields_.lun_mask;
  if (tenure.row_cycles != row_cycles_ || lun >= target_.dies.size()) return false;
  const std::uint32_t lun_bits = fields_.lun_mask << fields_.lun_shift;
  std::uint32_t plane = 0;
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    const std::uint32_t row = tenure.planes[i].row;
    plane = plane_of(row);
    if (((row ^ first) & lun_bits) != 0 || plane >= planes_) return false;
  }
  select(lun);
  status_plane_ = plane;
  return true;
}

} // namespace twinplane::hw
