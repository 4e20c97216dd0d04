// Do writes get their die under a stream of reads that never ends? One die; the host keeps sixteen commands
// in flight, nearly all reads, so the firmware always has one to send.
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::age_limit_test {
namespace {

constexpr const char* kReadStream = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 64
pages_per_block = 64
page_size = "4KiB"
spare_size = "0B"
sector_size = "4KiB"
[nand]
cell = "slc"
tR = "50us"
tPROG = "200us"
tBERS = "1ms"
[host]
iodepth = 16
[ftl]
over_provisioning = 0.4
[precondition]
mode = "fill"
fill = 1
[workload]
rw = "randrw"
rwmixread = 97
bs = "4KiB"
number_ios = 4000
)";

constexpr double kLimitNs = 2e6;
/// What may come in between: the read that runs, and a few writes that are overdue themselves.
constexpr double kOthersNs = 1e6;

class ReadStream : public ::testing::TestWithParam<const char*> {
 protected:
  double longest_write(std::vector<std::string> settings) const {
    settings.push_back(std::string("ftl.plane_allocation=") + GetParam());
    const platform::Summary s = run_workload(configure(kReadStream, settings));
    expect_consistent(s);
    return static_cast<double>(s.host.write.latency.max);
  }
};

TEST_P(ReadStream, WithoutALimitAWriteWaitsUntilReadsRunOut) {
  EXPECT_GT(longest_write({}), 5 * (kLimitNs + kOthersNs));
}

TEST_P(ReadStream, AWriteWaitsForTheLimitAtMost) {
  EXPECT_LT(longest_write({"ftl.age_limit=2ms"}), kLimitNs + kOthersNs);
}

TEST_P(ReadStream, AWriteWaitsForTheLimitAtMostWithPaq) {
  EXPECT_LT(longest_write({"ftl.age_limit=2ms", "ftl.scheduling=paq"}), kLimitNs + kOthersNs);
}

/// The steps of a collection wait for the limit each: a page is read, programmed, and the block erased.
TEST_P(ReadStream, CollectionGetsOnAsWell) {
  const double longest = longest_write({"ftl.age_limit=200us", "precondition.overwrite=1",
                                        "ftl.over_provisioning=0.2", "workload.number_ios=8000"});
  EXPECT_LT(longest, 64 * 3 * (200e3 + kOthersNs));
}

INSTANTIATE_TEST_SUITE_P(LateAndBound, ReadStream, ::testing::Values("F2", "CWDP"), parameter_name);

} // namespace
} // namespace twinplane::test::age_limit_test
