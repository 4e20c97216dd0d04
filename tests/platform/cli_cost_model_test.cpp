// twinplane cost-model: does the table say what the firmware's cost unit says, and is a wrong option named?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command_call.h"
#include "tests/support/parameter_names.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform::cli_cost_model_test {
namespace {

using test::Outcome;
using testing::HasSubstr;
using Rows = std::vector<std::map<std::string, std::string>>;

int no_run(const RunOptions&) {
  ADD_FAILURE() << "a simulation ran";
  return 1;
}

Outcome call(const std::vector<std::string>& options) {
  return test::call_command("cost-model", options, no_run);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) found.push_back(cell);
  return found;
}

Rows parse(const std::string& csv) {
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells(line);
  Rows rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> values = cells(line);
    EXPECT_EQ(values.size(), names.size()) << line;
    rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) rows.back()[names[i]] = values[i];
  }
  return rows;
}

Rows table(const std::vector<std::string>& options) {
  const Outcome o = call(options);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  return parse(o.out);
}

double number(const Rows& rows, std::size_t row, const std::string& column) {
  return std::stod(rows.at(row).at(column));
}

TEST(CostModel, PrintsTheExampleOfThePaper) {
  const Rows rows = table({"--misplaced", "1%", "--at", "0.66,0.8,98%"});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(number(rows, 0, "overall_us"), 22355.0, 0.05);
  EXPECT_NEAR(number(rows, 1, "overall_us"), 3004.0, 0.05);
  EXPECT_NEAR(number(rows, 2, "overall_us"), 5901.5, 0.05);
  EXPECT_NEAR(number(rows, 0, "cold_utilisation"), 0.9778, 5e-5);
  EXPECT_NEAR(number(rows, 0, "cold_page_write_us"), 31431.6, 0.05);
  EXPECT_NEAR(number(rows, 0, "migration_us"), 31506.6, 0.05);
  EXPECT_NEAR(number(rows, 1, "hot_victim"), 0.6286, 5e-5);
  EXPECT_NEAR(number(rows, 1, "hot_capacity"), 0.3, 1e-9);
  EXPECT_NEAR(number(rows, 1, "hot_blocks"), 0.4615, 5e-5);
}

TEST(CostModel, RoundsPagesWhenAsked) {
  const Rows rows = table({"--misplaced", "0.01", "--at", "0.87", "--whole-pages"});
  EXPECT_NEAR(number(rows, 0, "overall_us"), 2768.4, 0.05);
}

TEST(CostModel, SpreadsItsRowsBetweenTheDivisionsWithoutRoom) {
  const Rows rows = table({});
  ASSERT_EQ(rows.size(), 99u);
  for (std::size_t i = 0; i < rows.size(); ++i) { // from 0.648649 to 1
    const double expected = 0.6486486486 + (1 - 0.6486486486) * (static_cast<double>(i) + 1) / 100;
    EXPECT_NEAR(number(rows, i, "hot_utilisation"), expected, 1e-8);
  }
  EXPECT_EQ(table({"--points", "5"}).size(), 5u);
}

