// Does a whole drive come up again with nothing but its cells, and in the time that its pages take?
//
// The first life is that of another process, for there is one simulation in each: a child fills a drive and
// keeps its cells in a file.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/session/state_file.h"
#include "platform/ssd/precondition.h"
#include "tests/platform/model_bench.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"
#include "tests/support/temp_folder.h"

namespace twinplane::test::recovery_drive_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 24
page_size = "16KiB"
[nand]
cell = "slc"
tR = "50us"
[ftl]
over_provisioning = "30%"
[precondition]
mode = "fill"
fill = "70%"
overwrite = "90%"
)";

struct Kind {
  const char* name;
  std::vector<std::string> settings;
};
void PrintTo(const Kind& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

/// With an SLC-mode cache that takes the pages of the overwrite, but not all.
Kind cached(const char* name, const std::string& policy, const std::vector<std::string>& more = {}) {
  Kind kind{name,
            {"ftl.policy=" + policy, "nand.cell=tlc", "geometry.blocks_per_plane=32", "slc_cache.share=20%",
             "ftl.over_provisioning=50%", "bus.monitor=true"}};
  kind.settings.insert(kind.settings.end(), more.begin(), more.end());
  return kind;
}

/// With hot blocks, which are erased still, and cold ones.
Kind partitions(const char* name, const std::vector<std::string>& more) {
  Kind kind{
      name,
      {"nand.cell=mlc", "geometry.blocks_per_plane=32", "ftl.over_provisioning=60%", "bus.monitor=true"}};
  kind.settings.insert(kind.settings.end(), more.begin(), more.end());
  return kind;
}

class TwoLives : public ::testing::Test {
 protected:
  /// In a process of its own: fills the drive, and leaves its cells in the file.
  void first_life(const platform::Config& config) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ModelBench bench("bench", config);
      bench.boot();
      platform::precondition(config, bench.ssd.firmware().window(), nullptr);
      platform::StateSaver saver(file_, "");
      bench.ssd.serialise(saver);
      saver.complete();
      _exit(bench.ssd.firmware().booted() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  /// The drive finds those.
  void load_cells(ModelBench& bench) {
    platform::StateLoader loader(file_);
    bench.ssd.serialise(loader);
    loader.complete();
    bench.ssd.firmware().recover_tables();
  }

 private:
  const TempFolder folder_;
  const std::string file_ = (folder_.path() / "cells.state").string();
};

class DriveRecovery : public TwoLives, public ::testing::WithParamInterface<Kind> {};

/// CAP.TO is a bound from above.
class SlowLives : public TwoLives {
 protected:
  void expect_ready_in_time(const std::vector<std::string>& settings) {
    const platform::Config config = configure(std::string(kTimeless) + kDrive, settings);
    ASSERT_NO_FATAL_FAILURE(first_life(config));
    ModelBench bench("bench", config);
    load_cells(bench);
    bench.boot();
    for (int seconds = 0; seconds < 128 && !bench.ready && bench.failure.empty(); ++seconds) bench.start();
    EXPECT_TRUE(bench.ready) << bench.failure;
  }
};

TEST_F(SlowLives, BecomeReadyInTimeThoughEachPageIsReadAtAllLevels) {
  expect_ready_in_time({"geometry.planes_per_die=1", "geometry.dies_per_chip=1", "nand.fail.read=100%",
                        "controller.read_retries=1", "bus.ready=poll", "bus.poll_interval=10ms"});
}

TEST_F(SlowLives, BecomeReadyInTimeThoughTheSupplyAllowsOneReadAtATime) {
  expect_ready_in_time({"geometry.planes_per_die=1", "geometry.dies_per_chip=8", "nand.tR=5ms",
                        "energy.ICC1=25", "energy.ISB=0", "energy.peak_limit=60"});
}

TEST_P(DriveRecovery, FindsEveryPageInTheTimeThatItsReadsTake) {
  const platform::Config config = configure(std::string(kTimeless) + kDrive, GetParam().settings);
  ASSERT_NO_FATAL_FAILURE(first_life(config));
  ModelBench bench("bench", config);
  load_cells(bench);
  const std::uint64_t exported = [&] {
    bench.boot();
    return bench.ssd.firmware().firmware().ftl().exported_sectors();
  }();
  const std::uint32_t spp = config.geometry.sectors_per_page();
  const std::uint64_t filled = static_cast<std::uint64_t>(0.7 * static_cast<double>(exported / spp)) * spp;
  bench.host.expect_filled(filled);
  bench.start();
  ASSERT_TRUE(bench.ready) << "the drive does not get ready";

  const fw::RecoveryCounters& c = bench.ssd.firmware().firmware().ftl().recovery();
  EXPECT_EQ(bench.ssd.firmware().firmware().ftl().statistics().valid_pages, filled / spp);
  EXPECT_GT(c.pages_found, filled / spp);
  // planes of a die are read together where they stand at equal addresses: between all and none of them
  const double reads = static_cast<double>(c.pages_read) / config.geometry.dies();
  EXPECT_LT(static_cast<double>(c.scan_ps), 1.1 * reads * static_cast<double>(us(50)));
  EXPECT_GT(static_cast<double>(c.scan_ps),
            0.9 * reads / config.geometry.planes_per_die * static_cast<double>(us(50)));

  std::vector<platform::HostCommand> commands;
  for (std::uint64_t lba = 0; lba < exported; lba += spp) {
    platform::HostCommand command;
    command.op = platform::IoOp::read;
    command.lba = lba;
    command.sectors = spp;
    commands.push_back(command);
  }
  while (!commands.empty()) {
    const std::size_t some = std::min<std::size_t>(commands.size(), 64);
    const auto done = bench.run({commands.end() - static_cast<std::ptrdiff_t>(some), commands.end()});
    ASSERT_EQ(done.size(), some);
    for (const auto& d : done) EXPECT_EQ(d.status, 0);
    commands.resize(commands.size() - some);
  }
  EXPECT_EQ(bench.host.shadow()->checked(), exported);
  EXPECT_EQ(bench.host.shadow()->mismatches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DriveRecovery,
    ::testing::Values(
        Kind{"Conventional", {}}, Kind{"Twins", {"ftl.policy=f2+tbm"}},
        Kind{"PageTypes", {"ftl.policy=pa-ssd", "nand.cell=tlc"}},
        Kind{"BadBlocks", {"nand.factory_bad=4%", "ftl.over_provisioning=50%"}},
        Kind{"ReplacedTwins",
             {"ftl.policy=f2+tbm", "nand.factory_bad=4%", "nand.fail.erase=2%",
              "geometry.blocks_per_plane=24", "ftl.over_provisioning=50%", "bus.monitor=true"}},
        Kind{"Monitored", {"bus.monitor=true", "bus.ready=poll"}}, partitions("Combo", {"ftl.policy=combo"}),
        partitions("ComboLogs", {"ftl.policy=combo", "ftl.regions=combo_logs", "nand.factory_bad=4%"}),
        partitions("Broms", {"ftl.policy=broms", "power.hold_up=0"}), cached("SlcCache", "slc_cache"),
        cached("Mga", "mga"), cached("Ipu", "ipu", {"nand.factory_bad=4%"}),
        cached("IpuByWordlines", "ipu", {"nand.one_pass=true"}),
        cached("IpuMoving", "ipu",
               {"slc_cache.least_share=10%", "slc_cache.most_share=40%", "nand.factory_bad=4%"}),
        cached("MgaWearLevelling", "mga", {"slc_cache.wear_gap=1"})),
    parameter_name);

} // namespace
} // namespace twinplane::test::recovery_drive_test
