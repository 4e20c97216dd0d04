// Can a feature be added without a change of the pipeline? The example moves pages that are read often to fast pages.
#include "examples/feature_read_hot/read_hot.h"

#include "tests/support/ftl_random.h"

namespace twinplane::test {
namespace {

FtlBenchConfig drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::mlc;
  c.ftl.geometry.blocks_per_plane = 32;
  c.ftl.over_provisioning = 0.4;
  c.ftl.block_allocation = "pa";
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.hold_up_pages = 1024;
  return c;
}

PageType type_of(FtlBench& b, std::uint32_t lpn) {
  const fw::FtlState& s = b.ftl().state;
  return s.blocks.order().type(s.blocks.page_of(s.policy.mapping->lookup(lpn)));
}

const fw::ReadHot& feature(FtlBench& b) {
  const fw::Feature* last = nullptr;
  b.ftl().state.hooks.for_each([&last](fw::Feature& f) { last = &f; });
  return static_cast<const fw::ReadHot&>(*last);
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
  for (int n = 1; n < fw::ReadHot::kReads; ++n) {
    b.read(slow * sectors, sectors);
    b.settle();
  }
  EXPECT_NE(type_of(b, slow), 0u) << "before it is hot";
  b.read(slow * sectors, sectors);
  b.settle();
  EXPECT_EQ(type_of(b, slow), 0u);
  EXPECT_EQ(feature(b).moved(), 1u);
}

TEST(ReadHotPages, KeepTheirDataUnderARandomLoadAndOverAPowerCut) {
  FtlBench b(drive());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 20000;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 1));
  ASSERT_TRUE(b.statistics().metadata_kept);
  EXPECT_GT(feature(b).moved(), 10u);
  b.commit();
  b.settle();
  fw::Random random(3);
  b.cut_power_held_up(random);
  b.check_all(true);
}

} // namespace
} // namespace twinplane::test
