// twinplane check: validates a configuration and prints what follows from it.
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/ftl/feature_set.h"
#include "firmware/ftl/policies.h"
#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/config/convert.h"
#include "platform/config/derived.h"
#include "platform/config/dram_needs.h"
#include "platform/config/units.h"
#include "platform/measure/limits.h"
#include "platform/workload/from_config.h"

namespace twinplane::platform::cli {

namespace {

void row(const char* name, const std::string& value) {
  std::cout << "  " << std::left << std::setw(24) << name << value << "\n";
}

std::string decimals(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

std::string gib(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  return value >= 1ull << 30 ? decimals(value / static_cast<double>(1ull << 30), 2) + " GiB"
                             : decimals(value / static_cast<double>(1ull << 20), 1) + " MiB";
}

std::string rate(double bytes_per_s) {
  return decimals(bytes_per_s / 1e6, 0) + " MB/s";
}

std::string times(const TimeList& list) {
  std::string out;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    out += (i == 0 ? "" : " / ") + format_quantity(Dimension::time, list.at[i]);
  }
  return out;
}

constexpr const char* kAsFull = ", each byte of a page counted, as with data.mode = full";

/// Of the drive as it is: its buffers hold whole pages, whatever of them is simulated.
std::optional<DramNeeds> real_needs(Config config) {
  config.data = DataMode::full;
  return dram_needs(config);
}

void print_exported(const Config& config, const Derived& d, const std::optional<DramNeeds>& needs) {
  if (!needs)
    return row("exported", "nothing is known: the firmware does not boot (`twinplane run` says why)");
  const double kept = 1 - static_cast<double>(needs->exported_bytes) / static_cast<double>(d.raw_bytes);
  row("exported", gib(needs->exported_bytes) + " (" + std::to_string(needs->exported_bytes) +
                      " bytes), over-provisioning " + decimals(100 * kept, 2) + "% of raw" +
                      (config.nand.factory_bad > 0 ? "; factory-bad blocks may take more" : ""));
}

void print_geometry(const Config& config, const Derived& d, const std::optional<DramNeeds>& needs) {
  const Geometry& g = config.geometry;
  std::cout << "geometry\n";
  std::ostringstream shape;
  shape << g.channels << " channels x " << g.chips_per_channel << " chips x " << g.dies_per_chip << " dies x "
        << g.planes_per_die << " planes x " << g.blocks_per_plane << " blocks x " << g.pages_per_block
        << " pages x " << format_quantity(Dimension::size, g.page_size);
  row("shape", shape.str());
  row("dies, planes, blocks",
      std::to_string(d.dies) + ", " + std::to_string(d.planes) + ", " + std::to_string(d.blocks));
  row("sectors per page", std::to_string(g.sectors_per_page()));
  row("page number",
      std::to_string(d.ppn_bits) + " bits; row address " + std::to_string(d.row_bits) + " bits");
  std::cout << "capacity\n";
  row("raw", gib(d.raw_bytes));
  print_exported(config, d, needs);
  row("garbage collection", "below " + std::to_string(d.gc_threshold_blocks) + " free blocks per plane; " +
                                std::to_string(d.over_provisioned_blocks) + " of " +
                                std::to_string(g.blocks_per_plane) + " over-provisioned");
  if (needs) row("device memory needed", text_of(*needs) + (config.data == DataMode::full ? "" : kAsFull));
  row("write buffer", d.write_buffer_pages == 0 ? "none" : std::to_string(d.write_buffer_pages) + " pages");
}

/// Those that the drive's programs and reads take: of native blocks, where there are any, and of blocks in SLC mode.
void print_array_times(const Config& config) {
  const auto time = [](TimePs value) { return format_quantity(Dimension::time, value); };
  const ArrayTiming a = to_array_timing(config);
  std::cout << "array times (by page type)\n";
  if (!config.ftl.slc_mode) {
    row("tR", times(config.nand.tR));
    if (config.nand.one_pass) {
      row("tPROG_wordline", time(a.tPROG_wordline) + " (a wordline in one pass)");
    } else {
      row("tPROG", times(config.nand.tPROG));
    }
    row("tBERS", time(config.nand.tBERS));
  }
  if (!config.ftl.slc_mode && !has_slc_cache(config)) return;
  row("tR, SLC mode", time(a.slc_tR));
  row("tPROG, SLC mode", time(a.slc_tPROG));
  row("tBERS, SLC mode", time(a.slc_tBERS));
}

std::string core_text(const CoreCost& cost, const Limits& l) {
  return rate(cost.requests_per_s * static_cast<double>(l.request_bytes)) + " (" +
         std::to_string(cost.cycles) + " cycles for " + format_quantity(Dimension::size, l.request_bytes) +
         " in " + std::to_string(cost.pages) + (cost.pages == 1 ? " page: " : " pages: ") +
         decimals(cost.requests_per_s / 1e3, 1) + " k requests/s)";
}

void print_limits(const Config& config, const Derived& d, const Limits& l) {
  std::cout << "upper limits of throughput, whole drive, aligned requests of "
            << format_quantity(Dimension::size, l.request_bytes) << ", without GC\n";
  const auto buses = [&config](std::uint32_t bytes) {
    return " (" + std::to_string(bytes) + " bytes of a page, commands and waits, on " +
           std::to_string(config.geometry.channels) + " channels)";
  };
  row("buses, reading", rate(l.reads.buses) + buses(l.read_bytes));
  row("buses, programming", rate(l.writes.buses) + buses(l.program_bytes));
  row("dies, reading", rate(l.reads.dies) + " (all planes; " +
                           (config.controller.cache_reads ? "tR beside the transfer: cache reads)"
                                                          : "tR, then the transfer)"));
  row("dies, programming",
      rate(l.writes.dies) + " (all planes; " +
          (config.nand.one_pass               ? "a wordline in one pass)"
           : config.controller.cache_programs ? "tPROG beside the transfer: cache programs)"
                                              : "the transfer, then tPROG)"));
  if (l.slc_writes != 0) {
    row("buses, SLC mode", rate(l.slc_buses) + buses(l.slc_bytes));
    row("dies, SLC mode", rate(l.slc_writes) + " (programs into the SLC-mode cache)");
  }
  if (l.core_read.cycles != 0) {
    row("core, reads", core_text(l.core_read, l));
    row("core, writes", core_text(l.core_write, l));
  } else {
    row("core", config.cpu.firmware.empty() ? "none (no step costs anything)" : "not known: the image's own");
  }
  row("host link", d.link_bytes_per_s == 0 ? "none (ideal)" : rate(d.link_bytes_per_s));
  row("device memory", rate(d.dram_bytes_per_s) + " (each byte crosses it twice)");
}

bool keeps_journal() {
  bool built = false;
  fw::for_each_feature(
      [&](const fw::FeatureRow& row) { built = built || std::string_view(row.key.name) == "journal"; });
  return built;
}

void print_power(const Config& config, const std::optional<DramNeeds>& needs) {
  std::cout << "when the supply fails\n";
  const std::string spare =
      keeps_journal() ? "there are too few spare blocks for metadata" : "this build has no feature journal";
  if (needs) row("trims", needs->trims_kept ? "stay" : "may be undone, to any older version: " + spare);
  if (needs) row("bad blocks", needs->bad_blocks_kept ? "stay bad" : "are found out again: " + spare);
  const std::uint64_t interval = config.ftl.checkpoint_interval;
  if (needs && interval != 0)
    row("checkpoints",
        needs->map_kept ? "every " + std::to_string(interval) + " programs" : "none: " + spare);
  const bool taken = fw::endangers_pages(to_ftl_config(config));
  row("programmed pages", !taken ? "stay"
                                 : "may be taken by a program that is interrupted: nothing protects them "
                                   "(power.hold_up, ftl.lower_pages); sectors may go back to older versions");
}

struct NamedLimit {
  const char* name;
  double bytes_per_s; // 0: none
};

void print_bottleneck(const char* what, const std::vector<NamedLimit>& limits) {
  const NamedLimit* lowest = nullptr;
  for (const NamedLimit& l : limits) {
    if (l.bytes_per_s != 0 && (lowest == nullptr || l.bytes_per_s < lowest->bytes_per_s)) lowest = &l;
  }
  row(what, std::string(lowest->name) + ", " + rate(lowest->bytes_per_s));
}

void print_bottlenecks(const Derived& d, const Limits& l) {
  std::cout << "first limit reached\n";
  const auto print = [&d](const char* what, const Throughput& t) {
    print_bottleneck(what, {{"host link", d.link_bytes_per_s},
                            {"device memory", d.dram_bytes_per_s},
                            {"buses", t.buses},
                            {"dies", t.dies},
                            {"core", t.core}});
  };
  print("reads", l.reads);
  if (l.slc_writes == 0) return print("writes without GC", l.writes);
  Throughput cached = l.writes;
  cached.dies = l.slc_writes;
  cached.buses = l.slc_buses;
  print("writes into the cache", cached);
}

} // namespace

void add_check_command(CLI::App& app, Context& context) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* command =
      app.add_subcommand("check", "validate a configuration; print derived geometry and bandwidth limits");
  add_config_options(*command, *options);
  command->callback([options, &context] {
    const LoadedConfig loaded = finish_and_warn(make_loader(*options));
    const Derived derived = derive(loaded.config);
    const std::optional<DramNeeds> needs = real_needs(loaded.config);
    // refuses words that cannot be read
    require_workload(loaded, needs ? needs->exported_bytes : derived.exported_bytes);
    const Limits limits = context.model.limits(loaded.config);
    print_geometry(loaded.config, derived, needs);
    print_array_times(loaded.config);
    print_limits(loaded.config, derived, limits);
    print_bottlenecks(derived, limits);
    print_power(loaded.config, needs);
  });
}

} // namespace twinplane::platform::cli
