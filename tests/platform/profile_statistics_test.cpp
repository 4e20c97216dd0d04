// The built-in profiles against what was published about the traces they stand for:
// traces/profiles/published.csv holds the figures and their sources. Requests are generated at a reduced
// number and measured by the code that measures real traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "platform/trace/trace_info.h"
#include "platform/workload/profile_loader.h"
#include "platform/workload/profile_source.h"
#include "tests/support/parameter_names.h"

namespace twinplane::platform::profile_statistics_test {
namespace {

const std::filesystem::path kFolder = TWINPLANE_PROFILE_FOLDER;

struct Figure {
  std::string profile;
  std::string statistic;
  double value = 0.0;
};

std::vector<Figure> published() {
  std::ifstream in(kFolder / "published.csv");
  std::vector<Figure> figures;
  std::string line;
  std::getline(in, line); // header
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    Figure f;
    std::string value;
    std::getline(fields, f.profile, ',');
    std::getline(fields, f.statistic, ',');
    std::getline(fields, value, ',');
    f.value = std::stod(value);
    figures.push_back(f);
  }
  return figures;
}

TraceInfo measured(const std::string& name, std::uint64_t most) {
  Profile profile = load_profile(name);
  ProfileScale by;
  by.requests = std::min(profile.requests, most);
  const auto source = make_profile_source(scale(profile, by));
  return collect_info(*source);
}

/// Relative, of any statistic of any profile.
constexpr double kTolerance = 0.02;
/// Percentage points, of the share of writes to the hottest addresses.
constexpr double kSkewPoints = 3.0;

struct Measure {
  double (*of)(const TraceInfo&);
};

const std::map<std::string, Measure>& measures() {
  static const std::map<std::string, Measure> kMeasures = {
      {"write_percent", {[](const TraceInfo& i) { return 100 * i.write_ratio; }}},
      {"mean_bytes", {[](const TraceInfo& i) { return i.mean_bytes; }}},
      {"mean_read_bytes", {[](const TraceInfo& i) { return i.reads.mean_bytes; }}},
      {"mean_write_bytes", {[](const TraceInfo& i) { return i.writes.mean_bytes; }}},
      {"large_write_percent", {[](const TraceInfo& i) { return 100 * i.large_write_ratio; }}},
      {"small_percent", {[](const TraceInfo& i) { return 100 * i.small_ratio; }}},
      {"rewrite_percent", {[](const TraceInfo& i) { return 100 * i.rewrite_ratio; }}},
      {"rewrite_4k_percent", {[](const TraceInfo& i) { return 100 * i.rewrite_size_share[0]; }}},
      {"rewrite_8k_percent", {[](const TraceInfo& i) { return 100 * i.rewrite_size_share[1]; }}},
      {"rewrite_over_8k_percent", {[](const TraceInfo& i) { return 100 * i.rewrite_size_share[2]; }}},
      {"hot_write_percent", {[](const TraceInfo& i) { return 100 * i.hot_write_ratio; }}},
  };
  return kMeasures;
}

const std::map<std::string, Measure>& skew_measures() {
  static const std::map<std::string, Measure> kMeasures = {
      {"hottest_1_percent", {[](const TraceInfo& i) { return 100 * i.hottest_address_share[0]; }}},
      {"hottest_5_percent", {[](const TraceInfo& i) { return 100 * i.hottest_address_share[1]; }}},
      {"hottest_20_percent", {[](const TraceInfo& i) { return 100 * i.hottest_address_share[2]; }}},
  };
  return kMeasures;
}

void compare(const Figure& figure, const TraceInfo& info) {
  SCOPED_TRACE(figure.profile + ": " + figure.statistic);
  if (figure.statistic == "requests") {
    EXPECT_EQ(static_cast<double>(load_profile(figure.profile).requests), figure.value);
  } else if (figure.statistic == "small_percent_above") { // "more than 70 %"
    EXPECT_GT(100 * info.small_ratio, figure.value);
  } else if (measures().count(figure.statistic) != 0) {
    EXPECT_NEAR(measures().at(figure.statistic).of(info), figure.value, figure.value * kTolerance);
  } else {
    ASSERT_EQ(skew_measures().count(figure.statistic), 1u) << "no such statistic";
    EXPECT_NEAR(skew_measures().at(figure.statistic).of(info), figure.value, kSkewPoints);
  }
}

/// The sizes of rewrites are those of a random subset of the writes, a few percent of it in a class: whole
/// traces are needed to know them to 2 %.
std::uint64_t requests_needed(const std::string& name) {
  for (const Figure& figure : published()) {
    if (figure.profile == name && figure.statistic == "rewrite_8k_percent") return ~std::uint64_t{0};
  }
  return 300'000;
}

class PublishedFigures : public testing::TestWithParam<std::string> {};

TEST_P(PublishedFigures, AreMetByTheGeneratedRequests) {
  const TraceInfo info = measured(GetParam(), requests_needed(GetParam()));
  int compared = 0;
  for (const Figure& figure : published()) {
    if (figure.profile != GetParam()) continue;
    compare(figure, info);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

std::vector<std::string> profiles_with_figures() {
  std::set<std::string> names;
  for (const Figure& figure : published()) names.insert(figure.profile);
  return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(Profiles, PublishedFigures, testing::ValuesIn(profiles_with_figures()),
                         test::parameter_name);

TEST(ProfileCatalogue, HoldsEveryFileOfTheFolder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  for (const BuiltinProfile& builtin : builtin_profiles()) names.emplace_back(builtin.name);
  EXPECT_EQ(names, files);
}

TEST(ProfileCatalogue, NamesAreThoseOfTheFiles) {
  for (const BuiltinProfile& builtin : builtin_profiles()) {
    EXPECT_EQ(load_profile(builtin.name).name, builtin.name);
  }
}

TEST(ProfileCatalogue, HasEveryTraceOfThePapers) {
  std::set<std::string> names;
  for (const BuiltinProfile& builtin : builtin_profiles()) names.insert(builtin.name);
  for (const char* name :
       {"fin1",   "fin2",  "ra",   "dap",    "rbess", "dtr",       "exch", "msfs", "bs",    "prxy_0", "proj",
        "proj_0", "mds_0", "hm_0", "prn_0",  "prn_1", "tpce",      "tpcc", "ts_0", "usr_0", "wdev_0", "lun1",
        "lun2",   "ads",   "hm_1", "src1_0", "mds_1", "exch_papa", "st1",  "st2",  "st3"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

// PA-SSD, figure 9: workloads "ordered in their relative intensity". What the paper means by intensity is not
// said; here it is the data rate.
TEST(ProfileCatalogue, KeepsTheOrderOfIntensity) {
  double before = 0.0;
  for (const char* name : {"fin1", "ra", "dap", "rbess", "dtr", "exch", "msfs", "bs"}) {
    const TraceInfo info = measured(name, 20'000);
    const double rate = info.mean_bytes * load_profile(name).arrival.rate;
    EXPECT_GT(rate, before) << name;
    before = rate;
  }
}

} // namespace
} // namespace twinplane::platform::profile_statistics_test
