#include "platform/session/power_cut.h"

#include "hw/core/kernel_time.h"

namespace twinplane::platform {

namespace {
constexpr TimePs kLook = us(50); // longer than the firmware works on a turn
constexpr TimePs kMoment = 1000;
constexpr TimePs kLong = ms(10'000); // longer than any operation of the flash
} // namespace

PowerCut::PowerCut(const sc_core::sc_module_name& name, Ssd& ssd, NvmeHost& host)
    : sc_module(name), ssd_(ssd), host_(host) {
  SC_HAS_PROCESS(PowerCut);
  SC_METHOD(on_time);
  sensitive << time_;
  dont_initialize();
}

void PowerCut::announce(TimePs at, bool held_up) {
  at_ = at;
  held_up_ = held_up;
  end_ = at;
  if (!held_up_) ssd_.announce_power_cut(at);
}

/// From then on something is pending in the kernel at that time, and the drive does not run ahead of it.
void PowerCut::start_of_simulation() {
  if (at_ != kNever) time_.notify(hw::to_sc_time(at_));
}

void PowerCut::on_time() {
  if (held_up_ && (!failing_ || hw::kernel_now() != end_)) return hold_up();
  cut();
  sc_core::sc_stop();
}

std::uint64_t PowerCut::completed() const {
  std::uint64_t sum = 0;
  if (!ssd_.firmware().booted()) return sum;
  const FirmwareWindow& firmware = ssd_.firmware().window();
  for (std::uint32_t c = 0; c < ssd_.config().geometry.channels; ++c) sum += firmware.flash_completed(c);
  return sum;
}

bool PowerCut::under_way() const {
  if (!ssd_.firmware().booted()) return false;
  const FirmwareWindow& firmware = ssd_.firmware().window();
  for (std::uint32_t c = 0; c < ssd_.config().geometry.channels; ++c) {
    if (firmware.flash_under_way(c) != 0) return true;
  }
  return false;
}

/// The firmware has had blocks to write them to. While it boots the host does not trim.
bool PowerCut::trims_kept() const {
  if (!ssd_.firmware().booted()) return true;
  const fw::FtlStatistics& s = ssd_.firmware().window().statistics();
  return s.metadata_kept && s.metadata_given_up == 0;
}

/// Everything is at rest when nothing is under way and nothing has been done since the last look.
void PowerCut::hold_up() {
  const std::uint64_t done = completed();
  const bool rests = failing_ && !under_way() && done == seen_;
  seen_ = done;
  if (!failing_) {
    failing_ = true;
    host_.power_lost(trims_kept());
    ssd_.tell_supply_failed();
  }
  if (!rests) return time_.notify(hw::to_sc_time(kLook));
  end_ = hw::kernel_now() + kMoment;
  ssd_.announce_power_cut(end_);
  time_.notify(hw::to_sc_time(kMoment));
}

void PowerCut::cut() {
  if (done_) return;
  done_ = true;
  if (!failing_) host_.power_lost(trims_kept());
  if (held_up_ && end_ == at_) { // the simulation has ended before, and what is under way ends, too
    end_ = at_ + kLong;
    ssd_.announce_power_cut(end_);
  }
  ssd_.cut_power();
}

} // namespace twinplane::platform
