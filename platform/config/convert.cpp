#include "platform/config/convert.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/ftl/policies.h"

namespace twinplane::platform {

BusTiming to_bus_timing(const Config& config) {
  return find_bus_timing(config.bus.interface, config.bus.mode, config.bus.ns_per_byte).value_or(BusTiming{});
}

std::uint32_t read_levels(const Config& config) {
  const EccKeys& ecc = config.controller.ecc;
  return config.controller.read_retries + (ecc.code == EccCode::ldpc ? ecc.soft_senses : 0);
}

ArrayTiming to_array_timing(const Config& config) {
  ArrayTiming t;
  std::copy_n(config.nand.tR.at.begin(), t.tR.size(), t.tR.begin());
  std::copy_n(config.nand.tPROG.at.begin(), t.tPROG.size(), t.tPROG.begin());
  const TimeList& levels = config.nand.tR_level;
  for (std::uint32_t i = 0; i < t.tR_level.size(); ++i) {
    const bool soft = i >= config.controller.read_retries && i < read_levels(config);
    t.tR_level[i] = soft ? config.controller.ecc.sense_time : levels.at[std::min(i, levels.count - 1)];
  }
  t.tBERS = config.nand.tBERS;
  t.slc_tR = config.nand.slc.tR;
  t.slc_tPROG = config.nand.slc.tPROG;
  t.slc_tBERS = config.nand.slc.tBERS;
  t.tDBSY = config.nand.tDBSY;
  t.tRCBSY = config.nand.tRCBSY;
  t.tCBSY = config.nand.tCBSY;
  t.tPROG_wordline = config.nand.tPROG_wordline;
  if (t.tPROG_wordline == 0) t.tPROG_wordline = t.tPROG[static_cast<std::size_t>(config.geometry.cell) - 1];
  t.tDCBSYW = config.nand.tDCBSYW;
  t.tPSPD = config.nand.tPSPD;
  t.tESPD = config.nand.tESPD;
  return t;
}

std::uint32_t gc_threshold_blocks(const Config& config) {
  const BlocksOrShare& threshold = config.ftl.gc_threshold;
  if (threshold.share <= 0) return threshold.blocks;
  return static_cast<std::uint32_t>(std::ceil(threshold.share * config.geometry.blocks_per_plane));
}

std::uint32_t write_buffer_pages(const Config& config) {
  const PagesOrBytes& buffer = config.ftl.write_buffer;
  if (buffer.bytes == 0) return buffer.pages;
  return static_cast<std::uint32_t>(buffer.bytes / config.geometry.page_size);
}

namespace {

/// DRAM that has no other user.
TimePs crossing(const Config& config, std::uint64_t bytes) {
  return static_cast<TimePs>(static_cast<double>(bytes) * 1e12 / static_cast<double>(config.dram.bandwidth));
}

/// The steps of one operation, each at its full price, and of the map two lines, each in the place of one
/// that goes back.
std::uint64_t core_time(const Config& config) {
  const CpuKeys& cpu = config.cpu;
  const fw::CostTable& c = cpu.cost;
  const std::uint64_t cycles = std::uint64_t{c.interrupt} + c.map_lookup + c.allocate + c.flash_submit +
                               c.flash_complete + c.dma_submit + c.gc_select;
  const TimePs lines =
      cpu.cache_size == 0 ? 0 : 2 * (config.dram.latency + crossing(config, 2 * cpu.cache_line));
  return cycles * (1'000'000'000'000u / cpu.clock) + lines;
}

/// Of a read with all its retries, or of a program.
TimePs dram_time(const Config& config) {
  const std::uint32_t reads = 1 + read_levels(config);
  const std::uint32_t programs = config.nand.one_pass ? static_cast<std::uint32_t>(config.geometry.cell) : 1;
  return std::max(reads, programs) * crossing(config, config.geometry.page_size);
}

/// Of a page that nothing else of the channel is in front of.
TimePs slowest_decode(const Config& config) {
  const EccKeys& e = config.controller.ecc;
  return e.code == EccCode::fixed ? config.controller.ecc_latency : e.slowest;
}

/// Of the retries of a page that nothing helps, at both ends of which the level is set.
TimePs slowest_retry(const Config& config, const ArrayTiming& array, TimePs transfer) {
  const TimePs set = array.tFEAT + config.bus.poll_interval + us(2);
  TimePs sum = set;
  for (std::uint32_t i = 0; i < read_levels(config); ++i) {
    sum += set + array.tR_level[i] + transfer + slowest_decode(config);
  }
  return read_levels(config) == 0 ? 0 : sum;
}

/// What a parameter page would say, and what the processor adds.
fw::FlashTimes to_flash_times(const Config& config) {
  const ArrayTiming array = to_array_timing(config);
  const BusTiming bus = to_bus_timing(config);
  const auto slowest = [&config](const auto& by_type) {
    return *std::max_element(by_type.begin(),
                             by_type.begin() + static_cast<std::ptrdiff_t>(config.geometry.cell));
  };
  fw::FlashTimes t;
  t.read_ps = std::max(slowest(array.tR), array.slc_tR) + slowest_decode(config);
  t.program_ps = std::max(slowest(array.tPROG), array.slc_tPROG);
  if (config.nand.wordline_buffer < kAllWordlines) t.program_ps += 2 * t.read_ps;
  t.erase_ps = std::max(array.tBERS, array.slc_tBERS);
  const std::uint64_t bytes = config.geometry.page_size + config.geometry.spare_size;
  if (config.nand.one_pass) {
    const auto pages = static_cast<TimePs>(config.geometry.cell);
    t.program_ps = std::max(array.slc_tPROG, array.tPROG_wordline);
    t.program_ps += pages * (array.tDCBSYW + bus.data_in.of(bytes) + config.bus.poll_interval + us(2));
  }
  t.transfer_ps = std::max(bus.data_in.of(bytes), bus.data_out.of(bytes)) + config.bus.poll_interval + us(2);
  t.read_ps += slowest_retry(config, array, t.transfer_ps);
  t.core_ps = core_time(config);
  t.dram_ps = dram_time(config);
  return t;
}

} // namespace

std::uint32_t parity_per_sector(const Config& config) {
  const EccKeys& e = config.controller.ecc;
  const Geometry& g = config.geometry;
  if (!e.parity_on_bus) return config.bus.spare_area ? g.spare_size / g.sectors_per_page() & ~1u : 0;
  const std::uint64_t parity = std::uint64_t{config.geometry.sector_size} * e.parity;
  return static_cast<std::uint32_t>((parity + e.codeword - 1) / e.codeword);
}

namespace {

/// Costs in microseconds, of the cells alone: those of the paper.
fw::RegionConfig to_region_config(const Config& config) {
  const RegionKeys& k = config.ftl.region;
  const auto us_of = [](TimePs t) { return static_cast<double>(t) / static_cast<double>(us(1)); };
  const auto mean = [&us_of](const TimeList& list) {
    double sum = 0;
    for (std::uint32_t i = 0; i < list.count; ++i) sum += us_of(list.at[i]);
    return list.count == 0 ? 0 : sum / list.count;
  };
  fw::RegionConfig r;
  r.hot_share = k.hot_share;
  r.share_of_capacity = k.hot_share_of == ShareOf::capacity;
  r.hot_bytes = k.hot_request;
  r.cold_age = k.cold_age;
  r.cold_log = k.cold_log;
  r.second_chances = k.second_chances;
  r.measured_victims = k.victim_model == VictimModel::measured;
  r.hysteresis = k.hysteresis;
  r.horizon = k.horizon;
  r.window = k.window;
  r.flash = fw::FlashCosts{config.geometry.pages_per_block, mean(config.nand.tR),
                           us_of(config.nand.tPROG.at[0]),  mean(config.nand.tPROG),
                           us_of(config.nand.tBERS),        static_cast<double>(config.geometry.cell)};
  return r;
}

fw::SlcCacheConfig to_cache_config(const Config& config) {
  const SlcCacheKeys& k = config.ftl.slc_cache;
  fw::SlcCacheConfig c;
  c.share = k.share;
  c.least_share = k.least_share;
  c.most_share = k.most_share;
  c.gc_threshold = k.gc_threshold;
  c.partial_programs = config.nand.partial_programs;
  c.at_most = k.fit == CacheFit::at_most;
  c.union_update = k.update == CacheUpdate::whole;
  c.any_access = k.access == CacheAccess::any;
  c.full_to_native = k.full_pages == FullPages::native;
  c.packed_eviction = k.eviction == CacheEviction::packed;
  c.direct_when_full = k.when_full == FullCache::direct;
  c.endurance = k.endurance;
  c.wear_gap = k.wear_gap;
  return c;
}

} // namespace

PageTable page_table(const Config& config) {
  return config.nand.one_pass ? PageTable::wordline : config.nand.page_table;
}

bool several_regions(const Config& config) {
  const fw::RegionModes modes = fw::region_modes(to_ftl_config(config));
  return modes.count != 1 && !modes.cache;
}

std::uint32_t map_units(const Config& config) {
  const std::uint32_t unit = config.ftl.map_unit;
  return unit == 0 || unit >= config.geometry.page_size ? 1 : config.geometry.page_size / unit;
}

Geometry geometry_of_parts(const Config& config) {
  Geometry g = config.geometry;
  if (map_units(config) != 1) g.subpages_per_page = map_units(config);
  return g;
}

bool has_slc_cache(const Config& config) {
  return fw::region_modes(to_ftl_config(config)).cache;
}

namespace {

fw::BusInterface bus_interface(const Config& config) {
  using fw::BusInterface;
  constexpr std::pair<const char*, BusInterface> kNames[] = {{"sdr", BusInterface::sdr},
                                                             {"nv-ddr", BusInterface::nv_ddr},
                                                             {"nv-ddr2", BusInterface::nv_ddr2},
                                                             {"nv-ddr3", BusInterface::nv_ddr3},
                                                             {"nv-lpddr4", BusInterface::nv_lpddr4}};
  for (const auto& [name, interface] : kNames) {
    if (config.bus.interface == name) return interface;
  }
  return BusInterface::fixed; // flat, mqsim
}

} // namespace

fw::FtlConfig to_ftl_config(const Config& config) {
  fw::FtlConfig f;
  std::copy(config.feature_values.begin(), config.feature_values.end(), f.feature_values);
  f.geometry = geometry_of_parts(config);
  f.map_units = map_units(config);
  f.data_mode = config.data;
  f.program_order = config.nand.program_order;
  f.page_table = page_table(config);
  f.pass_pages = config.nand.one_pass ? static_cast<std::uint32_t>(config.geometry.cell) : 1;
  f.slc_mode = config.ftl.slc_mode;
  f.pac = config.nand.pac;
  f.bac = config.nand.bac;
  f.bus_interface = bus_interface(config);
  f.bus_mode = static_cast<std::uint8_t>(config.bus.mode);
  f.marked_blocks = config.nand.factory_bad > 0;
  f.classifier = config.ftl.classifier.c_str();
  f.plane_allocation = config.ftl.plane_allocation.c_str();
  f.block_allocation = config.ftl.block_allocation.c_str();
  f.mapping = config.ftl.mapping.c_str();
  f.victim = config.ftl.victim.c_str();
  f.victim_d = config.ftl.victim_d;
  f.relocation = config.ftl.relocation.c_str();
  f.small_request_pages = config.ftl.small_request;
  f.queue_threshold = config.ftl.queue_threshold;
  f.scheduling = config.ftl.scheduling.c_str();
  f.regions = config.ftl.region.regions.c_str();
  f.region = to_region_config(config);
  f.slc_cache = to_cache_config(config);
  f.pair = config.ftl.pair;
  f.frontier = config.ftl.frontier;
  f.host_streams = config.ftl.host_streams;
  f.gc_moves = config.ftl.gc_moves;
  f.tbm_gc = config.ftl.tbm_gc;
  if (config.ftl.copyback == CopybackPolicy::checked)
    f.copybacks = std::min(config.ftl.copyback_limit, config.nand.copybacks);
  if (config.ftl.copyback == CopybackPolicy::unchecked) f.copybacks = kAnyCopybacks;
  f.over_provisioning = config.ftl.over_provisioning;
  f.wear_gap = config.ftl.wear_gap;
  if (f.wear_gap == kUsualWearGap && fw::regions_of(f).levels_wear) f.wear_gap = 0;
  f.checkpoint_interval = config.ftl.checkpoint_interval;
  f.gc_threshold_blocks = gc_threshold_blocks(config);
  f.write_buffer_pages = write_buffer_pages(config);
  f.write_ack = config.ftl.write_ack;
  f.lower_pages = config.ftl.lower_pages;
  f.seed = config.run.seed;
  f.suspend = config.nand.suspend;
  f.independent_reads = config.nand.independent_plane_reads;
  f.die_queue_depth = config.ftl.die_queue_depth;
  f.page_buffers = config.ftl.page_buffers;
  f.hold_up_pages = config.power.hold_up;
  f.age_limit_ps = config.ftl.age_limit;
  f.program_unit = config.ftl.program_unit;
  f.erase_unit = config.ftl.erase_unit;
  f.pack_timeout_ps = config.ftl.pack_timeout;
  f.max_requests = config.host.slots;
  f.cached_tables = config.cpu.cache_size != 0;
  f.cost = config.cpu.cost;
  f.times = to_flash_times(config);
  return f;
}

bool starts_at_random_pages(const Config& config) {
  const PreconditionKeys& p = config.precondition;
  if (p.phase != PlanePhase::automatic) return p.phase == PlanePhase::random;
  return config.ftl.erase_unit != fw::EraseUnit::block && p.mode != PreconditionMode::none;
}

std::uint32_t max_queue_entries(const Config& config) {
  return std::max(1024u, config.host.queue_size);
}

std::string serial_number_of(const std::string& drive, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325u; // FNV-1a, and a last mixing of its bits
  for (const char c : drive) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3u;
  for (int i = 0; i < 8; ++i) hash = (hash ^ (seed >> 8 * i & 0xFF)) * 0x100000001B3u;
  hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
  std::string text = "TP";
  for (int digit = 15; digit >= 0; --digit) text += "0123456789ABCDEF"[hash >> 4 * digit & 15];
  return text;
}

fw::FirmwareConfig to_firmware_config(const Config& config) {
  fw::FirmwareConfig f;
  f.ftl = to_ftl_config(config);
  f.nvme.mdts =
      static_cast<std::uint8_t>(address_bits(static_cast<std::uint32_t>(config.host.max_transfer / 4096)));
  f.nvme.max_queue_entries = max_queue_entries(config);
  f.nvme.endurance_cycles = config.nand.endurance;
  f.nvme.shadow_doorbells = config.host.shadow_doorbells;
  if (!config.pcie.serial_number.empty()) f.nvme.serial_number = config.pcie.serial_number.c_str();
  return f;
}

} // namespace twinplane::platform
