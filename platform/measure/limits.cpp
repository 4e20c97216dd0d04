#include "platform/measure/limits.h"

#include <algorithm>
#include <memory>

#include "firmware/ftl/features/slc_cache/key.h"
#include "hw/channel/sequence_timing.h"
#include "hw/controller/tenure_builder.h"
#include "platform/config/convert.h"

namespace twinplane::platform {
namespace {

constexpr double kPsPerSecond = 1e12;

/// Times of the bus, of sequences for a page in each plane of a die.
class BusTimes {
 public:
  /// `sectors` of each page are moved.
  BusTimes(const Config& config, std::uint32_t sectors)
      : builder_(config.geometry, DataMode::none, parity_per_sector(config)),
        timing_(hw::TenureTiming(to_bus_timing(config), to_array_timing(config).tDBSY)),
        tenure_(std::make_unique<hw::OnfiTenure>()) {
    const Geometry& g = config.geometry;
    group_.count = g.planes_per_die;
    for (std::uint32_t p = 0; p < g.planes_per_die; ++p)
      group_.planes[p].sector_mask = static_cast<std::uint32_t>((std::uint64_t{1} << sectors) - 1);
  }

  /// Of one command for all planes.
  double command(FlashOp op, std::uint32_t flags = 0) {
    for (std::uint32_t p = 0; p < group_.count; ++p) {
      group_.planes[p].op = static_cast<std::uint8_t>(op);
      group_.planes[p].flags = static_cast<std::uint8_t>(flags);
    }
    builder_.operation(*tenure_, group_);
    return length();
  }
  /// Of that command and the status that is asked for, or of commands for a plane each where these take less: between
  /// the planes of a command the bus may be held for tDBSY.
  double least(FlashOp op, bool with_status, std::uint32_t flags = 0) {
    const auto once = [&] { return command(op, flags) + (with_status ? status() : 0); };
    const std::uint32_t planes = group_.count;
    const double together = once();
    group_.count = 1;
    const double alone = once();
    group_.count = planes;
    return std::min(together, planes * alone);
  }
  /// Of all planes.
  double data_out() {
    builder_.data_out(*tenure_, group_, false);
    return length() * group_.count;
  }
  double status() {
    builder_.status(*tenure_, group_);
    return length();
  }
  std::uint32_t page_bytes() {
    builder_.data_out(*tenure_, group_, false);
    return tenure_->planes[0].bytes;
  }

 private:
  double length() { return static_cast<double>(timing_.schedule(*tenure_, 0)); }

