// From configuration keys to the structs the models take.
#pragma once

#include <cstdint>

#include "firmware/boot/firmware.h"
#include "firmware/ftl/config.h"
#include "hw/spec/nand_timing.h"
#include "platform/config/config.h"

namespace twinplane::platform {

/// Timing table of bus.interface and bus.mode. A mode that does not exist gives an all-zero table;
/// the checks refuse it before a run.
BusTiming to_bus_timing(const Config& config);

/// Read levels that the flash controllers go through: retries, then senses for soft decisions.
std::uint32_t read_levels(const Config& config);
ArrayTiming to_array_timing(const Config& config);

/// Bytes that follow the data of each sector on the flash bus: its share of the spare area, an even number as
/// DDR buses move, or its parity.
std::uint32_t parity_per_sector(const Config& config);

/// What CAP.MQES and the firmware agree on: at least 1024.
std::uint32_t max_queue_entries(const Config& config);
/// precondition.phase: each plane begins at a page of its own.
bool starts_at_random_pages(const Config& config);

/// The names in the result point into `config`, which must outlive the firmware.
fw::FtlConfig to_ftl_config(const Config& config);
/// The serial number of a drive whose configuration has none: another one for another module or seed.
std::string serial_number_of(const std::string& drive, std::uint64_t seed);
fw::FirmwareConfig to_firmware_config(const Config& config);

/// Which pages share a wordline: nand.page_table, unless the part programs wordlines in one pass.
PageTable page_table(const Config& config);

/// ftl.regions divides the blocks of a plane into hot and cold ones.
bool several_regions(const Config& config);
/// Its blocks are an SLC-mode cache and native ones.
bool has_slc_cache(const Config& config);
/// Units of the map in a page, 1 where pages are mapped whole, also in an SLC-mode cache. Of a valid configuration.
std::uint32_t map_units(const Config& config);
/// With as many out-of-band words per page (geometry.subpages_per_page) as the map has units there.
Geometry geometry_of_parts(const Config& config);

/// ftl.gc_threshold in blocks per plane (a share is rounded up).
std::uint32_t gc_threshold_blocks(const Config& config);

/// ftl.write_buffer in pages (a size is rounded down).
std::uint32_t write_buffer_pages(const Config& config);

} // namespace twinplane::platform
