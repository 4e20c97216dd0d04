#include "platform/observe/waves/perfetto_recorder.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/config/units.h"

namespace twinplane::platform {
namespace {

constexpr std::uint32_t kFirstChannel = PerfettoRequests::kProcess + 1;
constexpr std::uint32_t kBusThread = 1;
constexpr std::uint32_t kFirstDieThread = 2;

constexpr const char* kDriveSignals[] = {".requests", ".queue_depth", ".planes_busy", ".free_blocks",
                                         nullptr};
constexpr const char* kFirmwareSignals[] = {".firmware", nullptr};
constexpr const char* kBusSignals[] = {".phase", ".opcode", ".chip", nullptr};
constexpr const char* kDieSignals[] = {".rb_n", ".group", ".violation", nullptr};
constexpr const char* kPlaneSignals[] = {".state", ".page_type", ".block", ".page", nullptr};
constexpr const char* kCachePlaneSignals[] = {".state", ".page_type", ".block", ".page",
                                              ".mode",  ".level",     nullptr};

const char* operation_name(hw::PlaneState state) {
  switch (state) {
    case hw::PlaneState::reading:
      return "read";
    case hw::PlaneState::programming:
      return "program";
    case hw::PlaneState::erasing:
      return "erase";
    case hw::PlaneState::resetting:
      return "reset";
    case hw::PlaneState::idle:
      break;
  }
  return "idle";
}

const char* tenure_name(const hw::OnfiTenure& tenure) {
  switch (tenure.kind) {
    case hw::TenureKind::read_command:
      return "read command";
    case hw::TenureKind::program:
      return "program";
    case hw::TenureKind::status:
      return "status";
    case hw::TenureKind::erase:
      return "erase";
    case hw::TenureKind::data_out:
      return "data out";
    case hw::TenureKind::other:
      break;
  }
  return "command";
}

std::string phase_name(BusPhase phase, std::int32_t opcode) {
  switch (phase) {
    case BusPhase::command:
      return opcode_text(static_cast<std::uint8_t>(opcode));
    case BusPhase::address:
      return "address";
    case BusPhase::data_in:
      return "data in";
    case BusPhase::data_out:
      return "data out";
    case BusPhase::status:
      return "status byte";
    case BusPhase::idle:
    case BusPhase::wait:
      break;
  }
  return "wait";
}

void append(std::string& out, const char* name, std::uint64_t value) {
  if (!out.empty()) out += ',';
  out.append("\"").append(name).append("\":").append(std::to_string(value));
}

void append(std::string& out, const char* name, const char* value) {
  out.append(",\"").append(name).append("\":\"").append(value).append("\"");
}

bool has_page(const hw::ArrayOperation& operation) {
  return operation.state == hw::PlaneState::reading || operation.state == hw::PlaneState::programming;
}

/// Programs of a wordline in one pass are of several pages, from "lsb" on.
bool is_pass(const hw::ArrayOperation& operation) {
  return operation.state == hw::PlaneState::programming && operation.pages > 1;
}

std::string page_types(CellType cell, const hw::ArrayOperation& operation) {
  std::string last = page_type_name(cell, operation.page_type);
  if (!is_pass(operation)) return last;
  const auto first = static_cast<PageType>(operation.page_type + 1 - operation.pages);
  return page_type_name(cell, first) + ("-" + last);
}

std::string count_of(std::uint32_t planes) {
  return planes > 1 ? " x" + std::to_string(planes) : std::string();
}

} // namespace

PerfettoRecorder::PerfettoRecorder(const Geometry& geometry, const Options& options)
    : geometry_(geometry),
      parts_(geometry),
      options_(options),
      scope_(options.scope, options.module),
      file_(options.file),
      buses_(geometry.channels),
      dies_(geometry.dies()),
      planes_(geometry.planes()) {
  if (in_scope(options_.module, kDriveSignals)) {
    requests_ = std::make_unique<PerfettoRequests>(file_, options_.window);
  }
  if (in_scope(options_.module, kFirmwareSignals))
    firmware_ = std::make_unique<PerfettoFirmware>(file_, options_.window);
  if (requests_ != nullptr || firmware_ != nullptr)
    file_.name_process(PerfettoRequests::kProcess, options_.module);
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) name_tracks(channel);
  reject_unmatched();
}

