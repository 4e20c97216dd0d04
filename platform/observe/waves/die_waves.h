// What dies and planes do: ssd.planes_busy, ssd.chN.chipC.dieD.{rb_n,group,violation} and
// ...planeP.{operation,state,page_type,block,page}, with an SLC-mode cache {mode,level}, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/core/observer.h"
#include "hw/spec/geometry.h"
#include "platform/observe/waves/wave_codes.h"
#include "platform/observe/waves/wave_signals.h"

namespace twinplane::platform {

class DieWaves {
 public:
  /// `level` is empty in drives without an SLC-mode cache.
  DieWaves(const Geometry& geometry, WaveSignals& signals, BlockLevel level);

  void declare_drive();
  /// Declares the signals of a die and its planes.
  void declare(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun);

  void array(std::uint32_t channel, const hw::ArrayOperation& operation);
  /// The usual start of a command in one pass: all planes are free before it. False, with nothing done, when
  /// it takes array().
  [[nodiscard]] bool group(std::uint32_t channel, const hw::ArrayOperation& all,
                           const hw::PlaneAddress* places);
  void array_change(std::uint32_t channel, hw::ArrayChange change, const hw::ArrayOperation& operation);
  void ready_busy(std::uint32_t channel, std::uint32_t chip, std::uint32_t lun, bool ready, TimePs at);
  void violation(std::uint32_t channel, const hw::Violation& violation);

 private:
  struct Die {
    WaveSignals::Signal rb_n, group, violation;
    TimePs group_start = kNever;    // of the command that `group` shows: its planes are announced one by one
    TimePs group_end = 0;           // of all commands that `group` shows
    std::uint32_t group_planes = 0; // of the command that ends then
    TimePs falls_at = 0;            // R/B#, as told last
    TimePs rises_at = 0;
  };
  struct Plane {
    WaveSignals::Signal state, page_type, block, page, mode, level;
    WaveSignals::Signal pages; // of a program in one pass, for the text
    TimePs busy_until = 0;
    WaveValue at_rest = 0; // what `state` shows between operations: idle or suspended
  };

  void declare_plane(const std::string& name, Plane& plane);
  void show_rest(const Plane& plane, hw::PlaneState ended, TimePs at);
  void show_page(const Plane& plane, const hw::ArrayOperation& operation);
  void show_use(const Plane& plane, const hw::ArrayOperation& operation, std::uint32_t block);
  void stop(Die& die, Plane& plane, TimePs at);
  void end_group(Die& die, const hw::ArrayOperation& operation);

  Geometry geometry_;
  WaveSignals& signals_;
  BlockLevel level_;
  WaveSignals::Signal planes_busy_;
  std::vector<Die> dies_;
  std::vector<Plane> planes_;
};

} // namespace twinplane::platform
