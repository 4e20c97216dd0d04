// Counters of the FTL; the platform reads them for summary.json. Plain numbers, no formatting.
#pragma once

#include <cstdint>

#include "firmware/ftl/config.h"
#include "firmware/ftl/regions/region.h"
#include "hw/spec/geometry.h"

namespace twinplane::fw {

/// Why a page was programmed.
enum class ProgramCause : std::uint8_t {
  host,
  gc,
  wear,
  partial_rmw,
  migration,
  metadata,
  backup,
  padding,
  refresh
};
constexpr std::uint32_t kProgramCauses = 9;

/// What happened in one of several regions.
struct RegionCounters {
  std::uint64_t host_pages = 0;  // programmed for the host
  std::uint64_t moved_pages = 0; // programmed by the collector, from wherever
  std::uint64_t read_pages = 0;  // by the collector
  std::uint64_t erases = 0;
  std::uint64_t collections = 0; // victims
  std::uint64_t victim_valid_pages = 0;
  std::uint64_t grabs = 0;  // erased blocks that it has taken from another region
  std::uint64_t across = 0; // victims whose pages were to leave it
  std::uint64_t made = 0;   // victims that make a block for another region
};

/// What one of several regions has, in all planes.
struct RegionGauges {
  std::uint64_t blocks = 0;   // on its lists
  std::uint64_t erased = 0;   // of them
  std::uint64_t capacity = 0; // pages of its blocks in their mode, but for the erased ones that are kept
  std::uint64_t valid = 0;    // pages
};

/// What happened in an SLC-mode cache.
struct CacheCounters {
  std::uint64_t updates[4] =
      {};                    // writes of the host to what was mapped, by the level that took them, 0 native
  std::uint64_t in_page = 0; // of them into the page of the old version
  std::uint64_t new_writes = 0;      // the others
  std::uint64_t read_hits_cache = 0; // page reads for the host
  std::uint64_t read_hits_native = 0;
  std::uint64_t evicted_pages = 0; // native pages programmed with what leaves the cache
  std::uint64_t evicted_subpages = 0;
  std::uint64_t native_host_pages = 0; // native pages programmed with what the host writes
  std::uint64_t collections = 0;       // of cache blocks, and what was used of them ...
  std::uint64_t collected_used = 0;
  std::uint64_t collected_subpages = 0;  // ... of so many
  std::uint64_t disturbed_in_page = 0;   // valid subpages in a page that is programmed once more
  std::uint64_t disturbed_neighbour = 0; // and in the pages beside it
  std::uint64_t search_blocks = 0;       // looked at for victims
  std::uint64_t wear_collections = 0;    // of blocks that lagged behind in wear
  std::uint64_t exchanged_blocks = 0;    // erased ones, between the regions, for the sake of wear
};

/// What an SLC-mode cache has.
struct CacheGauges {
  std::uint64_t blocks[4] = {}; // in use, by level
  std::uint64_t size = 0;       // blocks that are its own, in use or not
  std::uint64_t valid = 0;      // subpages
  double mapping_bytes = 0;     // what the scheme's tables take
  double label_bytes = 0;
  double isr_bytes = 0;
  double wear_least = 0; // in native erases
  double wear_mean = 0;
  double wear_most = 0;
};

struct FtlStatistics {
  std::uint64_t host_pages_written = 0; // page-sized write sub-requests accepted from the host
  std::uint64_t host_sectors_written = 0;
  std::uint64_t host_pages_read = 0;
  std::uint64_t pages_programmed[kProgramCauses] = {};
  std::uint64_t sectors_left_out[kProgramCauses] = {}; // of these pages: programs of a part of a page
  std::uint64_t programs_by_type[kMaxPageTypes] = {};
  std::uint64_t type_wanted[kMaxPageTypes] = {};  // host pages whose classifier asked for this type ...
  std::uint64_t type_granted[kMaxPageTypes] = {}; // ... and that were given it
  std::uint64_t rmw_reads = 0;                    // reads made to complete partial page writes
  std::uint64_t unmapped_reads = 0;               // sub-requests answered without flash
  std::uint64_t buffer_read_hits = 0;
  std::uint64_t buffer_write_hits = 0;
  std::uint64_t pages_trimmed = 0;
  std::uint64_t parts_trimmed = 0; // of pages, units of which stay

