// Is the newest of several copies of a page told by its stamp, also when the count has wrapped, and does the
// order of stamps find the map of a drive that starts near the end of them?
#include "firmware/ftl/map/write_stamp.h"

#include "firmware/ftl/map/unit_word.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test::write_stamp_test {
namespace {

using fw::StampOrder;

// Every pair of counts within reach, from a start in every phase of the wrap.
TEST(WriteStamps, AreOrderedAsTheirCountsWithinReach) {
  constexpr StampOrder kOrder{5};
  for (std::uint64_t a = 0; a < 100; ++a) {
    for (std::uint64_t b = a; b < a + kOrder.reach(); ++b) {
      EXPECT_EQ(kOrder.newer(kOrder.stamp(b), kOrder.stamp(a)), b > a) << a << ' ' << b;
      EXPECT_FALSE(kOrder.newer(kOrder.stamp(a), kOrder.stamp(b))) << a << ' ' << b;
      EXPECT_EQ(kOrder.behind(kOrder.stamp(a), kOrder.stamp(b)), b - a);
    }
  }
}

TEST(WriteStamps, AreOutOfOrderBeyondTheirReach) {
  constexpr StampOrder kOrder{5};
  EXPECT_FALSE(kOrder.newer(kOrder.reach(), 0)) << "the bound is exact";
  EXPECT_FALSE(kOrder.newer(kOrder.reach() + 1, 0));
}

TEST(WriteStamps, WrapWithTheBitsThatAWordHas) {
  for (const std::uint32_t subpages : {1u << 10, 1u << 28, (1u << 28) + 1, 1u << 31}) {
    const fw::UnitWords words(subpages);
    std::uint32_t number_bits = 0;
    while ((std::uint64_t{1} << number_bits) < subpages) ++number_bits;
    const StampOrder order(62 - number_bits);
    const std::uint64_t count = 2 * order.reach() - 1; // the last one before the wrap
    for (std::uint64_t i = 0; i < 3; ++i) {
      const std::uint64_t word = words.word(count + i, 2, subpages - 1);
      EXPECT_EQ(words.sequence(word), order.stamp(count + i));
      EXPECT_EQ(words.number(word), subpages - 1);
      EXPECT_TRUE(order.newer(words.sequence(words.word(count + i + 1, 0, 0)), words.sequence(word)));
    }
  }
}

/// Of each LPN's pages that stand in the flash, the newest by its stamp.
std::vector<Ppn> newest_pages(FtlBench& b, std::uint64_t& overtaken) {
  const fw::FtlState& state = b.ftl().state;
  const fw::BlockTable& blocks = state.blocks;
  const std::uint32_t planes = blocks.geometry().planes_per_die;
  std::vector<Ppn> newest(state.exported_pages, kNoPpn);
  std::vector<std::uint32_t> stamps(state.exported_pages);
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      for (std::uint32_t page = 0; page < blocks.pages_per_block(); ++page) {
        const Ppa at{plane / planes, plane % planes, blocks.block_in_die(plane, block), page};
        const SimFlash::Page& cells = b.hal().flash().page(at);
        const std::uint32_t lpn = fw::oob_lpn(cells.oob);
        if (!cells.programmed || lpn >= newest.size()) continue;
        const auto stamp = static_cast<std::uint32_t>(cells.oob >> 32);
        if (newest[lpn] != kNoPpn && !fw::kPageStamps.newer(stamp, stamps[lpn])) continue;
        newest[lpn] = blocks.ppn(plane, block, page);
        stamps[lpn] = stamp;
      }
    }
  }
  for (const std::uint32_t stamp : stamps) overtaken += stamp < 1u << 31 ? 1 : 0;
  return newest;
}

TEST(WriteStamps, FindTheMapOfADriveThatWrapsThem) {
  FtlBench b(small_drive());
  b.ftl().state.write_sequence = (std::uint64_t{1} << 32) - 5000;
  Mix mix;
  mix.operations = 2000;
  mix.trim_percent = mix.zero_percent = 0; // a trim leaves nothing in the flash
  std::uint64_t wrapped = 0;
  std::uint64_t mapped = 0;
  for (std::uint64_t round = 1; round <= 12; ++round) {
    run_random(b, mix, round);
    b.settle();
    wrapped = 0;
    mapped = 0;
    const std::vector<Ppn> newest = newest_pages(b, wrapped);
    for (std::uint32_t lpn = 0; lpn < newest.size(); ++lpn) {
      const Ppn now = b.ftl().state.policy.mapping->lookup(lpn);
      ASSERT_EQ(newest[lpn], now) << "LPN " << lpn << " in round " << round;
      mapped += fw::is_page(now) ? 1 : 0;
    }
  }
  EXPECT_GT(b.statistics().gc_pages_moved, 100u) << "moved pages are newer than their sources";
  EXPECT_GT(mapped, 100u);
  EXPECT_GT(wrapped, 100u);
  EXPECT_GT(b.ftl().state.write_sequence, (std::uint64_t{1} << 32) + 1000) << "it has wrapped";
}

} // namespace
} // namespace twinplane::test::write_stamp_test
