// Do the drawn errors of a whole drive with an SLC-mode cache follow the expected ones, disturb included, and
// are the tables it reports those of the paper's formula for whole blocks? The program itself, once for each
// reading.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/parameter_names.h"
#include "tests/support/temp_folder.h"

namespace twinplane::test::slc_cache_errors_test {
namespace {

using nlohmann::json;

/// Decoding takes the same time whatever is wrong, so both readings of the errors see the same reads.
constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 64
pages_per_block = 32
page_size = "16KiB"
subpages_per_page = 4
[nand]
cell = "mlc"
[nand.errors]
cycles = 4000
[controller.ecc]
code = "bch"
fastest = "10us"
slowest = "10us"
corrects = 400
soft_corrects = 400
[ftl]
over_provisioning = "40%"
[slc_cache]
share = "17%"
[host]
mode = "closed"
iodepth = 4
[workload]
rw = "randrw"
bssplit = "4k/70:8k/20:16k/10"
size = "4MiB"
number_ios = 6000
)";
constexpr double kBlocks = 2 * 11; // of the cache: 17 % of 64 are no whole number
constexpr double kPages = kBlocks * 16;
constexpr double kSubpages = kPages * 4;

json run(const std::string& scheme, const std::string& reading) {
  const TempFolder folder;
  const std::string at = folder.path().string();
  std::ofstream(at + "/drive.toml") << kDrive;
  const std::string command =
      std::string(TWINPLANE_PROGRAM) + " run -c " + at + "/drive.toml --set ftl.policy=" + scheme +
      " --set nand.errors.reading=" + reading + " --out " + at + "/out >" + at + "/log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(at + "/out/summary.json");
  return json::parse(in);
}

class SlcCacheErrors : public ::testing::TestWithParam<const char*> {};

TEST_P(SlcCacheErrors, AreDrawnAsManyAsAreExpectedWithinStatistics) {
  const json expected = run(GetParam(), "expected");
  const json drawn = run(GetParam(), "drawn");
  ASSERT_EQ(expected["nand"]["programs"], drawn["nand"]["programs"]) << "they saw the same reads";
  const json& e = expected["reliability"];
  const json& d = drawn["reliability"];
  double pages = e["slc_mode"]["pages"];
  for (const json& type : e["by_page_type"]) pages += type["pages"].get<double>();
  const double bits = pages * 4 * 8752; // at least: a sector each
  for (const char* rate : {"raw_bit_error_rate", "read_error_rate"}) {
    const double mean = e[rate];
    EXPECT_NEAR(d[rate].get<double>() / mean, 1, 4 / std::sqrt(mean * bits / 4))
        << rate; // host reads are half of them
    EXPECT_GT(mean, 2.8e-4) << "disturb and upper pages add to it";
  }
  const double slc = e["slc_mode"]["raw_bit_error_rate"];
  EXPECT_NEAR(d["slc_mode"]["raw_bit_error_rate"].get<double>() / slc, 1,
              4 / std::sqrt(slc * e["slc_mode"]["pages"].get<double>() * 4 * 8752));
  if (GetParam() == std::string("mga")) {
    EXPECT_GT(slc, 1.1 * e["by_page_type"]["lsb"]["raw_bit_error_rate"].get<double>())
        << "valid subpages suffer programs of their page";
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, SlcCacheErrors, ::testing::Values("slc_cache", "mga", "ipu", "pslc"),
                         parameter_name);

TEST(SlcCacheTables, AreThoseOfThePapersFormulaForWholeBlocks) {
  const json baseline = run("slc_cache", "off")["ftl"]["slc_cache"];
  const json mga = run("mga", "off")["ftl"]["slc_cache"];
  const json ipu = run("ipu", "off")["ftl"]["slc_cache"];
  for (const json* other : {&baseline, &mga}) {
    EXPECT_EQ((*other)["label_bytes"], 0.0);
    EXPECT_EQ((*other)["isr_bytes"], 0.0);
  }
  EXPECT_EQ(ipu["label_bytes"].get<double>(), kBlocks * 2 / 8) << "two bits a block";
  EXPECT_EQ(ipu["isr_bytes"].get<double>(), kPages * 4) << "four bytes a page";
  const double map = baseline["mapping_bytes"];
  EXPECT_EQ(mga["mapping_bytes"].get<double>() - map, kSubpages * 8) << "two numbers a subpage";
  EXPECT_EQ(ipu["mapping_bytes"].get<double>() - map, kPages * 2 / 8)
      << "which of four subpages is the newest";
}

} // namespace
} // namespace twinplane::test::slc_cache_errors_test
