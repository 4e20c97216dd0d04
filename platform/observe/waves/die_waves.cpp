#include "platform/observe/waves/die_waves.h"

#include <algorithm>
#include <utility>

namespace twinplane::platform {
namespace {

constexpr TimePs kViolationPulse = ns(100);

} // namespace

DieWaves::DieWaves(const Geometry& geometry, WaveSignals& signals, BlockLevel level)
    : geometry_(geometry),
      signals_(signals),
      level_(std::move(level)),
      dies_(geometry.dies()),
      planes_(geometry.planes()) {}

void DieWaves::declare_drive() {
  planes_busy_ = signals_.wire(signals_.module() + ".planes_busy", signal_bits(geometry_.planes() + 1), 0);
}

void DieWaves::declare(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun) {
  const std::string name =
      signals_.channel(channel) + ".chip" + std::to_string(chip) + ".die" + std::to_string(lun) + ".";
  Die& die = dies_[geometry_.die_index(channel, chip, lun)];
  die.rb_n = signals_.wire(name + "rb_n", 1, 1);
  die.group = signals_.wire(name + "group", signal_bits(geometry_.planes_per_die + 1), 0);
  die.violation = signals_.wire(name + "violation", 4, 0);
  for (std::uint32_t p = 0; p < geometry_.planes_per_die; ++p) {
    declare_plane(name + "plane" + std::to_string(p) + ".",
                  planes_[geometry_.die_index(channel, chip, lun) * geometry_.planes_per_die + p]);
  }
}

void DieWaves::declare_plane(const std::string& name, Plane& plane) {
  const bool text = signals_.selects(name + "operation");
  plane.state = signals_.followed_wire(name + "state", 3, 0, text);
  plane.page_type = signals_.followed_wire(name + "page_type", 2, kHighZ, text);
  plane.block =
      signals_.followed_wire(name + "block", signal_bits(geometry_.blocks_per_plane), kUnknown, text);
  plane.page = signals_.followed_wire(name + "page", signal_bits(geometry_.pages_per_block), kUnknown, text);
  if (level_) {
    plane.mode = signals_.followed_wire(name + "mode", 1, kUnknown, text);
    plane.level = signals_.wire(name + "level", signal_bits(kBlockLevels), kUnknown);
  }
  if (!text) return;
  const WaveSignals::Signal mode = level_ ? plane.mode : signals_.hidden_wire(1, kUnknown);
  plane.pages = signals_.hidden_wire(3, 1);
  signals_.text(name + "operation",
                {plane.state, plane.page_type, plane.block, plane.page, mode, plane.pages},
                [cell = geometry_.cell](char* out, const WaveTexts::Values& values) {
                  return operation_text(out, cell, values);
                });
}

/// What a plane that does nothing shows: no page type.
void DieWaves::show_rest(const Plane& plane, hw::PlaneState ended, TimePs at) {
  signals_.put(plane.state, at, plane.at_rest);
  if (ended != hw::PlaneState::erasing) signals_.put(plane.page_type, at, kHighZ);
}

/// Of the pages of a pass the last one; the text says all.
void DieWaves::show_page(const Plane& plane, const hw::ArrayOperation& operation) {
  signals_.put(plane.page_type, operation.start, operation.page_type);
  signals_.put(plane.page, operation.start, operation.page);
  signals_.put(plane.pages, operation.start, operation.pages);
}

/// The mode is the die's, the level the firmware's: it does not change from the block's first program until
/// it is opened again, so it does not matter how long before its start an operation is announced.
void DieWaves::show_use(const Plane& plane, const hw::ArrayOperation& operation, std::uint32_t block) {
  if (!level_) return;
  const auto number = static_cast<std::uint32_t>(&plane - planes_.data());
  signals_.put(plane.mode, operation.start, operation.slc ? 1 : 0);
  signals_.put(plane.level, operation.start, level_(number, block));
}

void DieWaves::array(std::uint32_t channel, const hw::ArrayOperation& operation) {
  const std::uint32_t die = geometry_.die_index(channel, operation.chip, operation.lun);
  Plane& plane = planes_[die * geometry_.planes_per_die + operation.plane];
  // All for the start first, then all for the end: neighbours of the same time cost less.
  const bool first_of_command =
      operation.start != dies_[die].group_start || operation.end > dies_[die].group_end;
  if (first_of_command) signals_.put(dies_[die].group, operation.start, operation.planes_in_group);
  signals_.put(plane.state, operation.start, static_cast<WaveValue>(operation.state));
  signals_.put(plane.block, operation.start, operation.block);
  show_use(plane, operation, operation.block);
  if (operation.state != hw::PlaneState::erasing) show_page(plane, operation);
  // An operation that cuts another one short takes over its place in the count.
  signals_.adjust(planes_busy_, operation.start < plane.busy_until ? plane.busy_until : operation.start, 1);
  show_rest(plane, operation.state, operation.end);
  signals_.adjust(planes_busy_, operation.end, -1);
  if (first_of_command) end_group(dies_[die], operation);
  plane.busy_until = operation.end;
  dies_[die].group_start = operation.start;
}

// Neighbouring changes of the same time cost less: all for the start, then all for the end.
bool DieWaves::group(std::uint32_t channel, const hw::ArrayOperation& all, const hw::PlaneAddress* places) {
  const std::uint32_t index = geometry_.die_index(channel, all.chip, all.lun);
  Die& die = dies_[index];
  Plane* const planes = &planes_[index * geometry_.planes_per_die];
  const hw::PlaneAddress* const last = places + all.planes_in_group;
  if (all.start < die.group_end || all.start == die.group_start) return false; // beside another one
  const auto busy = [&](const hw::PlaneAddress& place) { return all.start < planes[place.plane].busy_until; };
  if (std::any_of(places, last, busy)) return false;

  const auto count = static_cast<std::int32_t>(all.planes_in_group);
  signals_.put(die.group, all.start, all.planes_in_group);
  for (const hw::PlaneAddress* place = places; place != last; ++place) {
    const Plane& plane = planes[place->plane];
    signals_.put(plane.state, all.start, static_cast<WaveValue>(all.state));
    signals_.put(plane.block, all.start, place->block);
    show_use(plane, all, place->block);
    if (all.state != hw::PlaneState::erasing) show_page(plane, all);
  }
  signals_.adjust(planes_busy_, all.start, count);
  for (const hw::PlaneAddress* place = places; place != last; ++place) {
    Plane& plane = planes[place->plane];
    show_rest(plane, all.state, all.end);
    plane.busy_until = all.end;
  }
  signals_.adjust(planes_busy_, all.end, -count);
  signals_.put(die.group, all.end, 0);
  die.group_start = all.start;
  die.group_end = all.end;
  die.group_planes = all.planes_in_group;
  return true;
}

// Planes that read independently are commands beside each other. The newest one is shown while it runs, then
// the one that ends last; its end is announced again, because the start of the newest one has replaced it.
void DieWaves::end_group(Die& die, const hw::ArrayOperation& operation) {
  const bool beside = operation.start < die.group_end && operation.state == hw::PlaneState::reading;
  if (beside && operation.end < die.group_end) {
    signals_.put(die.group, operation.end, die.group_planes);
    signals_.put(die.group, die.group_end, 0);
    return;
  }
  signals_.put(die.group, operation.end, 0);
  die.group_end = operation.end;
  die.group_planes = operation.planes_in_group;
}

void DieWaves::ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready,
                          TimePs at) {
  Die& die = dies_[geometry_.die_index(channel, chip, lun)];
  if (!ready) {
    die.falls_at = at;
  } else {
    const bool postponed = die.falls_at < die.rises_at && die.rises_at < at;
    if (postponed) signals_.put(die.rb_n, die.rises_at, 0);
    die.rises_at = at;
  }
  signals_.put(die.rb_n, at, ready ? 1 : 0);
}

