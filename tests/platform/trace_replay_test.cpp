// Does the drive survive real traces? The first requests of every public trace at hand, replayed on the
// 288 GiB drive. Environment variable TWINPLANE_TRACES names their folder; without it there is nothing
// to replay, and the tests say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/oracle_drive.h"
#include "tests/support/trace_catalogue.h"

namespace twinplane::test {
namespace {

using testing::CatalogueRow;

constexpr std::uint64_t kRequests = 3000;

std::string test_name(const ::testing::TestParamInfo<CatalogueRow>& info) {
  std::string name = info.param.at("file");
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class TraceReplay : public ::testing::TestWithParam<CatalogueRow> {
 protected:
  void replay(const char* mode) {
    const char* folder = std::getenv("TWINPLANE_TRACES");
    if (folder == nullptr || !std::filesystem::is_directory(folder)) {
      std::printf("TWINPLANE_TRACES names no folder: nothing to replay\n");
      return;
    }
    platform::ConfigLoader loader;
    loader.add_file(TWINPLANE_SOURCE_DIR "/platform/configs/tlc_8ch.toml");
    loader.add_setting(std::string("host.mode=") + mode);
    const platform::Config config = loader.finish().config;
    platform::TraceOptions options = testing::trace_options(GetParam(), folder);
    options.max_records = kRequests;
    const auto source = platform::open_trace(options);
    platform::Simulation simulation(config);
    simulation.prepare();
    simulation.run(*source, options.path);
    const platform::Summary s = simulation.summary();
    expect_consistent(s);
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

} // namespace
} // namespace twinplane::test
