// May a block be used with its fast pages only, or fully, as firmware decides after each erase? The part
// whose pages ascend and may be left out lets it; the others do not. Both MLC pairings.
#include <gtest/gtest.h>

#include "hw/nand/rules.h"
#include "tests/support/monitor_bench.h"

namespace twinplane::test::fast_pages_test {
namespace {

using hw::Rule;

constexpr std::uint8_t kOk = 0xE0;
constexpr std::uint8_t kFail = 0xE1;

hw::NandConfig mlc(ProgramOrder order, PageTable table = PageTable::diagonal) {
  hw::NandConfig c = small_part();
  c.geometry.cell = CellType::mlc;
  c.array.tPROG = {us(450), us(2150)};
  c.program_order = order;
  c.page_table = table;
  return c;
}

class FastPages : public testing::TestWithParam<PageTable> {
 protected:
  PageOrderTable table_{CellType::mlc, small_part().geometry.pages_per_block, GetParam()};
};

TEST_P(FastPages, FillABlockAloneAndAfterAnEraseWithTheSlowOnes) {
  WatchedFlash f(mlc(ProgramOrder::ascending, GetParam()));
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t w = 0; w < table_.wordlines(); ++w) {
      const TimePs begin = f.bench.now;
      ASSERT_EQ(f.bench.program({0, 0, 0, table_.page(w, 0)}), kOk) << "wordline " << w;
      ASSERT_LT(f.bench.now - begin, us(2150)) << "a fast page takes the time of one";
    }
    ASSERT_EQ(f.bench.erase({0, 0, 0, 0}), kOk);
    for (std::uint32_t page = 0; page < table_.pages(); ++page)
      ASSERT_EQ(f.bench.program({0, 0, 0, page}), kOk) << "page " << page;
    ASSERT_EQ(f.bench.erase({0, 0, 0, 0}), kOk);
  }
  EXPECT_EQ(f.bench.all_violations(), 0u);
  EXPECT_EQ(f.findings.text(), "") << "the monitor says so, too";
  EXPECT_EQ(f.bench.package().statistics().programs[0], 4u * table_.wordlines());
  EXPECT_EQ(f.bench.package().statistics().programs[1], 2u * table_.wordlines());
}

TEST_P(FastPages, DoNotLetThePagesThatWereLeftOutComeLater) {
  WatchedFlash f(mlc(ProgramOrder::ascending, GetParam()));
  for (std::uint32_t w = 0; w < 6; ++w) f.bench.program({0, 0, 0, table_.page(w, 0)});
  EXPECT_EQ(f.bench.program({0, 0, 0, table_.page(0, 1)}), kFail) << "left out: not before the next erase";
  EXPECT_EQ(f.findings.text(), "order");
  EXPECT_EQ(f.bench.violations(Rule::order), 1u);
  EXPECT_EQ(f.bench.program({0, 0, 0, table_.page(2, 0)}), kFail) << "programmed already";
  EXPECT_EQ(f.findings.text(), "order erase_before_program");
  EXPECT_EQ(f.bench.violations(Rule::erase_before_program), 1u);
  EXPECT_EQ(f.bench.program({0, 0, 0, table_.page(6, 0)}), kOk) << "the block goes on";
  EXPECT_EQ(f.findings.text(), "order erase_before_program");
}

TEST_P(FastPages, AreRefusedByAPartInStrictOrder) {
  WatchedFlash f(mlc(ProgramOrder::strict, GetParam()));
  std::uint32_t w = 0;
  while (table_.page(w, 0) == w) ASSERT_EQ(f.bench.program({0, 0, 0, w++}), kOk);
  EXPECT_EQ(f.bench.program({0, 0, 0, table_.page(w, 0)}), kFail);
  EXPECT_EQ(f.bench.violations(Rule::order), 1u);
  EXPECT_EQ(f.findings.text(), "order");
}

TEST_P(FastPages, AreLegalInTheRelaxedOrder) {
  WatchedFlash f(mlc(ProgramOrder::relaxed, GetParam()));
  for (std::uint32_t w = 0; w < table_.wordlines(); ++w)
    ASSERT_EQ(f.bench.program({0, 0, 0, table_.page(w, 0)}), kOk) << "wordline " << w;
  EXPECT_EQ(f.findings.text(), "");
}

/// A page that was left out reads as erased.
TEST_P(FastPages, LeaveTheOthersBlank) {
  FlashBench bench(mlc(ProgramOrder::ascending, GetParam()));
  for (std::uint32_t w = 0; w < 4; ++w) bench.program({0, 0, 0, table_.page(w, 0)});
  const hw::PageStore& store = bench.package().die(0).cells().store();
  const hw::PageStore::Block& block = store.block(0, 0);
  EXPECT_EQ(store.program_count(block, table_.page(0, 0)), 1u);
  EXPECT_EQ(store.program_count(block, table_.page(0, 1)), 0u);
}

INSTANTIATE_TEST_SUITE_P(Pairings, FastPages, testing::Values(PageTable::diagonal, PageTable::even_odd),
                         [](const auto& p) {
                           return p.param == PageTable::diagonal ? "OnePagePerType" : "TwoPagesPerType";
                         });

} // namespace
} // namespace twinplane::test::fast_pages_test
