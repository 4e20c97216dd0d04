// Log pages (NVMe 1.4 section 5.14.1) and what they are made of.
#pragma once

#include <cstdint>

#include "firmware/hal/hal.h"
#include "firmware/nvme/config.h"
#include "firmware/nvme/storage_backend.h"
#include "firmware/nvme/supported.h"

namespace twinplane::fw {

constexpr std::uint32_t kLogPageBytes = 4096; // no page of this device is longer

/// One error log entry (figure 193), 64 bytes, as the host reads it.
struct ErrorEntry {
  std::uint64_t count = 0; // 1 for the first error since boot; 0 = unused entry
  std::uint16_t sqid = 0;
  std::uint16_t cid = 0;
  std::uint16_t status = 0;         // status field shifted left by the phase tag's bit
  std::uint16_t parameter = 0xFFFF; // location in the command; FFFFh: not given
  std::uint64_t lba = 0;
  std::uint32_t nsid = 0;
  std::uint32_t vendor = 0;
  std::uint64_t command_specific = 0;
  std::uint8_t reserved[24] = {};
};
static_assert(sizeof(ErrorEntry) == 64, "NVMe 1.4 figure 193");

/// The last errors, newest first when read.
class ErrorLog {
 public:
  static constexpr std::uint32_t kEntries = 64; // identify ELPE + 1

  /// Numbers the entry and stores it over the oldest.
  void add(ErrorEntry entry);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Writes kEntries entries, newest first.
  void write_page(std::uint8_t* page) const { write_newest(page, kEntries); }
  void write_newest(std::uint8_t* page, std::uint32_t entries) const;

 private:
  ErrorEntry entries_[kEntries];
  std::uint64_t count_ = 0;
};

/// What the firmware counts for the SMART / health page.
struct HealthCounters : DriveRecord {
  std::uint16_t over_temperature = 0xFFFF; // feature 04h, kelvin
  std::uint16_t under_temperature = 0;
  std::uint32_t reserved = 0; // no byte of a kept state is left to chance
};

namespace health_warning {
constexpr std::uint8_t spare = 1u << 0; // less than the threshold is left
constexpr std::uint8_t temperature = 1u << 1;
constexpr std::uint8_t read_only = 1u << 3;
constexpr std::uint8_t backup_failed = 1u << 4; // of volatile memory
} // namespace health_warning

/// Bits of the page's "critical warning".
std::uint8_t critical_warning(const HealthCounters& health, const NvmeConfig& config,
                              const FtlStatistics& flash);

struct HealthSources {
  const HealthCounters& health;
  const NvmeConfig& config;
  const FtlStatistics& flash;
  std::uint64_t errors;
  std::uint64_t now_ps;
};
/// 512 bytes of `page` (zeroed by the caller).
void write_health_page(std::uint8_t* page, const HealthSources& sources);

/// 512 bytes: slot 1 active, its revision.
void write_firmware_slot_page(std::uint8_t* page, const NvmeConfig& config);

/// Vendor log C0h, 512 bytes, all counters since boot. Byte offsets of 64-bit words are
/// 8 * the index in this list.
enum class FlashLogWord : std::uint8_t {
  version = 0, // 1
  host_pages_written,
  host_pages_read,
  programs_lsb, // by page type
  programs_csb,
  programs_msb,
  programs_top,
  programs_host, // by cause
  programs_gc,
  programs_wear,
  programs_partial_rmw,
  programs_migration,
  gc_invocations,
  gc_pages_moved,
  gc_blocks_erased,
  pages_trimmed,
  read_pages, // flash pages read, those in multi-plane commands, those commands
  read_multi_pages,
  read_multi_commands,
  program_pages,
  program_multi_pages,
  program_multi_commands,
  erase_blocks,
  erase_multi_blocks,
  erase_multi_commands,
  flash_failures,
  free_blocks,
  valid_pages,
  words
};
void write_flash_statistics_page(std::uint8_t* page, const FtlStatistics& flash);

} // namespace twinplane::fw
