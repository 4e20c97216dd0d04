// Is every lower page copied before its write is answered, and no page more?
#include "tests/support/ftl_random.h"

namespace twinplane::test {
namespace {

FtlBenchConfig tlc() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.geometry.blocks_per_plane = 32;
  c.ftl.over_provisioning = 0.5;
  c.ftl.lower_pages = fw::LowerPageProtection::backup;
  return c;
}

std::uint64_t programmed(FtlBench& b, fw::ProgramCause cause) {
  return b.statistics().pages_programmed[static_cast<std::size_t>(cause)];
}

/// Of the first pages of a block, those that are not the last ones of their wordlines.
std::uint32_t lower_pages(const PageOrderTable& order, std::uint32_t pages) {
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < pages; ++p) sum += order.type(p) + 1u != order.types() ? 1 : 0;
  return sum;
}

/// One write at a time: no wordline is complete when its lower pages have been programmed.
TEST(LowerPages, AreCopiedOncePerPage) {
  FtlBench b(tlc());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  for (std::uint64_t lpn = 0; lpn < 900; ++lpn) {
    b.write(lpn * 4, 4);
    b.settle();
  }
  std::uint64_t expected = 0;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block)
      expected += lower_pages(blocks.order(), blocks.block(plane, block).written);
  }
  EXPECT_EQ(programmed(b, fw::ProgramCause::host), 900u);
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), expected);
  EXPECT_EQ(b.statistics().backups_copied_on, 0u)
      << "wordlines are complete long before their copies are erased";
  b.check_all(true);
}

/// docs/power_loss.md: 3 + 2 M / U, where M of two frontiers are 5 pages each, and U 8.
TEST(LowerPages, TakeSoManyBlocks) {
  FtlBench b(tlc());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  EXPECT_EQ(b.ftl().lower_pages.blocks(), 6u * b.ftl().state.blocks.geometry().planes());
  FtlBenchConfig shared = tlc();
  shared.ftl.frontier = fw::Frontier::shared;
  FtlBench one(shared);
  EXPECT_EQ(one.ftl().lower_pages.blocks(), 5u * one.ftl().state.blocks.geometry().planes());
}

/// What a write that is not answered has programmed is found by the next life, which must not ruin it.
TEST(LowerPages, OfUntimedWritesAreCovered) {
  FtlBenchConfig c = tlc();
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes();
  for (std::uint32_t lpn = 0; lpn < 2 * planes; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 0u);
  b.ftl().protect_untimed();
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 2u * planes) << "L0 and L1 of each plane's first block";
  b.ftl().protect_untimed();
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 2u * planes) << "they have copies";
}

TEST(LowerPages, NeedNoCopiesWhereNothingEndangersThem) {
  FtlBenchConfig held_up = tlc();
  held_up.ftl.hold_up_pages = 1024;
  FtlBenchConfig slc_mode = tlc();
  slc_mode.ftl.slc_mode = true;
  slc_mode.ftl.over_provisioning = 0.8;
  FtlBenchConfig unprotected = tlc();
  unprotected.ftl.lower_pages = fw::LowerPageProtection::none;
  FtlBenchConfig one_bit = small_drive();
  one_bit.ftl.lower_pages = fw::LowerPageProtection::backup;
  for (const FtlBenchConfig& c : {held_up, slc_mode, unprotected, one_bit}) {
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    EXPECT_FALSE(b.ftl().lower_pages.kept());
    EXPECT_EQ(b.ftl().lower_pages.blocks(), 0u);
  }
}

TEST(LowerPages, AreRefusedWhereTheyCannotBeCopied) {
  FtlBenchConfig page_types = tlc();
  page_types.ftl.program_order = ProgramOrder::relaxed;
  page_types.ftl.block_allocation = "pa";
  FtlBenchConfig copybacks = tlc();
  copybacks.ftl.copybacks = 2;
  FtlBenchConfig small = tlc();
  small.ftl.geometry.blocks_per_plane = 5;
  for (const FtlBenchConfig& c : {page_types, copybacks, small}) {
    FtlBench b(c);
    ASSERT_NE(b.error(), nullptr);
    EXPECT_EQ(std::string(b.error()).rfind("ftl.lower_pages: ", 0), 0u) << b.error();
  }
}

} // namespace
} // namespace twinplane::test
