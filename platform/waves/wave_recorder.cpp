#include "platform/waves/wave_recorder.h"

#include <algorithm>
#include <utility>

#include "platform/config/error.h"
#include "platform/config/units.h"
#include "platform/waves/save_file.h"
#include "platform/waves/wave_codes.h"

namespace twinplane::platform {
namespace {

using Initial = VcdWriter::Initial;

constexpr TimePs kViolationPulse = ns(100);
constexpr std::size_t kSmallestFlush = 2048; // changes

std::string range(std::uint32_t count, const char* name) {
  return name + (count == 1 ? std::string("0") : "{0.." + std::to_string(count - 1) + "}");
}

std::uint32_t bits_for(std::uint32_t count) {
  return std::max(address_bits(count), 1u);
}

BusPhase phase_code(const hw::OnfiPhase& phase, hw::TenureKind kind) {
  switch (phase.kind) {
    case hw::PhaseKind::command:
      return BusPhase::command;
    case hw::PhaseKind::address:
      return BusPhase::address;
    case hw::PhaseKind::data_in:
      return BusPhase::data_in;
    case hw::PhaseKind::data_out:
      break;
  }
  return kind == hw::TenureKind::status ? BusPhase::status : BusPhase::data_out;
}

} // namespace

WaveRecorder::WaveRecorder(const Geometry& geometry, const Options& options)
    : geometry_(geometry),
      options_(options),
      scope_(options.scope),
      vcd_(options.folder / "waves.vcd", options.window),
      buses_(geometry.channels),
      dies_(geometry.dies()),
      planes_(geometry.planes()),
      flush_at_(kSmallestFlush) {
  planes_busy_ = wire("ssd.planes_busy", bits_for(geometry_.planes() + 1), Initial::zero);
  for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
    declare_bus(channel);
    for (std::uint32_t chip = 0; chip < geometry_.chips_per_channel; ++chip) {
      for (std::uint32_t lun = 0; lun < geometry_.dies_per_chip; ++lun) declare_die(channel, chip, lun);
    }
  }
  reject_unmatched();
  vcd_.start();
  write_viewer_files();
}

WaveRecorder::Signal WaveRecorder::wire(const std::string& name, std::uint32_t bits, Initial initial) {
  if (!scope_.matches(name)) return std::nullopt;
  names_.push_back(bits == 1 ? name : name + "[" + std::to_string(bits - 1) + ":0]");
  return vcd_.add_wire(name, bits, initial);
}

void WaveRecorder::declare_bus(std::uint32_t channel) {
  const std::string name = "ssd.ch" + std::to_string(channel) + ".bus.";
  Bus& bus = buses_[channel];
  bus.phase = wire(name + "phase", 3, Initial::zero);
  bus.opcode = wire(name + "opcode", 8, Initial::unknown);
  bus.chip = wire(name + "chip", bits_for(geometry_.chips_per_channel), Initial::unknown);
  bus.recorded = bus.phase || bus.opcode || bus.chip;
}

void WaveRecorder::declare_die(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun) {
  const std::string name = "ssd.ch" + std::to_string(channel) + ".chip" + std::to_string(chip) + ".die" +
                           std::to_string(lun) + ".";
  Die& die = dies_[die_index(channel, chip, lun)];
  die.rb_n = wire(name + "rb_n", 1, Initial::one);
  die.group = wire(name + "group", bits_for(geometry_.planes_per_die + 1), Initial::zero);
  die.violation = wire(name + "violation", 4, Initial::zero);
  for (std::uint32_t p = 0; p < geometry_.planes_per_die; ++p) {
    const std::string plane_name = name + "plane" + std::to_string(p) + ".";
    Plane& plane = planes_[die_index(channel, chip, lun) * geometry_.planes_per_die + p];
    plane.state = wire(plane_name + "state", 3, Initial::zero);
    plane.page_type = wire(plane_name + "page_type", 2, Initial::unknown);
    plane.block = wire(plane_name + "block", bits_for(geometry_.blocks_per_plane), Initial::unknown);
    plane.page = wire(plane_name + "page", bits_for(geometry_.pages_per_block), Initial::unknown);
    plane.recorded = plane.state || plane.page_type || plane.block || plane.page;
  }
}

void WaveRecorder::reject_unmatched() const {
  const std::string wrong = scope_.unmatched();
  if (wrong.empty()) return;
  const std::string channel = range(geometry_.channels, "ssd.ch");
  const std::string die =
      channel + range(geometry_.chips_per_channel, ".chip") + range(geometry_.dies_per_chip, ".die");
  throw InputError("wave scope \"" + wrong + "\" matches no signal; there are ssd.planes_busy, " + channel +
                   ".bus.{phase,opcode,chip}, " + die + ".{rb_n,group,violation}, " + die +
                   range(geometry_.planes_per_die, ".plane") + ".{state,page_type,block,page}");
}