bool PerfettoRecorder::in_scope(const std::string& track, const char* const* signals) {
  bool any = false;
  for (; *signals != nullptr; ++signals) any = scope_.matches(track + *signals) || any;
  return any;
}

void PerfettoRecorder::name_tracks(std::uint32_t channel) {
  const std::string name = options_.module + ".ch" + std::to_string(channel);
  const char* const* const signals = options_.level_of_block ? kCachePlaneSignals : kPlaneSignals;
  file_.name_process(kFirstChannel + channel, name);
  buses_[channel].recorded = in_scope(name + ".bus", kBusSignals);
  if (buses_[channel].recorded) file_.name_track({kFirstChannel + channel, kBusThread}, "bus");
  for (std::uint32_t chip = 0; chip < geometry_.chips_per_channel; ++chip) {
    for (std::uint32_t lun = 0; lun < geometry_.dies_per_chip; ++lun) {
      const std::uint32_t die = geometry_.die_index(channel, chip, lun);
      const std::string own_name = die_name(die);
      dies_[die].recorded = in_scope(name + "." + own_name, kDieSignals);
      if (dies_[die].recorded) file_.name_track(die_track(die), own_name);
      for (std::uint32_t p = 0; p < geometry_.planes_per_die; ++p) {
        const std::string plane_name = own_name + ".plane" + std::to_string(p);
        const std::uint32_t plane = die * geometry_.planes_per_die + p;
        planes_[plane].recorded = in_scope(name + "." + plane_name, signals);
        if (planes_[plane].recorded) file_.name_track(plane_track(plane), plane_name);
      }
    }
  }
}

void PerfettoRecorder::reject_unmatched() const {
  const auto recorded = [](const auto& unit) { return unit.recorded; };
  if (requests_ != nullptr || firmware_ != nullptr || std::any_of(buses_.begin(), buses_.end(), recorded) ||
      std::any_of(dies_.begin(), dies_.end(), recorded) ||
      std::any_of(planes_.begin(), planes_.end(), recorded)) {
    return;
  }
  throw InputError("wave scope \"" + options_.scope + "\" matches no track of the trace; there are " +
                   options_.module + ".ch0.bus to " + options_.module + ".ch" +
                   std::to_string(geometry_.channels - 1) + ".bus, and below each channel chip0 to chip" +
                   std::to_string(geometry_.chips_per_channel - 1) + ", die0 to die" +
                   std::to_string(geometry_.dies_per_chip - 1) + ", plane0 to plane" +
                   std::to_string(geometry_.planes_per_die - 1));
}

std::string PerfettoRecorder::die_name(std::uint32_t die) const {
  const std::uint32_t in_channel = die % (geometry_.chips_per_channel * geometry_.dies_per_chip);
  return "chip" + std::to_string(in_channel / geometry_.dies_per_chip) + ".die" +
         std::to_string(in_channel % geometry_.dies_per_chip);
}

// A die has a track for each plane, and for as many commands as planes that read independently.
TraceTrack PerfettoRecorder::die_track(std::uint32_t die, std::uint32_t row) const {
  const std::uint32_t per_channel = geometry_.chips_per_channel * geometry_.dies_per_chip;
  return {kFirstChannel + die / per_channel,
          kFirstDieThread + die % per_channel * 2 * geometry_.planes_per_die + row};
}

TraceTrack PerfettoRecorder::plane_track(std::uint32_t plane) const {
  TraceTrack track = die_track(plane / geometry_.planes_per_die);
  track.thread += geometry_.planes_per_die + plane % geometry_.planes_per_die;
  return track;
}

void PerfettoRecorder::on_timing(std::uint32_t channel, const BusTiming& bus, TimePs tDBSY) {
  if (parts_.has(channel) && buses_[channel].recorded)
    buses_[channel].scripts = std::make_unique<PhaseScripts>(bus, tDBSY);
}

void PerfettoRecorder::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  if (parts_.has(channel, operation)) hold(channel, operation, false);
}

