#include "platform/config/checks.h"

#include <algorithm>
#include <memory>

#include "firmware/ftl/map/unit_map.h"
#include "firmware/ftl/rules/rules.h"
#include "platform/config/convert.h"
#include "platform/config/derived.h"
#include "platform/config/dram_needs.h"
#include "platform/config/units.h"

namespace twinplane::platform {

namespace {

bool power_of_two(std::uint64_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

std::string text(std::uint64_t v) {
  return std::to_string(v);
}
std::string bytes(std::uint64_t v) {
  return format_quantity(Dimension::size, v);
}

/// Collects findings; one method per section keeps the order of the documentation.
class Checker {
 public:
  explicit Checker(const Config& config) : config_(config), derived_(derive(config)) {}

  std::vector<Finding> run() {
    check_page();
    check_addresses();
    check_cells();
    check_errors();
    check_bus();
    check_cache();
    check_link_and_memory();
    check_host();
    check_ftl();
    check_precondition();
    check_workload();
    check_run();
    for (Finding& f : check_one_pass(config_)) findings_.push_back(std::move(f));
    for (Finding& f : check_copyback(config_)) findings_.push_back(std::move(f));
    for (Finding& f : check_peak_limit(config_)) findings_.push_back(std::move(f));
    for (Finding& f : check_firmware(config_)) findings_.push_back(std::move(f));
    for (Finding& f : check_power(config_)) findings_.push_back(std::move(f));
    check_rules();
    check_memory_size();
    return std::move(findings_);
  }

 private:
  bool any_error() const {
    return std::any_of(findings_.begin(), findings_.end(), [](const Finding& f) { return f.error; });
  }
  void error(const char* key, std::string what) { findings_.push_back({true, key, std::move(what)}); }
  void warn(const char* key, std::string what) { findings_.push_back({false, key, std::move(what)}); }

  void check_page();
  void check_map_unit();
  void check_addresses();
  void check_cells();
  void check_errors();
  void check_bus();
  void check_link_and_memory();
  void check_identity();
  void check_cache();
  void check_rules();
  void check_memory_size();
  void check_host();
  void check_ftl();
  void check_precondition();
  void check_workload();
  void check_run();

  const Config& config_;
  Derived derived_;
  std::vector<Finding> findings_;
};

void Checker::check_page() {
  const Geometry& g = config_.geometry;
  if (!power_of_two(g.page_size))
    error("geometry.page_size", "must be a power of two, is " + bytes(g.page_size));
  if (g.sector_size != 512 && g.sector_size != 4096) {
    error("geometry.sector_size", "must be 512B or 4KiB, is " + bytes(g.sector_size));
    return;
  }
  if (g.page_size % g.sector_size != 0) {
    error("geometry.sector_size",
          bytes(g.sector_size) + " sectors do not fill a page of " + bytes(g.page_size) + " evenly");
    return;
  }
  const std::uint32_t sectors = g.sectors_per_page();
  if (sectors > kMaxSectorsPerPage) {
    error("geometry.page_size", "a page may have at most " + text(kMaxSectorsPerPage) + " sectors, " +
                                    bytes(g.page_size) + " / " + bytes(g.sector_size) + " = " +
                                    text(sectors));
  }
  check_map_unit();
  if (sectors % g.subpages_per_page != 0) {
    error("geometry.subpages_per_page",
          text(g.subpages_per_page) + " does not divide the " + text(sectors) + " sectors of a page");
  }
}

void Checker::check_map_unit() {
  const Geometry& g = config_.geometry;
  const std::uint32_t unit = config_.ftl.map_unit;
  if (unit == 0) return;
  if (!power_of_two(unit) || unit > g.page_size || unit < g.sector_size)
    return error("ftl.map_unit", "must be a power of two from a sector (" + bytes(g.sector_size) +
                                     ") to a page (" + bytes(g.page_size) + "), is " + bytes(unit));
  if (map_units(config_) > fw::kMaxUnits)
    return error("ftl.map_unit", "a page of " + bytes(g.page_size) + " has " + text(map_units(config_)) +
                                     " units of " + bytes(unit) + ", at most " + text(fw::kMaxUnits));
  if (g.subpages_per_page != 1 && g.subpages_per_page != map_units(config_))
    error("geometry.subpages_per_page", "a page has " + text(map_units(config_)) +
                                            " units of ftl.map_unit = " + bytes(unit) +
                                            " and keeps a word for each: must be that, or 1");
}

void Checker::check_addresses() {
  const Geometry& g = config_.geometry;
  constexpr std::uint32_t kMaxDiesPerChannel = 64;
  if (g.dies_per_channel() > kMaxDiesPerChannel) {
    error("geometry.chips_per_channel", "chips_per_channel x dies_per_chip = " + text(g.dies_per_channel()) +
                                            " dies on a channel, at most " + text(kMaxDiesPerChannel));
  }
  constexpr std::uint32_t kColumnSpace = 65536; // two column address cycles
  if (g.page_size + g.spare_size > kColumnSpace) {
    error("geometry.spare_size", "page and spare together take " + bytes(g.page_size + g.spare_size) +
                                     ", two column address cycles reach " + bytes(kColumnSpace));
  }
  if (derived_.row_bits > 32) {
    error("geometry.blocks_per_plane",
          "a row address would need " + text(derived_.row_bits) + " bits, four address cycles carry 32");
  }
  constexpr std::uint32_t kPpnBits = 31; // the map stores number + 1 in 32 bits
  if (derived_.ppn_bits > kPpnBits) {
    error("geometry.blocks_per_plane", "physical page numbers would need " + text(derived_.ppn_bits) +
                                           " bits (die, block, plane, page), they have " + text(kPpnBits));
  }
}

void Checker::check_cells() {
  const Geometry& g = config_.geometry;
  const auto types = static_cast<std::uint32_t>(g.cell);
  if (g.pages_per_block % types != 0) {
    error("geometry.pages_per_block", text(g.pages_per_block) + " is no multiple of the cell's " +
                                          text(types) + " bits: a wordline would be incomplete");
  } else if (!std::make_unique<PageOrderTable>(g.cell, g.pages_per_block, page_table(config_))->valid()) {
    error("nand.page_table",
          "even_odd needs nand.cell = \"mlc\" and pages_per_block a multiple of 4, at least 8");
  }
  const auto check_list = [&](const char* key, const TimeList& list) {
    if (list.count != types) {
      error(key, "expected one time or " + text(types) + " (one per page type of the cell), got " +
                     text(list.count));
    }
  };
  check_list("nand.tR", config_.nand.tR);
  check_list("nand.tPROG", config_.nand.tPROG);
  if (config_.nand.tR_level.count >= kReadLevels) {
    error("nand.tR_level", "expected at most " + text(kReadLevels - 1) + " times, one per read level, got " +
                               text(config_.nand.tR_level.count));
  }
}

void Checker::check_errors() {
  const ErrorKeys& e = config_.nand.errors;
  const EccKeys& ecc = config_.controller.ecc;
  const Geometry& g = config_.geometry;
  const bool has_codewords = e.reading != ErrorReading::off || ecc.parity_on_bus;
  if (!power_of_two(ecc.codeword) || (has_codewords && ecc.codeword > g.page_size)) {
    error("controller.ecc.codeword", "must be a power of two and fit into a page, is " + bytes(ecc.codeword));
  } else if (const std::uint64_t parity = g.page_size / ecc.codeword * ecc.parity;
             ecc.parity_on_bus && parity > g.spare_size) {
    error("controller.ecc.parity",
          bytes(parity) + " of a page do not fit into geometry.spare_size = " + bytes(g.spare_size));
  }
  if (ecc.fastest > ecc.slowest) error("controller.ecc.fastest", "must not exceed controller.ecc.slowest");
  if (ecc.soft_corrects < ecc.corrects)
    error("controller.ecc.soft_corrects", "must not be below controller.ecc.corrects");
  if (read_levels(config_) >= kReadLevels) {
    error("controller.read_retries",
          "with controller.ecc.soft_senses there are " + text(read_levels(config_)) +
              " read levels to go through; the parts have " + text(kReadLevels - 1));
  }
  if (e.reading == ErrorReading::off) return;
  if (e.fresh > e.worn) error("nand.errors.fresh", "must not exceed nand.errors.worn");
}

void Checker::check_bus() {
  for (const BusInterface& i : kBusInterfaces) {
    if (config_.bus.interface == i.name && i.modes != 0 && config_.bus.mode >= i.modes) {
      error("bus.mode", config_.bus.interface + " has modes 0 to " + text(i.modes - 1) + ", got " +
                            text(config_.bus.mode));
    }
  }
}

/// Identify has 20 characters for it.
void Checker::check_identity() {
  const std::string& serial = config_.pcie.serial_number;
  const bool printable =
      std::all_of(serial.begin(), serial.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (printable && serial.size() <= 20) return;
  error("pcie.serial_number",
        "expected up to 20 printable ASCII characters without spaces, got \"" + serial + "\"");
}

void Checker::check_link_and_memory() {
  check_identity();
  if (!power_of_two(config_.pcie.lanes)) {
    error("pcie.lanes", "expected 1, 2, 4, 8 or 16, got " + text(config_.pcie.lanes));
  }
  if (!power_of_two(config_.pcie.max_payload)) {
    error("pcie.max_payload", "must be a power of two, is " + bytes(config_.pcie.max_payload));
  }
  const std::uint64_t buffer = std::uint64_t{derived_.write_buffer_pages} *
                               config_.geometry.sectors_per_page() *
                               payload_bytes(config_.data, config_.geometry.sector_size);
  constexpr std::uint64_t kReach = std::uint64_t{2} << 30; // 32-bit addresses, half of them for the rest
  if (buffer > kReach) {
    error("ftl.write_buffer",
          "needs " + bytes(buffer) + " of device memory, the engines that move data reach " + bytes(kReach));
  }
}

void Checker::check_cache() {
  const CpuKeys& c = config_.cpu;
  if (!power_of_two(c.cache_line))
    error("cpu.cache_line", "must be a power of two, is " + bytes(c.cache_line));
  const std::uint64_t set = c.cache_line * c.cache_ways;
  if (c.cache_size % set != 0) {
    error("cpu.cache_size", bytes(c.cache_size) + " is no multiple of " + text(c.cache_ways) +
                                " way(s) of lines of " + bytes(c.cache_line));
  }
}

/// The firmware's rules, where nothing above has said it with numbers.
void Checker::check_rules() {
  const fw::FtlConfig ftl = to_ftl_config(config_);
  fw::for_each_broken_rule(ftl, [&](const fw::Rule& rule) {
    std::string said = rule.text; // "KEY[, KEY]: what must hold"
    constexpr std::string_view kLeast = "at least ";
    if (rule.least != nullptr) said.insert(said.find(kLeast) + kLeast.size(), text(rule.least(ftl)) + ", ");
    const std::size_t colon = said.find(": ");
    const std::string key = said.substr(0, colon);
    const bool known = std::any_of(findings_.begin(), findings_.end(),
                                   [&key](const Finding& f) { return f.error && f.key == key; });
    if (!known) error(key.c_str(), said.substr(colon + 2));
    return true;
  });
}

/// Last: the firmware is booted for it, with a configuration that nothing else is wrong with.
void Checker::check_memory_size() {
  if (config_.dram.size == 0 || any_error()) return;
  const std::optional<DramNeeds> needs = dram_needs(config_);
  if (!needs || needs->total() <= config_.dram.size) return;
  error("dram.size", bytes(config_.dram.size) + " is too small: this drive needs " + text_of(*needs) +
                         "; 0B = as much as it needs");
}

void Checker::check_host() {
  const HostKeys& h = config_.host;
  const std::uint64_t reachable = std::uint64_t{h.queues} * (h.queue_size - 1);
  if (h.mode == HostMode::open && h.iodepth != HostKeys().iodepth) {
    error("host.iodepth", text(h.iodepth) +
                              " would be ignored: with host.mode = \"open\" requests start at their "
                              "own times, however many are outstanding");
  }
  if (h.mode != HostMode::open && h.iodepth > reachable) {
    error("host.iodepth", text(h.iodepth) + " cannot be outstanding: " + text(h.queues) + " queue(s) of " +
                              text(h.queue_size) + " entries hold " + text(reachable));
  }
  if (h.mode != HostMode::open && h.iodepth > h.slots) {
    warn("host.slots", "host.iodepth = " + text(h.iodepth) + ", but the controller holds only " +
                           text(h.slots) + " commands: the rest waits in the queues");
  }
  if (!power_of_two(h.max_transfer)) {
    error("host.max_transfer", "must be a power of two (MDTS), is " + bytes(h.max_transfer));
  }
}

void Checker::check_ftl() {
  const FtlKeys& f = config_.ftl;
  const std::uint32_t blocks = config_.geometry.blocks_per_plane;
  if (derived_.gc_threshold_blocks < 2) {
    error("ftl.gc_threshold", format_fraction(f.gc_threshold.share) + " of " + text(blocks) +
                                  " blocks per plane is fewer than the 2 that reclaiming needs");
  } else if (derived_.gc_threshold_blocks >= blocks) {
    error("ftl.gc_threshold",
          text(derived_.gc_threshold_blocks) + " free blocks asked of a plane that has " + text(blocks));
  } else if (derived_.gc_threshold_blocks > derived_.over_provisioned_blocks &&
             config_.precondition.mode != PreconditionMode::aged) { // aged drives have room: little is valid
    warn("ftl.gc_threshold",
         text(derived_.gc_threshold_blocks) + " free blocks per plane cannot be reached on a full drive: " +
             text(derived_.over_provisioned_blocks) + " of " + text(blocks) + " are over-provisioned");
  }
  if (derived_.over_provisioned_blocks < 2) {
    error("ftl.over_provisioning", format_fraction(f.over_provisioning) + " of " + text(blocks) +
                                       " blocks per plane leaves " + text(derived_.over_provisioned_blocks) +
                                       " spare blocks, garbage collection needs at least 2");
  }
  if (f.page_buffers != 0 && f.page_buffers < fw::kFewestPageBuffers) {
    error("ftl.page_buffers", "expected 0 or at least " + text(fw::kFewestPageBuffers) + ", is " +
                                  text(f.page_buffers) + ": the collector takes a quarter of them");
  }
}

void Checker::check_precondition() {
  const PreconditionKeys& p = config_.precondition;
  const bool keeps_a_block = starts_at_random_pages(config_); // of each plane, for the random start
  if (p.mode == PreconditionMode::aged && p.fill >= 1 && !keeps_a_block) {
    error("precondition.fill",
          "leaves an aged drive no room to write: must be below 100%, is " + format_fraction(p.fill));
  }
  if (p.mode != PreconditionMode::fill && p.overwrite > 0) {
    warn("precondition.overwrite", "has no effect unless precondition.mode = \"fill\"");
  }
}

void Checker::check_workload() {
  const WorkloadKeys& w = config_.workload;
  const std::uint32_t sector = config_.geometry.sector_size;
  if (w.offset >= derived_.exported_bytes || w.size > derived_.exported_bytes - w.offset) {
    error("workload.size", "offset " + bytes(w.offset) + " + size " + bytes(w.size) +
                               " lies beyond the drive's " + bytes(derived_.exported_bytes));
  } else if (w.size != 0 && w.size < w.bs) {
    error("workload.size", bytes(w.size) + " is smaller than one request of workload.bs = " + bytes(w.bs));
  }
  if (w.bs % sector != 0) {
    warn("workload.bs",
         bytes(w.bs) + " is no multiple of the sector (" + bytes(sector) + "): requests are aligned outward");
  }
  if (w.rate_iops != 0 && config_.host.mode == HostMode::closed) {
    warn("workload.rate_iops", "has no effect with host.mode = \"closed\"");
  }
}

void Checker::check_run() {
  const ArrayTiming array = to_array_timing(config_);
  TimePs longest = std::max(array.tBERS, array.slc_tBERS);
  for (const TimePs t : array.tPROG) longest = std::max(longest, t);
  for (const TimePs t : array.tR) longest = std::max(longest, t);
  if (config_.run.timeout <= longest) {
    error("run.timeout", "must be longer than every array time, of which the longest is " +
                             format_quantity(Dimension::time, longest));
  }
  if (config_.waves.to != 0 && config_.waves.to <= config_.waves.from) {
    error("waves.to",
          "must be later than waves.from = " + format_quantity(Dimension::time, config_.waves.from));
  }
  if (config_.waves.level == WaveLevel::pins && config_.waves.to == 0) {
    error("waves.level",
          "\"pins\" records every bus cycle and needs a window: set waves.to (--vcd-window FROM:TO)");
  }
  constexpr std::uint64_t kMuchMemory = 64ull << 30;
  if (config_.data == DataMode::full && derived_.raw_bytes > kMuchMemory) {
    warn("data.mode", "\"full\" keeps every written byte in memory, up to " + bytes(derived_.raw_bytes));
  }
}

} // namespace

std::vector<Finding> check_config(const Config& config) {
  return Checker(config).run();
}

} // namespace twinplane::platform
