// FlashController: packages that cannot tell beforehand when R/B# rises, and those that keep it low for ever.
#include <algorithm>
#include <string>

#include "hw/controller/flash_controller.h"
#include "hw/core/block_error.h"

namespace twinplane::hw {

/// What waits for the die gets its turn now. With status polls the edge only tells how long the array took.
void FlashController::rises(std::uint32_t chip, std::uint32_t lun, TimePs at) {
  const Geometry& g = config_.geometry;
  if (chip >= g.chips_per_channel || lun >= g.dies_per_chip || at < kernel_now()) {
    const std::string text = std::string(name()) + ": R/B# of chip " + std::to_string(chip) + " LUN " +
                             std::to_string(lun) +
                             ": expected a LUN of this channel, and no time that has passed";
    SC_REPORT_ERROR(kBlockReport, text.c_str());
    return;
  }
  now_ = kernel_now();
  const std::uint32_t die = chip * g.dies_per_chip + lun;
  DieState& state = dies_[die];
  if (power_ != nullptr) power_ends(die, at);
  if (state.stage == Stage::plane_reads) return planes_rise(die, at);
  if (state.ready_at != kNever) return; // nobody waits for it: a reset, perhaps
  state.ready_at = at;
  const bool waits = !config_.poll_status && state.head != nullptr && waiters_.waits_for_ever(die);
  if (!waits) return;
  waiters_.remove(die);
  want(die, state.stage, at);
  arm(std::max(bus_free_, at));
}

/// R/B# is that of the LUN: all planes whose end nobody knew are ready.
void FlashController::planes_rise(std::uint32_t die, TimePs at) {
  bool any = false;
  for (std::uint32_t planes = dies_[die].reading; planes != 0; planes &= planes - 1) {
    PlaneRead& plane = planes_of(die)[__builtin_ctz(planes)];
    if (plane.ready_at != kNever) continue;
    plane.ready_at = at;
    if (plane.due != kNever) continue;
    plane.due = at;
    any = true;
  }
  if (!any) return;
  want_planes(die);
  arm(std::max(bus_free_, at));
}

// --- patience ---

/// Somebody waits for an edge that nobody has announced.
void FlashController::watch(TimePs since) {
  const TimePs at = std::max(since + config_.ready_timeout, now_);
  if (at >= watched_until_) return; // what is due earlier looks again
  watched_until_ = at;
  watch_event_.notify(to_sc_time(at - now_));
}

void FlashController::on_watch() {
  watched_until_ = kNever;
  now_ = kernel_now();
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    TimePs since = kNever;
    if (waits_for_power(die)) {
      watch(now_);
      continue;
    }
    if (dies_[die].stage == Stage::plane_reads) {
      const PlaneRead& first = next_plane(die, 0);
      if (first.due == kNever) since = first.command_end;
    } else if (dies_[die].stage != Stage::idle && waiters_.waits_for_ever(die)) {
      since = dies_[die].command_end;
    }
    if (since == kNever) continue;
    check_patience(die, since, now_);
    watch(since);
  }
}

void FlashController::poll_again(std::uint32_t die, TimePs end, TimePs at) {
  check_patience(die, dies_[die].command_end, end);
  want(die, dies_[die].stage, std::max(end, at + config_.poll_interval));
}

void FlashController::check_patience(std::uint32_t die, TimePs since, TimePs now) const {
  if (now < since + config_.ready_timeout) return;
  const std::uint32_t luns = config_.geometry.dies_per_chip;
  report_silence(chip_name(die / luns), "become ready (LUN " + std::to_string(die % luns) + ")", since, now);
}

} // namespace twinplane::hw
