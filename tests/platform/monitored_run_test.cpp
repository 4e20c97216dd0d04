// Does the drive keep the data sheet's rules whatever it is asked to do? The program itself with a protocol
// monitor on each channel: every bundled trace and the beginning of every built-in profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"

namespace twinplane::test::monitored_run_test {
namespace {

namespace fs = std::filesystem;

const std::string kSource = TWINPLANE_SOURCE_DIR;

/// Files of a folder of the project, in order.
std::vector<fs::path> files_of(const std::string& folder, const std::string& extension = "") {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSource + folder)) {
    if (extension.empty() || entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

/// A run ends well, and its monitors have looked and found nothing.
void expect_no_finding(const std::string& options) {
  SCOPED_TRACE(options);
  const TempFolder folder;
  const std::string log = (folder.path() / "log").string();
  const std::string command = std::string(TWINPLANE_PROGRAM) + " run -c " + kSource +
                              "/platform/configs/demo.toml --set bus.monitor=true" +
                              " --set precondition.mode=none --out " + folder.path().string() + "/out " +
                              options + " >" + log + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << text_of(log);
  const auto summary = nlohmann::json::parse(text_of(folder.path() / "out" / "summary.json"), nullptr, false);
  ASSERT_FALSE(summary.is_discarded()) << text_of(log);
  const auto& monitor = summary["nand"]["violations"]["monitor"];
  ASSERT_TRUE(monitor.is_object()) << "no monitor was attached";
  EXPECT_EQ(monitor["total"], 0);
}

TEST(MonitoredRun, FindsNothingInAnySample) {
  const std::vector<fs::path> samples = files_of("/traces/samples");
  EXPECT_EQ(samples.size(), 19u);
  for (const fs::path& sample : samples) expect_no_finding("--trace " + sample.string());
}

TEST(MonitoredRun, FindsNothingInAnyProfile) {
  const std::vector<fs::path> profiles = files_of("/traces/profiles", ".toml");
  EXPECT_GT(profiles.size(), 30u);
  for (const fs::path& profile : profiles) {
    expect_no_finding("--requests 500 --profile " + profile.stem().string());
  }
}

} // namespace
} // namespace twinplane::test::monitored_run_test
