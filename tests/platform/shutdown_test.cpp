// Does a shutdown take no longer than Identify promises (RTD3E), however much waits in the write buffer?
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::shutdown_test {
namespace {

/// Slow TLC; filled, and overwritten until collection is at work.
constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 48
[nand]
cell = "tlc"
tR = ["60us", "80us", "100us"]
tPROG = ["1ms", "3ms", "9ms"]
[ftl]
write_ack = "buffered"
write_buffer = 256
over_provisioning = "20%"
[precondition]
mode = "fill"
fill = "100%"
overwrite = "100%"
[workload]
rw = "randwrite"
bs = "4KiB"
number_ios = 1500
)";

struct Case {
  const char* name;
  std::vector<std::string> settings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

const Case kCases[] = {
    {"partial_pages", {}},
    {"whole_pages", {"workload.bs=16KiB"}},
    {"hardly_any_spare_blocks", {"ftl.over_provisioning=5%"}},
    {"pages_bound_to_planes", {"geometry.dies_per_chip=4", "ftl.plane_allocation=CWDP"}},
    {"one_slow_bus", {"geometry.dies_per_chip=4", "bus.interface=sdr", "bus.mode=0"}},
    {"victims_by_chance", {"ftl.victim=random"}},
    {"twin_blocks", {"ftl.policy=d+tbm"}},
    {"slow_core", {"cpu.clock=1MHz", "cpu.cost.interrupt=100000", "geometry.dies_per_chip=4"}},
    {"slow_dram", {"dram.bandwidth=1MB/s", "nand.cell=slc", "nand.tR=25us", "nand.tPROG=200us"}},
    {"slow_dram_of_many_dies",
     {"dram.bandwidth=1MB/s", "geometry.dies_per_chip=4", "nand.cell=slc", "nand.tR=25us",
      "nand.tPROG=200us"}},
    {"slow_dram_and_checkpoints", {"dram.bandwidth=1MB/s", "ftl.checkpoint_interval=500", "power.hold_up=0"}},
    {"many_planes", {"geometry.planes_per_die=4", "ftl.write_buffer=512"}},
};

class Shutdown : public ::testing::TestWithParam<Case> {};

TEST_P(Shutdown, TakesNoLongerThanIdentifySays) {
  const platform::Config config = configure(kDrive, GetParam().settings);
  platform::Simulation simulation(config);
  const platform::Summary s =
      run_workload(simulation, config); // throws when the host has waited for too long
  std::uint32_t promised_us;
  std::memcpy(&promised_us, simulation.host().identify_controller() + 88, sizeof promised_us);
  // from the last completion on; the microseconds before the first submission count, too
  const TimePs taken = s.time.simulated_ps - static_cast<TimePs>(s.host.measured_ns * 1000);
  ASSERT_GT(taken, ms(50)) << "the buffer was not empty";
  EXPECT_LE(taken, us(promised_us));
  RecordProperty("promised_ms", static_cast<int>(promised_us / 1000));
  RecordProperty("taken_ms", static_cast<int>(taken / ms(1)));
}

INSTANTIATE_TEST_SUITE_P(Drives, Shutdown, ::testing::ValuesIn(kCases), parameter_name);

} // namespace
} // namespace twinplane::test::shutdown_test
