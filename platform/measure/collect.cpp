#include "platform/measure/collect.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "firmware/ftl/policies.h"
#include "platform/config/convert.h"
#include "platform/config/derived.h"

namespace twinplane::platform {
namespace {

void add(MultiPlane& to, const hw::MultiplaneStatistics& from) {
  to.commands += from.commands;
  to.units += from.units;
  to.planes += from.planes;
}

void add(Violations& to, const hw::NandStatistics& from) {
  to.pac += from.violation(hw::Rule::pac);
  to.bac += from.violation(hw::Rule::bac);
  to.order += from.violation(hw::Rule::order);
  to.erase_before_program += from.violation(hw::Rule::erase_before_program);
  to.partial_limit += from.violation(hw::Rule::partial_limit);
  to.protocol += from.violation(hw::Rule::protocol);
  to.distinct_planes += from.violation(hw::Rule::distinct_planes);
  to.same_lun += from.violation(hw::Rule::same_lun);
  to.bad_address += from.violation(hw::Rule::bad_address);
  to.slc_mode += from.violation(hw::Rule::slc_mode);
  to.busy += from.violation(hw::Rule::busy);
  to.suspend += from.violation(hw::Rule::suspend);
  to.write_protect += from.violation(hw::Rule::write_protect);
}

void add(Violations& to, const hw::MonitorStatistics& from) {
  if (!to.monitor) to.monitor.emplace();
  for (std::size_t rule = 0; rule < hw::kMonitorRules; ++rule)
    to.monitor->findings[rule] += from.findings[rule];
  to.timing += from.of(hw::MonitorRule::timing);
}

void add_package(Summary& summary, const hw::PackageBlock& package, TimePs now) {
  const hw::NandStatistics& s = package.statistics();
  NandSummary& n = summary.nand;
  for (std::size_t t = 0; t < kMaxPageTypes; ++t) {
    n.reads_by_type[t] += s.reads[t];
    n.programs_by_type[t] += s.programs[t];
  }
  n.reads_slc += s.slc_reads;
  n.programs_slc += s.slc_programs;
  n.suspends += s.suspends;
  n.resumes += s.resumes;
  n.cache_reads += s.cache_reads;
  n.cache_programs += s.cache_programs;
  n.aborted += s.aborted;
  n.failed_programs += s.failed_programs;
  n.failed_erases += s.failed_erases;
  n.retry_reads += s.retry_reads;
  n.lost_reads += s.lost_reads;
  n.wordline_reads += s.wordline_reads;
  n.partial_programs += s.partial_programs;
  n.sectors_left_out += s.sectors_left_out;
  n.erases_slc += s.slc_erases;
  n.erases_native += s.native_erases;
  add(n.program, s.multiplane_program);
  add(n.read, s.multiplane_read);
  add(n.erase, s.multiplane_erase);
  add(n.violations, s);
  for (std::uint32_t lun = 0; lun < s.dies.size(); ++lun) {
    const hw::DieStatistics die = worked(package, lun, now);
    summary.dies.push_back({die.busy, die.plane_busy});
  }
}

ReadErrors& operator+=(ReadErrors& to, const ReadErrors& from) {
  to.pages += from.pages;
  to.corrected += from.corrected;
  to.retried += from.retried;
  to.soft += from.soft;
  to.uncorrectable += from.uncorrectable;
  to.bits += from.bits;
  to.bit_errors += from.bit_errors;
  return to;
}

void collect_errors(ReliabilitySummary& summary, const Ssd& ssd) {
  const EccKeys& ecc = ssd.config().controller.ecc;
  const double codeword_bits = 8.0 * (static_cast<double>(ecc.codeword) + ecc.parity);
  summary = {};
  summary.modelled = ssd.config().nand.errors.reading != ErrorReading::off;
  for (const auto& controller : ssd.controllers()) {
    const auto& kinds = controller->statistics().read_errors;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const hw::ReadErrorStatistics& s = kinds[kind];
      ReadErrors& to = kind == hw::kSlcPages ? summary.slc : summary.by_type[kind];
      ReadErrors from;
      from.pages = s.pages;
      from.corrected = s.corrected;
      from.retried = s.retried;
      from.soft = s.soft;
      from.uncorrectable = s.uncorrectable;
      from.bits = static_cast<double>(s.codewords) * codeword_bits;
      from.bit_errors = s.bit_errors;
      to += from;
    }
  }
  for (const auto& package : ssd.packages()) {
    const auto& reads = package->statistics().level_reads;
    for (std::size_t kind = 0; kind < reads.size(); ++kind) {
      ReadErrors& to = kind == hw::kSlcPages ? summary.slc : summary.by_type[kind];
      for (std::size_t l = 0; l < to.senses.size(); ++l) to.senses[l] += reads[kind][l];
    }
  }
  ReadErrors host;
  for (const auto& controller : ssd.controllers()) {
    const hw::FlashControllerStatistics& s = controller->statistics();
    host.bits += static_cast<double>(s.host_codewords) * codeword_bits;
    host.bit_errors += s.host_bit_errors;
  }
  if (host.bits > 0) summary.read_error_rate = host.bit_errors / host.bits;
  ReadErrors all = summary.slc;
  for (const ReadErrors& e : summary.by_type) all += e;
  summary.ecc_corrected = all.corrected;
  summary.read_retries = all.retried;
  summary.uncorrectable = all.uncorrectable;
  if (all.bits > 0) summary.raw_bit_error_rate = all.bit_errors / all.bits;
}

} // namespace

