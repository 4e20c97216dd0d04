// What does a whole drive save whose collector moves pages by copyback, what does it cost, and is it refused
// where wrong data would go unnoticed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/config/convert.h"
#include "tests/support/config_text.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::copyback_drive_test {
namespace {

using testing::HasSubstr;

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 24
page_size = "4KiB"
[nand]
cell = "tlc"
[bus]
monitor = true
spare_area = false
[data]
mode = "full"
[ftl]
over_provisioning = "30%"
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "randwrite"
bs = "4KiB"
number_ios = 4000
)";

platform::Summary run(const std::string& policy, std::vector<std::string> more = {}) {
  more.push_back("ftl.copyback=" + policy);
  const platform::Summary s = run_workload(configure(kDrive, more));
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_GT(s.ftl.counters.gc_pages_moved, 1000u);
  return s;
}

std::uint64_t bytes_on_the_bus(const platform::Summary& s) {
  for (const platform::Account& a : s.accounts) {
    if (std::string(a.what) == "bytes programmed: buses, dies") return a.one_side;
  }
  ADD_FAILURE() << "no such account";
  return 0;
}

TEST(CopybackDrive, SendsNoDataOfMovesOverTheBus) {
  const platform::Summary s = run("unchecked");
  const fw::FtlStatistics& f = s.ftl.counters;
  EXPECT_EQ(f.gc_copybacks, f.gc_pages_moved);
  EXPECT_EQ(bytes_on_the_bus(s), s.workload.bytes_written) << "what the host writes, and no more";
  EXPECT_LT(s.channels[0].data_out, f.gc_read_pages * us(1))
      << "no bytes: the waits before out-of-band words";
}

TEST(CopybackDrive, SendsThemTwiceThroughTheController) {
  const platform::Summary s = run("never");
  EXPECT_EQ(s.ftl.counters.gc_copybacks, 0u);
  EXPECT_EQ(bytes_on_the_bus(s), s.workload.bytes_written + s.ftl.counters.gc_pages_moved * 4096);
  const TimePs page = platform::to_bus_timing(configure(kDrive)).data_out.of(4096);
  EXPECT_GE(s.channels[0].data_out, s.ftl.counters.gc_read_pages * page);
}

TEST(CopybackDrive, ChecksEachPageBehindTheLimit) {
  const platform::Summary s = run("checked", {"ftl.copyback_limit=2"});
  const fw::FtlStatistics& f = s.ftl.counters;
  EXPECT_GT(f.gc_copybacks, 0u);
  EXPECT_LT(f.gc_copybacks, f.gc_pages_moved);
  EXPECT_EQ(bytes_on_the_bus(s), s.workload.bytes_written + (f.gc_pages_moved - f.gc_copybacks) * 4096);
}

TEST(CopybackDrive, KeepsItsDataWhileBitsFlip) {
  const platform::Summary s = run("checked", {"nand.errors.reading=drawn", "nand.errors.cycles=3000",
                                              "controller.ecc.code=ldpc", "workload.rw=randrw"});
  EXPECT_GT(s.ftl.counters.gc_copybacks, 0u);
}

TEST(CopybackDrive, IsRefusedWhereNobodyCouldTellOrNoPageCouldBeCopied) {
  const std::string head = "[ftl]\ncopyback = \"";
  EXPECT_EQ(
      complaint(head + "checked\"\n[nand.errors]\nreading = \"drawn\"\n[controller.ecc]\ncode = \"bch\"\n"),
      "");
  EXPECT_THAT(
      complaint(head + "unchecked\"\n[nand.errors]\nreading = \"drawn\"\n[controller.ecc]\ncode = \"bch\"\n"),
      HasSubstr("ftl.copyback: must be \"checked\" or \"never\" where bits flip (nand.errors.reading)"));
  EXPECT_THAT(complaint(head + "checked\"\n[nand]\ncopybacks = 0\n"),
              HasSubstr("nand.copybacks: must not be 0"));
  EXPECT_THAT(complaint(head + "unchecked\"\n[nand]\ncopybacks = 4\n"),
              HasSubstr("nand.copybacks: must be 255"));
  EXPECT_THAT(complaint(head + "checked\"\ngc_moves = \"multi\"\n"),
              HasSubstr("ftl.gc_moves: must be \"single\""));
  EXPECT_THAT(complaint(head + "checked\"\nrelocation = \"slow\"\n"),
              HasSubstr("ftl.relocation: must be \"same\""));
  EXPECT_THAT(complaint(head + "checked\"\npolicy = \"ipu\"\n[nand]\ncell = \"mlc\"\n"),
              HasSubstr("ftl.regions: must not be \"slc_cache\", \"mga\", \"ipu\" or \"pslc\""));
  EXPECT_THAT(complaint(head + "checked\"\nslc_mode = true\n[nand]\ncell = \"mlc\"\n"),
              HasSubstr("ftl.slc_mode: must be false"));
}

} // namespace
} // namespace twinplane::test::copyback_drive_test