void DieWaves::array_change(std::uint32_t channel, hw::ArrayChange change,
                            const hw::ArrayOperation& operation) {
  const std::uint32_t die = geometry_.die_index(channel, operation.chip, operation.lun);
  Plane& plane = planes_[die * geometry_.planes_per_die + operation.plane];
  plane.at_rest = change == hw::ArrayChange::suspended ? kSuspendedState : 0;
  if (change == hw::ArrayChange::resumed) {
    array(channel, operation);
  } else {
    stop(dies_[die], plane, operation.start);
  }
}

// The announced end of what the plane does no longer holds.
void DieWaves::stop(Die& die, Plane& plane, TimePs at) {
  show_rest(plane, hw::PlaneState::programming, at);
  signals_.put(die.group, at, 0);
  die.group_start = kNever;
  die.group_end = at;
  if (at >= plane.busy_until) return;
  signals_.adjust(planes_busy_, at, -1);
  signals_.adjust(planes_busy_, plane.busy_until, 1);
  plane.busy_until = at;
}

void DieWaves::violation(std::uint32_t channel, const hw::Violation& violation) {
  if (violation.chip >= geometry_.chips_per_channel || violation.lun >= geometry_.dies_per_chip) return;
  const Die& die = dies_[geometry_.die_index(channel, violation.chip, violation.lun)];
  signals_.put(die.violation, violation.time, violation_code(violation.rule));
  signals_.put(die.violation, violation.time + kViolationPulse, 0);
}

} // namespace twinplane::platform
