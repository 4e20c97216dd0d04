#include "platform/ssd/hardware_config.h"

#include <algorithm>
#include <cmath>

#include "firmware/ftl/die_load.h"
#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/policies.h"
#include "hw/channel/arbiter.h"
#include "platform/config/convert.h"
#include "platform/config/derived.h"

namespace twinplane::platform {

hw::DramConfig to_dram_config(const Config& config, std::uint64_t bytes) {
  return {bytes, hw::Rate::bytes_per_second(config.dram.bandwidth), derive(config).dram_is_ample};
}

namespace {

/// How often the dies' operations come one behind the other, as the supply does not allow all at once (energy.peak_limit).
double turns_of_power(const Config& config) {
  const EnergyKeys& e = config.energy;
  const double dies = config.geometry.dies();
  if (e.peak_limit == 0) return 1.0;
  const double most = std::max({e.ICC1, e.ICC2, e.ICC3});
  const double at_once = most == 0 ? dies : std::floor((e.peak_limit - e.ISB * dies) / most);
  return std::ceil(dies / std::clamp(at_once, 1.0, dies));
}

/// What a recovery may take (docs/power_loss.md), in picoseconds, with nothing at the same time but what
/// different dies do. Twice for reads beyond the first one of each page, and for the collector.
double longest_recovery(const Config& config) {
  constexpr double kCycles = 20e6; // command, address, status and firmware of a read, on any bus
  const Geometry& g = config.geometry;
  const fw::FtlConfig ftl = to_ftl_config(config);
  const double core = static_cast<double>(ftl.times.core_ps) * g.dies(); // one core serves all dies
  const bool polls = config.bus.ready == ReadyDetection::poll;
  const double read = static_cast<double>(ftl.times.read_ps) + kCycles + // each page may need all read levels
                      (polls ? static_cast<double>(config.bus.poll_interval) : 0.0);
  const double block = static_cast<double>(g.pages_per_block) * g.planes_per_die; // of each plane of a die
  const double turns = turns_of_power(config);
  const double scan = 1.5 * block * g.blocks_per_plane * (turns * read + core);
  // the tables take up to four look-ups of each page; what has no place in its own die is looked for in the
  // map, for eight victims of each plane
  const double cycle = 1e12 / static_cast<double>(config.cpu.clock);
  const double exported = static_cast<double>(g.pages()) * (1.0 - ftl.over_provisioning);
  const double passes = 4.0 + 8.0 * g.planes() / fw::Mapping::kEntriesPerStep;
  const double tables = passes * exported * ftl.cost.map_lookup * cycle;
  // a victim may be moved, and as many pages written again; all dies share the DRAM, which each page crosses twice
  const fw::FlashTimes& t = ftl.times;
  const double dram = 2.0 * g.dies() * g.page_size * 1e12 / static_cast<double>(config.dram.bandwidth);
  const auto page = turns * static_cast<double>(t.read_ps + t.program_ps + 2 * t.transfer_ps) + dram;
  const double rescue =
      2.0 * (block * (page + 2.0 * core) + turns * g.planes_per_die * static_cast<double>(t.erase_ps));
  return scan + tables + rescue;
}

/// CAP.TO, in 500 ms: the time after which a driver gives the drive up (NVMe 1.4, 3.1.1), so that of a
/// recovery, as far as the register's eight bits go.
std::uint32_t ready_timeout(const Config& config, std::uint32_t least) {
  constexpr double kUnit = 500e9; // ps
  return static_cast<std::uint32_t>(
      std::clamp(std::ceil(longest_recovery(config) / kUnit), static_cast<double>(least), 255.0));
}

} // namespace

hw::HostInterfaceConfig to_host_interface_config(const Config& config, hw::BandwidthPort& dram_port) {
  hw::HostInterfaceConfig h;
  h.sector_size = config.geometry.sector_size;
  h.data_mode = config.data;
  h.max_queue_entries = max_queue_entries(config);
  h.max_slots = config.host.slots;
  h.ready_timeout = ready_timeout(config, h.ready_timeout);
  h.pcie.ideal = config.pcie.ideal;
  h.pcie.generation = config.pcie.generation;
  h.pcie.lanes = config.pcie.lanes;
  h.pcie.latency = config.pcie.latency;
  h.pcie.max_payload = config.pcie.max_payload;
  h.pcie.tags = config.pcie.tags;
  h.host_waits = config.host_waits;
  h.dram_port = &dram_port;
  return h;
}

namespace {

hw::EccConfig to_ecc_config(const Config& config) {
  const EccKeys& e = config.controller.ecc;
  hw::EccConfig c;
  c.code = e.code;
  c.fixed_latency = config.controller.ecc_latency;
  c.corrects = e.corrects;
  c.fastest = e.fastest;
  c.slowest = e.slowest;
  c.early_termination = e.early_termination;
  c.throughput = e.throughput;
  c.soft_corrects = e.soft_corrects;
  c.soft_senses = e.soft_senses;
  return c;
}

} // namespace

namespace {

std::int64_t microamperes(double ma) {
  return std::llround(ma * 1000);
}

hw::PowerConfig to_power_config(const Config& config) {
  const EnergyKeys& e = config.energy;
  hw::PowerConfig p;
  p.read = microamperes(e.ICC1);
  p.program = microamperes(e.ICC2);
  p.erase = microamperes(e.ICC3);
  p.further_planes = e.further_planes;
  p.data_in = microamperes(e.ICC4W);
  p.data_out = microamperes(e.ICC4R);
  return p;
}

} // namespace

std::unique_ptr<hw::PowerGrant> make_power_grant(const Config& config) {
  if (config.energy.peak_limit == 0) return nullptr;
  const double standby = config.energy.ISB * config.geometry.dies();
  return std::make_unique<hw::PowerGrant>(microamperes(config.energy.peak_limit - standby));
}

hw::CpuConfig to_cpu_config(const Config& config, hw::BandwidthPort& dram_port) {
  hw::CpuConfig c;
  c.clock_hz = config.cpu.clock;
  c.channels = config.geometry.channels;
  c.cache = {config.cpu.cache_size, static_cast<std::uint32_t>(config.cpu.cache_line), config.cpu.cache_ways};
  c.dram_latency = config.dram.latency;
  c.dram_port = &dram_port;
  return c;
}

hw::FlashControllerConfig to_controller_config(const Config& config, std::uint32_t channel,
                                               hw::BandwidthPort& dram_port) {
  hw::FlashControllerConfig c;
  c.dram_port = &dram_port;
  c.data_in = to_bus_timing(config).data_in;
  c.channel = channel;
  c.geometry = geometry_of_parts(config);
  c.data_mode = config.data;
  c.arbiter = hw::kArbiters[static_cast<std::size_t>(config.bus.arbitration)].name;
  c.age_limit = config.bus.age_limit;
  c.poll_status = config.bus.ready == ReadyDetection::poll;
  c.poll_interval = config.bus.poll_interval;
  c.ready_timeout = config.run.timeout;
  c.ecc = to_ecc_config(config);
  c.power = to_power_config(config);
  c.parity_per_sector = parity_per_sector(config);
  c.ddr = to_bus_timing(config).ddr;
  c.read_retries = config.controller.read_retries;
  c.cache_reads = config.controller.cache_reads;
  c.cache_programs = config.controller.cache_programs;
  c.independent_reads = config.nand.independent_plane_reads;
  c.suspend.enabled = config.nand.suspend;
  c.suspend.gain = config.controller.suspend_gain;
  c.suspend.most_per_operation = config.controller.suspends;
  c.suspend.reads_at_a_time = config.controller.suspend_reads;
  const fw::FtlConfig ftl = to_ftl_config(config);
  c.unit_words = fw::maps_by_unit(ftl);
  c.slc_mode = ftl.slc_mode || fw::copies_lower_pages(ftl) || has_slc_cache(config);
  c.one_pass = config.nand.one_pass;
  c.copybacks = config.ftl.copyback != CopybackPolicy::never;
  c.max_groups = std::max(c.max_groups, config.geometry.dies_per_channel() * fw::DieLoad(ftl).most_pages);
  return c;
}

hw::ChannelConfig to_channel_config(const Config& config, std::uint32_t channel) {
  hw::ChannelConfig c;
  c.index = channel;
  c.chips = config.geometry.chips_per_channel;
  c.bus = c.part_bus = to_bus_timing(config);
  c.tDBSY = config.nand.tDBSY;
  return c;
}

namespace {

hw::NandErrors to_nand_errors(const Config& config) {
  const ErrorKeys& e = config.nand.errors;
  hw::NandErrors n;
  n.reading = e.reading;
  n.seed = config.run.seed;
  n.codeword_bytes = static_cast<std::uint32_t>(config.controller.ecc.codeword);
  n.parity_bytes = config.controller.ecc.parity;
  n.rates = {{0, e.fresh}, {hw::kRatedCycles, e.worn}};
  n.upper = e.upper_pages;
  n.partial = e.partial;
  n.neighbour = e.neighbour;
  n.retention = e.retention;
  n.retention_power = e.retention_power;
  n.read_disturb = e.read_disturb;
  for (std::uint32_t l = 1; l < n.levels.size(); ++l) {
    const bool soft = l > config.controller.read_retries && l <= read_levels(config);
    n.levels[l] = n.levels[l - 1] * (soft ? 1 : e.retry); // soft decisions: around the best thresholds so far
  }
  n.cycles = e.cycles;
  n.age = e.age;
  return n;
}

} // namespace

hw::NandConfig to_nand_config(const Config& config, std::uint32_t channel, std::uint32_t chip,
                              std::shared_ptr<const PageOrderTable> page_order) {
  hw::NandConfig n;
  n.geometry = geometry_of_parts(config);
  n.array = to_array_timing(config);
  n.bus = to_bus_timing(config);
  const bool has_modes = config.bus.interface != "flat" && config.bus.interface != "mqsim";
  if (has_modes) n.bus_interface = config.bus.interface;
  n.bus_mode = config.bus.mode;
  n.data_mode = config.data;
  n.program_order = config.nand.program_order;
  n.page_table = page_table(config);
  n.one_pass = config.nand.one_pass;
  n.pac = config.nand.pac;
  n.bac = config.nand.bac;
  n.independent_plane_reads = config.nand.independent_plane_reads;
  n.partial_programs = config.nand.partial_programs;
  n.subpage_words = fw::maps_by_unit(to_ftl_config(config)); // no other part would use them
  n.copybacks = config.nand.copybacks;
  n.wordline_buffer = config.nand.wordline_buffer;
  n.faults.seed = config.run.seed;
  n.faults.factory_bad = config.nand.factory_bad;
  n.faults.program = config.nand.fail_program;
  n.faults.erase = config.nand.fail_erase;
  n.faults.read = config.nand.fail_read;
  n.faults.parameter_pages = config.nand.fail_parameter_page;
  n.faults.endurance = config.nand.endurance;
  n.errors = to_nand_errors(config);
  n.strict = config.run.strict;
  n.channel = channel;
  n.chip = chip;
  n.page_order = std::move(page_order);
  return n;
}

hw::MonitorConfig to_monitor_config(const Config& config, std::uint32_t channel,
                                    std::shared_ptr<const PageOrderTable> page_order) {
  hw::MonitorConfig m;
  m.channel = channel;
  m.geometry = geometry_of_parts(config);
  m.bus = to_bus_timing(config);
  m.array = to_array_timing(config);
  m.program_order = config.nand.program_order;
  m.page_table = page_table(config);
  m.one_pass = config.nand.one_pass;
  m.pac = config.nand.pac;
  m.bac = config.nand.bac;
  m.independent_plane_reads = config.nand.independent_plane_reads;
  m.partial_programs = config.nand.partial_programs;
  m.copybacks = config.nand.copybacks;
  if (read_levels(config) > config.controller.read_retries) {
    m.first_soft_level = config.controller.read_retries + 1;
  }
  m.programs_read = config.nand.wordline_buffer < kAllWordlines;
  m.strict = config.run.strict;
  m.page_order = std::move(page_order);
  return m;
}

EnergyModel to_energy_model(const Config& config) {
  const EnergyKeys& k = config.energy;
  EnergyModel m;
  m.VCC = k.VCC;
  m.VCCQ = k.VCCQ;
  m.ICC1 = k.ICC1;
  m.ICC2 = k.ICC2;
  m.ICC3 = k.ICC3;
  m.further_planes = k.further_planes;
  m.ICC4R = k.ICC4R;
  m.ICC4W = k.ICC4W;
  m.ICCQ4R = k.ICCQ4R;
  m.ICCQ4W = k.ICCQ4W;
  m.ISB = k.ISB;
  m.core_mw = k.core;
  m.controller_mw = k.controller;
  m.dram_mw = k.dram_standby;
  m.link_pj = k.link;
  m.dram_pj = k.dram;
  m.ecc_pj = k.ecc;
  m.dies = config.geometry.dies();
  return m;
}

} // namespace twinplane::platform
