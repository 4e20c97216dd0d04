// Does the firmware do without a feature whose folder is left out? Each test is linked of all objects of the FTL but those
// of one feature, so what is named outside its folder does not link.
#include "firmware/ftl/feature_set.h"

#include <cstring>
#include <string>

#include "hw/spec/reliability.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test {
namespace {

const std::string kLeftOut = TWINPLANE_LEFT_OUT;

FtlBenchConfig drive_that_asks() {
  FtlBenchConfig c = small_drive();
  if (kLeftOut == "copyback") c.ftl.copybacks = kAnyCopybacks;
  if (kLeftOut == "lower_pages") {
    c.ftl.geometry.cell = CellType::mlc;
    c.ftl.lower_pages = fw::LowerPageProtection::backup;
  }
  return c;
}

TEST(BuildWithoutAFeature, HasAllOthers) {
  const fw::FeatureRows rows = fw::feature_rows();
  std::uint32_t left_out = 0;
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    const bool without = rows.first[i].make == nullptr;
    left_out += without ? 1 : 0;
    EXPECT_EQ(without, kLeftOut == rows.first[i].name) << rows.first[i].name;
  }
  EXPECT_EQ(left_out, 1u);
}

TEST(BuildWithoutAFeature, RefusesADriveThatAsksForIt) {
  FtlBench b(drive_that_asks());
  if (kLeftOut == "sanitize") { // the host asks, and is told before
    ASSERT_EQ(b.error(), nullptr) << b.error();
    EXPECT_FALSE(b.ftl().state.hooks.wants(fw::Hook::request));
    return;
  }
  ASSERT_NE(b.error(), nullptr);
  EXPECT_NE(std::strstr(b.error(), ("ftl." + kLeftOut + ": must be").c_str()), nullptr) << b.error();
  EXPECT_NE(std::strstr(b.error(), ("no feature " + kLeftOut).c_str()), nullptr) << b.error();
}

TEST(BuildWithoutAFeature, WritesCollectsAndRecovers) {
  FtlBench b(small_drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 10000;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 1));
  EXPECT_NE(b.statistics().gc_pages_moved, 0u);
  b.commit();
  b.settle();
  fw::Random random(3);
  b.cut_power(true, random);
  b.check_all(true);
}

} // namespace
} // namespace twinplane::test