bool blocks_have_failed(const Ssd& ssd) {
  for (const auto& package : ssd.packages()) {
    const hw::NandStatistics& s = package->statistics();
    if ((s.failed_programs | s.failed_erases) != 0) return true;
  }
  return false;
}

bool cells_have_failed(const Ssd& ssd) {
  if (blocks_have_failed(ssd)) return true;
  for (const auto& package : ssd.packages()) {
    const hw::NandStatistics& s = package->statistics();
    if ((s.retry_reads | s.lost_reads) != 0) return true;
  }
  for (const auto& controller : ssd.controllers()) {
    for (const hw::ReadErrorStatistics& errors : controller->statistics().read_errors) {
      if (errors.uncorrectable != 0) return true;
    }
  }
  return false;
}

namespace {

std::uint64_t total(const std::array<std::uint64_t, kMaxPageTypes>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Erases of every block, in the order die, plane, block.
std::vector<std::uint32_t> erases_per_block(const Ssd& ssd) {
  const Geometry& g = ssd.config().geometry;
  std::vector<std::uint32_t> erases;
  erases.reserve(g.blocks());
  for (const auto& package : ssd.packages()) {
    for (std::uint32_t lun = 0; lun < g.dies_per_chip; ++lun) {
      for (std::uint32_t plane = 0; plane < g.planes_per_die; ++plane) {
        for (std::uint32_t b = 0; b < g.blocks_per_plane; ++b) {
          erases.push_back(package->erase_count(lun, plane, b));
        }
      }
    }
  }
  return erases;
}

/// The same per unit of reclamation: under twin block management the most worn of the twins stands for
/// all (they are erased together).
std::vector<std::uint32_t> erases_per_unit(const Ssd& ssd, const std::vector<std::uint32_t>& blocks) {
  const Geometry& g = ssd.config().geometry;
  if (fw::blocks_per_unit(to_ftl_config(ssd.config())) == 1) return blocks;
  std::vector<std::uint32_t> units(std::size_t{g.dies()} * g.blocks_per_plane);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t die = i / g.blocks_per_plane / g.planes_per_die;
    std::uint32_t& unit = units[die * g.blocks_per_plane + i % g.blocks_per_plane];
    unit = std::max(unit, blocks[i]);
  }
  return units;
}

} // namespace

hw::DieStatistics worked(const hw::PackageBlock& package, std::uint32_t lun, TimePs now) {
  hw::DieStatistics die = package.statistics().dies[lun];
  const hw::DieStatistics rest = package.still_to_do(lun, now);
  die.busy -= std::min(die.busy, rest.busy);
  die.plane_busy -= std::min(die.plane_busy, rest.plane_busy);
  return die;
}

