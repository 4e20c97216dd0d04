// twinplane check: validates a configuration and prints what follows from it.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "platform/cli/commands.h"
#include "platform/cli/config_options.h"
#include "platform/config/derived.h"
#include "platform/config/dram_needs.h"
#include "platform/config/units.h"
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

void print_geometry(const Config& config, const Derived& d) {
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
  row("exported", "about " + gib(d.exported_bytes) + " (over-provisioning " +
                      format_fraction(config.ftl.over_provisioning) + ")");
  row("garbage collection", "below " + std::to_string(d.gc_threshold_blocks) + " free blocks per plane; " +
                                std::to_string(d.over_provisioned_blocks) + " of " +
                                std::to_string(g.blocks_per_plane) + " over-provisioned");
  if (const std::optional<DramNeeds> needs = dram_needs(config)) row("device memory needed", text_of(*needs));
  row("write buffer", d.write_buffer_pages == 0 ? "none" : std::to_string(d.write_buffer_pages) + " pages");
}

void print_limits(const Config& config, const Derived& d) {
  std::cout << "array times (by page type)\n";
  row("tR", times(config.nand.tR));
  row("tPROG", times(config.nand.tPROG));
  row("tBERS", format_quantity(Dimension::time, config.nand.tBERS));
  std::cout << "upper limits of throughput, whole drive\n";
  row("flash buses", rate(d.bus_bytes_per_s) + " (" + std::to_string(config.geometry.channels) + " x " +
                         rate(d.channel_bytes_per_s) + ", data cycles only)");
  row("arrays, reading", rate(d.read_bytes_per_s) + " (all planes, mean tR)");
  row("arrays, programming", rate(d.program_bytes_per_s) + " (all planes, mean tPROG)");
  row("host link", d.link_bytes_per_s == 0 ? "none (ideal)" : rate(d.link_bytes_per_s));
  row("device memory", rate(d.dram_bytes_per_s) + " (each byte crosses it twice)");
}

struct Limit {
  const char* name;
  double bytes_per_s;
};

void print_bottleneck(const char* what, std::vector<Limit> limits) {
  const auto smallest = std::min_element(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
    return a.bytes_per_s < b.bytes_per_s;
  });
  row(what, std::string(smallest->name) + ", " + rate(smallest->bytes_per_s));
}

void print_bottlenecks(const Derived& d) {
  const double link = d.link_bytes_per_s == 0 ? 1e30 : d.link_bytes_per_s;
  std::cout << "first limit reached\n";
  const std::vector<Limit> shared{
      {"host link", link}, {"device memory", d.dram_bytes_per_s}, {"flash buses", d.bus_bytes_per_s}};
  const auto print = [&shared](const char* what, double arrays) {
    std::vector<Limit> limits = shared;
    limits.push_back({"arrays", arrays});
    print_bottleneck(what, limits);
  };
  print("reads", d.read_bytes_per_s);
  print("writes without GC", d.program_bytes_per_s);
}

} // namespace

void add_check_command(CLI::App& app) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* command =
      app.add_subcommand("check", "validate a configuration; print derived geometry and bandwidth limits");
  add_config_options(*command, *options);
  command->callback([options] {
    const LoadedConfig loaded = finish_and_warn(make_loader(*options));
    const Derived derived = derive(loaded.config);
    to_workload_spec(loaded.config, derived.exported_bytes); // refuses words that cannot be read
    print_geometry(loaded.config, derived);
    print_limits(loaded.config, derived);
    print_bottlenecks(derived);
  });
}

} // namespace twinplane::platform::cli