  hw::TenureBuilder builder_;
  hw::SequenceTiming timing_;
  std::unique_ptr<hw::OnfiTenure> tenure_;
  hw::FlashGroup group_;
};

/// The mean over the page types of what each takes; blocks in SLC mode have one type.
template <typename Time>
double mean_of_types(const Config& config, const std::array<TimePs, kMaxPageTypes>& times, TimePs slc,
                     const Time& whole) {
  if (config.ftl.slc_mode) return whole(static_cast<double>(slc));
  const auto types = static_cast<std::uint32_t>(config.geometry.cell);
  double sum = 0;
  for (std::uint32_t t = 0; t < types; ++t) sum += whole(static_cast<double>(times[t]));
  return sum / types;
}

/// From its read command until the last byte of a die has left; with cache reads the next one's array time
/// passes beside the transfer.
double die_read(const Config& config, BusTimes& bus) {
  const ArrayTiming a = to_array_timing(config);
  const double out = bus.data_out();
  const double command = bus.command(FlashOp::read);
  const double moved = static_cast<double>(a.tRCBSY) + out;
  const double one = out / config.geometry.planes_per_die;
  return mean_of_types(config, a.tR, a.slc_tR, [&](double tR) {
    if (config.controller.cache_reads) return std::max(tR, moved);
    // a plane's register is free when its own data have left
    return config.nand.independent_plane_reads ? std::max(out, tR + one) : command + tR + out;
  });
}

double die_program(const Config& config, BusTimes& bus) {
  const ArrayTiming a = to_array_timing(config);
  const double in = bus.command(FlashOp::program);
  if (config.nand.one_pass) {
    const double pages = static_cast<double>(config.geometry.cell);
    return (pages * in + (pages - 1) * static_cast<double>(a.tDCBSYW) +
            static_cast<double>(a.tPROG_wordline)) /
           pages;
  }
  return mean_of_types(config, a.tPROG, a.slc_tPROG, [&](double tPROG) {
    return config.controller.cache_programs ? std::max(tPROG, in + static_cast<double>(a.tCBSY)) : in + tPROG;
  });
}

/// Bytes that a native page takes of a write and shares with others; a page that is not shared takes one write.
std::uint64_t shared_unit(const Config& config) {
  if (config.ftl.map_unit != 0) return config.ftl.map_unit;
  const bool packs = has_slc_cache(config) && fw::evicts_packed(to_ftl_config(config));
  return config.geometry.page_size / (packs ? config.geometry.subpages_per_page : 1);
}

/// Host bytes that a native page takes of writes of that size.
std::uint64_t written_of_page(const Config& config, std::uint64_t request_bytes) {
  const std::uint64_t unit = shared_unit(config);
  return config.geometry.page_size / unit * std::min(request_bytes, unit);
}

bool fills_cache_pages(const Config& config) {
  return fw::fills_cache_pages(to_ftl_config(config));
}

/// ... that a program takes with which a write is done: into the cache where there is one.
std::uint64_t written_of_program(const Config& config, std::uint64_t request_bytes) {
  if (has_slc_cache(config) && !fills_cache_pages(config)) return request_bytes;
  return written_of_page(config, request_bytes);
}

/// Programs into the SLC-mode cache: of pages that several writes fill, or of what a write has of one, which `part`
/// moves.
void limit_by_cache(Limits& l, const Config& config, BusTimes& whole, BusTimes& part) {
  const Geometry& g = config.geometry;
  const std::uint64_t of_write = std::min<std::uint64_t>(l.request_bytes, g.page_size);
  BusTimes& bus = fills_cache_pages(config) ? whole : part;
  const double time = bus.command(FlashOp::program, flash_flag::slc_mode) +
                      static_cast<double>(to_array_timing(config).slc_tPROG);
  const double stripe =
      g.planes_per_die * static_cast<double>(written_of_program(config, of_write)) * kPsPerSecond;
  l.slc_writes = g.dies() * stripe / time;
  l.slc_buses = g.channels * stripe / bus.least(FlashOp::program, true, flash_flag::slc_mode);
  l.slc_bytes = bus.page_bytes();
}

CoreCost core_cost(const Config& config, std::uint64_t request_bytes, bool write) {
  if (!config.cpu.firmware.empty()) return {};
  const fw::CostTable& c = config.cpu.cost;
  CoreCost cost;
  cost.pages = (request_bytes + config.geometry.page_size - 1) / config.geometry.page_size;
  const std::uint64_t of_operation =
      std::uint64_t{c.flash_submit} + c.flash_complete + (write ? c.allocate : 0);
  const std::uint64_t part = std::min<std::uint64_t>(request_bytes, config.geometry.page_size);
  const std::uint64_t shared =
      write ? written_of_program(config, part) : part; // by the requests of so many bytes
  cost.cycles = c.command_decode + cost.pages * (std::uint64_t{c.map_lookup} + c.dma_submit) +
                cost.pages * of_operation * part / shared;
  if (cost.cycles != 0)
    cost.requests_per_s = static_cast<double>(config.cpu.clock) / static_cast<double>(cost.cycles);
  return cost;
}

} // namespace

Limits limits_of(const Config& config) {
  const Geometry& g = config.geometry;
  Limits l;
  l.request_bytes = config.workload.bssplit.empty() ? config.workload.bs : g.page_size;
  const std::uint64_t part = std::min<std::uint64_t>(l.request_bytes, g.page_size); // of a page, for the host
  BusTimes read(config, static_cast<std::uint32_t>((part + g.sector_size - 1) / g.sector_size));
  BusTimes bus(config, g.sectors_per_page());
  const double planes = static_cast<double>(g.planes_per_die) * kPsPerSecond;
  const double stripe = planes * static_cast<double>(part);
  const double written = planes * static_cast<double>(written_of_page(config, part));
  const bool polls = config.bus.ready == ReadyDetection::poll;
  l.read_bytes = read.page_bytes();
  l.program_bytes = bus.page_bytes();
  l.reads.buses = g.channels * stripe / (read.least(FlashOp::read, polls) + read.data_out());
  l.writes.buses = g.channels * written / bus.least(FlashOp::program, true);
  l.reads.dies = g.dies() * stripe / die_read(config, read);
  l.writes.dies = g.dies() * written / die_program(config, bus);
  if (has_slc_cache(config)) limit_by_cache(l, config, bus, read);
  l.core_read = core_cost(config, l.request_bytes, false);
  l.core_write = core_cost(config, l.request_bytes, true);
  l.reads.core = l.core_read.requests_per_s * static_cast<double>(l.request_bytes);
  l.writes.core = l.core_write.requests_per_s * static_cast<double>(l.request_bytes);
  return l;
}

} // namespace twinplane::platform
