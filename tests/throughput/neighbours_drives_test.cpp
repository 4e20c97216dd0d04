// Are the drives of other simulators as fast as their own parameters say? Closed forms of those: the time of the flash, what
// crosses the bus, and as many of them at a time as there are dies.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"

namespace twinplane::test::neighbours_drives_test {
namespace {

platform::Summary run(const char* preset, std::vector<std::string> settings) {
  std::ostringstream text;
  text << std::ifstream(std::string(TWINPLANE_SOURCE_DIR "/platform/configs/") + preset).rdbuf();
  settings.insert(settings.end(),
                  {"workload.bs=4KiB", "geometry.blocks_per_plane=32", "precondition.fill=100%"});
  const platform::Summary s = run_workload(configure(text.str(), settings));
  expect_consistent(s);
  return s;
}

const std::vector<std::string> kOneRead = {"workload.rw=randread", "host.iodepth=1",
                                           "workload.number_ios=4000"};

double mean_us(const platform::HostDirection& d) {
  return d.latency.mean / 1e3;
}

TEST(FemusDrive, ReadsInTheTimeOfItsFlashAlone) {
  EXPECT_NEAR(mean_us(run("femu_default.toml", kOneRead).host.read), 40.0, 0.8);
}

TEST(FemusDrive, WritesInTheTimeOfItsFlashAlone) {
  const platform::Summary s =
      run("femu_default.toml", {"workload.rw=randwrite", "host.iodepth=1", "workload.number_ios=2000"});
  EXPECT_NEAR(mean_us(s.host.write), 200.0, 4.0);
}

TEST(FemusDrive, ReadsWithAllItsDies) {
  const platform::Summary s = run(
      "femu_default.toml",
      {"workload.rw=randread", "host.iodepth=1024", "host.queue_size=2048", "workload.number_ios=200000"});
  EXPECT_GT(s.host.read.iops, 0.93 * 64 / 40e-6);
  EXPECT_LE(s.host.read.iops, 64 / 40e-6);
}

// 4 KiB at 333 MB/s behind tR, and some us of commands.
TEST(MqsimsDrive, ReadsInTheTimeOfItsFlashAndBus) {
  const double transfer_us = 4096 / 333.0;
  const double found = mean_us(run("mqsim_default.toml", kOneRead).host.read);
  EXPECT_GT(found, 75 + transfer_us);
  EXPECT_LT(found, 75 + transfer_us + 5);
}

// The mean of both page types, 4 KiB at 400 MB/s, and the firmware's core.
TEST(SimplessdsDrive, ReadsInTheTimeOfItsFlashBusAndCore) {
  const double transfer_us = 4096 / 400.0;
  const double found = mean_us(run("simplessd_default.toml", kOneRead).host.read);
  EXPECT_GT(found, 52.5 + transfer_us);
  EXPECT_LT(found, 52.5 + transfer_us + 7);
}

} // namespace
} // namespace twinplane::test::neighbours_drives_test
