// Does the trace of a whole run hold every operation, well nested, and the plane-time account?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/perfetto_trace.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform::waves_perfetto_run_test {
namespace {

using nlohmann::json;
using Trace = test::PerfettoTrace;

constexpr const char* kCauses =
    "--set workload.number_ios=3000 --set report.plane_time=true --set report.interval=7ms";

class PerfettoRun : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "waves.json";

  void run(const std::string& settings) const {
    const std::string command =
        std::string(TWINPLANE_PROGRAM) + " run -c " + TWINPLANE_SOURCE_DIR +
        "/platform/configs/demo.toml --perfetto --out " + folder_.path().string() +
        " --set geometry.blocks_per_plane=16 --set geometry.pages_per_block=24 --set workload.rw=randrw"
        " --set precondition.mode=fill --set precondition.fill=90% " +
        settings + " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  json summary() const {
    std::ifstream in(folder_.path() / "summary.json");
    return json::parse(in);
  }
};

TEST_F(PerfettoRun, AWholeRunNestsAndCountsWhatTheReportCounts) {
  run("--set workload.number_ios=2000");
  const Trace file(path_);
  file.expect_nesting();
  const json report = summary();
  const auto counted = [&report](const char* what) { // the waves follow the shutdown, too
    return report.at("nand").at(what).at("total").get<std::size_t>() +
           report.at("drain").at("nand").at(what).get<std::size_t>();
  };
  EXPECT_EQ(file.count(".plane", "read"), counted("reads"));
  EXPECT_EQ(file.count(".plane", "program"), counted("programs"));
  EXPECT_EQ(file.count(".plane", "erase"), counted("erases"));
  EXPECT_GT(file.count("/bus", "data out"), 1000u);
  EXPECT_EQ(file.count("ssd/requests", "read") + file.count("ssd/requests", "write"), 2000u);
  EXPECT_GT(file.flows.size(), 1000u);
  for (const auto& [id, arrow] : file.flows) {
    ASSERT_TRUE(file.has_slice(arrow.from, "firmware", arrow.start)) << id;
    ASSERT_TRUE(file.has_slice(arrow.to, "", arrow.end)) << id;
    ASSERT_LE(arrow.start, arrow.end) << id;
  }
  for (const auto& [name, values] : file.counters) {
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), [](auto& a, auto& b) {
      return a.first < b.first;
    })) << name;
    EXPECT_TRUE(values.back().second == 0 || name == "free blocks") << name;
  }
  EXPECT_EQ(file.counters.count("free blocks"), 1u);
}

/// Rows of a table, by the names of its columns.
std::vector<std::map<std::string, double>> rows_of(const std::filesystem::path& csv) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
    return out;
  };
  std::ifstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells(line);
  std::vector<std::map<std::string, double>> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i].empty()) rows.back()[names[i]] = std::stod(row[i]);
    }
  }
  return rows;
}

double value_at(const std::vector<std::pair<std::uint64_t, double>>& changes, double ns) {
  double value = 0;
  for (const auto& [at, changed] : changes) {
    if (static_cast<double>(at) <= ns) value = changed;
  }
  return value;
}

TEST_F(PerfettoRun, TheFirmwareTellsOfEachCollection) {
  run("--set workload.number_ios=4000 --set workload.rwmixread=0 --set precondition.fill=100%");
  const Trace file(path_);
  file.expect_nesting();
  const json report = summary();
  const json gc = report.at("ftl").at("gc");
  ASSERT_GT(gc.at("blocks_erased").get<std::size_t>(), 10u);
  // some begin in the shutdown, or go on at the end, and are drawn up to it
  EXPECT_EQ(file.count("ssd/firmware", "collect"),
            gc.at("invocations").get<std::size_t>() +
                report.at("drain").at("gc").at("invocations").get<std::size_t>());
}

TEST_F(PerfettoRun, TheFirmwareTellsOfItsRecoveryAndItsCheckpoints) {
  run("--set workload.number_ios=2000 --power-cut request:1000");
  const Trace file(path_);
  file.expect_nesting();
  EXPECT_EQ(file.count("ssd/firmware", "recovery: metadata"), 1u);
  EXPECT_GE(file.count("ssd/firmware", "recovery: "), 2u); // steps that take no time are not drawn
}

TEST_F(PerfettoRun, CountersOfCausesAreTheRowsOfTheTimeline) {
  run(kCauses);
  const Trace file(path_);
  const auto rows = rows_of(folder_.path() / "timeline.csv");
  ASSERT_GT(rows.size(), 10u);
  std::size_t causes = 0;
  for (const auto& row : rows) {
    const double middle = (row.at("start_us") + row.at("end_us")) * 500;
    double planes = 0;
    for (const auto& [column, expected] : row) {
      const std::string prefix = "plane_time_";
      if (column.rfind(prefix, 0) != 0) continue;
      const auto counter = file.counters.find("planes: " + column.substr(prefix.size()));
      const double shown = counter == file.counters.end() ? 0 : value_at(counter->second, middle);
      EXPECT_NEAR(shown, expected, 5.01e-5) << column << " at " << middle << " ns";
      planes += shown;
      causes += shown > 0 ? 1 : 0;
    }
    EXPECT_NEAR(planes, 64, 1e-9) << "the planes of the drive";
  }
  EXPECT_GT(causes, 8 * rows.size());
}

/// Nanoseconds times value, from the first change to `end`.
double integral(const std::vector<std::pair<std::uint64_t, double>>& changes, double end) {
  double sum = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double until = i + 1 < changes.size() ? static_cast<double>(changes[i + 1].first) : end;
    sum += changes[i].second * (until - static_cast<double>(changes[i].first));
  }
  return sum;
}

TEST_F(PerfettoRun, CountersOfCausesAddUpToTheAccount) {
  run(kCauses); // no warm-up: the measured window ends with the last request, the counters with the run
  const Trace file(path_);
  const json whole = summary();
  const json& account = whole.at("plane_time");
  const double end = whole.at("time").at("simulated_ns");
  const double after = 64 * end - account.at("total_ns").get<double>();
  ASSERT_GT(after, 0);
  double excess = 0; // what collection and idle planes have after the last request
  std::size_t drawn = 0;
  for (const auto& [cause, ns] : account.at("causes_ns").items()) {
    const auto counter = file.counters.find("planes: " + cause);
    const double sum = counter == file.counters.end() ? 0 : integral(counter->second, end);
    EXPECT_GE(sum, ns.get<double>() - 64) << cause << ": the end is told in whole nanoseconds, for 64 planes";
    excess += sum - ns.get<double>();
    drawn += sum > 0 ? 1 : 0;
  }
  EXPECT_NEAR(excess, after, 64);
  EXPECT_GT(drawn, 10u);
}

} // namespace
} // namespace twinplane::platform::waves_perfetto_run_test
