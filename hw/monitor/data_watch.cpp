#include "hw/monitor/data_watch.h"

namespace twinplane::hw {

using Stage = WatchStage;
using Output = WatchOutput;
using timing::Event;

void DataWatch::on_data_in(const OnfiPhase& phase) {
  s_.timing.check(Event::data_in, phase.start, s_.lun_number);
  s_.timing.check_burst(phase, s_.config.bus.data_in, s_.lun_number);
  s_.timing.insert(s_.feature_addressed ? mask(Event::data_in, Event::feature_in) : mask(Event::data_in),
                   phase.end);
  if (s_.feature_addressed) {
    take_feature(phase);
    return;
  }
  const bool of_odt = s_.command.opcode == onfi::opcode::odt_configure;
  if (of_odt || s_.operation.stage == Stage::passed_over) return;
  if (s_.operation.work != CellWork::program || !s_.inside_operation()) {
    s_.find(MonitorRule::sequence, "expected data in after 80h and a page address", phase.start);
    return;
  }
  s_.select_operation();
  if (s_.operation_busy(phase.start)) {
    s_.find(MonitorRule::busy, "expected data in to a ready LUN", phase.start, s_.operation.place);
    s_.operation.stage = Stage::passed_over;
    return;
  }
  s_.operation.stage = Stage::loaded;
  s_.operation.sectors |= phase.sector_mask;
}

/// The parameters of EFh, for every LUN, or of D5h.
void DataWatch::take_feature(const OnfiPhase& phase) {
  s_.feature_addressed = false;
  if (phase.bytes != onfi::feature::parameters * (s_.config.bus.ddr ? 2 : 1)) {
    s_.find(MonitorRule::sequence, "expected four parameters of a feature", phase.start);
    return;
  }
  const bool level = s_.feature == onfi::feature::read_retry && phase.data != nullptr;
  if (level && phase.data[0] >= kReadLevels) {
    s_.find(MonitorRule::bad_address, "no such read level", phase.start, {s_.lun_number});
    return;
  }
  for (LunWatch& lun : s_.luns) {
    if (s_.feature_of_lun && &lun != &s_.lun()) continue;
    if (level) lun.read_level = phase.data[0];
    s_.expect_busy(lun, phase.end, s_.config.array.tFEAT);
  }
}

void DataWatch::on_data_out(const OnfiPhase& phase) {
  if (s_.command.opcode == onfi::opcode::read && s_.command.role == Role::set_up && s_.wants_address) {
    s_.output =
        s_.registers_wait ? Output::registers : Output::page; // 00h without address: back to data output
    if (s_.operation.stage == Stage::opened) s_.operation.stage = Stage::closed;
  }
  s_.wants_address = false;
  const LunWatch& from = s_.lun();
  const bool busy_output =
      s_.output == Output::page ? s_.output_busy(from, phase.start) : s_.busy(from, phase.start);
  if (s_.output != Output::status && !busy_output) {
    const bool by_plane = s_.output == Output::page && from.ready_at == from.reading_until;
    s_.timing.insert(mask(Event::ready), by_plane ? from.plane_ready[from.plane] : from.ready_at);
  }
  s_.timing.check(Event::data_out, phase.start, s_.lun_number);
  if (s_.output != Output::status) s_.timing.check_burst(phase, s_.config.bus.data_out, s_.lun_number);
  s_.timing.insert(mask(Event::data_out), phase.end);
  if (s_.output == Output::status) {
    check_status_byte(phase);
  } else if (busy_output) {
    s_.find(MonitorRule::busy, "expected data out of a ready LUN", phase.start, {s_.lun_number});
  } else if (s_.output == Output::page) {
    check_page_out(phase);
  } else if (s_.output == Output::none) {
    s_.find(MonitorRule::sequence, "expected data out after a command that has an answer", phase.start,
            {s_.lun_number});
  }
}

void DataWatch::check_status_byte(const OnfiPhase& phase) {
  LunWatch& from = s_.lun();
  if (phase.data != nullptr && phase.bytes != 0) {
    const bool ready = (phase.data[0] & onfi::status::rdy) != 0;
    if (ready == (s_.timed && from.planes_busy(s_.status_planes, phase.start))) {
      s_.find(MonitorRule::status_value, "RDY of the status contradicts R/B#", phase.start, {s_.lun_number});
    }
  }
  if (!s_.busy(from, phase.start)) from.unread_planes &= ~s_.status_planes;
}

void DataWatch::check_page_out(const OnfiPhase& phase) {
  LunWatch& from = s_.lun();
  const BusPlace place{s_.lun_number, from.plane};
  if (s_.column_addressed)
    s_.find(MonitorRule::plane_selection, "expected E0h before data out", phase.start, place);
  if ((from.data_planes >> from.plane & 1u) == 0) {
    if (s_.operation.stage == Stage::passed_over) return;
    s_.find(MonitorRule::sequence, "expected data out after a read of this plane", phase.start, place);
    return;
  }
  if ((from.data_planes & (from.data_planes - 1)) != 0 && from.last_read.count > 1 && !from.plane_selected) {
    s_.find(MonitorRule::plane_selection, "expected 06h-E0h after a multi-plane read", phase.start, place);
  }
  from.data_waiting = false;
  from.senses[from.plane].moved = true;
  for (const LunWatch& other : s_.luns) {
    if (!other.data_waiting || s_.lun_selected) continue;
    s_.find(MonitorRule::lun_selection, "expected 06h or 78h to select the LUN", phase.start, place);
    break;
  }
}

} // namespace twinplane::hw
