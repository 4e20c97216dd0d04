// The targets of a channel, chosen by their CE#.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/pins/pin_levels.h"
#include "hw/pins/pin_target.h"

namespace twinplane::hw {

class PinTargets {
 public:
  /// `shared` must outlive the targets.
  explicit PinTargets(PinTarget::Shared& shared) : shared_(shared) {}

  /// The next target, from 0 on.
  void add(PinTarget::Socket& socket) {
    targets_.push_back(
        std::make_unique<PinTarget>(shared_, socket, static_cast<std::uint32_t>(targets_.size())));
  }

  /// The one whose CE# is low. Null when none is; and when two are, which is a fault.
  PinTarget* addressed(std::uint32_t selected, TimePs now) {
    if (selected == 0) return nullptr;
    if ((selected & (selected - 1)) != 0) {
      shared_.faults.report(PinFault::two_targets, now, "expected one CE# low");
      return nullptr;
    }
    return targets_[static_cast<std::size_t>(__builtin_ctz(selected))].get();
  }

  /// Selects and deselects whose CE# has changed.
  void on_change(const PinLevels& before, const PinLevels& levels, TimePs now) {
    for (std::uint32_t chip = 0; chip < targets_.size(); ++chip) {
      const std::uint32_t changed = (before.selected ^ levels.selected) >> chip & 1u;
      if (changed == 0) continue;
      (levels.selected >> chip & 1u) != 0 ? targets_[chip]->select(now) : targets_[chip]->deselect(now);
    }
  }

  void attach(BusObserver& observer) {
    for (auto& target : targets_) target->attach(observer);
  }

  PinTarget::Shared& shared() { return shared_; }

 private:
  PinTarget::Shared& shared_;
  std::vector<std::unique_ptr<PinTarget>> targets_;
};

} // namespace twinplane::hw