  std::uint64_t gc_invocations = 0;
  std::uint64_t gc_pages_moved = 0;
  std::uint64_t gc_blocks_erased = 0;
  std::uint64_t gc_victim_valid_pages = 0; // summed over victims at selection

  // commands and pages of each kind, and those that left as multi-plane commands (2 or more planes)
  std::uint64_t read_pages = 0, read_multi_commands = 0, read_multi_pages = 0;
  std::uint64_t program_pages = 0, program_multi_commands = 0, program_multi_pages = 0;
  std::uint64_t erase_blocks = 0, erase_multi_commands = 0, erase_multi_blocks = 0;
  // the collector's part of the reads and programs above
  std::uint64_t gc_read_pages = 0, gc_read_multi_pages = 0;
  std::uint64_t gc_program_pages = 0, gc_program_multi_pages = 0;
  std::uint64_t gc_copybacks = 0;     // of its programs those by copyback
  std::uint64_t wordline_passes = 0;  // wordlines programmed in one pass ...
  std::uint64_t padded_pages = 0;     // ... and pages of them that hold nothing
  std::uint64_t wear_collections = 0; // of gc_invocations: of blocks that lagged behind in wear
  std::uint64_t hot_host_pages = 0;   // pages of the host's stream of hot data
  std::uint64_t metadata_blocks_erased = 0;
  std::uint64_t backup_blocks_erased = 0; // of copies of lower pages
  std::uint64_t backups_copied_on = 0;    // copies that still counted when their block was to be erased
  std::uint64_t metadata_given_up = 0;    // times that no block was to be had for metadata
  std::uint64_t checkpoints = 0;          // written to the end

  std::uint64_t blocked_on_space = 0;      // times a host write found no free page and had to wait
  std::uint64_t short_of_page_buffers = 0; // times a request found no page buffer and had to wait
  std::uint64_t short_of_write_buffer = 0; // ... no room in the write buffer
  std::uint64_t flash_failures = 0;        // completions with flash_result::fail

  std::uint64_t dominated_by[kMaxPageTypes] = {}; // writes by the slowest page type among their parts

  RegionCounters regions[kMaxRegions]; // zero where there is one region
  std::uint64_t misplaced_pages = 0;   // moved to the cold region as they had not been written for long

  CacheCounters cache; // zero where there is no SLC-mode cache

  std::uint64_t feature_counters[kFeatureSlots] = {}; // see feature_counter()

  bool metadata_kept = false;   // what words do not tell is written as well (metadata/)
  bool bad_blocks_kept = false; // the block table as well
  bool map_kept = false;        // ... and the map: checkpoints
  bool read_only = false;       // worn out: writes are refused

  // gauges, kept up to date
  std::uint64_t free_pages_by_type[kMaxPageTypes] = {};
  std::uint64_t free_blocks = 0;
  std::uint64_t valid_pages = 0;
  std::uint64_t lost_sectors = 0;          // of the host's data, see LostSectors
  std::uint64_t buffered_sectors_left = 0; // see BufferedWrites::sectors_left()
  std::uint64_t spare_blocks_at_boot = 0;  // good ones, but for exported pages and the collector's reserves
  std::uint64_t retired_blocks = 0;        // since boot
  std::uint64_t erases = 0;                // of all blocks since boot
  RegionGauges region[kMaxRegions];
  CacheGauges cached;
  double hot_writes = 0; // share of the pages written of late that were asked for as hot
};

} // namespace twinplane::fw
