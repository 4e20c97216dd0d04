// Does a drive stay writable when the supply fails again and again while its blocks are collected?
//
// Each cut wastes the page that a move was being programmed into, and what was to be moved needs another one.
// A collection that finds none any more must not keep its die from being written for ever.
#include <algorithm>
#include <string>

#include "tests/support/ftl_regions.h"

namespace twinplane::test::ftl_torn_moves_test {
namespace {

bool two_partitions(const std::string& kind) {
  return kind == "combo" || kind == "combo_logs" || kind == "broms";
}

FtlBenchConfig drive_of(const char* kind) {
  const std::string allocation = kind;
  FtlBenchConfig c = small_drive();
  if (two_partitions(allocation)) {
    c = two_region_drive(kind);
    c.ftl.lower_pages = fw::LowerPageProtection::backup;
  }
  c.shuffle = true;
  c.ftl.marked_blocks = true;
  if (!two_partitions(allocation)) c.ftl.geometry.pages_per_block = 8;
  c.ftl.over_provisioning = 0.01; // but what block allocation keeps
  if (allocation == "shared frontier") c.ftl.frontier = fw::Frontier::shared;
  if (allocation == "twins") {
    c.ftl.block_allocation = "twin";
    c.ftl.gc_moves = fw::GcMoves::multi;
  }
  return c;
}

std::uint32_t stalled_planes(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t stalled = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) stalled += blocks.plane(p).stalled ? 1 : 0;
  return stalled;
}

class TornMoves : public ::testing::TestWithParam<const char*> {
 protected:
  void operate(std::uint32_t operations) {
    for (; operations != 0; --operations) {
      while (bench_.free_slots() == 0) ASSERT_TRUE(step()) << "stuck";
      random_operation(bench_, random_, mix_);
      step();
      if (HasFatalFailure()) return;
    }
  }
  /// To where a page of a victim is being programmed.
  void operate_until_moves() {
    for (int i = 0; i < 1000; ++i) {
      if (i % 4 == 0 && bench_.free_slots() != 0) random_operation(bench_, random_, mix_);
      step();
      bool moves = false;
      bench_.ftl().state.pool.for_each([&moves](const fw::Transaction& t) {
        moves |= t.is_move() && fw::is_page(t.ppn) && t.ppn != t.source;
      });
      if (moves && random_.below(4) == 0) return;
    }
  }
  bool step() {
    const bool more = bench_.step();
    most_stalled_ = std::max(most_stalled_, stalled_planes(bench_));
    return more;
  }

  Mix mix_;
  fw::Random random_{31};
  FtlBench bench_{drive_of(GetParam())};
  std::uint32_t most_stalled_ = 0;
};

TEST_P(TornMoves, CutsWithinACollectionLeaveTheDriveWritable) {
  ASSERT_EQ(bench_.error(), nullptr) << bench_.error();
  mix_.trim_percent = mix_.zero_percent = 0; // nothing else makes space
  ASSERT_NO_FATAL_FAILURE(write_every_page(bench_));
  ASSERT_NO_FATAL_FAILURE(operate(4000));
  for (int cut = 0; cut < 1500; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate_until_moves());
    bench_.cut_power(false, random_);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    ASSERT_FALSE(bench_.statistics().read_only) << "cut " << cut;
  }
  ASSERT_NO_FATAL_FAILURE(operate(2000));
  bench_.settle();
  bench_.check_all(true);
  EXPECT_EQ(stalled_planes(bench_), 0u);
  if (GetParam() == std::string("shared frontier")) { // where the pages kept for it are not enough
    EXPECT_GT(most_stalled_, 0u) << "the cuts were not close enough to ask anything";
  }
}

std::string name_of(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  return name;
}

INSTANTIATE_TEST_SUITE_P(Drives, TornMoves,
                         ::testing::Values("conventional", "shared frontier", "twins", "combo", "combo_logs",
                                           "broms"),
                         name_of);

} // namespace
} // namespace twinplane::test::ftl_torn_moves_test
