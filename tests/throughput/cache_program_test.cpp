// Do sequential programs of one die run at the closed form max(tPROG, transfer) per page, through the whole
// drive? The transfer is that of all planes, and behind it RDY comes tCBSY later.
#include <algorithm>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::cache_program_test {
namespace {

constexpr double kRequests = 4000;
constexpr double kPage = 16384;
constexpr double kNsPerByte = 3;
constexpr double kTCBSY = 4000;                      // ns
constexpr double kOverheads = (4 + 4 + 2 * 7) * 3.0; // ns: two status commands, addresses, by cycles of 3 ns

/// Long blocks: the next block of a stream begins with a page that pays tPROG and transfer.
constexpr const char* kOneDie = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
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
[workload]
rw = "write"
number_ios = 4000
)";

struct Case {
  double tPROG_us;
  std::uint32_t planes;
};
std::string name_of(const Case& c) {
  return std::to_string(static_cast<int>(c.tPROG_us)) + "us_" + std::to_string(c.planes);
}
void PrintTo(const Case& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

class CacheProgram : public ::testing::TestWithParam<Case> {
 protected:
  double transfer() const { return GetParam().planes * kPage * kNsPerByte; }
  double tPROG() const { return GetParam().tPROG_us * 1000; }

  /// A request fills a page of every plane.
  double ns_per_request(std::vector<std::string> settings) const {
    settings.push_back("nand.tPROG=" + std::to_string(static_cast<int>(GetParam().tPROG_us)) + "us");
    settings.push_back("geometry.planes_per_die=" + std::to_string(GetParam().planes));
    settings.push_back("workload.bs=" + std::to_string(16 * GetParam().planes) + "KiB");
    const platform::Summary s = run_workload(configure(std::string(kTimeless) + kOneDie, settings));
    expect_consistent(s);
    EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
    EXPECT_EQ(static_cast<double>(s.host.write.count), kRequests);
    return s.host.measured_ns / kRequests;
  }
};

TEST_P(CacheProgram, GivesAPageEachTPROGOrTransferWhicheverIsLonger) {
  const double expected = std::max(tPROG(), transfer() + kTCBSY + kOverheads);
  EXPECT_NEAR(ns_per_request({"controller.cache_programs=true"}), expected, expected * 0.01);
}

TEST_P(CacheProgram, WithoutItAPageTakesBoth) {
  const double expected = tPROG() + transfer() + kOverheads;
  EXPECT_NEAR(ns_per_request({}), expected, expected * 0.01);
}

INSTANTIATE_TEST_SUITE_P(OnePlane, CacheProgram,
                         ::testing::Values(Case{20, 1}, Case{50, 1}, Case{100, 1}, Case{400, 1}),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(TwoPlanes, CacheProgram, ::testing::Values(Case{60, 2}, Case{300, 2}),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(FourPlanes, CacheProgram, ::testing::Values(Case{150, 4}, Case{600, 4}),
                         parameter_name);

/// Whatever reads, overwrites, collection and failing programs come in between, every page is read back as it
/// was written; cache reads and suspends run beside.
TEST(CacheProgramMixed, KeepsEveryPageThroughCollectionAndFailures) {
  platform::Config config =
      configure(std::string(kTimeless) + kOneDie,
                {"geometry.planes_per_die=2", "geometry.pages_per_block=64", "geometry.blocks_per_plane=40",
                 "workload.rw=randrw", "workload.rwmixread=30", "workload.bs=64KiB",
                 "controller.cache_programs=true", "controller.cache_reads=true", "nand.suspend=true",
                 "nand.fail.program=0.0005", "precondition.mode=fill", "precondition.fill=1"});
  const platform::Summary s = run_workload(config);
  expect_consistent(s);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_GT(s.nand.erases_native, 50u);
  EXPECT_GT(s.nand.failed_programs, 2u);
  EXPECT_GT(s.nand.cache_programs, 100u);
  EXPECT_GT(s.host.verify_checked, 2000u);
}

} // namespace
} // namespace twinplane::test::cache_program_test