void PerfettoRecorder::on_array_change(std::uint32_t channel, hw::ArrayChange change,
                                       const hw::ArrayOperation& operation) {
  if (!parts_.has(channel, operation)) return;
  if (change == hw::ArrayChange::resumed) {
    hold(channel, operation, true);
    return;
  }
  const std::uint32_t die = geometry_.die_index(channel, operation.chip, operation.lun);
  const std::uint32_t plane = die * geometry_.planes_per_die + operation.plane;
  release_commands(die, operation.start);
  Unit& unit = planes_[plane];
  if (requests_ != nullptr && operation.start < unit.busy_until) { // the announced end no longer holds
    requests_->plane(operation.start, -1);
    requests_->plane(unit.busy_until, 1);
    unit.busy_until = operation.start;
  }
  release(unit, plane_track(plane), false, operation.start);
}

void PerfettoRecorder::note_start(const hw::ArrayOperation& operation, Unit& plane) {
  if (requests_ == nullptr) return;
  // An operation that cuts another one short takes over its place in the count.
  requests_->plane(std::max(operation.start, plane.busy_until), 1);
  requests_->plane(operation.end, -1);
  plane.busy_until = operation.end;
  const auto free_blocks = options_.free_blocks ? options_.free_blocks() : std::nullopt;
  if (free_blocks) requests_->free_blocks(operation.start, *free_blocks);
  if (!plane.recorded || outside(operation.start, operation.end)) return;
  plane.flow = requests_->take_flow(operation.request_tag);
}

void PerfettoRecorder::release_commands(std::uint32_t die, TimePs until) {
  for (std::uint32_t row = 0; row < dies_[die].commands.size(); ++row)
    release(dies_[die].commands[row], die_track(die, row), true, until);
}

// Reads that begin while others run are of planes that read independently; all else ends what runs.
PerfettoRecorder::Unit& PerfettoRecorder::command_row(std::uint32_t die,
                                                      const hw::ArrayOperation& operation) {
  std::vector<Unit>& rows = dies_[die].commands;
  const auto same = [&operation](const Unit& row) {
    return row.holds && row.held.start == operation.start && row.held.end == operation.end;
  };
  const auto known = std::find_if(rows.begin(), rows.end(), same);
  if (known != rows.end()) return *known;
  const auto beside = [&operation](const Unit& row) {
    return row.holds && operation.state == hw::PlaneState::reading &&
           row.held.state == hw::PlaneState::reading && row.held.end > operation.start;
  };
  if (std::none_of(rows.begin(), rows.end(), beside)) release_commands(die, operation.start);
  const auto unused = std::find_if_not(rows.begin(), rows.end(), beside);
  auto row = static_cast<std::uint32_t>(unused - rows.begin());
  if (row == geometry_.planes_per_die) row = 0; // one read for each plane is all that can run
  if (row == rows.size()) {
    rows.emplace_back().recorded = dies_[die].recorded;
    if (row != 0 && dies_[die].recorded)
      file_.name_track(die_track(die, row), die_name(die) + " (" + std::to_string(row + 1) + ")");
  }
  release(rows[row], die_track(die, row), true, operation.start);
  return rows[row];
}

void PerfettoRecorder::hold(std::uint32_t channel, const hw::ArrayOperation& operation, bool resumed) {
  const std::uint32_t die = geometry_.die_index(channel, operation.chip, operation.lun);
  Unit& command = command_row(die, operation);
  if (!command.holds) {
    command.held = operation;
    command.holds = true;
    command.resumed = resumed;
    command.group = ++dies_[die].groups;
  }
  const std::uint32_t plane = die * geometry_.planes_per_die + operation.plane;
  Unit& unit = planes_[plane];
  release(unit, plane_track(plane), false, operation.start);
  unit.held = operation;
  unit.holds = true;
  unit.resumed = resumed;
  unit.group = command.group;
  if (options_.level_of_block) unit.level = options_.level_of_block(plane, operation.block);
  note_start(operation, unit);
  check_file();
}

