// Do ComboFTL's two logs do what they are said to: circular, from one to the other, and out of them after
// second chances? One plane of 64 blocks of 16 pages, half of them hot; hot pages are written one at a time.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/ftl_regions.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_regions_logs_test {
namespace {

using fw::kCold;
using fw::kHot;

constexpr std::uint32_t kSectors = 4; // per page
constexpr std::uint32_t kHotBlocks = 32;
constexpr std::uint32_t kHotPages = 8; // of a block

FtlBenchConfig logs(std::uint32_t second_chances, double cold_log = 0.5) {
  FtlBenchConfig c = two_region_drive("combo_logs");
  Geometry& g = c.ftl.geometry;
  g.channels = g.dies_per_chip = g.planes_per_die = 1;
  g.blocks_per_plane = 64;
  c.ftl.over_provisioning = 0.4;
  c.ftl.region.hot_share = 0.5;
  c.ftl.region.second_chances = second_chances;
  c.ftl.region.cold_log = cold_log;
  return c;
}

fw::Region region_of(FtlBench& b, std::uint32_t lpn) {
  return static_cast<fw::Region>(b.ftl().state.blocks.block(0, b.place(lpn).block).region);
}

/// Where a page has been since it was written, in the hot region.
struct Track {
  std::uint32_t places = 0;
  std::uint64_t last = ~std::uint64_t{0};
  bool gone = false; // to the cold region
};

/// Writes pages and follows them in every step.
class Watch {
 public:
  explicit Watch(FtlBench& b) : b_(b) {}
  const std::map<std::uint32_t, Track>& tracks() const { return tracks_; }

  /// One page of the host, and all that follows from it.
  void write(std::uint32_t lpn) {
    b_.write(std::uint64_t{lpn} * kSectors, kSectors);
    tracks_.erase(lpn); // its new place is at the log's head: nothing moves it yet
    do {
      b_.check_cheap();
      look();
    } while (b_.step());
    tracks_[lpn] = Track{};
    look();
  }

 private:
  void look() {
    for (auto& [lpn, t] : tracks_) {
      if (t.gone) continue;
      const Ppa at = b_.place(lpn);
      const std::uint64_t place = at.block * 64ull + at.page;
      if (place == t.last) continue;
      t.last = place;
      t.gone = region_of(b_, lpn) == kCold;
      if (!t.gone) ++t.places;
    }
  }