void WaveRecorder::write_viewer_files() const {
  const std::vector<TranslationTable> tables = translation_tables(geometry_.cell);
  write_translations(options_.folder, tables);
  write_save_file(options_.folder, names_, tables, options_.window.begin);
}

void WaveRecorder::on_array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  if (outside(operation.start, operation.end)) return;
  const std::uint32_t die = die_index(channel, operation.chip, operation.lun);
  Plane& plane = planes_[die * geometry_.planes_per_die + operation.plane];
  if (planes_busy_) count_plane(plane, operation);
  if (dies_[die].group) show_group(dies_[die], operation);
  if (plane.recorded) {
    put(plane.state, operation.start, static_cast<std::uint64_t>(operation.state));
    put(plane.state, operation.end, static_cast<std::uint64_t>(hw::PlaneState::idle));
    put(plane.block, operation.start, operation.block);
    if (operation.state != hw::PlaneState::erasing) {
      put(plane.page_type, operation.start, operation.page_type);
      put(plane.page, operation.start, operation.page);
    }
  }
  seen(operation.start);
}

// Planes of one command are announced one by one with equal times: show them once.
void WaveRecorder::show_group(Die& die, const hw::ArrayOperation& operation) {
  if (operation.start == die.group_start && operation.end <= die.group_end) return;
  die.group_start = operation.start;
  die.group_end = operation.end;
  put(die.group, operation.start, operation.planes_in_group);
  put(die.group, operation.end, 0);
}

// An operation that cuts another one short takes over its place in the count.
void WaveRecorder::count_plane(Plane& plane, const hw::ArrayOperation& operation) {
  const bool takes_over = operation.start < plane.busy_until;
  vcd_.adjust(*planes_busy_, takes_over ? plane.busy_until : operation.start, 1);
  vcd_.adjust(*planes_busy_, operation.end, -1);
  plane.busy_until = operation.end;
}

void WaveRecorder::on_ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                                 TimePs at) {
  const Signal& rb_n = dies_[die_index(channel, chip, lun)].rb_n;
  if (rb_n) vcd_.change(*rb_n, at, ready ? 1 : 0);
}

void WaveRecorder::on_violation(std::uint32_t channel, const hw::Violation& violation) {
  if (violation.chip >= geometry_.chips_per_channel || violation.lun >= geometry_.dies_per_chip) return;
  const Die& die = dies_[die_index(channel, violation.chip, violation.lun)];
  put(die.violation, violation.time, violation_code(violation.rule));
  put(die.violation, violation.time + kViolationPulse, 0);
}

void WaveRecorder::on_tenure(std::uint32_t channel, std::uint32_t chip, const hw::OnfiTenure& tenure,
                             TimePs start, TimePs end) {
  const Bus& bus = buses_[channel];
  if (!bus.recorded || outside(start, end)) return;
  const auto show = [this, &bus](TimePs at, BusPhase phase) {
    put(bus.phase, at, static_cast<std::uint64_t>(phase));
  };
  put(bus.chip, start, chip);
  TimePs cursor = start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const hw::OnfiPhase& phase = tenure.phases[i];
    if (phase.start > cursor) show(cursor, BusPhase::wait);
    show(phase.start, phase_code(phase, tenure.kind));
    if (phase.kind == hw::PhaseKind::command) put(bus.opcode, phase.start, phase.opcode);
    cursor = phase.end;
  }
  if (cursor < end) show(cursor, BusPhase::wait);
  show(end, BusPhase::idle);
  seen(start);
}

// Writes in big batches; what is younger than the slack may still get older neighbours.
void WaveRecorder::seen(TimePs start) {
  latest_start_ = std::max(latest_start_, start);
  if (vcd_.pending() < flush_at_ || latest_start_ < options_.slack) return;
  vcd_.advance(latest_start_ - options_.slack);
  flush_at_ = std::max(kSmallestFlush, 2 * vcd_.pending());
  if (!vcd_.ok() && options_.on_failure) std::exchange(options_.on_failure, nullptr)();
}

void WaveRecorder::finish(TimePs end) {
  vcd_.close(end);
  if (!vcd_.ok()) throw InputError(vcd_.error());
  if (end >= options_.window.begin) return;
  throw InputError("wave window begins at " + format_quantity(Dimension::time, options_.window.begin) +
                   ", but the run ended at " + format_quantity(Dimension::time, end));
}

} // namespace twinplane::platform
