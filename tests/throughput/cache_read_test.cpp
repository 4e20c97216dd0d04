// Do sequential reads of one die run at the closed form max(tR, transfer) per page, through the whole drive?
#include <algorithm>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::cache_read_test {
namespace {

constexpr double kPages = 4000;
constexpr double kPage = 16384;
constexpr double kNsPerByte = 3;
constexpr double kTRCBSY = 3000; // ns; data cannot leave before

/// One plane with long blocks: the next block of a stream is no consecutive page and pays tR and transfer.
constexpr const char* kOneDie = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 16
pages_per_block = 1024
page_size = "16KiB"
spare_size = "0B"
sector_size = "4KiB"
[nand]
cell = "slc"
[bus]
interface = "flat"
ns_per_byte = 3
monitor = true
[host]
iodepth = 16
[ftl]
over_provisioning = 0.4
die_queue_depth = 4
[precondition]
mode = "fill"
fill = 1
[workload]
rw = "read"
bs = "16KiB"
number_ios = 4000
)";

double ns_per_page(const std::vector<std::string>& settings) {
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kOneDie, settings));
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_EQ(static_cast<double>(s.host.read.count), kPages);
  return s.host.measured_ns / kPages;
}

class CacheRead : public ::testing::TestWithParam<double> {};

TEST_P(CacheRead, GivesAPageEachTROrTransferWhicheverIsLonger) {
  const double tR = GetParam() * 1000;
  const double expected = std::max(tR, kPage * kNsPerByte + kTRCBSY);
  const std::string time = "nand.tR=" + std::to_string(static_cast<int>(GetParam())) + "us";
  EXPECT_NEAR(ns_per_page({time, "controller.cache_reads=true"}), expected, expected * 0.01);
}

TEST_P(CacheRead, WithoutItAPageTakesBoth) {
  const double expected = GetParam() * 1000 + kPage * kNsPerByte;
  const std::string time = "nand.tR=" + std::to_string(static_cast<int>(GetParam())) + "us";
  EXPECT_NEAR(ns_per_page({time}), expected, expected * 0.01);
}

INSTANTIATE_TEST_SUITE_P(Arrays, CacheRead, ::testing::Values(20.0, 40.0, 65.0, 120.0), parameter_name);

} // namespace
} // namespace twinplane::test::cache_read_test
