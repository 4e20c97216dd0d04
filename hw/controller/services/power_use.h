// A limit of what the drive draws: before a tenure that moves data or starts an array the controller
// asks the drive's PowerGrant, and says afterwards what is drawn and until when. A die that is refused does
// not want the bus until there is power for it.
//
// Loads of a one-pass program, resets and status draw nothing of an array. A suspended operation draws
// nothing, and asks again to be resumed. Retries are reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/controller/sequences/op_sequence.h"

namespace twinplane::hw {

class PowerUse final : private PowerGrant::Client {
 public:
  PowerUse(const FlashControllerConfig& config, BusScheduler& bus, std::vector<DieQueue>& dies);

  /// Whether the die's tenure may begin; if not, the die waits until it may ask again.
  [[nodiscard]] bool allows(DieQueue& die, TimePs at);
  /// The tenure that was allowed has been sent, unless something else was missing.
  void note(TimePs at);
  /// R/B# has risen, of a die that could not tell when.
  void end(const DieQueue& die, TimePs at);
  /// The die is silent because there is no power for it: its time comes when others draw less.
  bool keeps_waiting(const DieQueue& die) const;

 private:
  void power_from(std::uint32_t who, TimePs at) override;
  TimePs array_end() const;
  PowerGrant::Asker asker(const DieQueue& die, std::uint32_t plane) const {
    return {member_, die.number * (planes_ + 1) + std::min(plane, planes_)};
  }

  PowerGrant& grant_;
  BusScheduler& bus_;
  std::vector<DieQueue>& dies_;
  const std::uint32_t planes_; // of a die; the number behind them is that of the die as a whole
  const bool by_plane_;
  const std::uint32_t member_;
  /// The tenure that is allowed.
  PowerGrant::Asker asker_;
  StepPower step_;
};

} // namespace twinplane::hw
