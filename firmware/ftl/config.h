// Everything the platform tells the FTL at boot, without a pointer. Policies are named; policies.h lists the
// names.
#pragma once

#include <cstdint>

#include "firmware/ftl/partition/write_cost.h"
#include "firmware/hal/cost.h"
#include "firmware/hal/fixed_text.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/page_order.h"

namespace twinplane::fw {

enum class WriteAck : std::uint8_t { programmed, buffered };
/// How the flash bus is driven; fixed: the parts know no timing modes. (Feature 01h has one code for two.)
enum class BusInterface : std::uint8_t { fixed, sdr, nv_ddr, nv_ddr2, nv_ddr3, nv_lpddr4 };
enum class Pairing : std::uint8_t { off, next, any };
enum class ProgramUnit : std::uint8_t { plane, die };
enum class EraseUnit : std::uint8_t { block, die, chip, channel, drive };
enum class Frontier : std::uint8_t { shared, separate };
enum class GcMoves : std::uint8_t { single, multi };
enum class LowerPageProtection : std::uint8_t { none, backup, wordline };
enum class TbmGc : std::uint8_t { paper, simulator };

/// Parameters and counters that features name themselves (feature_set.h): as many of either as a build may have.
constexpr std::uint32_t kFeatureSlots = 16;

/// The longest an operation of one page (or block) may take, from the parts' parameter pages. For promises to
/// the host only: what the firmware does never depends on it.
struct FlashTimes {
  std::uint64_t read_ps = 0;
  std::uint64_t program_ps = 0; // lower pages that it reads first included
  std::uint64_t erase_ps = 0;
  std::uint64_t transfer_ps = 0; // of a page over the bus
  std::uint64_t core_ps = 0;     // of the processor per operation, when nothing is done together
  std::uint64_t dram_ps = 0;     // of the data of an operation, one way, when nothing else uses the DRAM
};

/// Two regions of blocks (regions/regions.h), and what is known of the flash to divide them by cost.
struct RegionConfig {
  double hot_share = 0.3;           // of the blocks, at first ...
  bool share_of_capacity = false;   // ... or of what they hold
  std::uint64_t hot_bytes = 4096;   // hot_size: requests up to that size are hot
  double cold_age = 0;              // hot pages not written while the host wrote so many hot regions are cold
  double cold_log = 0.5;            // combo_logs: share of the hot blocks that the cold log has
  std::uint32_t second_chances = 2; // combo_logs: rounds of the cold log before a page leaves it
  std::uint32_t window = 4096;      // pages written that averages go over
  double hysteresis = 0.001;        // broms: share of the cost that a change must save
  std::uint32_t horizon = 0;        // broms: pages that pay for moving a victim's across; 0 = until rewritten
  bool measured_victims = false;    // broms: victims as measured, instead of equation 6
  FlashCosts flash{256, 75, 450, 1300, 3800}; // in microseconds
};

/// An SLC-mode cache (features/slc_cache/slc_cache.h). What the paper leaves open is a choice here.
struct SlcCacheConfig {
  double share = 0.05;                // of the blocks of a plane, at boot ...
  double least_share = 0;             // ... and from when the drive is full ...
  double most_share = 0;              // ... to when it is empty; 0: `share` as well
  double gc_threshold = 0.05;         // of a plane's cache: collect when fewer pages can be handed out
  std::uint32_t partial_programs = 4; // of a page between erases (NOP)
  bool at_most = true;                // an update fits when its page has that many free subpages; else more
  bool union_update = false;          // an update writes all of the logical page that is mapped
  bool any_access = false;            // reads are accesses, too
  bool full_to_native = false;        // pages written as a whole go past the cache
  bool packed_eviction = false;       // native pages hold subpages of any logical pages; else of one
  bool direct_when_full = false; // pages that find no place in the cache go to native blocks; else they wait
  double endurance = 10;         // erases in SLC mode that wear as much as a native one
  std::uint32_t wear_gap = 0;    // native erases between a region's blocks; 0: no wear levelling
};

constexpr std::uint32_t kFewestPageBuffers = 64; // that a configuration may ask for

using PolicyName = FixedText<32>;

struct FtlConfig {
  Geometry geometry;
  DataMode data_mode = DataMode::tag;
  ProgramOrder program_order = ProgramOrder::strict;
  PageTable page_table = PageTable::diagonal;
  bool slc_mode = false;        // every block in SLC mode: one page per wordline
  std::uint32_t pass_pages = 1; // native pages programmed in one pass: a wordline's, or one
  std::uint32_t map_units = 1;  // units of the map per page, any of which may lie in any page
  ProgramUnit program_unit = ProgramUnit::plane; // what writes wait for each other to fill
  EraseUnit erase_unit = EraseUnit::block;       // what is opened, collected and erased together
  std::uint64_t pack_timeout_ps = 1'000'000'000; // longest wait of writes for others of their page or pass
  bool pac = true;                               // multi-plane commands need equal page addresses
  bool bac = true;                               // ... and equal block addresses
  BusInterface bus_interface = BusInterface::fixed;
  std::uint8_t bus_mode = 0;
  bool marked_blocks = false; // the parts have factory-bad blocks: look for their marks at boot

