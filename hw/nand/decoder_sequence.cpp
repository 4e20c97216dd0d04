// Sequences without their cycles: the usual case, in which every cycle is known to be accepted.
#include "hw/nand/decoder.h"

namespace twinplane::hw {

bool Decoder::run_sequence(OnfiTenure& tenure) {
  bool done = false;
  switch (tenure.sequence) {
    case Sequence::read_command:
    case Sequence::program:
    case Sequence::erase:
      done = operate(tenure);
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

/// Nothing of an earlier operation is pending, the LUN is ready, and every cycle will be accepted.
inline bool Decoder::can_operate(ArrayKind kind, const OnfiTenure& tenure) const {
  if (!nothing_pending() || !addressable(tenure)) return false;
  const OnfiPlane& first = tenure.planes[0];
  const Die& die = target_.dies[lun_of(first.row)];
  if (die.judge_open(face_, kind, plane_of(first.row), first.begin) != nullptr) return false;
  if (kind != ArrayKind::erase && !columns_fit(tenure)) return false;
  if (tenure.form != 0 && !can_have_form(kind, tenure, die)) return false;
  if (tenure.plane_count == 1 || !timed()) return true;
  return !die.reads_by_plane(first.begin) && busy_times_pass(tenure);
}

/// All planes exist and are in one LUN.
inline bool Decoder::addressable(const OnfiTenure& tenure) const {
  const std::uint32_t first = tenure.planes[0].row;
  if (tenure.row_cycles != row_cycles_ || lun_of(first) >= luns_ || plane_of(first) >= planes_) return false;
  for (std::uint32_t i = 1; i < tenure.plane_count; ++i) {
    const std::uint32_t row = tenure.planes[i].row;
    if (((row ^ first) & fields_.lun_bits) != 0 || plane_of(row) >= planes_) return false;
  }
  return true;
}

inline bool Decoder::columns_fit(const OnfiTenure& tenure) const {
  std::uint32_t i = 0;
  while (column_fits(tenure.planes[i].column)) {
    if (++i == tenure.plane_count) return true;
  }
  return false;
}

/// Each plane begins when tDBSY of the one before has passed.
bool Decoder::busy_times_pass(const OnfiTenure& tenure) const {
  const TimePs gap = target_.context.bus.tWB + target_.context.config.array.tDBSY;
  for (std::uint32_t i = 1; i < tenure.plane_count; ++i) {
    if (tenure.planes[i].begin < tenure.planes[i - 1].end + gap) return false;
  }
  return true;
}

/// The SLC prefix and cache commands; loads go by their cycles.
bool Decoder::can_have_form(ArrayKind kind, const OnfiTenure& tenure, const Die& die) const {
  if (tenure.has(sequence_form::slc) &&
      target_.commands[onfi::opcode::slc_enter].action != Action::slc_enter) {
    return false;
  }
  if (tenure.has(sequence_form::load)) return false;
  return !tenure.has(sequence_form::cache) || kind != ArrayKind::read || die.can_read_ahead(face_);
}

/// The calls that the cycles would have led to.
[[gnu::always_inline]] inline bool Decoder::operate(const OnfiTenure& tenure) { // 30 instructions a page
  const ArrayKind kind = tenure.sequence == Sequence::read_command ? ArrayKind::read
                         : tenure.sequence == Sequence::program    ? ArrayKind::program
                                                                   : ArrayKind::erase;
  if (!can_operate(kind, tenure)) return false;
  const OnfiPlane* plane = tenure.planes.data();
  const OnfiPlane* const last = plane + tenure.plane_count - 1;
  RowAddress& at = operation_.at;
  at = decode_row(plane->row);
  target_.context.request_tag = tenure.request_tag;
  select(at.lun);
  begin_operation(kind, at.place.plane, plane->begin);
  for (;; at = decode_row((++plane)->row)) {
    if (kind == ArrayKind::program) {
      die_->begin_program(face_, at.place.plane);
      const bool words = plane->words != nullptr;
      die_->data_in(face_, at.place.plane, plane->sector_mask, plane->sectors, words ? nullptr : &plane->oob);
      if (words) die_->words_in(face_, at.place.plane, plane->words);
      if (plane->lost != 0) die_->mark_lost(face_, at.place.plane, plane->lost);
    }
    if (plane == last) break;
    die_->queue(face_, kind, at.place, array_start(plane->end));
  }
  die_->launch(face_, {kind, tenure.has(sequence_form::slc), at.place, array_start(last->end),
                       tenure.has(sequence_form::cache) && kind != ArrayKind::erase});
  end_commands();
  operation_.kind = kind;
  operation_.stage = Stage::closed;
  operation_.jedec = operation_.cancel = false;
  output_ = kind == ArrayKind::read ? Output::page : Output::none;
  return true;
}

inline bool Decoder::sequence_data_out(OnfiTenure& tenure) {
  if (tenure.plane_count != 1) return false;
  OnfiPlane& plane = tenure.planes[0];
  RowAddress at{lun_, {die_->selected_plane(face_), 0, 0}};
  if (tenure.has(sequence_form::addressed)) {
    at = decode_row(plane.row);
    if (!addressable(tenure) || !column_fits(plane.column)) return false;
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
  if (plane.words != nullptr) die.words_out(&page, plane.words);
  plane.blank = page.blank;
  plane.corrupt = page.corrupt;
  plane.lost = page.lost;
  if (page.noise) plane.errors = die.raw_errors(page, plane.sector_mask, plane.sectors);
  end_commands();
  output_ = Output::page;
  return true;
}

inline bool Decoder::sequence_status(OnfiTenure& tenure) {
  const bool addressed = tenure.has(sequence_form::addressed);
  if (output_ >= Output::id || input_ == Input::answer) return false; // 00h may lead back to it
  if (addressed) {
    if (!addressable(tenure)) return false;
    select(lun_of(tenure.planes[0].row));
    status_plane_ = plane_of(tenure.planes[tenure.plane_count - 1].row);
  }
  // The bytes come one after the other: what is idle at the first stays so. 17 instructions a plane.
  const bool well = die_->all_well(face_, tenure.planes[0].data);
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    OnfiPlane& plane = tenure.planes[i];
    if (well) {
      plane.status = onfi::status::idle;
      continue;
    }
    const std::uint32_t planes = addressed ? 1u << plane_of(plane.row) : die_->all_planes();
    plane.status = die_->status(face_, plane.data, planes);
  }
  output_ = addressed ? Output::status_enhanced : Output::status;
  target_.context.request_tag = tenure.request_tag;
  end_commands();
  return true;
}

} // namespace twinplane::hw
