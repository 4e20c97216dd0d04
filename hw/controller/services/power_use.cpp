#include "hw/controller/services/power_use.h"

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

PowerUse::PowerUse(const FlashControllerConfig& config, BusScheduler& bus, std::vector<DieQueue>& dies)
    : grant_(*config.power.grant),
      bus_(bus),
      dies_(dies),
      planes_(config.geometry.planes_per_die),
      by_plane_(config.independent_reads && planes_ > 1),
      member_(grant_.add_client(*this, config.channel)) {}

bool PowerUse::allows(DieQueue& die, TimePs at) {
  step_ = die.sequence->power(die, at);
  asker_ = asker(die, step_.plane);
  if (step_.demand.none()) {
    grant_.withdraw(asker_);
    return true;
  }
  const TimePs again = grant_.ask(asker_, step_.demand, at);
  if (again > at) die.sequence->wait_for_power(die, step_.plane, again);
  return again <= at;
}

/// When the array that the last tenure has started is idle; an operation that others follow into the die is over
/// later than R/B# tells.
TimePs PowerUse::array_end() const {
  const OnfiTenure& tenure = bus_.tenure();
  if (step_.until == StepPower::Until::plane) return tenure.plane_ready_at;
  const bool streams = step_.demand.not_before != 0 || tenure.has(sequence_form::cache);
  const bool later = step_.until == StepPower::Until::array || streams;
  return later ? std::max(tenure.array_ready_at, tenure.ready_at) : tenure.ready_at;
}

void PowerUse::note(TimePs at) {
  const TimePs free = bus_.free();
  if (free > at) {
    const OnfiTenure& tenure = bus_.tenure();
    const bool raw = tenure.sequence == Sequence::raw;
    const TimePs sent = raw ? free : tenure.planes[tenure.plane_count - 1].end;
    grant_.draw(asker_, at, sent, step_.demand.transfer);
    if (step_.demand.array != 0)
      grant_.draw(asker_, std::max(raw ? at : sent, step_.demand.not_before), array_end(),
                  step_.demand.array);
    if (step_.suspends) grant_.cut(asker_, tenure.ready_at);
    constexpr std::uint8_t kIdle = onfi::status::rdy | onfi::status::ardy;
    if (tenure.sequence == Sequence::status && (tenure.planes[0].status & kIdle) == kIdle)
      grant_.close(asker_, free);
  }
  grant_.settle(at, bus_.reached());
}

/// A cache register that is free says nothing of the array.
void PowerUse::end(const DieQueue& die, TimePs at) {
  const bool streams = die.before != nullptr || (die.head != nullptr && die.head->cached);
  if (!streams) grant_.close(asker(die, StepPower::kDie), at);
  for (std::uint32_t p = 0; by_plane_ && p < planes_; ++p) grant_.close(asker(die, p), at);
  grant_.settle(at, bus_.reached());
}

void PowerUse::power_from(std::uint32_t who, TimePs at) {
  DieQueue& die = dies_[who / (planes_ + 1)];
  bus_.enter();
  die.sequence->wait_for_power(die, who % (planes_ + 1), at);
  bus_.arm_when_free(at);
}

bool PowerUse::keeps_waiting(const DieQueue& die) const {
  for (std::uint32_t p = 0; p <= planes_; ++p) {
    if (grant_.waits(asker(die, p))) return true;
  }
  return false;
}

} // namespace twinplane::hw
