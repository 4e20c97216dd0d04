#include "hw/host_if/pcie_link.h"

namespace twinplane::hw {

namespace {

constexpr bool is_power_of_two(std::uint32_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

/// Picoseconds per byte and lane. 8b/10b: 10 bits per byte; 128b/130b: 8 * 130 / 128 bits per byte.
Rate lane_rate(std::uint32_t generation, std::uint32_t lanes) {
  if (generation <= 2) return Rate::ps_per_byte(4000u >> (generation - 1), lanes); // 400, 200 ps per bit
  return Rate::ps_per_byte(8125u, std::uint64_t{8u << (generation - 3)} * lanes);  // 1015.625 at 8 GT/s
}

} // namespace

const char* PcieLink::check(const PcieConfig& config) {
  if (config.generation < 1 || config.generation > 5) return "pcie.generation must be 1 to 5";
  if (!is_power_of_two(config.lanes) || config.lanes > 16) return "pcie.lanes must be 1, 2, 4, 8 or 16";
  if (!is_power_of_two(config.max_payload) || config.max_payload < 128 || config.max_payload > 4096) {
    return "pcie.max_payload must be a power of two from 128 to 4096 bytes";
  }
  return nullptr;
}

PcieLink::PcieLink(const PcieConfig& config)
    : byte_time_(config.ideal ? Rate() : lane_rate(config.generation, config.lanes)),
      payload_mask_(config.max_payload - 1),
      payload_shift_(static_cast<std::uint32_t>(__builtin_ctz(config.max_payload))),
      overhead_(config.tlp_overhead),
      latency_(config.ideal ? 0 : config.latency),
      request_(config.ideal ? 0 : byte_time_.duration(overhead_) + latency_ + config.read_latency),
      register_write_(config.ideal ? 0 : wire(4) + latency_),
      register_read_(config.ideal ? 0 : byte_time_.duration(overhead_) + wire(4) + 2 * latency_) {}

} // namespace twinplane::hw
