// Do the parts that a recorder is told of exist in the geometry that it was given? Where they do not, it was
// given that of another drive. The running simulation is not disturbed: the end of the recording says so.
#pragma once

#include <cstdint>
#include <string>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/config/error.h"

namespace twinplane::platform {

class KnownParts {
 public:
  explicit KnownParts(const Geometry& geometry) : geometry_(geometry) {}

  bool has(std::uint32_t channel, std::uint32_t chip = 0, std::uint32_t lun = 0, std::uint32_t plane = 0) {
    const bool known = channel < geometry_.channels && chip < geometry_.chips_per_channel &&
                       lun < geometry_.dies_per_chip && plane < geometry_.planes_per_die;
    if (!known && stranger_.empty()) note(channel, chip, lun, plane);
    return known;
  }
  bool has(std::uint32_t channel, const hw::ArrayOperation& operation) {
    return has(channel, operation.chip, operation.lun, operation.plane);
  }
  /// `module`: name of the drive. Throws InputError when has() has ever been false.
  void require_all(const std::string& module) const {
    if (stranger_.empty()) return;
    throw InputError("the recorder of \"" + module + "\" was told of " + stranger_ +
                     ", which its geometry does not have: expected the geometry of the drive that it is "
                     "attached to");
  }

 private:
  [[gnu::cold]] void note(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, std::uint32_t plane) {
    stranger_ = "channel " + std::to_string(channel) + ", chip " + std::to_string(chip) + ", LUN " +
                std::to_string(lun) + ", plane " + std::to_string(plane);
  }

  Geometry geometry_;
  std::string stranger_; // the first one
};

} // namespace twinplane::platform