void collect_drive(Summary& summary, const Ssd& ssd) {
  fill_ftl(summary, ssd.firmware().window().statistics());
  summary.nand = {}; // what the dies did, not what the firmware asked for
  summary.nand.cell = ssd.config().geometry.cell;
  for (const auto& package : ssd.packages()) add_package(summary, *package, ssd.now());
  for (const auto& monitor : ssd.monitors()) add(summary.nand.violations, monitor->statistics());
  NandSummary& n = summary.nand;
  n.read.all_units = total(n.reads_by_type) + n.reads_slc;
  n.program.all_units = total(n.programs_by_type) + n.programs_slc;
  n.erase.all_units = n.erases_slc + n.erases_native;
  for (const auto& channel : ssd.channels()) {
    const hw::ChannelStatistics& s = channel->statistics();
    using hw::BusUse;
    summary.channels.push_back({s.busy, s.used_for(BusUse::command), s.used_for(BusUse::address),
                                s.used_for(BusUse::data_in), s.used_for(BusUse::data_out),
                                s.used_for(BusUse::status)});
  }
  if (ssd.config().cpu.cache_size != 0) {
    const hw::CacheStatistics& cache = ssd.core().statistics().cache;
    summary.cache = {cache.hits, cache.misses, cache.written_back, ssd.core().statistics().memory_ps};
  }
  summary.time.kernel_events += ssd.kernel_events();
  summary.time.page_operations = n.read.all_units + n.program.all_units + n.erase.all_units;
  summary.ftl.policy = ssd.config().ftl.policy;
  summary.ftl.sizes = page_sizes(ssd.config());
  summary.ftl.raw_bytes = derive(ssd.config()).raw_bytes;
  summary.ftl.exported_bytes = ssd.firmware().window().exported_sectors() * ssd.config().geometry.sector_size;
  summary.ftl.flash = to_ftl_config(ssd.config()).region.flash;
  collect_errors(summary.reliability, ssd);
  const std::vector<std::uint32_t> erases = erases_per_block(ssd);
  summary.ftl.wear = wear_of(erases);
  summary.ftl.unit_wear = wear_of(erases_per_unit(ssd, erases));
}

PageSizes page_sizes(const Config& config) {
  return {config.geometry.page_size, config.geometry.sector_size};
}

std::vector<Account> collect_accounts(const Summary& summary, const Ssd& ssd) {
  const hw::FrontEndStatistics link = ssd.front_end().statistics();
  const fw::FtlStatistics& f = summary.ftl.counters;
  const Geometry& g = ssd.config().geometry;
  hw::FlashControllerStatistics taken; // what the controllers took over; some of it may still be under way
  for (const auto& controller : ssd.controllers()) {
    const hw::FlashControllerStatistics& c = controller->statistics();
    taken.reads += c.reads;
    taken.programs += c.programs + c.copybacks;
    taken.copies += c.copies;
    taken.erases += c.erases;
    taken.page_bytes_in += c.page_bytes_in;
  }
  const auto sum = [](const auto& counts) {
    return std::accumulate(std::begin(counts), std::end(counts), std::uint64_t{0});
  };
  const std::uint64_t programmed_by_dies = summary.nand.program.all_units;
  // a program that waits in a controller is not in the dies' counts
  const bool all_begun = summary.power_cycles.empty() && programmed_by_dies == taken.programs;
  std::uint64_t checked = 0; // read after a power cut, but for what could not be
  if (!summary.power_cycles.empty()) {
    const PowerCycleSummary& cycle = summary.power_cycles.back();
    checked = cycle.check_failed ? link.bytes_out - summary.workload.bytes_read
                                 : cycle.sectors_checked * g.sector_size;
  }
  // What a request that failed has moved is not defined.
  const bool all_done = summary.workload.failed == 0;
  return {
      {"plane time in ps: planes x measured time, causes", summary.plane_time.total_ps,
       sum_of(summary.plane_time.causes)},
      {"bytes written: host, link", summary.workload.bytes_written,
       all_done ? link.bytes_in : summary.workload.bytes_written},
      {"bytes read: host, link", summary.workload.bytes_read + checked,
       all_done ? link.bytes_out : summary.workload.bytes_read + checked},
      {"pages programmed: firmware, flash controllers", programmed_pages(f), taken.programs},
      {"pages read: firmware, flash controllers", f.read_pages, taken.reads},
      {"blocks erased: firmware, flash controllers", f.erase_blocks, taken.erases},
      {"sectors left out of programs: firmware, dies", sum(f.sectors_left_out),
       all_begun ? summary.nand.sectors_left_out : sum(f.sectors_left_out)},
      {"bytes programmed: buses, dies", taken.page_bytes_in,
       ((programmed_by_dies - taken.copies) * g.sectors_per_page() - summary.nand.sectors_left_out) *
           (g.sector_size + parity_per_sector(ssd.config()))},
  };
}

} // namespace twinplane::platform