  FtlBench& b_;
  std::map<std::uint32_t, Track> tracks_;
};

class Chances : public ::testing::TestWithParam<std::uint32_t> {};

/// One place in the hot log, one when it comes to the cold log, and one more for each chance.
TEST_P(Chances, APageThatNobodyWritesAgainHasThemAllAndThenLeaves) {
  FtlBench b(logs(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Watch watch(b);
  for (std::uint32_t lpn = 0; lpn < 600; ++lpn) {
    watch.write(lpn);
  }
  std::uint32_t gone = 0;
  for (const auto& [lpn, t] : watch.tracks()) {
    if (!t.gone) continue;
    ++gone;
    ASSERT_EQ(t.places, 2 + GetParam()) << "page " << lpn;
  }
  EXPECT_GT(gone, 200u) << "more was written than the logs hold";
  b.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(Of, Chances, ::testing::Values(0, 1, 2, 5), parameter_name);

/// Pages that were written in order leave in order, within the blocks that a frontier has open.
TEST(Logs, AreCircular) {
  FtlBench b(logs(2));
  Watch watch(b);
  for (std::uint32_t lpn = 0; lpn < 600; ++lpn) {
    watch.write(lpn);
  }
  std::uint32_t latest = 0;
  for (const auto& [lpn, t] : watch.tracks()) { // in the order of writing
    if (!t.gone) continue;
    latest = std::max(latest, lpn);
    EXPECT_LE(latest - lpn, 2 * kHotPages) << "a younger page has left before page " << lpn;
  }
  for (std::uint32_t lpn = 0; lpn + 2 * kHotPages < latest; ++lpn)
    EXPECT_TRUE(watch.tracks().at(lpn).gone) << lpn;
}

/// What is written again leaves nothing behind, so a set of pages that the hot log holds stays there.
TEST(Logs, KeepWhatIsWrittenAgain) {
  FtlBench b(logs(2));
  fw::Random random(5);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    b.write(random.below(20) * std::uint64_t{kSectors}, kSectors);
    b.settle();
    if (i % 100 != 0 || i < 1000) continue;
    for (std::uint32_t lpn = 0; lpn < 20; ++lpn) ASSERT_EQ(region_of(b, lpn), kHot) << lpn;
  }
  const fw::FtlStatistics& s = b.statistics();
  EXPECT_EQ(s.regions[kCold].moved_pages, 0u);
  EXPECT_GT(s.regions[kHot].erases, 1000u);
}

/// A page starts afresh in the hot log: its chances are those of a new page.
TEST(Logs, GiveAPageAllChancesAgainWhenItIsWritten) {
  FtlBench b(logs(2));
  Watch watch(b);
  fw::Random random(7);
  std::uint32_t again = 0;
  for (std::uint32_t i = 0; i < 1500; ++i) {
    // mostly pages that are not written again, and now and then one that is on its way through the logs
    const bool old = i > 100 && random.below(4) == 0;
    const std::uint32_t lpn = old ? (i - random.below(90)) % 600 : i % 600;
    again += old ? 1 : 0;
    watch.write(lpn);
  }
  std::uint32_t gone = 0;
  for (const auto& [lpn, t] : watch.tracks()) {
    if (t.gone && t.places != 0) {
      ASSERT_EQ(t.places, 4u) << lpn;
    }
    gone += t.gone ? 1 : 0;
  }
  EXPECT_GT(gone, 100u);
  EXPECT_GT(again, 200u);
}

class Sizes : public ::testing::TestWithParam<double> {};

/// The hot log is as long as its share of the hot blocks: so many pages are written before one moves.
TEST_P(Sizes, OfTheLogsAreTheirShares) {
  FtlBench b(logs(1, GetParam()));
  Watch watch(b);
  std::map<std::uint32_t, std::uint32_t> moved_after;
  for (std::uint32_t lpn = 0; lpn < 600; ++lpn) {
    watch.write(lpn);
    for (const auto& [page, t] : watch.tracks())
      if (t.places == 2 && moved_after.count(page) == 0) moved_after[page] = lpn - page;
  }
  // from where both logs have their lengths to the last page that has moved
  double sum = 0;
  std::uint32_t pages = 0;
  for (const auto& [page, after] : moved_after) {
    if (page < 250) continue;
    sum += after;
    ++pages;
  }
  ASSERT_GT(pages, 50u);
  const double kept = b.ftl().state.config.gc_threshold_blocks;
  const double length = (1 - GetParam()) * (kHotBlocks - kept) * kHotPages;
  EXPECT_NEAR(sum / pages, length, 2.0 * kHotPages);
}

INSTANTIATE_TEST_SUITE_P(Of, Sizes, ::testing::Values(0.25, 0.5, 0.75), parameter_name);

/// The logs hold a cache of the cold region's data: when that is full they go on by collecting.
TEST(Logs, GoOnWhenTheColdRegionIsFull) {
  FtlBenchConfig c = logs(2);
  c.ftl.over_provisioning = 0.01;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const auto pages = static_cast<std::uint32_t>(b.sectors() / kSectors);
  fw::Random random(9);
  for (std::uint32_t i = 0; i < pages + 5000; ++i) {
    b.write((i < pages ? i : random.below(pages)) * std::uint64_t{kSectors}, kSectors);
    b.settle();
    b.check_cheap();
  }
  EXPECT_FALSE(b.statistics().read_only);
  b.check_all(true);
}

} // namespace
} // namespace twinplane::test::ftl_regions_logs_test
