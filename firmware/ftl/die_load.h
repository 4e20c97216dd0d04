// How much work a die's flash controller may hold, in operations of a plane: a page, a block, or the pages of a wordline
// that are programmed in one pass. A command of all planes counts as many as the die has planes.
#pragma once

#include <cstdint>

#include "firmware/ftl/config.h"

namespace twinplane::fw {

constexpr std::uint32_t kMostDieQueueDepth = 8;

struct DieLoad {
  /// Commands of reads that a die may be given while it programs or erases.
  static constexpr std::uint32_t kReadsOnTop = 4;

  DieLoad() = default;
  explicit DieLoad(const FtlConfig& config)
      : one_command(!config.suspend && !reads_by_plane(config) && config.die_queue_depth == 1),
        suspend(config.suspend),
        by_plane(reads_by_plane(config)),
        plane_reads(config.die_queue_depth),
        idle_up_to((config.die_queue_depth - 1) * config.geometry.planes_per_die),
        reads_up_to(idle_up_to + kReadsOnTop * config.geometry.planes_per_die),
        most_pages((idle_up_to + config.geometry.planes_per_die) * config.pass_pages +
                   (suspend ? reads_up_to - idle_up_to : 0)) {}

  static bool reads_by_plane(const FtlConfig& config) {
    return config.independent_reads && config.geometry.planes_per_die > 1;
  }

  bool one_command = true; // nothing but an idle die is given anything: the limits are not looked at
  bool suspend = false;
  bool by_plane = false;         // a die that reads may be given further reads, for planes that have few
  std::uint32_t plane_reads = 1; // by_plane: a plane is given as many
  std::uint32_t idle_up_to = 0;  // with no more operations in flight the die may be given any command
  std::uint32_t reads_up_to = 0; // with no more in flight it may be given reads, if it programs or erases
  std::uint32_t most_pages = 0;  // pages, or blocks, that can be in flight
};

} // namespace twinplane::fw
