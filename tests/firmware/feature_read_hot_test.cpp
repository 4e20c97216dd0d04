// Can a feature be added without a change of the pipeline? The example moves pages that are read often to fast pages.
#include "examples/feature_read_hot/read_hot.h"

#include "tests/support/feature_keys.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test::feature_read_hot_test {
namespace {

constexpr std::uint64_t kReads = 8;

FtlBenchConfig drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::mlc;
  c.ftl.geometry.blocks_per_plane = 32;
  c.ftl.over_provisioning = 0.4;
  c.ftl.block_allocation = "pa";
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.hold_up_pages = 1024;
  set_feature(c.ftl, "read_hot.reads", kReads);
  return c;
}

PageType type_of(FtlBench& b, std::uint32_t lpn) {
  const fw::FtlState& s = b.ftl().state;
  return s.blocks.order().type(s.blocks.page_of(s.policy.mapping->lookup(lpn)));
}

std::uint64_t moved(FtlBench& b) {
  return feature_count(b.statistics(), "read_hot.moved");
}

TEST(ReadHotPages, AreMovedToFastPages) {
  FtlBench b(drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t sectors = b.ftl().state.config.geometry.sectors_per_page();
  for (std::uint32_t lpn = 0; lpn < 64; ++lpn) {
    b.write(lpn * sectors, sectors);
    b.settle();
  }
  std::uint32_t slow = 0;
  while (slow < 64 && type_of(b, slow) == 0) ++slow;
  ASSERT_LT(slow, 64u) << "all pages are fast ones";
  for (std::uint64_t n = 1; n < kReads; ++n) {
    b.read(slow * sectors, sectors);
    b.settle();
  }
  EXPECT_NE(type_of(b, slow), 0u) << "before it is hot";
  b.read(slow * sectors, sectors);
  b.settle();
  EXPECT_EQ(type_of(b, slow), 0u);
  EXPECT_EQ(moved(b), 1u);
}

TEST(ReadHotPages, KeepTheirDataUnderARandomLoadAndOverAPowerCut) {
  FtlBench b(drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 20000;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 1));
  ASSERT_TRUE(b.statistics().metadata_kept);
  EXPECT_GT(moved(b), 10u);
  b.commit();
  b.settle();
  fw::Random random(3);
  b.cut_power_held_up(random);
  b.check_all(true);
}

TEST(ReadHotPages, AreLeftWhereTheyAreUnlessTheKeySaysSo) {
  FtlBenchConfig c = drive();
  set_feature(c.ftl, "read_hot.reads", 0);
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  EXPECT_FALSE(b.ftl().state.hooks.wants(fw::Hook::read));
}

TEST(ReadHotPages, NeedAnAllocationThatFindsFastPages) {
  FtlBenchConfig c = drive();
  c.ftl.block_allocation = "conventional";
  FtlBench b(c);
  ASSERT_NE(b.error(), nullptr);
  EXPECT_NE(std::string(b.error()).find("with read_hot.reads"), std::string::npos) << b.error();
}

TEST(ReadHotPages, AreAnEventOfTheTrace) {
  std::uint32_t events = fw::kTraceEvents;
  fw::for_each_feature([&](const fw::FeatureRow& row) {
    for (const fw::TraceEventText& text : row.events) events += text.name != nullptr ? 1 : 0;
  });
  ASSERT_EQ(fw::trace_events(), events);
  const auto event = static_cast<fw::TraceEvent>(events - 1); // the last feature's
  EXPECT_STREQ(fw::text_of(event).name, "read-hot page");
  EXPECT_STREQ(fw::text_of(fw::TraceEvent::read_only).name, "read-only");
}

} // namespace
} // namespace twinplane::test::feature_read_hot_test