TEST(CostModel, FindsTheDivisionThatCostsLeast) {
  const Rows rows = table({"--misplaced", "0.01", "--best"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(number(rows, 0, "hot_utilisation"), 0.869, 5e-4);
  for (const auto& row : table({"--misplaced", "0.01"}))
    EXPECT_GE(std::stod(row.at("overall_us")), number(rows, 0, "overall_us"));
}

TEST(CostModel, TakesTheHotPartitionAsAShareOfTheBlocks) {
  const Rows rows = table({"--hot-blocks", "30%", "--at", "0.8"});
  EXPECT_NEAR(number(rows, 0, "hot_blocks"), 0.3, 1e-9);
  EXPECT_NEAR(number(rows, 0, "hot_capacity"), 0.3 / 1.7, 1e-8);
}

TEST(CostModel, TakesCostsInAnyUnitOfTime) {
  const Rows rows = table({"--read", "0", "--program-fast", "1us", "--program-mean", "1000ns", "--erase",
                           "0.1ms", "--pages-per-block", "20", "--hot-utilisation", "0.5", "--at", "0.5"});
  const double waf = 1.2550; // of 0.5
  EXPECT_NEAR(number(rows, 0, "hot_page_write_us"), waf + waf * 100.0 / 10.0, 1e-3);
}

TEST(CostModel, SaysWhatIsNotPossible) { // a victim of 2 pages always has a valid one
  const Rows rows = table({"--pages-per-block", "2", "--whole-pages", "--at", "0.8"});
  EXPECT_EQ(rows.at(0).at("hot_page_write_us"), "inf");
  EXPECT_EQ(rows.at(0).at("overall_us"), "inf");
}

TEST(CostModel, LeavesItsTableAndWhatItAssumedInAFolder) {
  const test::TempFolder folder;
  const Outcome o =
      call({"--misplaced", "1%", "--erase", "3.8ms", "--points", "4", "--out", folder.path().string()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, "");
  std::ifstream csv(folder.path() / "costs.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(csv), {}),
            call({"--misplaced", "1%", "--points", "4"}).out);
  const auto summary = nlohmann::json::parse(std::ifstream(folder.path() / "summary.json"));
  EXPECT_NEAR(summary["lowest_hot_utilisation"].get<double>(), 0.6486, 5e-5);
  EXPECT_NEAR(summary["best"]["hot_utilisation"].get<double>(), 0.869, 5e-4);
  EXPECT_EQ(summary["inputs"]["misplaced"], 0.01);
  EXPECT_EQ(summary["inputs"]["erase"], "3.8ms");
  EXPECT_TRUE(summary.contains("version") && summary.contains("git"));
}

struct Misuse {
  std::vector<std::string> options;
  const char* answer;
};
std::string name_of(const Misuse& m) {
  std::string all;
  for (const std::string& part : m.options) all += (all.empty() ? "" : " ") + part;
  return all;
}
void PrintTo(const Misuse& parameter, std::ostream* out) {
  *out << test::parameter_names::text_of(parameter);
}

class MisusedCostModel : public testing::TestWithParam<Misuse> {};
TEST_P(MisusedCostModel, NamesTheOptionAndWhatWasExpected) {
  const Outcome o = call(GetParam().options);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.out, "");
  EXPECT_THAT(o.err, HasSubstr(GetParam().answer));
}
INSTANTIATE_TEST_SUITE_P(
    CostModel, MisusedCostModel,
    testing::Values(
        Misuse{{"--hot-writes", "1.2"},
               "error: cost-model: --hot-writes: expected a share from 0 to 1 such as 0.3 or 30%, got 1.2"},
        Misuse{{"--misplaced", "-1%"}, "--misplaced: expected a share from 0 to 1"},
        Misuse{{"--cold-utilisation", "much"},
               "--cold-utilisation: expected a share from 0 to 1 such as 0.3 or 30%, got much"},
        Misuse{{"--hot-utilisation", "0"}, "--hot-utilisation: expected a share above 0 to 1"},
        Misuse{{"--hot-utilisation", "nan"}, "got nan"},
        Misuse{{"--hot-capacity", "1"}, "--hot-capacity: expected a share above 0 and below 1"},
        Misuse{{"--hot-blocks", "0"}, "--hot-blocks: expected a share above 0 and below 1"},
        Misuse{{"--hot-blocks", "0.3", "--hot-capacity", "0.3"}, "excludes"},
        Misuse{{"--hot-utilisation", "1", "--cold-utilisation", "1"},
               "expected free space in one of the partitions"},
        Misuse{{"--read", "75"}, "--read: expected a time such as \"65us\""},
        Misuse{{"--erase", "-1us"}, "--erase: expected a time"},
        Misuse{{"--pages-per-block", "255"},
               "--pages-per-block: expected a multiple of the bits per cell (--bits): one of so many pages "
               "is fast, got 255"},
        Misuse{{"--points", "0"}, "--points: expected 1 to 100000, got 0"},
        Misuse{{"--at", "0.7,0.6"},
               "--at: expected utilisations above 0.648648649, where cold data fill their partition, and "
               "below 1, got 0.6"},
        Misuse{{"--at", "0.7,"}, "and below 1, got nothing"}, Misuse{{"--at", "1"}, "and below 1, got 1"},
        Misuse{{"--best", "--at", "0.7"}, "excludes"},
        Misuse{{"--hot-write", "0.2"},
               "cost-model: unexpected argument --hot-write; did you mean --hot-writes?"},
        Misuse{{"--out", "/proc/none/here"}, "/proc/none"}),
    twinplane::test::parameter_name);

TEST(CostModel, HasHelp) {
  const Outcome o = call({"--help"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, HasSubstr("Usage: twinplane cost-model [OPTIONS]"));
  EXPECT_THAT(o.out, HasSubstr("--hot-writes SHARE=0.3"));
}

} // namespace
} // namespace twinplane::platform::cli_cost_model_test
