// Can a drive whose map's unit is smaller than a page find its map again without an SLC-mode cache? Here are native
// blocks alone, for every number of units that a page may have; the words that the programs stored are read once more.
//
// Oracle: where each unit was written last, by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "firmware/ftl/map/units.h"
#include "firmware/ftl/random.h"
#include "firmware/ftl/recovery/found_map.h"
#include "firmware/ftl/recovery/units.h"
#include "tests/support/sim_hal.h"

namespace twinplane::fw::unit_recovery_test {
namespace {

constexpr std::uint32_t kSectors = 16;
constexpr std::uint32_t kPages = 6; // logical ones
constexpr std::uint32_t kPayload = 16;

Geometry one_plane() {
  Geometry g;
  g.channels = g.chips_per_channel = g.dies_per_chip = g.planes_per_die = 1;
  g.blocks_per_plane = 8;
  g.pages_per_block = 8;
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

/// The tables of one life of the drive.
struct Life {
  explicit Life(std::uint32_t units_of_page) : hal(hal_of(one_plane())), memory(hal) {
    state.hal = &hal;
    state.config.geometry = one_plane();
    state.exported_pages = kPages;
    state.sectors_shift = 4;
    state.full_mask = low_mask(kSectors);
    state.blocks.boot(hal, memory, state.config, {});
    state.policy = make_policies(memory, state.blocks, state.config, kPages, state.statistics);
    state.blocks.attach(*state.policy.victim);
    state.lost.boot(memory, kPages, state.sectors_shift);
    units.boot(memory, state.blocks, {kPages, units_of_page, kSectors, true}, state.statistics);
    units.attach(anywhere);
    units.io.attach(memory, hal, 1, kPayload, 0);
    state.units = &units;
    state.items.boot(*state.policy.mapping, &units.map, kPages);
  }
  struct Anywhere final : UnitPolicy {};

  test::SimHal hal;
  BootMemory memory;
  FtlState state;
  Units units;
  Anywhere anywhere;
};

class UnitRecovery : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr std::uint32_t kBlocks = 3;
  static constexpr std::uint64_t kBefore = (std::uint64_t{1} << 33) - 5; // stamps pass what 32 bits hold

  UnitRecovery() : before_(GetParam()), after_(GetParam()) {}

  Ppn page(std::uint32_t n) const { return before_.state.blocks.ppn(0, n / 8, n % 8); }
  /// Fills blocks with random units.
  void write_blocks() {
    for (std::uint32_t n = 0; n < kBlocks * 8; ++n) {
      if (n % 8 == 0) before_.state.blocks.transition(0, n / 8, BlockState::open);
      if (n % 8 == 0) before_.units.map.open(0, n / 8, 0);
      const std::uint32_t lpn = random_.below(kPages);
      UnitWork w;
      w.todo = 1u + random_.below(low_mask(GetParam()));
      written_[n] = {lpn, w.todo};
      TouchedPlanes touched;
      before_.units.placement.place_untimed(w, lpn, page(n), kBefore + n, touched);
      const auto* const words = reinterpret_cast<const std::uint64_t*>(before_.hal.dram());
      words_[n].assign(words, words + GetParam());
    }
  }
  /// What the scan of a page brings; of a torn one nothing can be read.
  void read(FoundMap& map, FoundBlocks& found, std::uint32_t n, bool torn) {
    Transaction t;
    t.index = 0;
    t.ppn = page(n);
    FlashCompletion c;
    if (torn) words_[n].assign(GetParam(), kNoWord);
    if (torn) c.result = flash_result::uncorrectable;
    map.begin_read(t);
    std::memcpy(after_.hal.dram() + after_.units.io.words_of(t), words_[n].data(),
                GetParam() * sizeof(std::uint64_t));
    ++found.at(t.ppn).written[0];
    map.take_page(t, c);
  }
  void recover(const std::set<std::uint32_t>& torn) {
    FtlState& s = after_.state;
    FoundBlocks found(after_.memory, s.blocks, words_of_drive(s).order());
    const RecoveryPart part{s, found, counters_};
    FoundMap map(after_.memory, part);
    FoundUnits& blocks = *make_found_units(after_.memory, part);
    for (std::uint32_t n = 0; n < kBlocks * 8; ++n) read(map, found, n, torn.count(n) != 0);
    map.words_known();
    blocks.words_known();
    map.complete();
    blocks.open_all();
    map.recovered();
  }
  /// The page that was written last with the unit, among those that can be read; -1: none.
  int newest(std::uint32_t lpn, std::uint32_t unit, const std::set<std::uint32_t>& torn) const {
    for (int n = kBlocks * 8 - 1; n >= 0; --n) {
      const auto& [of, units] = written_.at(static_cast<std::uint32_t>(n));
      if (of == lpn && (units >> unit & 1) != 0 && torn.count(static_cast<std::uint32_t>(n)) == 0) return n;
    }
    return -1;
  }
  void expect_found(const std::set<std::uint32_t>& torn) {
    const UnitMap& map = after_.units.map;
    std::uint32_t valid = 0;
    for (std::uint32_t item = 0; item < kPages * GetParam(); ++item) {
      const std::uint32_t lpn = item / GetParam();
      const std::uint32_t unit = item % GetParam();
      const int n = newest(lpn, unit, torn);
      const Pun at = map.at(lpn, unit);
      ASSERT_EQ(at != kNoPun, n >= 0) << lpn << "." << unit;
      if (n < 0) continue;
      EXPECT_EQ(map.page_of(at), page(static_cast<std::uint32_t>(n))) << lpn << "." << unit;
      EXPECT_EQ(map.owner_lpn(map.page_of(at), map.slot_of(at)), lpn);
      EXPECT_EQ(map.owner_unit(map.page_of(at), map.slot_of(at)), unit);
      EXPECT_TRUE(after_.state.blocks.valid(map.page_of(at)));
      ++valid;
    }
    EXPECT_EQ(map.native(0), valid);
    for (std::uint32_t b = 0; b < kBlocks; ++b)
      EXPECT_EQ(after_.state.blocks.block(0, b).state, BlockState::closed);
  }

  Life before_;
  Life after_;
  Random random_{7};
  RecoveryCounters counters_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> written_; // by page: LPN and units
  std::map<std::uint32_t, std::vector<std::uint64_t>> words_;
};

TEST_P(UnitRecovery, FindsTheNewestWordOfEachUnitWithoutACache) {
  write_blocks();
  recover({});
  expect_found({});
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    EXPECT_EQ(after_.units.map.sums(0, b).valid, before_.units.map.sums(0, b).valid);
    EXPECT_EQ(after_.units.map.sums(0, b).used, before_.units.map.sums(0, b).used);
    EXPECT_EQ(after_.state.blocks.block(0, b).valid, before_.state.blocks.block(0, b).valid);
  }
  EXPECT_EQ(counters_.pages_unreadable, 0u);
}

TEST_P(UnitRecovery, GoesBackToOlderUnitsWhereAPageIsTorn) {
  write_blocks();
  const std::set<std::uint32_t> torn{11, 23};
  recover(torn);
  expect_found(torn);
  EXPECT_EQ(counters_.pages_unreadable, torn.size());
}

INSTANTIATE_TEST_SUITE_P(Each, UnitRecovery, ::testing::Values(1u, 2u, 4u, 8u, 16u));

} // namespace
} // namespace twinplane::fw::unit_recovery_test
