// Does the firmware find the maker's bad-block marks as a real drive does: over the buses, all of them, and
// in the time of two reads of each block of a plane?
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "hw/core/kernel_time.h"
#include "hw/nand/fault_model.h"
#include "platform/ssd/hardware_config.h"
#include "tests/platform/model_bench.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::mark_search_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 40
pages_per_block = 24
[nand]
cell = "mlc"
tR = ["50us", "70us"]
factory_bad = "6%"
[bus]
monitor = true
[ftl]
over_provisioning = "50%"
lower_pages = "none"
)";

std::uint64_t marked_by_the_maker(const platform::Config& config) {
  std::uint64_t marked = 0;
  const Geometry& g = config.geometry;
  for (std::uint32_t chip = 0; chip < g.channels * g.chips_per_channel; ++chip) {
    const hw::NandConfig part =
        platform::to_nand_config(config, chip / g.chips_per_channel, chip % g.chips_per_channel, nullptr);
    for (std::uint32_t lun = 0; lun < g.dies_per_chip; ++lun) {
      const hw::FaultModel faults(part, lun);
      for (std::uint32_t plane = 0; plane < g.planes_per_die; ++plane) {
        for (std::uint32_t block = 0; block < g.blocks_per_plane; ++block)
          marked += faults.factory_bad(plane, block) ? 1 : 0;
      }
    }
  }
  return marked;
}

class MarkSearch : public ::testing::TestWithParam<const char*> {};

TEST_P(MarkSearch, FindsAllInTheTimeOfTwoReadsOfEachBlockOfAPlane) {
  const platform::Config config = configure(std::string(kTimeless) + kDrive, {GetParam()});
  ModelBench bench("bench", config);
  bench.boot();
  ASSERT_TRUE(bench.ssd.firmware().booted()) << bench.ssd.firmware().boot_error();
  const Geometry& g = config.geometry;
  const std::uint64_t marked = marked_by_the_maker(config);
  ASSERT_GT(marked, 10u);
  const platform::FirmwareWindow& firmware = bench.ssd.firmware().window();
  EXPECT_EQ(firmware.statistics().free_blocks, g.blocks() - marked);

  // the first page is a fast one and the last one a slow one; a bus serves its dies during tR
  const TimePs reads = g.blocks_per_plane * us(50 + 70);
  EXPECT_GT(firmware.bring_up().marks_ps, reads);
  const TimePs beside = config.bus.ready == platform::ReadyDetection::poll ? us(30) : us(16); // of a block
  EXPECT_LT(firmware.bring_up().marks_ps, reads + g.blocks_per_plane * beside);
  EXPECT_GE(hw::kernel_now(), reads);

  std::uint64_t read = 0;
  for (const auto& package : bench.ssd.packages()) {
    const hw::NandStatistics nand = package->statistics();
    read += nand.reads[0] + nand.reads[1];
    EXPECT_EQ(std::accumulate(nand.violations.begin(), nand.violations.end(), std::uint64_t{0}), 0u);
  }
  EXPECT_EQ(read, 2 * g.blocks());
  EXPECT_EQ(firmware.statistics().read_pages, 2 * g.blocks());
}

INSTANTIATE_TEST_SUITE_P(Drives, MarkSearch,
                         ::testing::Values("bus.ready=pin", "bus.ready=poll", "data.mode=full",
                                           "nand.independent_plane_reads=true"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::mark_search_test
