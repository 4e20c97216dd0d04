// Does a drive work whose channel 0 is driven by RTL? It is preconditioned, replays requests with garbage
// collection, the host checks every sector that it reads, and dies, wires and monitors judge.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "examples/rtl_controller/rtl_blocks.h"
#include "platform/config/loader.h"
#include "platform/host/nvme_host.h"
#include "platform/host/replay_engine.h"
#include "platform/ssd/precondition.h"
#include "platform/ssd/ssd.h"
#include "platform/workload/random.h"

namespace twinplane::test::rtl_ssd_test {
namespace {

platform::Config configured(const std::vector<std::string>& settings) {
  platform::ConfigLoader loader;
  loader.add_file(TWINPLANE_SOURCE_DIR "/examples/rtl_controller/drive.toml");
  for (const std::string& setting : settings) loader.add_setting(setting);
  loader.add_setting("precondition.mode=fill");
  loader.add_setting("precondition.fill=100%");
  loader.add_setting("precondition.overwrite=100%");
  return loader.finish().config;
}

/// Reads and writes of up to four pages, anywhere.
class RandomRequests final : public platform::IoSource {
 public:
  explicit RandomRequests(std::uint64_t count) : count_(count) {}
  bool next(platform::IoRecord& record) override {
    if (position_++ == count_) return false;
    record = {};
    record.op = random_.below(10) < 7 ? platform::IoOp::write : platform::IoOp::read;
    record.offset = random_.below(1200) * 2048 + random_.below(4) * 512;
    record.length = static_cast<std::uint32_t>(512 * (1 + random_.below(16)));
    return true;
  }
  void rewind() override { position_ = 0; }
  std::uint64_t size_hint() const override { return count_; }

 private:
  std::uint64_t count_;
  std::uint64_t position_ = 0;
  platform::Random random_{7};
};

struct ReplayedDrive {
  platform::Config config;
  example::RtlBlocks blocks;
  platform::Ssd ssd{"ssd", config, blocks};
  platform::NvmeHost host{"host", host_config(config)};
  RandomRequests requests;
  platform::ReplayEngine replay{"replay", replay_config(), host, requests};
  sc_core::sc_signal<bool> intx{"intx"};

  ReplayedDrive(const std::vector<std::string>& settings, std::uint64_t count)
      : config(configured(settings)), requests(count) {
    host.bar.bind(ssd.bar);
    ssd.dma.bind(host.memory);
    ssd.intx.bind(intx);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    platform::run_until_booted(ssd.firmware());
    EXPECT_TRUE(ssd.firmware().booted()) << ssd.firmware().boot_error();
    const auto filled = platform::precondition(config, ssd.firmware().window(), nullptr);
    host.expect_filled(filled.filled_sectors);
    erased = ftl().erase_blocks;
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_SEC));
    ssd.finish_monitors(hw::kernel_now());
  }
  const fw::FtlStatistics& ftl() { return ssd.firmware().firmware().ftl().statistics(); }

  static platform::NvmeHostConfig host_config(const platform::Config& config) {
    platform::NvmeHostConfig h;
    h.data_mode = config.data;
    h.max_transfer = static_cast<std::uint32_t>(config.host.max_transfer);
    return h;
  }
  static platform::ReplayConfig replay_config() {
    platform::ReplayConfig r;
    r.iodepth = 16;
    return r;
  }

  std::uint64_t erased = 0; // by preconditioning
};

void expect_well(ReplayedDrive& drive, std::uint64_t count) {
  EXPECT_TRUE(drive.replay.finished()) << drive.replay.error();
  EXPECT_EQ(drive.replay.statistics().requests, count);
  EXPECT_EQ(drive.replay.statistics().failed, 0u);
  EXPECT_GT(drive.host.shadow()->checked(), 0u);
  EXPECT_EQ(drive.host.shadow()->mismatches(), 0u);
  EXPECT_GT(drive.ftl().erase_blocks, drive.erased) << "garbage collection during the run";
  const hw::FlashControllerStatistics& rtl = drive.ssd.controllers()[0]->statistics();
  EXPECT_GT(rtl.reads, 0u);
  EXPECT_GT(rtl.programs, 0u);
  EXPECT_GT(rtl.erases, 0u);
  EXPECT_EQ(rtl.rejected_descriptors, 0u);
  EXPECT_EQ(rtl.errors, 0u);
  for (const auto& package : drive.ssd.packages()) {
    for (const std::uint64_t refused : package->statistics().violations) EXPECT_EQ(refused, 0u);
  }
  for (const auto& monitor : drive.ssd.monitors()) EXPECT_EQ(monitor->statistics().total(), 0u);
  EXPECT_GT(drive.ssd.monitors()[0]->statistics().tenures, 0u);
  EXPECT_EQ(drive.blocks.wires().transactor().faults().total(), 0u);
}

TEST(RtlSsd, ReplaysBesideOurControllerOnAnotherChannel) {
  ReplayedDrive drive({}, 240);
  expect_well(drive, 240);
  EXPECT_GT(drive.ssd.controllers()[1]->statistics().programs, 0u);
}

TEST(RtlSsd, ReplaysAloneWithAllBytes) {
  ReplayedDrive drive({"geometry.channels=1", "geometry.blocks_per_plane=32", "data.mode=full"}, 80);
  expect_well(drive, 80);
}

TEST(RtlSsd, ReplaysOnDiesThatShareAChip) {
  ReplayedDrive drive(
      {"geometry.dies_per_chip=2", "geometry.blocks_per_plane=8", "ftl.over_provisioning=60%"}, 300);
  expect_well(drive, 300);
}

} // namespace
} // namespace twinplane::test::rtl_ssd_test
