// Does pa-BLAlloc give the pages that PA-SSD's rules name, and never run into a corner?
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::page_type_allocation_test {
namespace {

constexpr fw::PageHint kLsb = 1, kCsb = 2, kMsb = 3;

/// small_drive() with TLC blocks of six wordlines and page types.
FtlBenchConfig tlc_drive(const char* classifier) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 18;
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.block_allocation = "pa";
  c.ftl.relocation = "ubs";
  c.ftl.classifier = classifier;
  c.ftl.over_provisioning = 0.35;
  return c;
}

/// Hands out pages of plane 0 of an idle drive.
class Plane {
 public:
  explicit Plane(FtlBench& bench) : state_(bench.ftl().state) {}

  /// The page type given, and its block as a digit: "L0".
  std::string next(fw::PageHint hint) {
    const fw::Placement where{0, fw::Stream::host, hint};
    fw::PageSlot slot;
    if (!state_.policy.allocation->peek(where, fw::kNoBlock, slot)) return "none";
    state_.consume_page_unmapped(where, slot);
    page_ = slot.page;
    return std::string(1, "LCM"[state_.blocks.order().type(slot.page)]) + std::to_string(slot.block);
  }
  std::string next(fw::PageHint hint, int count) {
    std::string all;
    for (; count > 0; --count) all += next(hint) + " ";
    return all;
  }
  std::uint32_t page() const { return page_; }
  fw::BlockState state(std::uint32_t block) const { return state_.blocks.block(0, block).state; }
  std::uint32_t space() const { return state_.blocks.plane(0).space; }

 private:
  fw::FtlState& state_;
  std::uint32_t page_ = 0;
};

TEST(PageTypeAllocation, FollowsTheDataSheetsOrderWhenNoTypeIsWanted) {
  FtlBench b(tlc_drive("none"));
  Plane plane(b);
  for (std::uint32_t block = 0; block < 2; ++block) {
    for (std::uint32_t page = 0; page < 18; ++page) {
      const std::string given = plane.next(fw::kAnyPage);
      EXPECT_EQ(given.back(), static_cast<char>('0' + block));
      EXPECT_EQ(plane.page(), page);
    }
    EXPECT_EQ(plane.state(block), fw::BlockState::closed);
  }
}

TEST(PageTypeAllocation, TakesTheNearestTypeWhenTheWantedOneIsNotThere) {
  FtlBench b(tlc_drive("none"));
  Plane plane(b);
  EXPECT_EQ(plane.next(kMsb), "L0") << "neither MSB nor CSB";
  EXPECT_EQ(plane.next(kCsb), "L0") << "CSB of wordline 0 needs two LSB pages";
  EXPECT_EQ(plane.next(kMsb), "C0") << "MSB's first alternate";
  EXPECT_EQ(plane.next(kCsb), "L0");
  EXPECT_EQ(plane.next(kCsb), "C0");
  EXPECT_EQ(plane.next(kMsb), "M0");
  EXPECT_EQ(plane.next(kLsb), "L0");
}

TEST(PageTypeAllocation, OpensErasedBlocksForLsbPagesOnly) {
  FtlBench b(tlc_drive("none"));
  Plane plane(b);
  plane.next(kLsb, 6);
  EXPECT_EQ(plane.next(kCsb), "C0");
  EXPECT_EQ(plane.next(kLsb), "L1") << "block 0 has no LSB page left";
  EXPECT_EQ(plane.next(kCsb, 5), "C0 C0 C0 C0 C0 ");
  EXPECT_EQ(plane.next(kMsb), "M0");
  EXPECT_EQ(plane.next(kCsb), "L1") << "block 1, now the oldest with CSB pages, has one LSB page";
  EXPECT_EQ(plane.next(kCsb), "C1");
  EXPECT_EQ(plane.next(kMsb), "M0") << "three types from two blocks";
}

TEST(PageTypeAllocation, ClosesBlocksThatAreActiveForNoTypeAndComesBackToThem) {
  FtlBench b(tlc_drive("none"));
  Plane plane(b);
  plane.next(kLsb, 13); // blocks 0 and 1, one page of 2
  EXPECT_EQ(plane.state(0), fw::BlockState::open) << "active for CSB and MSB";
  EXPECT_EQ(plane.state(1), fw::BlockState::closed);
  EXPECT_EQ(plane.state(2), fw::BlockState::open);
  EXPECT_EQ(plane.next(kCsb, 6), "C0 C0 C0 C0 C0 C0 ");
  EXPECT_EQ(plane.state(1), fw::BlockState::open) << "the oldest block with CSB pages";
  EXPECT_EQ(plane.next(kCsb), "C1");
  plane.next(kMsb, 6);
  EXPECT_EQ(plane.state(0), fw::BlockState::closed) << "full";
  EXPECT_EQ(plane.next(kMsb), "C1") << "block 1 has two CSB pages: no MSB page yet";
}

TEST(PageTypeAllocation, GivesOtherTypesWhenFastPagesAreExhausted) {
  FtlBench b(tlc_drive("none"));
  Plane plane(b);
  const int blocks = 16;
  for (int i = 0; i < 6 * blocks; ++i) ASSERT_EQ(plane.next(kLsb)[0], 'L');
  for (int i = 0; i < 6 * blocks; ++i) ASSERT_EQ(plane.next(kLsb)[0], 'C');
  while (plane.space() > 18) ASSERT_EQ(plane.next(kLsb)[0], 'M');
  EXPECT_EQ(plane.next(kLsb), "none") << "the last block's worth is kept for garbage collection";
}

class Schemes : public ::testing::TestWithParam<const char*> {};

/// Random reads, writes, trims with garbage collection: the flash aborts on any page out of order.
TEST_P(Schemes, KeepTheShadow) {
  for (const char* victim : {"greedy", "rga", "cost_benefit"}) {
    FtlBenchConfig c = tlc_drive(GetParam());
    c.ftl.victim = victim;
    c.shuffle = true;
    FtlBench b(c);
    Mix mix;
    mix.operations = 12000;
    run_random(b, mix, 21);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  }
}
INSTANTIATE_TEST_SUITE_P(Every, Schemes,
                         ::testing::Values("none", "US", "HGS", "LFS", "SBS", "QDS", "WBS", "UBS", "SBS+UBS",
                                           "QDS+US", "QDS+UBS", "HGS+LFS", "WBS+UBS", "papa", "size"),
                         parameter_name);

TEST(PageTypeAllocation, NeedsNoMoreThanItsReserve) {
  for (const char* classifier : {"none", "LFS", "US", "papa"}) {
    for (const char* planes : {"F2", "F", "CWDP"}) {
      SCOPED_TRACE(std::string(classifier) + " " + planes);
      FtlBenchConfig c = tlc_drive(classifier);
      c.ftl.over_provisioning = 0; // everything but the reserve is exported
      c.ftl.gc_threshold_blocks = 2;
      c.ftl.plane_allocation = planes;
      c.ftl.scheduling = "fifo";
      const Mix mix = long_writes();
      FtlBench b(c);
      run_random(b, mix, 22);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(PageTypeAllocation, WorksForOtherCells) {
  for (const CellType cell : {CellType::slc, CellType::mlc, CellType::qlc}) {
    FtlBenchConfig c = tlc_drive("US");
    c.ftl.geometry.cell = cell;
    c.ftl.geometry.pages_per_block = 24;
    c.ftl.over_provisioning = 0.4;
    FtlBench b(c);
    Mix mix;
    mix.operations = 8000;
    run_random(b, mix, 23);
    if (HasFatalFailure()) return;
  }
}

TEST(PageTypeAllocation, PreconditionsADriveThatRunsOn) {
  FtlBench b(tlc_drive("SBS+UBS"));
  const auto pages = static_cast<std::uint32_t>(b.sectors() / 4);
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t lpn = 0; lpn < pages; ++lpn)
      ASSERT_EQ(b.precondition(lpn * 7 % pages), nullptr) << lpn;
  }
  b.check_all(true);
  run_random(b, Mix(), 24);
}

TEST(PageTypeAllocation, AgesToWholeBlocksOfInvalidPages) {
  FtlBench b(tlc_drive("LFS"));
  ASSERT_EQ(b.ftl().zero_time.age(0.5), nullptr);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  EXPECT_EQ(blocks.plane(0).reclaimable, 8u * 18);
  EXPECT_EQ(blocks.plane(0).free_blocks, 8u);
  for (std::uint32_t t = 0; t < 3; ++t) EXPECT_EQ(blocks.free_pages_by_type()[t], 8u * 8 * 6);
  run_random(b, Mix(), 25);
}

TEST(PageTypeAllocation, AgesAroundValidDataUpToTheShareAskedFor) {
  FtlBench b(tlc_drive("US"));
  for (std::uint32_t lpn = 0; lpn < 200; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  ASSERT_EQ(b.ftl().zero_time.age(0.5), nullptr);
  for (std::uint32_t p = 0; p < 8; ++p) EXPECT_EQ(b.ftl().state.blocks.plane(p).free_blocks, 8u);
  EXPECT_EQ(b.ftl().state.blocks.valid_pages(), 200u);
}

TEST(PageTypeAllocation, StartsPlanesAtDifferentPagesWhenScattered) {
  FtlBench b(tlc_drive("US"));
  ASSERT_EQ(b.ftl().zero_time.scatter(1), nullptr);
  std::set<std::uint32_t> spaces;
  for (std::uint32_t p = 0; p < 8; ++p) spaces.insert(b.ftl().state.blocks.plane(p).space);
  EXPECT_GT(spaces.size(), 3u);
  EXPECT_GT(*spaces.begin(), 15u * 18) << "less than a block each";
}

TEST(PageTypeAllocation, SaysWhatItNeeds) {
  FtlBenchConfig c = tlc_drive("US");
  c.ftl.program_order = ProgramOrder::strict;
  EXPECT_EQ(std::string(FtlBench(c).error()).find("nand.program_order"), 0u);
  c = tlc_drive("US");
  c.ftl.geometry.pages_per_block = 768;
  c.ftl.geometry.blocks_per_plane = 16;
  EXPECT_EQ(std::string(FtlBench(c).error()).find("geometry.pages_per_block"), 0u);
  for (const char* wrong : {"", "US+", "+US", "US+US+US", "UBSX", "SBS-US", "lfs"}) {
    EXPECT_EQ(std::string(FtlBench(tlc_drive(wrong)).error()).find("ftl.classifier"), 0u) << wrong;
  }
}

} // namespace
} // namespace twinplane::test::page_type_allocation_test
