// Does the same seed give the same bytes? The program itself, run twice as two processes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace twinplane::test::determinism_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 48
[ftl]
victim = "rga"
over_provisioning = "25%"
[precondition]
mode = "fill"
fill = "100%"
overwrite = "50%"
[host]
mode = "open"
queues = 2
[workload]
rw = "randrw"
number_ios = 3000
rate_iops = 4000
rate_process = "poisson"
random_distribution = "zipf:1.1"
[waves]
vcd = true
[report]
requests = true
)";

class Determinism : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_.path() / "drive.toml") << kDrive; }

  /// Runs the program in a process of its own; its results are in the folder `name`.
  void run(const std::string& name, const std::string& options) {
    const std::string base = folder_.path().string();
    const std::string command = std::string(TWINPLANE_PROGRAM) + " run -c " + base + "/drive.toml --out " +
                                base + "/" + name + " " + options + " >" + base + "/log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << text("log");
  }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_.path() / name, std::ios::binary);
    EXPECT_TRUE(in) << name;
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  /// summary.json without what the clock on the wall decides.
  nlohmann::ordered_json summary(const std::string& name) const {
    auto json = nlohmann::ordered_json::parse(text(name + "/summary.json"));
    for (const char* key : {"wall_s", "requests_per_wall_s", "peak_rss_bytes"}) {
      EXPECT_EQ(json.at("time").erase(key), 1u) << key;
    }
    return json;
  }

 private:
  TempFolder folder_;
};

TEST_F(Determinism, TheSameSeedGivesTheSameBytes) {
  run("a", "--seed 5");
  run("b", "--seed 5");
  EXPECT_EQ(summary("a").dump(), summary("b").dump());
  for (const char* file : {"waves.vcd", "waves.gtkw", "timeline.csv", "latency.csv", "requests.csv.zst"}) {
    const std::string a = text(std::string("a/") + file);
    EXPECT_FALSE(a.empty()) << file;
    EXPECT_TRUE(a == text(std::string("b/") + file)) << file;
  }
}

TEST_F(Determinism, AnotherSeedGivesAnotherRun) {
  run("a", "--seed 5");
  run("b", "--seed 6");
  EXPECT_NE(summary("a").at("host").dump(), summary("b").at("host").dump());
  EXPECT_NE(summary("a").at("nand").dump(), summary("b").at("nand").dump());
  EXPECT_FALSE(text("a/waves.vcd") == text("b/waves.vcd"));
}

TEST_F(Determinism, WavesDoNotChangeTheRun) {
  run("a", "");
  run("b", "--set waves.vcd=false");
  auto a = summary("a");
  auto b = summary("b");
  a.erase("config");
  b.erase("config");
  EXPECT_EQ(a.dump(), b.dump());
}

/// A read or two at a time; the programs of a die that is suspended go on when there is current again.
constexpr const char* kLimited = "--set energy.peak_limit=60 --set nand.suspend=true";

/// Wordlines in one pass, several of them in a die's queue; and whose time the planes' is.
constexpr const char* kPasses =
    "--set ftl.policy=ipu --set ftl.victim=greedy --set nand.cell=mlc --set nand.one_pass=true "
    "--set nand.suspend=true --set controller.cache_programs=true --set ftl.die_queue_depth=3 "
    "--set geometry.chips_per_channel=2 --set geometry.dies_per_chip=3 --set geometry.planes_per_die=4 "
    "--set geometry.blocks_per_plane=24 --set geometry.pages_per_block=24 --set geometry.page_size=16KiB "
    "--set geometry.sector_size=4KiB --set geometry.subpages_per_page=4 --set ftl.over_provisioning=35% "
    "--set ftl.write_ack=buffered --set ftl.write_buffer=64 --set precondition.overwrite=0% "
    "--set host.mode=closed --set host.iodepth=32 --set host.queues=1 --set workload.rw=randwrite "
    "--set workload.random_distribution=random --set workload.bssplit=4k/60:32k/40 --set "
    "workload.number_ios=1500 "
    "--set cpu.cost.flash_submit=2644 --set report.plane_time=true";

/// Writes of units that share pages, and wait for each other.
constexpr const char* kUnits =
    "--set geometry.page_size=16KiB --set geometry.sector_size=4KiB --set ftl.map_unit=4KiB --set "
    "host.mode=closed "
    "--set host.iodepth=16 --set workload.rw=randrw --set workload.bssplit=4k/80:12k/20";

// The core's thread goes on without the kernel where nothing else has anything to do; with 0 it never does.
TEST_F(Determinism, HowFarTheDriveRunsAheadDoesNotChangeTheRun) {
  for (const char* load : {"", "--set host.mode=closed --set host.iodepth=8", kLimited, kPasses, kUnits}) {
    const std::string options = load;
    run("a", options + " --set cpu.run_ahead=0");
    for (const char* ahead : {"700ns", "30us", "1ms"}) {
      run("b", options + " --set cpu.run_ahead=" + ahead);
      auto a = summary("a");
      auto b = summary("b");
      EXPECT_GT(a.at("time").at("kernel_events"), b.at("time").at("kernel_events")) << ahead;
      for (auto* json : {&a, &b}) {
        json->erase("config");
        for (const char* key : {"kernel_events", "kernel_events_per_page_op"}) json->at("time").erase(key);
      }
      EXPECT_EQ(a.dump(), b.dump()) << load << ahead;
      for (const char* file : {"waves.vcd", "timeline.csv", "requests.csv.zst"}) {
        EXPECT_TRUE(text(std::string("a/") + file) == text(std::string("b/") + file)) << file << ahead;
      }
    }
  }
}

} // namespace
} // namespace twinplane::test::determinism_test
