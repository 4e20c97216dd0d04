// Do CSB and MSB programs read the lower pages of their wordline exactly when these are not at hand?
#include "hw/nand/wordline_buffer.h"

#include <gtest/gtest.h>

#include "tests/support/flash_bench.h"

namespace twinplane::test::wordline_buffer_test {
namespace {

constexpr std::uint8_t kOk = 0xE0;

hw::NandConfig part(std::uint32_t wordlines) {
  hw::NandConfig c = small_part(); // tR 60, 80, 100 us
  c.wordline_buffer = wordlines;
  return c;
}

/// Lower pages read while `count` pages of a block are programmed in the strict order.
std::uint64_t reads_of_strict_order(std::uint32_t wordlines, std::uint32_t count) {
  FlashBench bench(part(wordlines));
  for (std::uint32_t page = 0; page < count; ++page) EXPECT_EQ(bench.program({0, 0, 0, page}), kOk);
  return bench.package().statistics().wordline_reads;
}

TEST(WordlineBuffer, HoldsTheStrictOrderWithThreeWordlines) {
  EXPECT_EQ(reads_of_strict_order(3, 48), 0u);
}

TEST(WordlineBuffer, ReadsWithoutAnyCapacity) {
  EXPECT_EQ(reads_of_strict_order(0, 48), 16u + 2 * 16) << "one per CSB, two per MSB page";
}

TEST(WordlineBuffer, IsTooSmallForTheStrictOrderWithTwoWordlines) {
  EXPECT_GT(reads_of_strict_order(2, 48), 0u);
}

TEST(WordlineBuffer, TracksNothingByDefault) {
  EXPECT_EQ(reads_of_strict_order(kAllWordlines, 48), 0u);
}

TEST(WordlineBuffer, ForgetsTheLongestUnusedWordlineAndErasedBlocks) {
  hw::WordlineBuffer buffer(2);
  EXPECT_FALSE(buffer.program(1, 0, 0, false));
  EXPECT_FALSE(buffer.program(2, 0, 0, false));
  EXPECT_FALSE(buffer.program(1, 0, 1, false)) << "at hand, and the youngest again";
  EXPECT_FALSE(buffer.program(3, 0, 0, false));
  EXPECT_TRUE(buffer.program(2, 0, 1, false)) << "made room for block 3";
  buffer.forget(3);
  EXPECT_TRUE(buffer.program(3, 0, 1, false));
  EXPECT_FALSE(buffer.program(3, 0, 2, true));
  EXPECT_TRUE(buffer.program(3, 0, 1, false)) << "a complete wordline needs no room";
}

/// Programs L L C L C M and compares each with tPROG of its type + the reads.
void expect_program_times(std::uint32_t wordlines, TimePs read_for_csb, TimePs read_for_msb) {
  const PageOrderTable table(CellType::tlc, 48);
  const TimePs expected[3] = {us(500), us(2000) + read_for_csb, us(5500) + read_for_msb};
  FlashBench bench(part(wordlines));
  TimePs before = 0;
  for (std::uint32_t page = 0; page < 6; ++page) {
    bench.program({0, 0, 0, page});
    const TimePs busy = bench.package().statistics().dies[0].busy;
    EXPECT_EQ(busy - before, expected[table.type(page)]) << "page " << page;
    before = busy;
  }
}

TEST(WordlineBuffer, LeavesProgramTimesAloneWhenLargeEnough) {
  expect_program_times(3, 0, 0);
}

/// PA-SSD section 4.3.1: one more read for CSB, two for MSB.
TEST(WordlineBuffer, LengthensProgramsByTheReads) {
  expect_program_times(0, us(60), us(60 + 80));
}

} // namespace
} // namespace twinplane::test::wordline_buffer_test
