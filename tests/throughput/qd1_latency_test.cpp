// Is the latency of a lone request the exact sum of its cycle times?
//
// Firmware, link and ECC take no time here; the device memory takes a tenth of a picosecond per byte.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/platform/model_bench.h"
#include "tests/support/bus_oracle.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::qd1_latency_test {
namespace {

using platform::HostCommand;
using platform::IoOp;

constexpr std::uint64_t kPage = 4096;
constexpr TimePs kTR = us(50);
constexpr TimePs kTPROG = us(300);
constexpr TimePs kTDBSY = ns(500);

std::string drive(const BusOracle& bus, std::uint32_t planes) {
  return std::string(kTimeless) + "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\n" +
         "planes_per_die = " + std::to_string(planes) +
         "\nblocks_per_plane = 16\npages_per_block = 16\npage_size = \"4KiB\"\nspare_size = \"0B\"\n" +
         "[nand]\ncell = \"slc\"\ntR = \"50us\"\ntPROG = \"300us\"\ntDBSY = \"500ns\"\n[bus]\n" + bus.keys +
         "\n[host]\nqueue_size = 64\n";
}

class Qd1Latency : public ::testing::TestWithParam<BusOracle> {
 protected:
  void boot(std::uint32_t planes) {
    bench_ = std::make_unique<ModelBench>("bench", configure(drive(GetParam(), planes)));
    bench_->start();
    ASSERT_TRUE(bench_->ready) << bench_->failure << bench_->ssd.firmware().boot_error();
  }
  TimePs latency(IoOp op, std::uint64_t lba, std::uint32_t sectors) {
    HostCommand c;
    c.op = op;
    c.lba = lba;
    c.sectors = sectors;
    const auto done = bench_->run({c});
    EXPECT_EQ(done.size(), 1u);
    EXPECT_EQ(done.at(0).status, 0);
    return done.at(0).completed - done.at(0).submitted;
  }
  std::unique_ptr<ModelBench> bench_;
};

TEST_P(Qd1Latency, OfAWriteIsTheSumOfItsCycles) {
  const BusOracle& b = GetParam();
  boot(1);
  EXPECT_EQ(latency(IoOp::write, 7, 1),
            memory_time(kPage) + b.program_command(1, kPage, kTDBSY) + kTPROG + b.program_status(1));
}

TEST_P(Qd1Latency, OfAReadIsTheSumOfItsCycles) {
  const BusOracle& b = GetParam();
  boot(1);
  latency(IoOp::write, 7, 1);
  EXPECT_EQ(latency(IoOp::read, 7, 1),
            b.read_command(1, kTDBSY) + kTR + b.data_out(kPage, false) + memory_time(kPage));
}

TEST_P(Qd1Latency, OfATwoPlaneWriteIsTheSumOfItsCycles) {
  const BusOracle& b = GetParam();
  boot(2);
  EXPECT_EQ(latency(IoOp::write, 0, 2),
            2 * memory_time(kPage) + b.program_command(2, kPage, kTDBSY) + kTPROG + b.program_status(2));
}

TEST_P(Qd1Latency, OfAFourPlaneWriteIsTheSumOfItsCycles) {
  const BusOracle& b = GetParam();
  boot(4);
  EXPECT_EQ(latency(IoOp::write, 0, 4),
            4 * memory_time(kPage) + b.program_command(4, kPage, kTDBSY) + kTPROG + b.program_status(4));
}

TEST_P(Qd1Latency, OfATwoPlaneReadIsTheSumOfItsCycles) {
  const BusOracle& b = GetParam();
  boot(2);
  latency(IoOp::write, 0, 2);
  const TimePs out = b.data_out(kPage, true) + b.after_read + b.data_out(kPage, true);
  EXPECT_EQ(latency(IoOp::read, 0, 2), b.read_command(2, kTDBSY) + kTR + out + memory_time(kPage));
}

INSTANTIATE_TEST_SUITE_P(Buses, Qd1Latency, ::testing::ValuesIn(kBusOracles), parameter_name);

} // namespace
} // namespace twinplane::test::qd1_latency_test
