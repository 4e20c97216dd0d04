// A TLC drive all of whose blocks are in SLC mode: does it hold a third, take SLC times, and never touch a
// block in native mode? Page numbers, victims and moves pass through the same firmware as in native mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "platform/config/derived.h"
#include "platform/config/error.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::slc_drive_test {
namespace {

using ::testing::HasSubstr;

const std::string kTlc = std::string(kTimeless) + R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 20
pages_per_block = 48
page_size = "8KiB"
[nand]
cell = "tlc"
slc.tR = "40us"
slc.tPROG = "400us"
slc.tBERS = "2ms"
[bus]
interface = "flat"
ns_per_byte = "3ns"
monitor = true
[host]
mode = "closed"
[ftl]
slc_mode = true
[workload]
rw = "randwrite"
bs = "8KiB"
)";

TEST(SlcDrive, HoldsOnePagePerWordline) {
  const auto native = platform::derive(configure(kTlc, {"ftl.slc_mode=false"})).exported_bytes;
  const auto slc = platform::derive(configure(kTlc)).exported_bytes;
  EXPECT_NEAR(static_cast<double>(slc), static_cast<double>(native) / 3, 8192.0);
}

TEST(SlcDrive, ReclaimsAndMovesInSlcModeOnly) {
  platform::Simulation simulation(
      configure(kTlc, {"host.iodepth=8", "workload.number_ios=8000", "precondition.mode=fill",
                       "precondition.fill=90%", "precondition.overwrite=20%"}));
  const platform::Config config =
      configure(kTlc, {"host.iodepth=8", "workload.rw=randrw", "workload.number_ios=8000"});
  const platform::Summary s = run_workload(simulation, config);
  expect_consistent(s);
  EXPECT_GT(s.ftl.counters.gc_pages_moved, 0u);
  EXPECT_GT(s.nand.programs_slc, 4000u);
  EXPECT_EQ(s.nand.programs(), s.nand.programs_slc);
  EXPECT_EQ(s.nand.erases_native, 0u);
}

TEST(SlcDrive, WritesInSlcTime) {
  const platform::Summary s = run_workload(configure(kTlc, {"host.iodepth=1", "workload.number_ios=500"}));
  const double bus_us = 3e-3 * (8192 + 448 + 7); // command, five address cycles, page and spare area, confirm
  EXPECT_NEAR(s.host.write.latency.mean / 1e3, 400 + bus_us, 0.5);
}

TEST(SlcDrive, LeavesNoTypesToChooseFrom) {
  try {
    configure(kTlc, {"ftl.policy=pa-ssd"});
    FAIL() << "accepted";
  } catch (const platform::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("ftl.slc_mode"));
  }
}

} // namespace
} // namespace twinplane::test::slc_drive_test
