// Does the drive survive real traces? The bundled one on the demo drive, and the first requests of every
// public trace at hand on the 288 GiB drive. Environment variable TWINPLANE_TRACES names their folder;
// without it there is nothing more to replay, and the tests say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/config/loader.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/trace_catalogue.h"

namespace twinplane::test::trace_replay_test {
namespace {

using testing::CatalogueRow;

constexpr std::uint64_t kRequests = 3000;

std::string test_name(const ::testing::TestParamInfo<CatalogueRow>& info) {
  std::string name = info.param.at("file");
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Replays `options` on the drive of `file` with `settings` and looks at the books.
platform::Summary replay_on(const std::string& file, const std::vector<std::string>& settings,
                            const platform::TraceOptions& options) {
  platform::ConfigLoader loader;
  loader.add_file(TWINPLANE_SOURCE_DIR "/platform/configs/" + file);
  for (const std::string& setting : settings) loader.add_setting(setting);
  platform::Simulation simulation(loader.finish().config);
  simulation.prepare();
  const auto source = platform::open_trace(options);
  simulation.run(*source, options.path);
  const platform::Summary s = simulation.summary();
  expect_consistent(s);
  return s;
}

class TraceReplay : public ::testing::TestWithParam<CatalogueRow> {
 protected:
  void replay(const char* mode) {
    const char* folder = std::getenv("TWINPLANE_TRACES");
    if (folder == nullptr || !std::filesystem::is_directory(folder)) {
      std::printf("TWINPLANE_TRACES names no folder: nothing to replay\n");
      return;
    }
    platform::TraceOptions options = testing::trace_options(GetParam(), folder);
    options.max_records = kRequests;
    const platform::Summary s = replay_on("tlc_8ch.toml", {std::string("host.mode=") + mode}, options);
    EXPECT_GT(s.workload.requests, 0u);
    EXPECT_LE(s.workload.requests, kRequests);
  }
};

TEST_P(TraceReplay, InClosedLoopIsConsistent) {
  replay("closed");
}

TEST_P(TraceReplay, AtItsOwnTimesIsConsistent) {
  replay("open");
}

INSTANTIATE_TEST_SUITE_P(Traces, TraceReplay,
                         ::testing::ValuesIn(testing::trace_catalogue(TWINPLANE_TRACE_CATALOGUE)), test_name);

TEST(BundledTrace, BeyondTheDriveIsNamedByItsFile) {
  platform::TraceOptions options;
  options.path = TWINPLANE_SOURCE_DIR "/traces/demo.csv.zst"; // uses 512 MiB, more than this drive has
  try {
    replay_on("demo.toml", {"geometry.channels=1", "host.remap=error"}, options);
    FAIL() << "fits";
  } catch (const platform::InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind(options.path + ": request ", 0), 0u) << error.what();
  }
}

platform::TraceOptions bundled_trace() {
  platform::TraceOptions options;
  options.path = TWINPLANE_SOURCE_DIR "/traces/demo.csv.zst";
  return options;
}

TEST(BundledTrace, OnTheDemoDriveIsConsistentUnderCollection) {
  const platform::Summary s = replay_on("demo.toml", {}, bundled_trace());
  EXPECT_GT(s.ftl.counters.gc_blocks_erased, 0u);
  EXPECT_GT(s.nand.program.commands, 0u);
}

/// Small blocks, no spare blocks at first: dozens of collections at a time, completions of many dies of a
/// channel in one firmware turn. A lost interrupt would leave requests unanswered.
TEST(BundledTrace, OnAWornDriveOfSmallBlocksIsAnsweredToTheLastRequest) {
  const platform::Summary s =
      replay_on("demo.toml",
                {"geometry.pages_per_block=48", "geometry.blocks_per_plane=64",
                 "geometry.chips_per_channel=2", "nand.bac=false", "ftl.over_provisioning=28%",
                 "precondition.fill=100%", "precondition.overwrite=100%"},
                bundled_trace());
  EXPECT_EQ(s.workload.requests, 30'000u);
}

} // namespace
} // namespace twinplane::test::trace_replay_test
