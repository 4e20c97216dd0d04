// The resolved configuration of one run: plain values, filled by ConfigLoader (loader.h).
//
// A new parameter is a member with its default here and a row in a registry_*.cpp table; parser,
// --set, dump, docs and report follow. Units: times in picoseconds, sizes in bytes, rates in Hz or
// bytes per second, shares as fractions (0.15 = 15 %). Meanings and limits are in the registry rows
// (docs/configuration.md lists them).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "firmware/ftl/config.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/geometry.h"
#include "hw/spec/page_order.h"
#include "hw/spec/reliability.h"
#include "hw/spec/sim_time.h"

namespace twinplane::platform {

/// Times per page type, in program order (after loading, count == page types of the cell), or per read level.
struct TimeList {
  std::array<TimePs, 8> at{};
  std::uint32_t count = 0;
};

/// A number of blocks, or a share of a plane's blocks when share > 0.
struct BlocksOrShare {
  std::uint32_t blocks = 0;
  double share = 0;
};

/// A number of pages, or a size when bytes > 0.
struct PagesOrBytes {
  std::uint32_t pages = 0;
  std::uint64_t bytes = 0;
};

/// In the order of hw::kArbiters.
enum class BusArbitration : std::uint8_t { round_robin, read_first, shortest_tenure_first };
enum class ReadyDetection : std::uint8_t { pin, poll };
/// automatic: decided when the workload is known (platform/session/run.cpp); a Simulation takes it as closed.
enum class HostMode : std::uint8_t { automatic, open, closed };
enum class QueueArbitration : std::uint8_t { round_robin, weighted };
enum class Remap : std::uint8_t { error, modulo };
enum class PreconditionMode : std::uint8_t { none, fill, aged, trace };
enum class PlanePhase : std::uint8_t { automatic, equal, random };
enum class RateProcess : std::uint8_t { linear, poisson };
enum class WaveLevel : std::uint8_t { phases, pins };

struct SlcModeKeys {
  TimePs tR = 0;
  TimePs tPROG = 0;
  TimePs tBERS = 0;
};

/// Rates are those of raw bit errors, growth is relative.
struct ErrorKeys {
  ErrorReading reading = ErrorReading::off;
  double fresh = 1e-5;
  double worn = 2.8e-4;
  double partial = 0.35714286;
  double neighbour = 0.25;
  double upper_pages = 2;
  double retention = 0;
  double retention_power = 0.5;
  double read_disturb = 0;
  double retry = 0.5;
  std::uint32_t cycles = 0;
  double age = 0;
};

struct NandKeys {
  TimeList tR;
  TimeList tPROG;
  TimeList tR_level{{us(400)}, 1}; // by read level, the last one for all further ones
  TimePs tBERS = 0;
  TimePs tDBSY = ns(500);
  ProgramOrder program_order = ProgramOrder::strict;
  PageTable page_table = PageTable::diagonal;
  bool pac = true;
  bool bac = true;
  std::uint32_t partial_programs = 1;
  std::uint32_t copybacks = kAnyCopybacks;
  std::uint32_t wordline_buffer = kAllWordlines;
  bool one_pass = false;
  TimePs tPROG_wordline = 0; // 0: that of the last page type
  TimePs tDCBSYW = us(4);
  SlcModeKeys slc;
  TimePs tRCBSY = us(3);
  TimePs tCBSY = us(4);
  TimePs tPSPD = us(150);
  TimePs tESPD = us(300);
  std::uint32_t endurance = 3000;
  double factory_bad = 0;
  double fail_program = 0;
  double fail_erase = 0;
  double fail_read = 0;
  std::uint32_t fail_parameter_page = 0;
  ErrorKeys errors;
  bool suspend = false;
  bool independent_plane_reads = false;
};

struct BusKeys {
  std::string interface = "nv-ddr3"; // a name of hw/spec/nand_timing.h
  std::uint32_t mode = 0;
  TimePs ns_per_byte = ns(3);
  BusArbitration arbitration = BusArbitration::read_first;
  TimePs age_limit = 0;
  ReadyDetection ready = ReadyDetection::pin;
  TimePs poll_interval = us(10);
  bool hold_tDBSY = true;
  bool spare_area = true;
  bool monitor = false;
};

struct EccKeys {
  EccCode code = EccCode::fixed;
  std::uint64_t codeword = 1024;
  std::uint32_t parity = 70;
  bool parity_on_bus = false;
  std::uint32_t corrects = 40;
  TimePs fastest = ns(500);
  TimePs slowest = us(96) + ns(800);
  bool early_termination = true;
  std::uint64_t throughput = 0;
  std::uint32_t soft_corrects = 80;
  std::uint32_t soft_senses = 3;
  TimePs sense_time = us(100);
};

struct ControllerKeys {
  TimePs ecc_latency = us(2);
  std::uint32_t read_retries = 0;
  TimePs suspend_gain = us(500);
  std::uint32_t suspends = 16;
  std::uint32_t suspend_reads = 16;
  bool cache_reads = false;
  bool cache_programs = false;
  EccKeys ecc;
};

/// Cycles per instruction of an image.
struct CpiKeys {
  double base = 1;
  double load_store = 1;
  double branch = 1;
  double multiply = 1;
  double dram = 0;
};

struct CpuKeys {
  std::uint64_t clock = 1'000'000'000;
  TimePs run_ahead = 0;
  std::uint64_t cache_size = 0;
  std::uint64_t cache_line = 64;
  std::uint32_t cache_ways = 1;
  fw::CostTable cost;
  std::string firmware; // image; empty: code of this program
  CpiKeys cpi;
  TimePs watchdog = ms(1000);
};

struct PcieKeys {
  std::uint32_t generation = 3;
  std::uint32_t lanes = 4;
  TimePs latency = ns(150);
  std::uint32_t max_payload = 256;
  std::uint32_t tags = 32;
  bool ideal = false;
  std::string serial_number; // empty: serial_number_of() the drive
};

struct DramKeys {
  TimePs latency = ns(60);
  std::uint64_t size = 0; // 0: as much as the drive needs (dram_needs.h)
  std::uint64_t bandwidth = 12'800'000'000;
};

struct HostKeys {
  HostMode mode = HostMode::automatic;
  std::uint32_t iodepth = 32;
  std::uint32_t queues = 1;
  std::uint32_t queue_size = 1024;
  QueueArbitration arbitration = QueueArbitration::round_robin;
  std::uint32_t rounds = 1;
  double drive_writes = 0;
  bool repeat_rounds = false;
  std::uint64_t report_round = 0;
  double time_scale = 1;
  Remap remap = Remap::modulo;
  std::uint64_t max_transfer = 128u << 10;
  std::uint32_t slots = 1024;
  bool shadow_doorbells = false;
  std::uint64_t max_requests = 0;
};

/// In the order of the words of ftl.hot_share_of, broms.victim_model.
enum class ShareOf : std::uint8_t { blocks, capacity };
enum class VictimModel : std::uint8_t { law, measured };

/// Regions of blocks; what only BROMS reads is in a section of its own.
struct RegionKeys {
  std::string regions = "one";
  double hot_share = 0.3;
  ShareOf hot_share_of = ShareOf::blocks;
  std::uint64_t hot_request = 4096;
  double cold_log = 0.5;
  std::uint32_t second_chances = 2;
  double cold_age = 0;
  VictimModel victim_model = VictimModel::law;
  double hysteresis = 0.001;
  std::uint32_t horizon = 0;
  std::uint32_t window = 4096;
};

/// How the collector moves pages inside a plane; in the order of the words of ftl.copyback.
enum class CopybackPolicy : std::uint8_t { never, checked, unchecked };

/// In the order of the words of slc_cache.fit, .update, .access, .full_pages, .eviction, .when_full.
enum class CacheFit : std::uint8_t { at_most, less };
enum class CacheUpdate : std::uint8_t { subset, whole };
enum class CacheAccess : std::uint8_t { write, any };
enum class FullPages : std::uint8_t { cache, native };
enum class CacheEviction : std::uint8_t { page, packed };
enum class FullCache : std::uint8_t { wait, direct };

/// An SLC-mode cache.
struct SlcCacheKeys {
  double share = 0.05;
  double least_share = 0;
  double most_share = 0;
  double gc_threshold = 0.05;
  CacheFit fit = CacheFit::at_most;
  CacheUpdate update = CacheUpdate::subset;
  CacheAccess access = CacheAccess::write;
  FullPages full_pages = FullPages::cache;
  CacheEviction eviction = CacheEviction::page;
  FullCache when_full = FullCache::wait;
  double endurance = 10;
  std::uint32_t wear_gap = 0;
};

/// That of MQSim's configuration (Static_Wearleveling_Threshold), and long after what most runs last.
constexpr std::uint32_t kUsualWearGap = 100;

struct FtlKeys {
  std::string policy = "conventional";
  std::string classifier = "none";
  std::string plane_allocation = "F2";
  std::string block_allocation = "conventional";
  bool slc_mode = false;
  std::string mapping = "page";
  std::string victim = "greedy";
  std::uint32_t victim_d = 10;
  std::string relocation = "same";
  std::uint32_t small_request = 1;
  std::uint32_t queue_threshold = 10;
  std::string scheduling = "read_first";
  fw::Pairing pair = fw::Pairing::any;
  fw::Frontier frontier = fw::Frontier::separate;
  std::uint32_t host_streams = 1;
  fw::GcMoves gc_moves = fw::GcMoves::single;
  fw::TbmGc tbm_gc = fw::TbmGc::paper;
  CopybackPolicy copyback = CopybackPolicy::never;
  std::uint32_t copyback_limit = 3;
  double over_provisioning = 0.15;
  std::uint32_t wear_gap = kUsualWearGap;
  std::uint32_t checkpoint_interval = 0;
  BlocksOrShare gc_threshold{3, 0};
  PagesOrBytes write_buffer;
  fw::WriteAck write_ack = fw::WriteAck::programmed;
  fw::LowerPageProtection lower_pages = fw::LowerPageProtection::backup;
  std::uint32_t die_queue_depth = 1;
  std::uint32_t page_buffers = 0; // 0: by host.slots and planes
  TimePs age_limit = 0;
  fw::ProgramUnit program_unit = fw::ProgramUnit::plane;
  fw::EraseUnit erase_unit = fw::EraseUnit::block;
  TimePs pack_timeout = ms(1);
  std::uint32_t map_unit = 0; // bytes; 0: a page
  RegionKeys region;
  SlcCacheKeys slc_cache;
};

struct PreconditionKeys {
  PreconditionMode mode = PreconditionMode::none;
  double fill = 0.7;
  double overwrite = 0;
  double valid = 0;
  PlanePhase phase = PlanePhase::automatic;
};

struct WorkloadKeys {
  std::string rw = "randread";
  std::uint64_t bs = 4096;
  std::string bssplit;
  std::uint32_t rwmixread = 50;
  std::uint32_t rwmixtrim = 0;
  std::string random_distribution = "random";
  std::uint32_t percentage_random = 100;
  bool randommap = false;
  std::uint64_t blockalign = 0;
  std::uint64_t rate_iops = 0;
  RateProcess rate_process = RateProcess::linear;
  TimePs thinktime = 0;
  std::uint64_t thinktime_blocks = 1;
  std::uint64_t fsync = 0;
  std::uint64_t number_ios = 10000;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t seed = 1;
  bool time_based = false;
  TimePs runtime = 0;
  std::uint64_t ramp_ios = 0;
};

struct WavesKeys {
  bool vcd = false;
  bool fst = false;
  bool perfetto = false;
  WaveLevel level = WaveLevel::phases;
  std::string scope;
  TimePs from = 0;
  TimePs to = 0;
};

struct ReportKeys {
  TimePs interval = ms(1);
  bool requests = false;
  bool energy = false;
  bool plane_time = false;
  bool profile = false;
};

/// Volts, milliamperes, milliwatts, picojoules per byte.
struct EnergyKeys {
  double VCC = 3.3, VCCQ = 1.2;
  double ICC1 = 0, ICC2 = 0, ICC3 = 0;
  double further_planes = 1;
  double ICC4R = 0, ICC4W = 0, ICCQ4R = 0, ICCQ4W = 0;
  double ISB = 0;
  double core = 200, controller = 300;
  double link = 40, ecc = 20;
  double dram = 60, dram_standby = 50;
  double peak_limit = 0; // mA at VCC; 0: none
};

struct PowerKeys {
  std::uint32_t hold_up = 65536; // pages
};

struct RunKeys {
  std::uint64_t seed = 1;
  bool progress = false;
  bool strict = false;
  TimePs timeout = ms(1000);
  std::uint64_t check_turns = 0; // turns of the firmware between two checks of its tables; 0: never
};

/// Defaults that depend on the kind of cell or bus are filled in by the loader's presets
/// (presets.h): take a Config from ConfigLoader or default_config(), not from Config{}.
struct Config {
  Geometry geometry{4, 1, 2, 4, 128, 384, 8192, 448, 4096, 1, CellType::tlc};
  NandKeys nand;
  BusKeys bus;
  ControllerKeys controller;
  CpuKeys cpu;
  PcieKeys pcie;
  DramKeys dram;
  HostKeys host;
  FtlKeys ftl;
  PreconditionKeys precondition;
  DataMode data = DataMode::tag;
  WorkloadKeys workload;
  WavesKeys waves;
  ReportKeys report;
  EnergyKeys energy;
  PowerKeys power;
  RunKeys run;
  std::array<std::uint64_t, fw::kFeatureSlots> feature_values{}; // keys that features of the firmware name
  /// Not a key: whether the platform around the drive may call wait() in b_transport of its memory.
  bool host_waits = true;
};

} // namespace twinplane::platform
