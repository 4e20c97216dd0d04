#include "firmware/nvme/logs.h"

#include "firmware/nvme/little_endian.h"

namespace twinplane::fw {

namespace {

constexpr std::uint64_t kPsPerMinute = 60'000'000'000'000;

// Section 5.14.1.2: thousands of 512 byte units, rounded up.
std::uint64_t data_units(std::uint64_t sectors, std::uint32_t sector_size) {
  return (sectors * (sector_size / 512) + 999) / 1000;
}

// Mean erases per block against the rated endurance, capped at 255 (byte 5).
std::uint8_t percentage_used(const FtlStatistics& flash, const NvmeConfig& config) {
  const std::uint64_t rated = std::uint64_t{config.geometry.blocks()} * config.endurance_cycles;
  if (rated == 0) return 0;
  const std::uint64_t percent = flash.erases * 100 / rated;
  return static_cast<std::uint8_t>(percent > 255 ? 255 : percent);
}

constexpr std::uint8_t kSpareThresholdPercent = 10;

// Spare blocks left of those at boot (byte 3).
std::uint8_t available_spare(const FtlStatistics& flash) {
  const std::uint64_t spare = flash.spare_blocks_at_boot;
  if (flash.retired_blocks == 0) return 100;
  if (flash.retired_blocks >= spare) return 0;
  return static_cast<std::uint8_t>((spare - flash.retired_blocks) * 100 / spare);
}

} // namespace

void ErrorLog::add(ErrorEntry entry) {
  entry.count = ++count_;
  entries_[count_ % kEntries] = entry;
}

void ErrorLog::write_newest(std::uint8_t* page, std::uint32_t entries) const {
  for (std::uint32_t i = 0; i < entries; ++i)
    put(page, i * sizeof(ErrorEntry), entries_[(count_ - i) % kEntries]);
}

std::uint8_t critical_warning(const HealthCounters& health, const NvmeConfig& config,
                              const FtlStatistics& flash) {
  const bool outside = config.temperature_kelvin >= health.over_temperature ||
                       config.temperature_kelvin <= health.under_temperature;
  const bool little_spare = available_spare(flash) < kSpareThresholdPercent;
  return static_cast<std::uint8_t>((little_spare ? health_warning::spare : 0) |
                                   (outside ? health_warning::temperature : 0) |
                                   (flash.read_only ? health_warning::read_only : 0) |
                                   (flash.buffered_sectors_left != 0 ? health_warning::backup_failed : 0));
}

void write_health_page(std::uint8_t* page, const HealthSources& s) {
  put(page, 0, critical_warning(s.health, s.config, s.flash));
  put(page, 1, s.config.temperature_kelvin);
  put(page, 3, available_spare(s.flash));
  put(page, 4, kSpareThresholdPercent);
  put(page, 5, percentage_used(s.flash, s.config));
  put(page, 32, data_units(s.health.sectors_read, s.config.geometry.sector_size));
  put(page, 48, data_units(s.health.sectors_written, s.config.geometry.sector_size));
  put(page, 64, s.health.read_commands);
  put(page, 80, s.health.write_commands);
  put(page, 96, s.health.busy_ps / kPsPerMinute);
  put(page, 112, s.health.power_cycles);
  put(page, 128, s.now_ps / (60 * kPsPerMinute));
  put(page, 144, s.health.unsafe_shutdowns);
  put(page, 160, s.health.media_errors);
  put(page, 176, s.errors);
}

void write_firmware_slot_page(std::uint8_t* page, const NvmeConfig& config) {
  put(page, 0, std::uint8_t{1}); // AFI: slot 1 runs now and after the next reset
  put_text(page, 8, 8, config.firmware_revision);
}

void write_flash_statistics_page(std::uint8_t* page, const FtlStatistics& f) {
  const std::uint64_t words[] = {
      1,
      f.host_pages_written,
      f.host_pages_read,
      f.programs_by_type[0],
      f.programs_by_type[1],
      f.programs_by_type[2],
      f.programs_by_type[3],
      f.pages_programmed[static_cast<int>(ProgramCause::host)],
      f.pages_programmed[static_cast<int>(ProgramCause::gc)],
      f.pages_programmed[static_cast<int>(ProgramCause::wear)],
      f.pages_programmed[static_cast<int>(ProgramCause::partial_rmw)],
      f.pages_programmed[static_cast<int>(ProgramCause::migration)],
      f.gc_invocations,
      f.gc_pages_moved,
      f.gc_blocks_erased,
      f.pages_trimmed,
      f.read_pages,
      f.read_multi_pages,
      f.read_multi_commands,
      f.program_pages,
      f.program_multi_pages,
      f.program_multi_commands,
      f.erase_blocks,
      f.erase_multi_blocks,
      f.erase_multi_commands,
      f.flash_failures,
      f.free_blocks,
      f.valid_pages,
  };
  static_assert(sizeof words == 8 * static_cast<unsigned>(FlashLogWord::words), "one value per FlashLogWord");
  std::memcpy(page, words, sizeof words);
}

} // namespace twinplane::fw
