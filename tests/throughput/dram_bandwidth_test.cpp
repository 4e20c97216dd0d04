// Does every byte between host and flash cross the device's DRAM twice, and is that all a DRAM that is fast
// enough does?
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "platform/config/derived.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::dram_bandwidth_test {
namespace {

/// Sixteen dies on two buses, which alone would move 2 x 1 GB/s.
constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 8
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 16
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "100us"
[bus]
interface = "flat"
ns_per_byte = "1ns"
[host]
mode = "closed"
iodepth = 64
[workload]
bs = "128KiB"
)";

platform::Summary run(const std::vector<std::string>& settings) {
  const platform::Summary s = run_workload(configure(std::string(kTimeless) + kDrive, settings));
  expect_consistent(s);
  return s;
}

double bytes_per_second(const platform::HostDirection& d, double ns) {
  return static_cast<double>(d.bytes) * 1e9 / ns;
}

/// Requests per second and mean latency.
using Numbers = std::array<double, 2>;
/// Of a run in a process of its own: there is one simulation in each.
Numbers numbers_of(const platform::Config& config) {
  Numbers numbers{};
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const platform::Summary s = run_workload(config);
    const platform::HostDirection& used = s.host.read.count != 0 ? s.host.read : s.host.write;
    numbers = {used.iops, used.latency.mean};
    const bool told = write(ends[1], numbers.data(), sizeof numbers) == sizeof numbers;
    _exit(told ? 0 : 1);
  }
  EXPECT_EQ(read(ends[0], numbers.data(), sizeof numbers), static_cast<ssize_t>(sizeof numbers));
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return numbers;
}

TEST(DramBandwidth, CapsSequentialReadsAtHalfOfIt) {
  const platform::Summary s = run({"dram.bandwidth=1GB/s", "workload.rw=read", "workload.number_ios=600",
                                   "precondition.mode=fill", "precondition.fill=100%"});
  EXPECT_NEAR(bytes_per_second(s.host.read, s.host.measured_ns), 0.5e9, 0.02 * 0.5e9);
  EXPECT_NEAR(s.utilisation.dram.mean, 1, 0.02);
}

TEST(DramBandwidth, CapsSequentialWritesAtHalfOfIt) {
  const platform::Summary s = run({"dram.bandwidth=1GB/s", "workload.rw=write", "workload.number_ios=600"});
  EXPECT_NEAR(bytes_per_second(s.host.write, s.host.measured_ns), 0.5e9, 0.02 * 0.5e9);
  EXPECT_NEAR(s.utilisation.dram.mean, 1, 0.02);
}

TEST(DramBandwidth, CapsReadsAndWritesTogether) {
  const platform::Summary s = run({"dram.bandwidth=500MB/s", "workload.rw=randrw", "workload.number_ios=600",
                                   "precondition.mode=fill", "precondition.fill=50%", "workload.size=2MiB"});
  const double both =
      bytes_per_second(s.host.read, s.host.measured_ns) + bytes_per_second(s.host.write, s.host.measured_ns);
  EXPECT_NEAR(both, 0.25e9, 0.02 * 0.25e9);
}

// What moves for the collector crosses twice as well.
TEST(DramBandwidth, IsAskedForTwiceThePagesThatAreMoved) {
  const platform::Summary s = run({"dram.bandwidth=10000GB/s", "workload.rw=randwrite", "workload.bs=16KiB",
                                   "workload.number_ios=4000", "precondition.mode=fill",
                                   "precondition.fill=100%", "ftl.over_provisioning=25%"});
  const fw::FtlStatistics& f = s.ftl.counters;
  ASSERT_GT(f.gc_pages_moved, 100u);
  const double pages = 2.0 * (static_cast<double>(f.host_pages_written + f.gc_pages_moved));
  const double busy_ps = s.utilisation.dram.mean * s.host.measured_ns * 1e3;
  EXPECT_NEAR(busy_ps, pages * 16384 / 10, 0.02 * pages * 16384 / 10);
}

class AmpleDram : public testing::TestWithParam<const char*> {};

// One that buses and link cannot fill is not looked at any more; just below that it makes no difference
// either.
TEST_P(AmpleDram, KeepsNobodyWaiting) {
  const auto with = [](const std::string& bandwidth) {
    return configure(std::string(kTimeless) + kDrive,
                     {"pcie.ideal=false", "pcie.generation=3", "pcie.lanes=4", "workload.number_ios=600",
                      "precondition.mode=fill", "precondition.fill=20%",
                      std::string("workload.rw=") + GetParam(), "dram.bandwidth=" + bandwidth});
  };
  const platform::Derived d = platform::derive(with("1GB/s"));
  const auto asked_for = static_cast<std::uint64_t>(d.bus_bytes_per_s + 2 * d.link_bytes_per_s);
  const platform::Config ample = with(std::to_string(asked_for + 1) + "B/s");
  const platform::Config nearly = with(std::to_string(asked_for - 1000) + "B/s");
  ASSERT_TRUE(platform::derive(ample).dram_is_ample);
  ASSERT_FALSE(platform::derive(nearly).dram_is_ample);
  const Numbers a = numbers_of(ample);
  const Numbers b = numbers_of(nearly);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_GT(a[i], 0);
    EXPECT_NEAR(b[i] / a[i], 1, 0.002) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Loads, AmpleDram, testing::Values("read", "write"), parameter_name);

} // namespace
} // namespace twinplane::test::dram_bandwidth_test
