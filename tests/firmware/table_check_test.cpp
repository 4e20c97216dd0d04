// Does the check of the FTL's tables (firmware/ftl/checks) find a table that has gone wrong, and say where?
// Each case breaks one table of a drive that has been written to.
#include <gtest/gtest.h>

#include "firmware/ftl/checks/table_check.h"
#include "tests/support/ftl_cached.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test::table_check_test {
namespace {

using fw::BrokenRule;

class TableCheck : public testing::Test {
 protected:
  TableCheck() : bench_(small_drive()) {
    EXPECT_EQ(bench_.error(), nullptr) << bench_.error();
    for (std::uint32_t i = 0; i < 3000; ++i) write(i * 7 % state().exported_pages);
  }

  void write(std::uint32_t lpn) {
    bench_.write(std::uint64_t{lpn} << state().sectors_shift, 1u << state().sectors_shift);
    bench_.settle();
  }
  void expect_place_of(Ppn page) {
    const BrokenRule broken = found();
    EXPECT_EQ(broken.plane, state().blocks.plane_of(page));
    EXPECT_EQ(broken.block, state().blocks.block_of(page));
    EXPECT_EQ(broken.page, state().blocks.page_of(page));
  }
  BrokenRule found() { return fw::check_tables(bench_.ftl()); }
  fw::FtlState& state() { return bench_.ftl().state; }

  FtlBench bench_;
};

TEST_F(TableCheck, FindsNothingInADriveThatIsWell) {
  EXPECT_EQ(found().rule, nullptr) << found().rule;
}

TEST_F(TableCheck, FindsAnLpnThatPointsToAnInvalidPage) {
  const Ppn old = state().policy.mapping->lookup(7);
  write(7);
  state().policy.mapping->exchange(7, old);
  EXPECT_STREQ(found().rule, "a page that the map names is valid");
  EXPECT_EQ(found().lpn, 7u);
  expect_place_of(old);
}

TEST_F(TableCheck, FindsAPageThatTwoLpnsPointTo) {
  const Ppn page = state().policy.mapping->lookup(14);
  state().policy.mapping->exchange(7, page);
  EXPECT_STREQ(found().rule, "no two LPNs name the same page");
  EXPECT_EQ(found().lpn, 14u);
  expect_place_of(page);
}

TEST_F(TableCheck, FindsAPageThatIsValidThoughNoLpnNamesIt) {
  const Ppn page = state().policy.mapping->exchange(7, kNoPpn);
  EXPECT_STREQ(found().rule, "as many pages are valid as the map names");
  EXPECT_EQ(found().lpn, BrokenRule::kNowhere);
  expect_place_of(page);
}

TEST_F(TableCheck, FindsALockThatWasNotReleased) {
  fw::Transaction* const t = state().pool.take(fw::PoolUser::firmware);
  t->lpn = 11;
  state().locks.acquire(*t);
  state().pool.release(*t);
  EXPECT_STREQ(found().rule, "a lock is held by a transaction in use");
  EXPECT_EQ(found().lpn, 11u);
}

TEST_F(TableCheck, FindsALockThatOnlyThoseWhoWaitForItCouldHave) {
  fw::Transaction* const had = state().pool.take(fw::PoolUser::firmware);
  fw::Transaction* const waits = state().pool.take(fw::PoolUser::firmware);
  had->lpn = waits->lpn = 200;
  state().locks.acquire(*had);
  state().locks.acquire(*waits);
  EXPECT_EQ(found().rule, nullptr) << found().rule;
  state().pool.release(*had);
  EXPECT_STREQ(found().rule, "a lock is held by a transaction in use");
  EXPECT_EQ(found().lpn, 200u);
}

TEST_F(TableCheck, FindsATransactionThatWasReleasedTwice) {
  fw::Transaction* const t = state().pool.take(fw::PoolUser::firmware);
  state().pool.release(*t);
  if (fw::kFirmwareChecks) GTEST_SKIP() << "the second release itself ends the firmware in this build";
  state().pool.release(*t);
  EXPECT_STREQ(found().rule, "the pool counts as many free transactions as there are");
}

/// Of two LPNs whose native pages hold them whole, unit 1 of the first one moves to the other's page.
bool split_an_lpn(fw::FtlState& state) {
  fw::UnitMap& map = state.units->map;
  fw::TouchedPlanes touched;
  std::uint32_t first = fw::kNoLpn;
  for (std::uint32_t lpn = 0; lpn < state.exported_pages; ++lpn) {
    if (map.in_native(lpn) != map.all()) continue;
    if (first == fw::kNoLpn) {
      first = lpn;
      continue;
    }
    const fw::Pun place = map.at(lpn, 1);
    map.unlink(lpn, 1, touched);
    touched = {};
    map.link(first, 1, place, touched);
    return true;
  }
  return false;
}

/// Recovery joins them, but nothing can be written any more to a drive that is read-only.
TEST(TableCheckOfACache, FindsALogicalPageInTwoNativePagesUnlessTheDriveIsReadOnly) {
  FtlBench b(cached_drive("slc_cache"));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  write_every_page(b);
  b.settle();
  ASSERT_EQ(fw::check_tables(b.ftl()).rule, nullptr);
  ASSERT_TRUE(split_an_lpn(b.ftl().state));
  EXPECT_STREQ(fw::check_tables(b.ftl()).rule, "a logical page lies in one native page");
  b.ftl().state.statistics.read_only = true;
  EXPECT_EQ(fw::check_tables(b.ftl()).rule, nullptr);
}

/// A copy outlives the block of its page, but goes as soon as its own block is needed for newer ones.
TEST(TableCheckOfCopies, FindsDataThatWereFoundInACopyAloneAndLeftThere) {
  FtlBench b(tlc_with_copies());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  write_every_page(b);
  b.settle();
  ASSERT_EQ(fw::check_tables(b.ftl()).rule, nullptr);
  fw::FtlState& state = b.ftl().state;
  std::uint32_t block = 0;
  while (state.blocks.block(0, block).state != fw::BlockState::metadata) ++block;
  const Ppn copy = state.blocks.ppn(0, block, 0);
  const Ppn page = state.policy.mapping->exchange(3, copy);
  state.blocks.invalidate(page);
  state.blocks.make_valid(0, block, 0);
  const BrokenRule broken = fw::check_tables(b.ftl());
  EXPECT_STREQ(broken.rule, "data found in a copy alone are written again");
  EXPECT_EQ(broken.block, block);
  state.statistics.read_only = true;
  EXPECT_EQ(fw::check_tables(b.ftl()).rule, nullptr);
}

} // namespace
} // namespace twinplane::test::table_check_test