void PerfettoRecorder::release(Unit& unit, const TraceTrack& track, bool whole_die, TimePs until) {
  const hw::ArrayOperation& o = unit.held;
  const TimePs end = std::min(o.end, until);
  const bool wanted = unit.holds && unit.recorded && !outside(o.start, end);
  unit.holds = false;
  if (!wanted) return;
  std::string arguments;
  if (!whole_die) {
    append(arguments, "block", o.block);
    if (has_page(o)) {
      if (is_pass(o)) append(arguments, "first_page", o.page + 1 - o.pages);
      append(arguments, "page", o.page);
      append(arguments, "page_type", page_types(geometry_.cell, o).c_str());
    }
    if (options_.level_of_block) {
      append(arguments, "mode", o.slc ? "slc" : "native");
      append(arguments, "level", level_name(unit.level));
    }
  }
  append(arguments, "group", unit.group);
  append(arguments, "planes", o.planes_in_group);
  append(arguments, "transaction", o.request_tag);
  append(arguments, "start_ps", o.start);
  append(arguments, "end_ps", end);
  std::string name = operation_name(o.state);
  if (whole_die) {
    name += count_of(o.planes_in_group);
  } else if (has_page(o)) {
    name.append(" ").append(page_types(geometry_.cell, o));
  }
  if (unit.resumed) name += " resumed";
  file_.slice(track, name, o.start, end, arguments);
  if (unit.flow != 0) file_.flow_end(track, std::exchange(unit.flow, 0), o.start);
}

void PerfettoRecorder::on_violation(std::uint32_t channel, const hw::Violation& violation) {
  if (!parts_.has(channel) || violation.chip >= geometry_.chips_per_channel ||
      violation.lun >= geometry_.dies_per_chip)
    return;
  const std::uint32_t die = geometry_.die_index(channel, violation.chip, violation.lun);
  if (!dies_[die].recorded || outside(violation.time, violation.time)) return;
  file_.instant(die_track(die), std::string("refused: ") + violation.rule, violation.time);
}

void PerfettoRecorder::on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure,
                                 TimePs start, TimePs end) {
  if (!parts_.has(channel, chip)) return;
  const Bus& bus = buses_[channel];
  if (!bus.recorded || outside(start, end)) return;
  const TraceTrack track{kFirstChannel + channel, kBusThread};
  const bool raw = tenure.sequence == hw::Sequence::raw;
  std::string arguments;
  append(arguments, "chip", chip);
  append(arguments, "lun", tenure.lun);
  if (!raw) append(arguments, "planes", tenure.plane_count);
  append(arguments, "transaction", tenure.request_tag);
  append(arguments, "start_ps", start);
  append(arguments, "end_ps", end);
  const std::string planes = raw ? std::string() : count_of(tenure.plane_count);
  file_.slice(track, tenure_name(tenure) + planes, start, end, arguments);
  record_phases(bus, track, tenure, start, end);
  check_file();
}

void PerfettoRecorder::record_phases(const Bus& bus, const TraceTrack& track, const hw::OnfiTenure& tenure,
                                     TimePs start, TimePs end) {
  TimePs since = start;
  BusPhase shown = BusPhase::idle;
  std::int32_t opcode = -1;
  visit_phases(bus.scripts.get(), tenure, {start, end}, [&](TimePs at, BusPhase phase, std::int32_t command) {
    if (at > since && shown != BusPhase::idle && shown != BusPhase::wait) {
      file_.slice(track, phase_name(shown, opcode), since, at, {});
    }
    since = at;
    shown = phase;
    opcode = command;
  });
}

void PerfettoRecorder::check_file() {
  if (!file_.ok() && options_.on_failure) std::exchange(options_.on_failure, nullptr)();
}

void PerfettoRecorder::finish(TimePs end) {
  for (std::uint32_t die = 0; die < dies_.size(); ++die) release_commands(die, kNever);
  for (std::uint32_t plane = 0; plane < planes_.size(); ++plane) {
    release(planes_[plane], plane_track(plane), false, kNever);
  }
  if (requests_ != nullptr) requests_->finish();
  if (firmware_ != nullptr) firmware_->finish();
  file_.close();
  if (!ok()) throw InputError(file_.error());
  parts_.require_all(options_.module);
  if (end >= options_.window.begin) return;
  throw InputError("wave window begins at " + format_quantity(Dimension::time, options_.window.begin) +
                   ", but the run ended at " + format_quantity(Dimension::time, end));
}

} // namespace twinplane::platform
