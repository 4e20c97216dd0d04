#include "hw/nand/sequence_decoder.h"

namespace twinplane::hw {

bool SequenceDecoder::run(OnfiTenure& tenure) {
  switch (tenure.sequence) {
    case Sequence::read_command:
    case Sequence::program:
    case Sequence::erase:
      return operate(tenure);
    case Sequence::data_out:
      return data_out(tenure);
    case Sequence::status:
      return status(tenure);
    case Sequence::raw:
      break;
  }
  return false;
}

/// Nothing of an earlier operation is pending, the LUN is ready, and every cycle will be accepted.
inline bool SequenceDecoder::can_operate(ArrayKind kind, const OnfiTenure& tenure) const {
  if (!s_.nothing_pending() || !s_.rows.addressable(tenure)) return false;
  const OnfiPlane& first = tenure.planes[0];
  const Die& die = s_.target.dies[s_.rows.lun(first.row)];
  const DieAccess& access = die.access(s_.mode);
  if (die.check_start(access, kind, s_.rows.plane(first.row), first.begin) != nullptr) return false;
  if (kind != ArrayKind::erase && !s_.rows.columns_fit(tenure, s_.ddr())) return false;
  if (tenure.form != 0 && !can_have_form(kind, tenure, access)) return false;
  if (tenure.plane_count == 1 || !s_.timed()) return true;
  return !die.timeline().reads_by_plane(first.begin) && busy_times_pass(tenure);
}

/// Each plane begins when tDBSY of the one before has passed.
inline bool SequenceDecoder::busy_times_pass(const OnfiTenure& tenure) const {
  const TimePs gap = s_.target.context.bus.tWB + s_.array_timing().tDBSY;
  for (std::uint32_t i = 1; i < tenure.plane_count; ++i) {
    if (tenure.planes[i].begin < tenure.planes[i - 1].end + gap) return false;
  }
  return true;
}

/// The SLC prefix and cache commands; loads go by their cycles.
bool SequenceDecoder::can_have_form(ArrayKind kind, const OnfiTenure& tenure, const DieAccess& access) const {
  if (tenure.has(sequence_form::slc) &&
      s_.target.commands[onfi::opcode::slc_enter].action != Action::slc_enter) {
    return false;
  }
  if (tenure.has(sequence_form::load)) return false;
  return !tenure.has(sequence_form::cache) || kind != ArrayKind::read || access.can_read_ahead();
}

/// 80h, its address and data.
inline void SequenceDecoder::load(const OnfiPlane& plane, std::uint32_t number) {
  PlaneRegisters& registers = s_.access->registers;
  PageRegister& page = registers[number];
  page.clear();
  const bool words = plane.words != nullptr;
  registers.load(page, plane.sector_mask, plane.sectors, words ? nullptr : &plane.oob);
  if (words) page.load_words(plane.words);
  page.lost |= plane.lost;
}

[[gnu::always_inline]] inline bool SequenceDecoder::operate(
    const OnfiTenure& tenure) { // 30 instructions a page
  const ArrayKind kind = tenure.sequence == Sequence::read_command ? ArrayKind::read
                         : tenure.sequence == Sequence::program    ? ArrayKind::program
                                                                   : ArrayKind::erase;
  if (!can_operate(kind, tenure)) return false;
  const OnfiPlane* plane = tenure.planes.data();
  const OnfiPlane* const last = plane + tenure.plane_count - 1;
  RowAddress& at = s_.operation.at;
  at = s_.rows.decode(plane->row);
  s_.target.context.request_tag = tenure.request_tag;
  s_.select(at.lun);
  s_.begin_operation(kind, at.place.plane, plane->begin);
  for (;; at = s_.rows.decode((++plane)->row)) {
    if (kind == ArrayKind::program) load(*plane, at.place.plane);
    if (plane == last) break;
    s_.die->queue(*s_.access, kind, at.place, s_.array_start(plane->end));
  }
  s_.die->launch(*s_.access, {kind, tenure.has(sequence_form::slc), at.place, s_.array_start(last->end),
                              tenure.has(sequence_form::cache) && kind != ArrayKind::erase});
  s_.end_commands();
  s_.operation.kind = kind;
  s_.operation.stage = Stage::closed;
  s_.operation.jedec = s_.operation.cancel = false;
  s_.output = kind == ArrayKind::read ? Output::page : Output::none;
  return true;
}

[[gnu::always_inline]] inline bool SequenceDecoder::data_out(OnfiTenure& tenure) {
  if (tenure.plane_count != 1) return false;
  OnfiPlane& plane = tenure.planes[0];
  const bool undefined = s_.access->registers.undefined();
  RowAddress at{s_.lun, {s_.access->registers.selected(), 0, 0}};
  if (tenure.has(sequence_form::addressed)) {
    at = s_.rows.decode(plane.row);
    if (!s_.rows.addressable(tenure) || !s_.rows.column_fits(plane.column, s_.ddr())) return false;
  } else if (tenure.has(sequence_form::resume)) {
    if (!s_.between_operations() || undefined) return false;
  } else if (undefined || s_.output != Output::page || s_.waiting.action != Action::unknown) {
    return false;
  }
  Die& die = s_.target.dies[at.lun];
  PlaneRegisters& registers = die.access(s_.mode).registers;
  if (s_.timed() && die.timeline().plane_busy(at.place.plane, plane.begin)) return false;
  if (!registers[at.place.plane].readable) return false;

  s_.target.context.request_tag = tenure.request_tag;
  if (tenure.has(sequence_form::addressed)) {
    s_.select(at.lun);
    registers.select(at.place.plane);
    s_.output_addressed = false;
  } else if (tenure.has(sequence_form::resume)) {
    s_.operation.kind = ArrayKind::read;
    s_.operation.stage = Stage::closed;
  }
  if (s_.operation.stage == Stage::open) s_.operation.stage = Stage::closed;
  const PageRegister& page = registers.output(plane.sector_mask, plane.sectors);
  plane.oob = page.oob;
  if (plane.words != nullptr)
    page.store_words(plane.words, s_.target.context.config.geometry.subpages_per_page);
  plane.blank = page.blank;
  plane.corrupt = page.corrupt;
  plane.lost = page.lost;
  if (page.noise) plane.errors = die.cells().raw_errors(page, plane.sector_mask, plane.sectors);
  s_.end_commands();
  s_.output = Output::page;
  return true;
}

[[gnu::always_inline]] inline bool SequenceDecoder::status(OnfiTenure& tenure) {
  const bool addressed = tenure.has(sequence_form::addressed);
  if (s_.output >= Output::id || s_.input == Input::answer) return false; // 00h may lead back to it
  if (addressed) {
    if (!s_.rows.addressable(tenure)) return false;
    s_.select(s_.rows.lun(tenure.planes[0].row));
    s_.status_plane = s_.rows.plane(tenure.planes[tenure.plane_count - 1].row);
  }
  // The bytes come one after the other: what is idle at the first stays so. 17 instructions a plane.
  const bool clean = s_.die->status_is_clean(*s_.access, tenure.planes[0].data);
  for (std::uint32_t i = 0; i < tenure.plane_count; ++i) {
    OnfiPlane& plane = tenure.planes[i];
    if (clean) {
      plane.status = onfi::status::idle;
      continue;
    }
    const std::uint32_t planes = addressed ? 1u << s_.rows.plane(plane.row) : s_.access->registers.all();
    plane.status = s_.die->status(*s_.access, plane.data, planes);
  }
  s_.output = addressed ? Output::status_enhanced : Output::status;
  s_.target.context.request_tag = tenure.request_tag;
  s_.end_commands();
  return true;
}

} // namespace twinplane::hw
