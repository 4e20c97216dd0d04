// Figure 4(a) of "IPU": of two blocks of 16 subpages with six invalid ones each, A without and B with a cold
// valid subpage (IS' = 0.9), is B collected? Both are brought there by writes, and the drive's own selection
// decides.
#include "tests/support/ftl_cached.h"

namespace twinplane::test::slc_cache_victim_test {
namespace {

constexpr std::uint32_t kSectorsPerSubpage = 2;
constexpr std::uint32_t kElsewhere = 60; // an LPN in neither block

/// One plane; six blocks of four SLC-mode pages of four subpages are the cache. It is collected when it has
/// no erased block.
FtlBenchConfig figure_drive() {
  FtlBenchConfig c = cached_drive("ipu");
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  c.ftl.geometry.pages_per_block = 8;
  c.ftl.slc_cache.gc_threshold = 0;
  c.ftl.slc_cache.any_access = true; // so that reads let time pass
  return c;
}

class Figure4 : public ::testing::Test {
 protected:
  Figure4() : b(figure_drive()) {}

  fw::SlcCache& cache() { return *b.ftl().state.policy.cache; }
  const fw::BlockTable& blocks() { return b.ftl().state.blocks; }
  /// One access of the clock.
  void write(std::uint32_t lpn, std::uint32_t subpage, std::uint32_t count) {
    b.write((std::uint64_t{lpn} * 4 + subpage) * kSectorsPerSubpage, count * kSectorsPerSubpage);
    b.settle();
    ++clock;
  }
  void pass_until(std::uint32_t time) {
    for (; clock < time; ++clock) {
      b.read(std::uint64_t{kElsewhere} * 4 * kSectorsPerSubpage, 1);
      b.settle();
    }
  }
  std::uint32_t block_of(std::uint32_t lpn) {
    return blocks().block_of(cache().units->map.page_of(cache().units->map.at(lpn, 0)));
  }
  /// Two subpages, then new versions of both in the same page: two invalid, two valid and updated.
  void update(std::uint32_t lpn) { write(lpn, 0, 2); }

  /// A page of valid subpages that counts as updated.
  void write_warm(std::uint32_t lpn) {
    write(lpn, 0, 1);
    write(lpn, 1, 1);
  }

  /// Three pages of two invalid and two updated subpages, and one that was updated without making any
  /// invalid.
  void fill_a() {
    for (std::uint32_t lpn = 0; lpn < 3; ++lpn) write(lpn, 0, 2);
    write(3, 0, 1);
    for (std::uint32_t lpn = 0; lpn < 3; ++lpn) update(lpn);
    write(3, 1, 1);
  }
  /// The cold subpage first, then three pages as in A, updated 14, 12 and 10 accesses before the end, which
  /// is 31 accesses behind the cold one: T = (1*31 + 4*(14 + 12 + 10)) / 13, IS' = 1 - exp(-31 / T) =
  /// 0.900027.
  void fill_b() {
    write(10, 0, 1);
    const std::uint32_t written = clock;
    for (std::uint32_t lpn = 11; lpn < 14; ++lpn) write(lpn, 0, 2);
    write_warm(kElsewhere);
    for (std::uint32_t i = 0; i < 3; ++i) {
      pass_until(written + 31 - 14 + 2 * i - 1);
      update(11 + i);
    }
    pass_until(written + 31);
  }
  std::uint32_t invalid_in(std::uint32_t block) {
    return cache().units->map.sums(0, block).used - cache().units->map.sums(0, block).valid;
  }
  double ratio(std::uint32_t block) { return cache().scheme().victim_score(0, block, clock); }

  FtlBench b;
  std::uint32_t clock = 0;
};

TEST_F(Figure4, ChoosesTheBlockWithTheColdSubpage) {
  fill_a();
  fill_b();
  const std::uint32_t a = block_of(0);
  const std::uint32_t with_cold = block_of(10);
  ASSERT_NE(a, with_cold);
  for (std::uint32_t lpn = 0; lpn < 4; ++lpn) ASSERT_EQ(block_of(lpn), a);
  for (std::uint32_t lpn = 10; lpn < 14; ++lpn) ASSERT_EQ(block_of(lpn), with_cold);
  ASSERT_EQ(blocks().block(0, a).state, fw::BlockState::closed);
  ASSERT_EQ(blocks().block(0, with_cold).state, fw::BlockState::closed);
  EXPECT_EQ(invalid_in(a), 6u);
  EXPECT_EQ(invalid_in(with_cold), 6u);
  EXPECT_EQ(ratio(a), 6.0 / 16);
  EXPECT_NEAR(ratio(with_cold), 6.9 / 16, 2e-6);
  EXPECT_EQ(cache().select(0), with_cold)
      << "A has been closed longer: by invalid subpages alone it would go";
}

// And that block it is that is erased when the cache has no erased one left.
TEST_F(Figure4, CollectsThatBlockFirst) {
  fill_a();
  fill_b();
  const std::uint32_t a = block_of(0);
  const std::uint32_t with_cold = block_of(10);
  for (std::uint32_t lpn = 20; b.statistics().cache.collections == 0; ++lpn) {
    ASSERT_LT(lpn, 40u);
    write_warm(lpn);
  }
  EXPECT_EQ(blocks().block(0, with_cold).erases, 1u);
  EXPECT_EQ(blocks().block(0, a).erases, 0u);
  b.check_all(true);
}

// Without the cold subpage, which is updated in its page as well, both are worth the same and age decides.
TEST_F(Figure4, ChoosesTheOlderBlockWhereNothingIsCold) {
  fill_a();
  fill_b();
  write(10, 1, 1); // in the page of the cold one
  ASSERT_EQ(invalid_in(block_of(10)), 6u);
  EXPECT_EQ(ratio(block_of(10)), 6.0 / 16);
  EXPECT_EQ(cache().select(0), block_of(0));
}

} // namespace
} // namespace twinplane::test::slc_cache_victim_test
