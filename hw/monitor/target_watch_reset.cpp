// Resets and power cuts: what they cut off, and what is forgotten.
#include "hw/monitor/target_watch.h"

namespace twinplane::hw {

void TargetWatch::reset(LunWatch& lun, const OnfiPhase& phase) {
  const TimePs fall = phase.end + config_.bus.tWB;
  TimePs low = config_.array.tRST_idle;
  if (timed_ && lun.array_busy(fall)) {
    const CellWork work = lun.running.work;
    low = work == CellWork::read      ? config_.array.tRST_read
          : work == CellWork::program ? config_.array.tRST_program
          : work == CellWork::erase   ? config_.array.tRST_erase
                                      : low;
    for (std::uint32_t i = 0; work == CellWork::erase && i < lun.running.count; ++i) {
      lun.cells.spoil(lun.running.places[i]);
    }
  }
  forget_operations(lun);
  operation_.stage = Stage::closed;
  output_ = Output::none;
  group_open_ = slc_ = false;
  expect_busy(lun, phase.end, low);
}

void TargetWatch::forget_operations(LunWatch& lun) {
  lun.read_level = 0;
  lun.senses = {};
  lun.queue.count = lun.load_count = 0;
  lun.running = {};
  lun.suspended = {};
  lun.last_read = {};
  lun.reading_ahead = lun.cached_program = lun.data_waiting = false;
  lun.copyback_planes = lun.data_planes = lun.unread_planes = 0;
  lun.ready_at = lun.array_until = lun.array_reported = lun.running_until = lun.reading_until = 0;
}

/// A block whose erase was under way or suspended must be erased again.
void TargetWatch::cut_power() {
  for (LunWatch& lun : luns_) {
    const auto spoil = [&lun](const PlaneGroup& group) {
      for (std::uint32_t i = 0; group.work == CellWork::erase && i < group.count; ++i) {
        lun.cells.spoil(group.places[i]);
      }
    };
    if (timed_ && lun.array_busy(power_cut_at_)) spoil(lun.running);
    spoil(lun.suspended);
    lun.cells.forget_modes();
    forget_operations(lun);
    lun.reports.clear();
  }
  operation_ = {};
  command_ = {};
  output_ = Output::none;
  wants_address_ = column_addressed_ = group_open_ = slc_ = feature_addressed_ = feature_of_lun_ = false;
  lun_ = status_planes_ = 0;
  lun_selected_ = registers_wait_ = false;
  power_cut_at_ = kNever;
}

} // namespace twinplane::hw
