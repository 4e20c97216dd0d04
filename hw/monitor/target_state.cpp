#include "hw/monitor/target_state.h"

#include <algorithm>

namespace twinplane::hw {

TargetState::TargetState(const MonitorConfig& data_sheet, std::uint32_t chip_of_channel, bool of_bus,
                         std::vector<CellBook>& books, FindingSink& finding_sink)
    : config(data_sheet),
      layout(data_sheet.geometry),
      row_cycles(onfi::row_cycles(layout)),
      chip(chip_of_channel),
      timed(of_bus),
      sink(finding_sink),
      timing(data_sheet, chip_of_channel, of_bus, finding_sink) {
  luns.reserve(books.size());
  for (CellBook& book : books) luns.emplace_back(book);
}

BusPlace TargetState::decode(const OnfiPhase& phase, std::uint32_t first) const {
  std::uint32_t row = 0;
  for (std::uint32_t i = 0; i < row_cycles && first + i < phase.address.size(); ++i) {
    row |= std::uint32_t{phase.address[first + i]} << (8 * i);
  }
  const std::uint32_t number_of_lun = layout.lun_bits == 0 ? 0 : layout.lun(row);
  return {number_of_lun, layout.plane(row), layout.block(row), layout.page(row)};
}

bool TargetState::exists(const BusPlace& place, TimePs at) {
  if (place.lun >= luns.size()) {
    find(MonitorRule::bad_address, "no such LUN", at, place);
    return false;
  }
  lun_number = place.lun;
  if (place.plane < config.geometry.planes_per_die) return true;
  find(MonitorRule::bad_address, "no such plane", at, place);
  return false;
}

LunWatch& TargetState::lun_of_queue(CellWork work) {
  const auto waits = [work](const LunWatch& of) { return of.queue.count != 0 && of.queue.work == work; };
  const auto found = std::find_if(luns.begin(), luns.end(), waits);
  return found == luns.end() ? lun() : *found;
}

bool TargetState::column_fits(const OnfiPhase& phase) {
  const std::uint32_t column = phase.address[0] | std::uint32_t{phase.address[1]} << 8;
  if (column >= config.geometry.page_size + config.geometry.spare_size) {
    find(MonitorRule::bad_address, "no such column", phase.start, {lun_number});
    return false;
  }
  if (!config.bus.ddr || column % 2 == 0) return true;
  find(MonitorRule::odd_column, "expected an even column on a DDR interface", phase.start, {lun_number});
  return false;
}

void TargetState::find(MonitorRule rule, const char* detail, TimePs at, const BusPlace& place) {
  Finding finding;
  finding.rule = rule;
  finding.detail = detail;
  finding.time = timed ? at : 0;
  finding.chip = chip;
  finding.place = place;
  sink.on_finding(finding);
}

/// Takes the die's report that fits; a part may fall earlier than tWB, but not later.
void TargetState::expect_busy(LunWatch& of, TimePs end, TimePs low) {
  if (!timed || low == 0) return;
  const TimePs fall = end + config.bus.tWB;
  if (!config.sees_dies) {
    of.ready_at = low == kNever ? fall : std::max(of.ready_at, fall + low);
    return;
  }
  const BusPlace place{number(of)};
  if (of.reports.empty()) {
    find(MonitorRule::ready_busy, "R/B# did not fall", fall, place);
    if (low != kNever) of.ready_at = fall + low;
    return;
  }
  const BusyReport report = of.reports.front();
  of.reports.erase(of.reports.begin());
  of.ready_at = report.rise;
  if (low == kNever || report.fall == kNever) return;
  if (report.fall < end || report.fall > fall) {
    find(MonitorRule::ready_busy, "R/B# did not fall within tWB", report.fall, place);
  } else if (report.rise - report.fall != low) {
    find(MonitorRule::ready_busy, "R/B# was low for another time than the table's", report.rise, place);
  }
}

void TargetState::power_on() {
  operation = {};
  command = {};
  output = Output::none;
  wants_address = column_addressed = group_open = slc = feature_addressed = feature_of_lun = false;
  lun_number = status_planes = 0;
  lun_selected = registers_wait = false;
  power_cut_at = kNever;
}

} // namespace twinplane::hw
