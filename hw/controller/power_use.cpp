// A limit of what the drive draws: before a tenure that moves data or starts an array the controller
// asks the drive's PowerGrant, and says afterwards what is drawn and until when. A die that is refused does
// not want the bus until there is power for it.
//
// Loads of a one-pass program, resets and status draw nothing of an array. A suspended operation draws
// nothing, and asks again to be resumed. Retries are reads.
#include <algorithm>
#include <cmath>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

std::int64_t FlashController::current(FlashOp op, std::uint32_t planes) const {
  const PowerConfig& p = config_.power;
  const std::int64_t one = op == FlashOp::read                                 ? p.read
                           : op == FlashOp::program || op == FlashOp::copyback ? p.program
                           : op == FlashOp::erase                              ? p.erase
                                                                               : 0;
  return std::llround(static_cast<double>(one) * (1 + (planes - 1) * p.further_planes));
}

/// For the bus cannot be faster than it is configured, and spare bytes come on top.
TimePs FlashController::least_time_in(const FlashGroup& group) const {
  std::uint64_t sectors = 0;
  for (std::uint32_t i = 0; i < group.count; ++i)
    sectors += static_cast<std::uint32_t>(__builtin_popcount(group.planes[i].sector_mask));
  return config_.data_in.of(sectors * config_.geometry.sector_size);
}

PowerDemand FlashController::demand_of_array(const DieState& die, FlashOp op) const {
  return {0, current(op, die.head->count), 0, 0};
}

/// The head is sent to the die, or what comes before it.
PowerDemand FlashController::demand_of_command(const DieState& die) const {
  const FlashGroup& group = *die.head;
  if (group.next_load != nullptr && group.op() == FlashOp::program && group.apart)
    return {config_.power.data_in, 0, 0, 0};
  if (group.op() == FlashOp::read_id) return {config_.power.data_out, 0, 0, 0};
  if (group.op() == FlashOp::set_features) return {config_.power.data_in, 0, 0, 0};
  if (group.op() == FlashOp::copyback) return demand_of_array(die, FlashOp::read);
  if (group.op() != FlashOp::program) return demand_of_array(die, group.op());
  if (group.apart) return {}; // it is not known yet when its data come
  return {config_.power.data_in, current(FlashOp::program, group.count), least_time_in(group),
          die.before == nullptr || die.before_end == kNever ? 0 : die.before_end};
}

/// 31h starts the array, 3Fh does not.
PowerDemand FlashController::demand_ahead(const DieState& die) const {
  if (!read_ahead_possible(die)) return {};
  return {0, current(FlashOp::read, die.head->count), 0,
          die.ahead && die.ahead_end != kNever ? die.ahead_end : 0};
}

/// Of the die's tenure that is next.
PowerDemand FlashController::demand_of(std::uint32_t die, TimePs at) {
  const DieState& state = dies_[die];
  const PowerDemand data_out{config_.power.data_out, 0, 0, 0};
  switch (state.stage) {
    case Stage::command:
      return demand_of_command(state);
    case Stage::data_out: {
      const bool ahead = !state.head->in_cache_registers && read_ahead_possible(state);
      return ahead ? demand_ahead(state) : data_out;
    }
    case Stage::cache_read:
      return demand_ahead(state);
    case Stage::answer: // of a target: parameter page, features
      return data_out;
    case Stage::level: // its parameters are data on the bus, too
      return {config_.power.data_in, 0, 0, 0};
    case Stage::resume:
      return demand_of_array(state, state.head->op());
    case Stage::copy:
      return demand_of_array(state, FlashOp::program);
    case Stage::plane_reads: {
      const PlaneRead& plane = next_plane(die, at);
      if (plane.stage == Stage::command) return {0, current(FlashOp::read, 1), 0, 0};
      return plane.stage == Stage::data_out ? data_out : PowerDemand{};
    }
    default:
      return {};
  }
}

