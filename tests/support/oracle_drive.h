// Whole drives for tests that compare with closed forms: configuration texts whose firmware, link and
// memory take no time, so that what remains is the flash; and runs of a workload on a drive.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/session/simulation.h"

namespace twinplane::test {

/// Firmware without cost, a link without time, memory faster than a picosecond per byte, no ECC latency.
constexpr const char* kTimeless = R"(
[cpu]
clock = "10GHz"
[cpu.cost]
interrupt = 0
command_decode = 0
map_lookup = 0
allocate = 0
flash_submit = 0
flash_complete = 0
dma_submit = 0
gc_select = 0
admin = 0
[pcie]
ideal = true
[dram]
bandwidth = "10000GB/s"
[controller]
ecc_latency = "0ns"
)";

/// Page bytes of a buffer pass the device memory at 10 TB/s, rounded up to a picosecond per booking.
constexpr TimePs memory_time(std::uint64_t bytes) {
  return (bytes + 9) / 10;
}

/// `text` over the defaults, then `settings` ("key=value") in order.
platform::Config configure(const std::string& text, const std::vector<std::string>& settings = {});

/// Runs the workload that `config` describes. One simulation per process.
platform::Summary run_workload(platform::Simulation& simulation, const platform::Config& config);
platform::Summary run_workload(const platform::Config& config);

/// A request's latency is made of its parts, each of which is a time.
void expect_parts_of_the_mean(const char* op, const platform::HostDirection& d);
/// What holds in every run, whatever the workload.
void expect_consistent(const platform::Summary& s);

} // namespace twinplane::test
