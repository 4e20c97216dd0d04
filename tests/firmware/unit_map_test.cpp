// Does the map by units need an SLC-mode cache? Here are native blocks alone, whose pages are packed with units of any
// logical pages, for every number of units that a page may have.
//
// Oracle: where each unit was written last, by hand.
#include <gtest/gtest.h>

#include "firmware/ftl/map/units.h"
#include "tests/support/sim_hal.h"

namespace twinplane::fw::unit_map_test {
namespace {

constexpr std::uint32_t kSectors = 16;
constexpr std::uint32_t kPages = 4; // logical ones; a block has twice as many
constexpr std::uint32_t kPayload = 16;

Geometry one_plane() {
  Geometry g;
  g.channels = g.chips_per_channel = g.dies_per_chip = g.planes_per_die = 1;
  g.blocks_per_plane = 8;
  g.pages_per_block = 2 * kPages;
  g.sector_size = 512;
  g.page_size = kSectors * g.sector_size;
  g.cell = CellType::slc;
  return g;
}

test::SimHalConfig hal_of(const Geometry& g) {
  test::SimHalConfig c;
  c.geometry = g;
  return c;
}

FtlConfig config_of(const Geometry& g) {
  FtlConfig c;
  c.geometry = g;
  return c;
}

constexpr OpTraits kMove{"move", nullptr, FlashOp::program};

class UnitsWithoutACache : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  UnitsWithoutACache() : hal_(hal_of(one_plane())), memory_(hal_) {
    blocks_.boot(hal_, memory_, config_of(one_plane()), {});
    units_.boot(memory_, blocks_, {kPages, GetParam(), kSectors, true}, statistics_);
    units_.attach(anywhere_);
    units_.io.attach(memory_, hal_, 1, kPayload, 0);
    for (std::uint32_t b = 0; b < 3; ++b) {
      blocks_.transition(0, b, BlockState::open);
      units_.map.open(0, b, 0);
    }
  }

  Ppn page(std::uint32_t block, std::uint32_t number) const { return blocks_.ppn(0, block, number); }
  void write(std::uint32_t lpn, std::uint32_t units, Ppn to) {
    UnitWork w;
    w.todo = units;
    TouchedPlanes touched;
    units_.placement.place_untimed(w, lpn, to, ++sequence_, touched);
    EXPECT_EQ(w.todo, 0u);
  }

  struct Anywhere final : UnitPolicy {};

  test::SimHal hal_;
  BootMemory memory_;
  BlockTable blocks_;
  FtlStatistics statistics_;
  Units units_;
  Anywhere anywhere_;
  std::uint64_t sequence_ = 0;
};

TEST_P(UnitsWithoutACache, AreWrittenUpdatedAndPackedIntoPages) {
  const std::uint32_t n = GetParam();
  const UnitMap& map = units_.map;
  for (std::uint32_t lpn = 0; lpn < kPages; ++lpn) write(lpn, low_mask(n), page(0, lpn));
  for (std::uint32_t lpn = 0; lpn < kPages; ++lpn) write(lpn, 1, page(1, lpn)); // the first unit of each
  for (std::uint32_t lpn = 0; lpn < kPages; ++lpn) {
    EXPECT_EQ(map.at(lpn, 0), map.pun(page(1, lpn), 0)) << "an update goes to the first slot";
    for (std::uint32_t u = 1; u < n; ++u) EXPECT_EQ(map.at(lpn, u), map.pun(page(0, lpn), u));
    EXPECT_EQ(map.in_native(lpn), low_mask(n));
    EXPECT_EQ(blocks_.valid(page(0, lpn)), n != 1) << "a page is valid while one of its units is";
  }
  EXPECT_EQ(map.native(0), kPages * n);
  EXPECT_EQ(map.sums(0, 0).valid, kPages * (n - 1));
  if (n == 1) return; // nothing is left to be moved

  Transaction t;
  t.traits = &kMove;
  t.home = page(0, 0);
  t.ppn = page(2, 0);
  const UnitPlacement::SlotOfBlock next = units_.placement.begin_pack(t, page(0, 0), 0);
  EXPECT_EQ(units_.io.work(t).todo, low_mask(n))
      << "as many units as a page holds, of whatever logical pages";
  EXPECT_EQ(next.page, 1u);
  EXPECT_EQ(next.slot, 2u);
  TouchedPlanes touched;
  units_.placement.place(t, PageSlot{2, 0}, ++sequence_, touched);
  EXPECT_EQ(map.page(page(2, 0)).valid, low_mask(n));
  EXPECT_FALSE(blocks_.valid(page(0, 0)));
  EXPECT_EQ(map.at(1, 1), map.pun(page(2, 0), n - 1));
  const std::uint64_t* const words = units_.io.words_read(t);
  for (std::uint32_t slot = 0; slot < n; ++slot) {
    const std::uint32_t number = map.owner_lpn(t.ppn, slot) * n + map.owner_unit(t.ppn, slot);
    EXPECT_EQ(units_.io.words().number(words[slot]), number);
    EXPECT_EQ(units_.io.words().sequence(words[slot]), sequence_);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, UnitsWithoutACache, ::testing::Values(1u, 2u, 4u, 8u, 16u));

} // namespace
} // namespace twinplane::fw::unit_map_test
