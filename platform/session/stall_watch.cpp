#include "platform/session/stall_watch.h"

#include <algorithm>
#include <utility>

namespace twinplane::platform {

StallWatch::StallWatch(const sc_core::sc_module_name& name, const Ssd& ssd, const ReplayEngine& replay,
                       TimePs timeout, std::function<void(const std::string&)> end)
    : sc_module(name), ssd_(ssd), replay_(replay), timeout_(timeout), end_(std::move(end)) {
  SC_HAS_PROCESS(StallWatch);
  SC_METHOD(look);
  sensitive << look_;
  dont_initialize();
}

void StallWatch::start_of_simulation() {
  if (ssd_.has_external_events()) look_.notify(hw::to_sc_time(timeout_));
}

void StallWatch::look() {
  const Seen now = see();
  const TimePs busy_until =
      std::max(ssd_.core().local_time(), ssd_.dram_booked_until()); // slow ones may take long
  const std::string who = busy_until > hw::kernel_now() ? std::string() : silent_since(now);
  if (!who.empty()) {
    end_("nothing came from a block of the drive for " + hw::to_sc_time(timeout_).to_string() +
         " and more (run.timeout): " + who + "; " + std::to_string(replay_.outstanding()) +
         " requests are outstanding");
    return;
  }
  seen_ = now;
  look_.notify(hw::to_sc_time(timeout_));
}

StallWatch::Seen StallWatch::see() const {
  const FirmwareWindow& firmware = ssd_.firmware().window();
  Seen seen;
  seen.host_waits = replay_.waits_for_drive();
  seen.requests = replay_.statistics().requests;
  seen.turns = ssd_.firmware().turns();
  for (std::uint32_t c = 0; c < ssd_.config().geometry.channels; ++c) {
    seen.under_way.push_back(firmware.flash_under_way(c));
    seen.completed.push_back(firmware.flash_completed(c));
  }
  return seen;
}

/// The block that has done nothing since the last look though it had something to do, as far as those around
/// it can tell.
std::string StallWatch::silent_since(const Seen& now) const {
  bool flash_works = false;
  for (std::size_t c = 0; c < seen_.under_way.size(); ++c) {
    const bool completed = now.completed[c] != seen_.completed[c];
    flash_works = flash_works || completed;
    if (completed || seen_.under_way[c] == 0) continue;
    return std::string(ssd_.controllers()[c]->name()) + " has not completed " +
           std::to_string(now.under_way[c]) + " flash operations";
  }
  const bool waited = seen_.host_waits && now.host_waits && now.requests == seen_.requests;
  if (!waited || flash_works) return {};
  return silent_in_front(now);
}

/// Front end or core: the host waits, and the flash has nothing to do. The front end owes what the firmware
/// has asked of its DMA ring; the core owes turns.
std::string StallWatch::silent_in_front(const Seen& now) const {
  const hw::FrontEndBlock& front_end = ssd_.front_end();
  const hw::FrontEndStatistics s = front_end.statistics();
  const std::string turns =
      now.turns == seen_.turns ? std::string(ssd_.core().name()) + " has not taken a turn" : std::string();
  if (s.fetched == s.completed) {
    return std::string(front_end.name()) + " has fetched no command, or is not ready" +
           (turns.empty() ? "" : ", and " + turns);
  }
  const std::uint32_t asked = ssd_.firmware().window().dma_posted();
  if (asked != 0 && front_end.fence->done_at(asked) > hw::kernel_now() + timeout_) {
    return std::string(front_end.name()) + " has not executed the DMA that ends " +
           std::to_string(s.fetched - s.completed) + " commands";
  }
  return (turns.empty() ? std::string(ssd_.core().name()) : turns + " and") + " has not completed " +
         std::to_string(s.fetched - s.completed) + " commands, and waits for no flash operation";
}

} // namespace twinplane::platform
