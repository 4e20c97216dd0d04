// Does the firmware do without a feature whose folder is left out? Each test is linked of all objects of the FTL but those
// of one feature, so what is named outside its folder does not link.
#include "firmware/ftl/feature_set.h"

#include <cstring>
#include <string>

#include "hw/spec/reliability.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test::feature_set_test {
namespace {

const std::string kLeftOut = TWINPLANE_LEFT_OUT;

FtlBenchConfig drive_that_asks() {
  FtlBenchConfig c = small_drive();
  if (kLeftOut == "copyback") c.ftl.copybacks = kAnyCopybacks;
  if (kLeftOut == "partitions") c.ftl.regions = "combo";
  if (kLeftOut == "slc_cache") c.ftl.regions = "ipu";
  if (kLeftOut == "page_types") c.ftl.block_allocation = "pa";
  if (kLeftOut == "twin_blocks") c.ftl.block_allocation = "twin";
  if (kLeftOut == "write_buffer") {
    c.ftl.write_ack = fw::WriteAck::buffered;
    c.ftl.write_buffer_pages = 16;
  }
  if (kLeftOut == "journal") c.ftl.checkpoint_interval = 100;
  if (kLeftOut == "superblocks") c.ftl.erase_unit = fw::EraseUnit::die;
  if (kLeftOut == "lower_pages") {
    c.ftl.geometry.cell = CellType::mlc;
    c.ftl.lower_pages = fw::LowerPageProtection::backup;
  }
  return c;
}

TEST(BuildWithoutAFeature, HasAllOthers) {
  std::string left_out;
  fw::for_each_feature([](const fw::FeatureRow& row) { EXPECT_NE(kLeftOut, row.key.name); });
  fw::for_each_feature_left_out([&](const fw::FeatureKey& key) { left_out += key.name; });
  EXPECT_EQ(left_out, kLeftOut);
}

TEST(BuildWithoutAFeature, RefusesADriveThatAsksForIt) {
  FtlBench b(drive_that_asks());
  const bool unknown_to_the_loader = kLeftOut == "refresh" || kLeftOut == "idle_collection";
  if (unknown_to_the_loader) return;
  if (kLeftOut == "sanitize") { // the host asks, and is told before
    ASSERT_EQ(b.error(), nullptr) << b.error();
    EXPECT_FALSE(b.ftl().state.hooks.wants(fw::Hook::request));
    return;
  }
  ASSERT_NE(b.error(), nullptr);
  EXPECT_NE(std::strstr(b.error(), ("no feature " + kLeftOut).c_str()), nullptr) << b.error();
}

TEST(BuildWithoutAFeature, WritesCollectsAndRecovers) {
  FtlBench b(small_drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 10000;
  if (kLeftOut == "journal") mix.trim_percent = mix.zero_percent = 0; // a cut undoes them
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 1));
  EXPECT_NE(b.statistics().gc_pages_moved, 0u);
  b.commit();
  b.settle();
  fw::Random random(3);
  b.cut_power(true, random);
  b.check_all(true);
}

} // namespace
} // namespace twinplane::test::feature_set_test
