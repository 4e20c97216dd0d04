// Operations of the array: what a confirm cycle starts, and what then runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"

namespace twinplane::hw {

/// Who uses a die: the bus, timed; or debug transport, whose operations complete in zero time.
enum class AccessMode : std::uint8_t { bus, debug };
constexpr std::size_t kAccessModes = 2;

enum class ArrayKind : std::uint8_t { read, program, erase };

/// 30h, 10h, D0h, 31h after an address, 15h: starts the planes that are queued and this one together.
struct ArrayCommand {
  ArrayKind kind = ArrayKind::read;
  bool slc = false;
  PlaneAddress address;
  TimePs at = 0;           // R/B# falls: end of the confirm cycle + tWB
  bool cache = false;      // 31h, 15h
  bool copyback = false;   // 35h
  std::uint32_t pages = 1; // that a pass programs in each plane
};

/// An operation as observers are told of it, with the addresses of its `planes_in_group` planes.
struct ArrayGroup : ArrayOperation {
  ArrayKind kind = ArrayKind::read;
  std::array<PlaneAddress, kMaxPlanesPerDie> planes{};

  bool holds_block(const PlaneAddress& place) const {
    for (std::uint32_t i = 0; i < planes_in_group; ++i) {
      if (planes[i].plane == place.plane && planes[i].block == place.block) return true;
    }
    return false;
  }
};

} // namespace twinplane::hw