  PolicyName classifier = "none";
  PolicyName plane_allocation = "F2";
  PolicyName block_allocation = "conventional";
  PolicyName mapping = "page";
  PolicyName regions = "one";
  RegionConfig region;
  SlcCacheConfig slc_cache;
  PolicyName victim = "greedy";
  std::uint32_t victim_d = 10; // rga: size of the random set
  PolicyName relocation = "same";
  std::uint32_t small_request_pages = 1; // SBS, size: requests up to that many pages are small
  std::uint32_t queue_threshold = 10;    // QDS: more requests in the device than this are a burst
  PolicyName scheduling = "read_first";
  std::uint64_t age_limit_ps = 0; // read_first, paq: longest wait for a die before reads; 0 = no limit

  Pairing pair = Pairing::any;
  Frontier frontier = Frontier::separate;
  std::uint32_t host_streams = 1; // of its pages: all of them, or hot ones and others
  GcMoves gc_moves = GcMoves::single;
  std::uint32_t copybacks = 0;           // moves of a page by copyback in a row (features/copyback)
  TbmGc tbm_gc = TbmGc::paper;           // twin blocks only: how valid pages are assigned to planes
  double over_provisioning = 0.15;       // (raw - exported) / raw
  std::uint32_t gc_threshold_blocks = 3; // per plane: start GC when fewer free blocks are left
  std::uint32_t wear_gap = 0;            // erases that a block may lag behind before its data move; 0: any
  std::uint32_t write_buffer_pages = 0;  // 0 = no buffer
  WriteAck write_ack = WriteAck::programmed;
  std::uint32_t checkpoint_interval = 0; // pages programmed between two checkpoints of the tables; 0: none
  std::uint64_t seed = 1;

  /// The flash controllers suspend programs and erases: a busy die is given reads as well.
  bool suspend = false;
  /// The planes of a die read independently: reads are sent one by one, each to a plane that has few.
  bool independent_reads = false;
  std::uint32_t hold_up_pages = 0; // that can be programmed after the supply has failed
  /// Without hold-up energy: of pages that the program of another one may ruin (lower_pages/).
  LowerPageProtection lower_pages = LowerPageProtection::none;
  std::uint32_t die_queue_depth = 1; // commands of a die that its flash controller may hold
  std::uint32_t page_buffers = 0;    // of the transaction pool; 0: by command slots and planes

  std::uint32_t max_requests = 1024; // command slots of the front end
  std::uint32_t dram_base = 0; // first byte of device DRAM that is the FTL's; boot owns what lies before
  bool used_cells = false;     // the cells were written in an earlier life: their tables are to be recovered
  bool cached_tables = false;  // Hal::touch() wants to know of accesses to the map
  CostTable cost;
  FlashTimes times;
  std::uint64_t feature_values[kFeatureSlots] = {}; // see feature_value()
};

/// What the FTL sees of the dies: in SLC mode a block has a page per wordline, all of one type.
inline Geometry geometry_in_use(const FtlConfig& config) {
  Geometry g = config.geometry;
  if (config.slc_mode) {
    g.pages_per_block /= static_cast<std::uint32_t>(g.cell);
    g.cell = CellType::slc;
  }
  return g;
}

} // namespace twinplane::fw