/// Whether the die's tenure may begin; if not, the die waits until it may ask again.
bool FlashController::has_power(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  PlaneRead* const plane = state.stage == Stage::plane_reads ? &next_plane(die, at) : nullptr;
  const bool whole = plane == nullptr;
  powered_.asker = whole ? asker(die) : asker(die, static_cast<std::uint32_t>(plane - planes_of(die)));
  powered_.demand = demand_of(die, at);
  powered_.stage = state.stage;
  if (powered_.demand.none()) {
    power_->withdraw(powered_.asker);
    return true;
  }
  const TimePs again = power_->ask(powered_.asker, powered_.demand, at);
  if (again <= at) return true;
  if (whole) {
    want(die, state.stage, again);
  } else {
    plane->due = again;
    state.reading_waits = false; // the bus has been granted
    want_planes(die);
  }
  return false;
}

/// When the array that `tenure_` has started is idle; an operation that others follow into the die is over
/// later than R/B# tells.
TimePs FlashController::array_end() const {
  switch (powered_.stage) {
    case Stage::plane_reads:
      return tenure_.plane_ready_at;
    case Stage::data_out: // 31h
    case Stage::cache_read:
      return std::max(tenure_.array_ready_at, tenure_.ready_at);
    default:
      break;
  }
  const bool streams = powered_.demand.not_before != 0 || tenure_.has(sequence_form::cache);
  return streams ? std::max(tenure_.array_ready_at, tenure_.ready_at) : tenure_.ready_at;
}

/// The tenure that had power has been sent, unless something else was missing.
void FlashController::note_power(TimePs at) {
  const auto& [who, demand, stage] = powered_;
  if (bus_free_ > at) {
    const bool raw = tenure_.sequence == Sequence::raw;
    const TimePs sent = raw ? bus_free_ : tenure_.planes[tenure_.plane_count - 1].end;
    power_->draw(who, at, sent, demand.transfer);
    if (demand.array != 0)
      power_->draw(who, std::max(raw ? at : sent, demand.not_before), array_end(), demand.array);
    if (stage == Stage::suspend) power_->cut(who, tenure_.ready_at);
    constexpr std::uint8_t kIdle = onfi::status::rdy | onfi::status::ardy;
    if (tenure_.sequence == Sequence::status && (tenure_.planes[0].status & kIdle) == kIdle)
      power_->close(who, bus_free_);
  }
  power_->settle(at, agenda_ != nullptr ? agenda_->run_ahead().now() : now_);
}

/// R/B# has risen, of a die that could not tell when. A cache register that is free says nothing of the
/// array.
void FlashController::power_ends(std::uint32_t die, TimePs at) {
  const DieState& state = dies_[die];
  const bool streams = state.before != nullptr || (state.head != nullptr && state.head->cached);
  if (!streams) power_->close(asker(die), at);
  if (!plane_reads_.empty()) {
    for (std::uint32_t p = 0; p < config_.geometry.planes_per_die; ++p) power_->close(asker(die, p), at);
  }
  power_->settle(at, agenda_ != nullptr ? agenda_->run_ahead().now() : now_);
}

void FlashController::power_from(std::uint32_t who, TimePs at) {
  const std::uint32_t planes = config_.geometry.planes_per_die;
  const std::uint32_t die = who / (planes + 1);
  now_ = kernel_now();
  if (who % (planes + 1) != planes) {
    planes_of(die)[who % (planes + 1)].due = at;
    want_planes(die);
  } else {
    waiters_.remove(die);
    want(die, dies_[die].stage, at);
  }
  arm(std::max(bus_free_, at));
}

/// Nobody's silence: its time comes when others draw less.
bool FlashController::waits_for_power(std::uint32_t die) const {
  if (power_ == nullptr) return false;
  bool waits = false;
  for (std::uint32_t p = 0; p <= config_.geometry.planes_per_die; ++p)
    waits = waits || power_->waits(asker(die, p));
  return waits;
}

} // namespace twinplane::hw
