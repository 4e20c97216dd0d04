// Plane allocation (PLAlloc): which channel, chip, die and plane takes a write?
//
// Every level is static (a formula of the LPN) or dynamic. LPNs with equal static coordinates form a
// class; each class has a queue of waiting writes. When the static levels name one die, writes are
// bound to it on arrival; otherwise they are bound late, to an idle die ("busy aware").
#pragma once

#include <cstdint>

#include "firmware/ftl/boot_memory.h"
#include "firmware/ftl/config.h"
#include "hw/spec/state_visitor.h"

namespace twinplane::fw {

constexpr std::uint32_t kNoDie = 0xFFFFFFFFu;

/// A set of dies: channels that have one, and per channel its dies as bits chip * dies_per_chip + lun.
struct DieSet {
  std::uint64_t channels = 0;
  std::uint64_t dies[kMaxChannels] = {};

  void add(std::uint32_t channel, std::uint32_t bit) {
    dies[channel] |= std::uint64_t{1} << bit;
    channels |= std::uint64_t{1} << channel;
  }
  void remove(std::uint32_t channel, std::uint32_t bit) {
    dies[channel] &= ~(std::uint64_t{1} << bit);
    if (dies[channel] == 0) channels &= ~(std::uint64_t{1} << channel);
  }
};

class PlaneAllocation {
 public:
  [[nodiscard]] virtual std::uint32_t classes() const = 0;
  [[nodiscard]] virtual std::uint32_t class_of(std::uint32_t lpn) const = 0;
  [[nodiscard]] virtual std::uint32_t class_of_plane(std::uint32_t plane) const = 0;
  /// True when writes are bound late; false when a class names one die.
  [[nodiscard]] virtual bool late() const = 0;
  /// The planes of one die belong to different classes.
  [[nodiscard]] virtual bool plane_is_static() const = 0;
  /// Fill the planes of a die before going to the next: F2, and D, which has the die of a write given
  /// and so gains nothing from going on to another one. Else the next die first (F).
  [[nodiscard]] virtual bool plane_first() const = 0;

  /// The next die for a write of class `c` among `candidates`, kNoDie when there is none. Advances
  /// the round robin counters of the dynamic levels.
  virtual std::uint32_t pick_die(std::uint32_t c, const DieSet& candidates) = 0;

  /// Round robin over the planes of a die: where to start, and what was used.
  [[nodiscard]] virtual std::uint32_t first_plane(std::uint32_t die) const = 0;
  virtual void plane_used(std::uint32_t die, std::uint32_t plane) = 0;

  /// All that lasts, for saving and restoring; a policy without state has nothing to do.
  virtual void serialise(StateVisitor& state) = 0;

 protected:
  ~PlaneAllocation() = default;
};

/// `levels`: static levels in stripe order, letters of CWDP (channel, way = chip, die, plane), the
/// first varies fastest with the LPN; "F" names none. A trailing 2 means plane first.
/// nullptr when the text is not of that form (facts C3).
PlaneAllocation* make_levels_allocation(BootMemory& memory, const FtlConfig& config, const char* levels);

/// True when `levels` has the form above.
bool is_levels_name(const char* levels);

} // namespace twinplane::fw
