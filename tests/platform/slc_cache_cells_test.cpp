// Do whole drives with an SLC-mode cache before TLC and QLC blocks keep data and data sheet, while bits flip?
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "firmware/ftl/features/slc_cache/slc_cache.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::slc_cache_cells_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 24
[nand.errors]
reading = "drawn"
cycles = 3000
[bus]
monitor = true
[controller.ecc]
code = "ldpc"
[data]
mode = "full"
[ftl]
over_provisioning = "40%"
[slc_cache]
share = "15%"
[precondition]
mode = "fill"
fill = "80%"
[workload]
rw = "randrw"
bs = "4KiB"
number_ios = 6000
)";

using Case = std::tuple<const char*, const char*, bool>;

class SlcCacheCells : public ::testing::TestWithParam<Case> {};

TEST_P(SlcCacheCells, KeepDataAndDataSheet) {
  const auto [scheme, cell, one_pass] = GetParam();
  const platform::Summary s = run_workload(configure(
      std::string("[nand]\ncell = \"") + cell + "\"\n" + kDrive,
      {std::string("ftl.policy=") + scheme, std::string("nand.one_pass=") + (one_pass ? "true" : "false")}));
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_GT(s.ftl.counters.cache.evicted_pages, 100u);
  EXPECT_GT(s.ftl.counters.regions[fw::kNative].erases, 0u);
  EXPECT_EQ(s.ftl.counters.wordline_passes != 0, one_pass);
  EXPECT_EQ(s.ftl.counters.pages_programmed[static_cast<std::size_t>(fw::ProgramCause::padding)],
            s.ftl.counters.padded_pages)
      << "no collection's";
}

INSTANTIATE_TEST_SUITE_P(Each, SlcCacheCells,
                         ::testing::Combine(::testing::Values("slc_cache", "mga", "ipu", "pslc"),
                                            ::testing::Values("tlc", "qlc"), ::testing::Bool()),
                         [](const auto& drive) {
                           const std::string cell = std::get<1>(drive.param);
                           const std::string passes = std::get<2>(drive.param) ? "_one_pass" : "";
                           return std::get<0>(drive.param) + ("_" + cell) + passes;
                         });

} // namespace
} // namespace twinplane::test::slc_cache_cells_test
