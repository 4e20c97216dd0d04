// Does the check of the FTL's tables (firmware/ftl/checks) find a table that has gone wrong, and say where?
// Each case breaks one table of a drive that has been written to.
#include <gtest/gtest.h>

#include "firmware/ftl/checks/table_check.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test {
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
  EXPECT_EQ(found().plane, state().blocks.plane_of(old));
  EXPECT_EQ(found().block, state().blocks.block_of(old));
}

TEST_F(TableCheck, FindsAPageThatTwoLpnsPointTo) {
  state().policy.mapping->exchange(7, state().policy.mapping->lookup(14));
  EXPECT_STREQ(found().rule, "no two LPNs name the same page");
}

TEST_F(TableCheck, FindsALockThatWasNotReleased) {
  fw::Transaction* const t = state().pool.take(fw::PoolUser::firmware);
  t->lpn = 11;
  state().locks.acquire(*t);
  state().pool.release(*t);
  EXPECT_STREQ(found().rule, "an idle drive holds no lock");
  EXPECT_EQ(found().lpn, 11u);
}

TEST_F(TableCheck, FindsATransactionThatWasReleasedTwice) {
  fw::Transaction* const t = state().pool.take(fw::PoolUser::firmware);
  state().pool.release(*t);
  if (fw::kFirmwareChecks) GTEST_SKIP() << "the second release itself ends the firmware in this build";
  state().pool.release(*t);
  EXPECT_STREQ(found().rule, "the pool counts as many free transactions as there are");
}

} // namespace
} // namespace twinplane::test
