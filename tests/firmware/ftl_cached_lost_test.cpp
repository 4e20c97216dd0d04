// Of a page that is unreadable in part, does a drive with an SLC-mode cache lose the sectors that are and no
// other, whatever reads the page: the host, a write that completes its subpages, a move? Oracle: what the
// flash has been told to spoil, and the shadow of FtlBench.
#include <set>

#include "tests/support/ftl_cached.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_cached_lost_test {
namespace {

constexpr std::uint32_t kSectors = 8; // per page, two per subpage
constexpr std::uint16_t kGood = nvme::status::success;
constexpr std::uint16_t kLost = nvme::status::unrecovered_read;

class CachedLost : public ::testing::TestWithParam<const char*> {
 protected:
  void start(bool union_update) {
    FtlBenchConfig c = cached_drive(GetParam());
    c.ftl.slc_cache.union_update = union_update;
    c.ftl.slc_cache.wear_gap = 1; // what lies still is moved as well
    c.ftl.slc_cache.endurance = 1;
    b = std::make_unique<FtlBench>(c);
    ASSERT_EQ(b->error(), nullptr) << b->error();
  }
  fw::UnitMap& map() { return b->ftl().state.units->map; }
  void write(std::uint64_t lba, std::uint32_t sectors) {
    b->write(lba, sectors);
    b->settle();
    ASSERT_EQ(b->last_status(), kGood);
  }
  std::uint16_t read(std::uint64_t lba, std::uint32_t sectors) {
    b->read(lba, sectors);
    b->settle();
    return b->last_status();
  }
  Ppa place(std::uint64_t lba) {
    const fw::Pun pun =
        map().at(static_cast<std::uint32_t>(lba / kSectors), static_cast<std::uint32_t>(lba % kSectors / 2));
    return b->ftl().state.blocks.layout().ppa(map().page_of(pun));
  }
  /// The cell of the logical sector, wherever it is.
  void spoil(std::uint64_t lba) {
    const fw::Pun pun =
        map().at(static_cast<std::uint32_t>(lba / kSectors), static_cast<std::uint32_t>(lba % kSectors / 2));
    b->hal().flash().spoil_sectors(place(lba), 1u << (map().slot_of(pun) * 2 + lba % 2));
  }
  void expect_lost(const std::set<std::uint64_t>& lost, std::uint64_t first) {
    for (std::uint64_t s = first; s < first + kSectors; ++s)
      EXPECT_EQ(read(s, 1), lost.count(s) != 0 ? kLost : kGood) << "sector " << s;
  }
  /// Until collection has moved this sector.
  void collect(std::uint64_t lba) {
    const Ppa before = place(lba);
    fw::Random random(1);
    const auto pages = static_cast<std::uint32_t>(b->sectors() / kSectors);
    const auto stays = [&] {
      const Ppa now = place(lba);
      return now.die == before.die && now.plane == before.plane && now.block == before.block;
    };
    for (int i = 0; i < 20000 && stays(); ++i) {
      while (b->free_slots() == 0) ASSERT_TRUE(b->step());
      b->write((2 + random.below(pages - 2)) * kSectors, kSectors);
    }
    b->settle();
    ASSERT_FALSE(stays());
  }

  std::unique_ptr<FtlBench> b;
};

TEST_P(CachedLost, FailOnlyTheCommandsThatReadThem) {
  start(false);
  write(0, kSectors);
  spoil(2);
  expect_lost({2}, 0);
  EXPECT_EQ(read(0, 2), kGood);
  EXPECT_EQ(read(3, 5), kGood);
  EXPECT_EQ(read(0, kSectors), kLost);
}

// All of the logical page is read for an update of one sector.
TEST_P(CachedLost, AreAllThatAnUpdateLoses) {
  start(true);
  write(0, kSectors);
  spoil(2);
  spoil(7);
  write(0, 1);
  expect_lost({2, 7}, 0);
  EXPECT_EQ(b->ftl().state.lost.count(), 2u);
  write(3, 2);
  expect_lost({2, 7}, 0);
  write(2, 1);
  write(7, 1);
  expect_lost({}, 0);
  EXPECT_FALSE(b->ftl().state.lost.any());
}

// The last subpage of one logical page first, so that places in the physical and the logical page differ.
TEST_P(CachedLost, AreAllThatAMoveLoses) {
  start(false);
  write(6, 2);
  write(0, 4);
  write(8, 3);
  spoil(7);
  spoil(1);
  spoil(9);
  spoil(8); // with 9 a whole subpage
  for (const std::uint64_t lba : {7, 1, 10}) ASSERT_NO_FATAL_FAILURE(collect(lba));
  expect_lost({1, 7}, 0);
  expect_lost({8, 9}, kSectors);
  EXPECT_EQ(b->ftl().state.lost.count(), 4u);
  b->check_all(true);
}

TEST_P(CachedLost, AreNoneThatWereNotSpoilt) {
  for (const std::uint64_t seed : {71, 72, 73, 74}) {
    FtlBenchConfig c = cached_drive(GetParam());
    c.shuffle = true;
    c.seed = seed;
    c.ftl.slc_cache.union_update = seed % 2 == 0;
    FtlBench bench(c);
    for (std::uint32_t lpn = 0; lpn < 200; ++lpn) { // cells of zeros would not tell whose they are
      bench.write(std::uint64_t{lpn} * kSectors, kSectors);
      bench.settle();
    }
    bench.hal().flash().fail_reads(20, seed);
    Mix mix;
    mix.operations = 8000;
    mix.max_sectors = 12;
    mix.lbas = 200 * kSectors;
    mix.trim_percent = mix.zero_percent = 0;
    run_random(bench, mix, seed);
    if (HasFatalFailure()) return;
    const fw::FtlState& s = bench.ftl().state;
    const std::set<std::uint64_t>& spoilt = bench.hal().flash().spoilt_lbas();
    EXPECT_GT(s.lost.count(), 10u);
    for (std::uint32_t lpn = 0; lpn < s.exported_pages; ++lpn) {
      for (std::uint32_t bits = s.lost.of(lpn); bits != 0; bits &= bits - 1) {
        const std::uint64_t lba = std::uint64_t{lpn} * kSectors + fw::lowest_bit(bits);
        ASSERT_EQ(spoilt.count(lba), 1u) << "sector " << lba << " was good wherever it was";
      }
    }
  }
}

// A program fails while reads of its page wait behind it: the data go elsewhere, and are read there. With one
// program per page, for else what the page has held before is lost indeed.
TEST(CachedRepeat, LosesNothingWhenAProgramIsRepeatedElsewhere) {
  for (const std::uint64_t seed : {81, 82, 83, 84, 85, 86}) {
    FtlBenchConfig c = cached_drive("slc_cache");
    c.shuffle = true;
    c.seed = seed;
    c.ftl.over_provisioning = 0.6;
    if (seed % 2 == 0) c.ftl.slc_cache.union_update = true;
    FtlBench bench(c);
    bench.expect_wear();
    bench.hal().flash().fail_programs(2, seed);
    Mix mix;
    mix.operations = 8000;
    mix.max_sectors = 12;
    mix.lbas = 400;
    run_random(bench, mix, seed);
    if (HasFatalFailure()) return;
    EXPECT_GT(bench.statistics().flash_failures, 5u);
    EXPECT_EQ(bench.failed_reads(), 0u) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CachedLost, ::testing::ValuesIn(kCacheSchemes), parameter_name);

} // namespace
} // namespace twinplane::test::ftl_cached_lost_test
