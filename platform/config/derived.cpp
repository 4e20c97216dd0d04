#include "platform/config/derived.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "firmware/ftl/policies.h"
#include "platform/config/convert.h"

namespace twinplane::platform {

namespace {

constexpr double kPsPerSecond = 1e12;
constexpr double kPacketOverhead = 26; // framing, sequence number, header, LCRC of a data packet

double link_bytes_per_s(const PcieKeys& pcie) {
  if (pcie.ideal) return 0;
  constexpr std::array<double, 6> kGigaTransfers = {0, 2.5, 5, 8, 16, 32};
  const double coding = pcie.generation <= 2 ? 8.0 / 10 : 128.0 / 130;
  const double payload = pcie.max_payload / (pcie.max_payload + kPacketOverhead);
  return kGigaTransfers[pcie.generation] * 1e9 / 8 * coding * pcie.lanes * payload;
}

double bytes_per_s(const ByteTime& byte) {
  return byte.numerator == 0 ? 0 : kPsPerSecond * byte.denominator / byte.numerator;
}

bool dram_is_ample(const Config& config, const BusTiming& bus, double link) {
  if (config.cpu.cache_size != 0) return false; // the core's misses come on top
  if (config.pcie.ideal || bus.data_in.numerator == 0 || bus.data_out.numerator == 0) return false;
  const double buses =
      config.geometry.channels * std::max(bytes_per_s(bus.data_in), bytes_per_s(bus.data_out));
  return buses + 2 * link <= static_cast<double>(config.dram.bandwidth);
}

/// What the blocks hold when the hot ones, as they are at first, hold half; as far as both kinds fit into a
/// plane.
std::uint64_t held_by_regions(const Config& config, const Derived& d) {
  const Geometry& g = config.geometry;
  const fw::FtlConfig ftl = to_ftl_config(config);
  const std::uint64_t hot = fw::regions_of(ftl).blocks_at_boot(ftl, g.blocks_per_plane);
  const std::uint32_t fast = fw::pages_in_use(fw::PageMode::fast, g);
  const std::uint64_t kept =
      fw::conventional_reserve_pages(fast) + std::uint64_t{fw::conventional_reserve_pages(g.pages_per_block)};
  const std::uint64_t held = hot * fast + (g.blocks_per_plane - hot) * g.pages_per_block;
  return d.planes * (held > kept ? held - kept : 0) * g.page_size;
}

/// Native blocks alone, and those that the cache gives back.
std::uint64_t held_by_native(const Config& config, const Derived& d) {
  const Geometry& g = config.geometry;
  const fw::FtlConfig ftl = to_ftl_config(config);
  const fw::RegionsRow& kind = fw::regions_of(ftl);
  const std::uint32_t cache = kind.least_blocks(ftl, g.blocks_per_plane);
  const std::uint32_t pages = kind.guaranteed_pages(ftl, g.pages_per_block);
  const std::uint64_t held =
      cache < g.blocks_per_plane ? std::uint64_t{g.blocks_per_plane - cache} * pages : 0;
  const std::uint64_t kept = fw::conventional_reserve_pages(g.pages_per_block);
  return d.planes * (held > kept ? held - kept : 0) * g.page_size;
}

void derive_counts(const Config& config, Derived& d) {
  const Geometry& g = config.geometry;
  // 64-bit products: an impossible geometry must be seen, not wrapped.
  d.dies = std::uint64_t{g.channels} * g.chips_per_channel * g.dies_per_chip;
  d.planes = d.dies * g.planes_per_die;
  d.blocks = d.planes * g.blocks_per_plane;
  d.pages = d.blocks * g.pages_per_block;
  d.raw_bytes = d.pages * g.page_size;
  const std::uint64_t usable = config.ftl.slc_mode ? d.pages / static_cast<std::uint32_t>(g.cell) : d.pages;
  d.exported_bytes =
      static_cast<std::uint64_t>(static_cast<double>(usable) * (1 - config.ftl.over_provisioning)) *
      g.page_size;
  if (several_regions(config)) d.exported_bytes = std::min(d.exported_bytes, held_by_regions(config, d));
  if (has_slc_cache(config)) d.exported_bytes = std::min(d.exported_bytes, held_by_native(config, d));
  d.logical_pages = d.exported_bytes / g.page_size;
  const RowLayout layout(g);
  d.row_bits = layout.lun_shift() + layout.lun_bits;
  d.ppn_bits = layout.lun_shift() + address_bits(static_cast<std::uint32_t>(d.dies));
}

} // namespace

Derived derive(const Config& config) {
  Derived d;
  derive_counts(config, d);
  d.gc_threshold_blocks = gc_threshold_blocks(config);
  d.over_provisioned_blocks =
      static_cast<std::uint32_t>(config.ftl.over_provisioning * config.geometry.blocks_per_plane);
  d.write_buffer_pages = write_buffer_pages(config);

  const BusTiming bus = to_bus_timing(config);
  d.bus_bytes_per_s = bytes_per_s(bus.data_out) * config.geometry.channels;
  d.link_bytes_per_s = link_bytes_per_s(config.pcie);
  d.dram_bytes_per_s = static_cast<double>(config.dram.bandwidth) / 2;
  d.dram_is_ample = dram_is_ample(config, bus, d.link_bytes_per_s);
  return d;
}

} // namespace twinplane::platform
