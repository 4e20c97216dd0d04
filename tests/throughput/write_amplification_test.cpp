// Does the assembled drive, with its queues, its dies in parallel and its late binding, still have the
// write amplification of theory? Uniform random page writes on a worn drive; each plane reclaims on its own.
// The wide table of utilisations and block sizes is the business of the FTL's own tests.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/support/oracle_drive.h"

namespace twinplane::test::write_amplification_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 512
pages_per_block = 64
page_size = "4KiB"
spare_size = "0B"
[nand]
cell = "slc"
[bus]
interface = "flat"
[ftl]
plane_allocation = "F"
frontier = "shared"
gc_threshold = 2
[precondition]
mode = "fill"
fill = "100%"
overwrite = "300%"
[workload]
rw = "randwrite"
bs = "4KiB"
number_ios = 60000
)";
constexpr double kBlocks = 512;
constexpr double kReserve = 2.5; // per plane: the open block, and one or two free ones

/// `theory` is a figure of the table of mean-field write amplifications (facts C10.3).
void expect_theory(const char* victim, double rho, double theory) {
  const double exported = rho * (kBlocks - kReserve) / kBlocks;
  const platform::Summary s = run_workload(
      configure(kDrive, {std::string("ftl.victim=") + victim, "ftl.victim_d=2",
                         "ftl.over_provisioning=" + std::to_string((1 - exported) * 100) + "%"}));
  expect_consistent(s);
  const double found = static_cast<double>(s.nand.programs()) / static_cast<double>(s.host.write.count);
  std::printf("%s rho=%.1f: %.4f, theory %.4f (%+.2f %%)\n", victim, rho, found, theory,
              (found / theory - 1) * 100);
  EXPECT_NEAR(found / theory, 1.0, 0.02);
}

TEST(WriteAmplification, OfGreedyOnTheDriveFollowsTheory) {
  expect_theory("greedy", 0.8, 2.5993);
}

TEST(WriteAmplification, OfTwoChoicesOnTheDriveFollowsTheory) {
  expect_theory("rga", 0.7, 2.4132);
}

} // namespace
} // namespace twinplane::test::write_amplification_test
