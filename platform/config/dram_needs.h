// How much device DRAM the firmware takes with a configuration, and how much of the drive it exports: it is
// booted on nothing, and asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "firmware/hal/dram_layout.h"
#include "platform/config/config.h"

namespace twinplane::platform {

struct DramNeeds : fw::DramUse {
  std::uint64_t tables = 0; // all that boot_alloc has given but the map
  /// What the host may address. Factory-bad blocks (nand.factory_bad) are not known before the drive is
  /// there, and may take more.
  std::uint64_t exported_bytes = 0;

  /// There are spare blocks for metadata, and for the block table: no power cut undoes trims, and blocks that have
  /// gone bad stay so.
  bool trims_kept = false;
  bool bad_blocks_kept = false;
  bool map_kept = false; // the same of the map, for checkpoints

  /// What hardware looks at lies first, within 4 GiB; tables lie behind it.
  std::uint64_t for_hardware() const { return rings + write_buffer + page_buffers; }
  std::uint64_t total() const {
    return (for_hardware() + kAlignment - 1) / kAlignment * kAlignment + map + tables;
  }

  /// Of each table.
  static constexpr std::uint64_t kAlignment = 64;
};

/// Nothing when the firmware would not boot, for whatever reason: it says so itself.
std::optional<DramNeeds> dram_needs(const Config& config);

/// DramNeeds::exported_bytes; where the firmware would not boot, what derive() makes of over-provisioning.
std::uint64_t exported_bytes(const Config& config);

/// The size of the device's DRAM: dram.size, or what is needed in whole MiB.
std::uint64_t dram_bytes(const Config& config, const std::optional<DramNeeds>& needs);

/// "300MiB (map 288MiB, other tables 9MiB, ...)", each rounded up to 0.1 MiB.
std::string text_of(const DramNeeds& needs);

} // namespace twinplane::platform
