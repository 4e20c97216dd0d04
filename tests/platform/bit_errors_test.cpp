// What do flipped bits do to a whole drive: time, counters, failed reads, never wrong data?
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "platform/session/run.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::bit_errors_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 48
page_size = "16KiB"
[nand]
cell = "slc"
[nand.errors]
reading = "drawn"
cycles = 4000
[controller.ecc]
code = "bch"
[ftl]
over_provisioning = "30%"
write_buffer = 0
[host]
mode = "closed"
iodepth = 1
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "randread"
bs = "16KiB"
number_ios = 1000
)";

double deviation(double mean, double samples) {
  return std::sqrt(mean / samples);
}

TEST(BitErrors, AreAsManyAsTheRateSays) {
  const platform::Summary s = run_workload(configure(kDrive));
  const platform::ReadErrors& e = s.reliability.by_type[0];
  EXPECT_EQ(e.pages, 1000u);
  EXPECT_EQ(e.bits, 1000.0 * 16 * 8752);
  EXPECT_NEAR(s.reliability.raw_bit_error_rate, 2.8e-4, 4 * deviation(2.8e-4, e.bits));
  EXPECT_EQ(s.reliability.ecc_corrected, 1000u) << "a page of 39 wrong bits in the mean";
  EXPECT_EQ(s.reliability.uncorrectable, 0u);
  EXPECT_EQ(s.host.verify_checked, 4000u);
  expect_consistent(s);
}

TEST(BitErrors, OfTheHostsReadsAreAllThereAreWhereNobodyElseReads) {
  const platform::Summary s = run_workload(configure(kDrive));
  EXPECT_EQ(s.reliability.read_error_rate, s.reliability.raw_bit_error_rate);
}

TEST(BitErrors, OfReadsThatCompletePagesAreNotTheHosts) {
  const platform::Summary s = run_workload(configure(kDrive, {"workload.rw=randwrite", "workload.bs=4KiB"}));
  EXPECT_GT(s.reliability.raw_bit_error_rate, 2e-4);
  EXPECT_EQ(s.reliability.read_error_rate, 0);
}

TEST(BitErrors, CountOnlyInTheSectorsThatAreRead) {
  const platform::Summary s = run_workload(configure(kDrive, {"workload.bs=4KiB"}));
  EXPECT_EQ(s.reliability.by_type[0].bits, 1000.0 * 4 * 8752);
}

// The mean read is longer by the decoding of the expected worst codeword, to the picosecond.
TEST(BitErrors, LengthenReadsByTheirDecoding) {
  const std::vector<std::string> settings{"nand.errors.reading=expected", "workload.number_ios=50"};
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kDrive, settings));
  const double errors = 2.8e-4 * 8752;
  const double decoding = 500 + (96'800 - 500) * errors / 40; // ns
  EXPECT_NEAR(s.host.read.breakdown->ecc, decoding, 0.01);
}

TEST(BitErrors, BeyondTheCodeFailReadsAndNeverReturnWrongData) {
  const platform::Config config = configure(kDrive, {"nand.errors.worn=0.003"});
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  // P(a codeword of 8752 bits has more than 40 wrong at 0.003), binomial, then of a page's sixteen.
  double below = 0;
  for (int k = 0; k <= 40; ++k) {
    below += std::exp(std::lgamma(8753) - std::lgamma(k + 1) - std::lgamma(8753 - k) + k * std::log(0.003) +
                      (8752 - k) * std::log1p(-0.003));
  }
  const double failing = 1 - std::pow(below, 16);
  EXPECT_GT(failing, 0.0005);
  EXPECT_NEAR(static_cast<double>(s.reliability.uncorrectable), 1000 * failing,
              4 * std::sqrt(1000 * failing) + 1);
  EXPECT_EQ(s.workload.failed, s.reliability.uncorrectable);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
  EXPECT_EQ(platform::verdict(simulation, s), 0) << "the cells are the cause";
}

TEST(BitErrors, AreCorrectedByFurtherSenses) {
  const platform::Summary s = run_workload(configure(
      kDrive, {"nand.errors.worn=0.006", "controller.ecc.code=ldpc", "controller.ecc.soft_corrects=120"}));
  EXPECT_EQ(s.reliability.by_type[0].soft, 1000u) << "52 wrong bits in a codeword, 40 for hard decisions";
  EXPECT_EQ(s.reliability.uncorrectable, 0u);
  expect_consistent(s);
}

TEST(BitErrors, MakeWayForParityOnTheBus) {
  const platform::Summary s = run_workload(configure(
      kDrive, {"controller.ecc.parity_on_bus=true", "geometry.spare_size=1872B", "workload.rw=randrw"}));
  expect_consistent(s); // the bytes that the buses carried among them
  EXPECT_EQ(s.workload.failed, 0u);
}

} // namespace
} // namespace twinplane::test::bit_errors_test
