// twinplane trace: what is generated can be inspected, and converting keeps what the formats can say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/config/derived.h"
#include "platform/config/dram_needs.h"
#include "platform/config/loader.h"
#include "tests/support/command_call.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform::cli_trace_test {
namespace {

using test::Outcome;
using testing::HasSubstr;

int no_run(const RunOptions&) {
  return 2;
}

Outcome call(const std::vector<std::string>& words) {
  return test::call_command("trace", words, no_run);
}

class TraceCommand : public testing::Test {
 protected:
  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  /// 500 requests of a 70/30 mix with arrival times.
  Outcome generate(const std::string& output, const std::string& format) const {
    return call({"generate", output, "--to", format, "--set", "workload.rw=randrw", "--set",
                 "workload.rwmixread=70", "--set", "workload.number_ios=500", "--set", "workload.bs=8k",
                 "--set", "workload.rate_iops=10000", "--set", "host.mode=open"});
  }

  static nlohmann::json info(const std::string& path, const std::string& format) {
    const Outcome o = call({"info", path, "--format", format, "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }

 private:
  test::TempFolder folder_;
};

TEST_F(TraceCommand, GeneratesWhatTheWorkloadKeysSay) {
  const Outcome o = generate(file("a.csv.zst"), "msr");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("500 requests written to " + file("a.csv.zst") + " (msr)"));
  const nlohmann::json json = info(file("a.csv.zst"), "msr");
  EXPECT_EQ(json["requests"], 500);
  EXPECT_EQ(json["reads"]["max_bytes"], 8192);
  EXPECT_NEAR(json["write_ratio"].get<double>(), 0.3, 0.1); // five standard deviations of the mix
}

// Of a drive whose firmware keeps more than over-provisioning says: its own trace ends where the drive does.
TEST_F(TraceCommand, GeneratesWhatFitsIntoTheDriveOfTheConfiguration) {
  const std::vector<std::string> drive = {"geometry.channels=2",
                                          "geometry.chips_per_channel=1",
                                          "geometry.dies_per_chip=1",
                                          "geometry.planes_per_die=2",
                                          "geometry.page_size=4KiB",
                                          "geometry.blocks_per_plane=64",
                                          "geometry.spare_size=128B",
                                          "geometry.pages_per_block=64",
                                          "nand.cell=slc",
                                          "ftl.over_provisioning=12%",
                                          "workload.rw=write",
                                          "workload.bs=4k",
                                          "workload.number_ios=20000"};
  std::vector<std::string> words = {"generate", file("w.csv"), "--to", "columns"};
  platform::ConfigLoader loader;
  for (const std::string& setting : drive) {
    words.insert(words.end(), {"--set", setting});
    loader.add_setting(setting);
  }
  const platform::Config config = loader.finish().config;
  const std::uint64_t exported = platform::dram_needs(config)->exported_bytes;
  ASSERT_LT(exported, platform::derive(config).exported_bytes) << "the estimate is too large";
  ASSERT_EQ(call(words).status, 0);
  const nlohmann::json json = info(file("w.csv"), "auto");
  EXPECT_EQ(json["footprint_pages"], exported / 4096) << "all of the drive, and nothing beyond";
}

TEST_F(TraceCommand, AProfileIsTheSameGeneratedInspectedAndReadBack) {
  const Outcome o =
      call({"generate", file("p.csv.zst"), "--profile", "ts_0", "--requests", "5000", "--to", "columns"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("5000 requests written"));
  const Outcome direct = call({"info", "--profile", "ts_0", "--requests", "5000", "--json"});
  EXPECT_EQ(direct.status, 0) << direct.err;
  nlohmann::json read_back = info(file("p.csv.zst"), "auto");
  EXPECT_EQ(read_back["devices"].size(), 1u);
  read_back.erase("devices"); // a profile has none
  EXPECT_EQ(read_back, nlohmann::json::parse(direct.out));
  EXPECT_EQ(nlohmann::json::parse(direct.out)["requests"], 5000);
}

TEST_F(TraceCommand, ConvertingKeepsRequestsBytesAndFootprint) {
  ASSERT_EQ(generate(file("a.csv"), "msr").status, 0);
  const Outcome o = call({"convert", file("a.csv"), file("b.txt.gz"), "--to", "ssdsim"});
  ASSERT_EQ(o.status, 0) << o.err;
  const nlohmann::json before = info(file("a.csv"), "msr");
  const nlohmann::json after = info(file("b.txt.gz"), "ssdsim");
  for (const char* key : {"requests", "reads", "writes", "footprint_pages", "span_ns"}) {
    EXPECT_EQ(after.at(key), before.at(key)) << key;
  }
}

TEST_F(TraceCommand, InfoPrintsTheDetectedFormatAndATable) {
  ASSERT_EQ(generate(file("a.csv"), "msr").status, 0);
  const Outcome o = call({"info", file("a.csv")});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("msr (detected)"));
  EXPECT_THAT(o.out, HasSubstr("requests"));
}

TEST_F(TraceCommand, GeneratesAnotherWorkloadFromAnotherSeed) {
  const auto offsets = [this](const char* name, const std::vector<std::string>& seed) {
    std::vector<std::string> words = {"generate", file(name),
                                      "--to",     "columns",
                                      "--set",    "workload.rw=randread",
                                      "--set",    "workload.number_ios=50"};
    words.insert(words.end(), seed.begin(), seed.end());
    EXPECT_EQ(call(words).status, 0);
    std::ifstream text(file(name));
    return std::string(std::istreambuf_iterator<char>(text), {});
  };
  const std::string seven = offsets("a.csv", {"--seed", "7"});
  EXPECT_EQ(seven, offsets("b.csv", {"--set", "workload.seed=7"}));
  EXPECT_NE(seven, offsets("c.csv", {}));
}

TEST_F(TraceCommand, RefusesActionsOfFormatsThatHaveNone) {
  ASSERT_EQ(generate(file("a.csv"), "msr").status, 0);
  EXPECT_THAT(call({"info", file("a.csv"), "--block-action", "Q"}).err,
              HasSubstr("--block-action Q: format msr has one line for each request"));
  EXPECT_EQ(call({"info", file("a.csv"), "--block-action", "D"}).status, 0);
}

TEST_F(TraceCommand, RefusesWhatItCannotDo) {
  EXPECT_THAT(call({"info", file("none.csv")}).err, HasSubstr(file("none.csv")));
  EXPECT_EQ(call({"info", file("none.csv")}).status, 1);
  EXPECT_THAT(call({"info"}).err, HasSubstr("expected either a trace file or --profile NAME"));
  EXPECT_THAT(call({"info", "a.csv", "--profile", "hm_0"}).err, HasSubstr("expected either"));
  EXPECT_THAT(call({"info", "--profile", "hm_0", "--footprint", "50%"}).err, HasSubstr("there is no drive"));
  EXPECT_THAT(call({"convrt"}).err, HasSubstr("unexpected argument convrt; did you mean convert?"));
  EXPECT_EQ(call({"convrt"}).status, 1);
  EXPECT_EQ(generate(file("a.csv"), "msx").status, 1);
  EXPECT_FALSE(std::filesystem::exists(file("a.csv")));
  EXPECT_EQ(generate("/nonexistent/a.csv", "msr").status, 1);
}

} // namespace
} // namespace twinplane::platform::cli_trace_test
