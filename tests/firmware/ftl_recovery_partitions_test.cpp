// Which partition do blocks serve when the supply has failed?
//
// What a block holds decides; what is erased is dealt by a rule of the policy (features/partitions/deal.cpp). Whether
// data survive is the question of ftl_recovery_test.cpp.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/ftl_regions.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_recovery_partitions_test {
namespace {

using fw::kCold;
using fw::kHot;

class Partitions : public ::testing::TestWithParam<const char*> {
 protected:
  static FtlBenchConfig config() {
    FtlBenchConfig c = two_region_drive(GetParam());
    c.shuffle = true;
    return c;
  }
  void operate(FtlBench& b, std::uint32_t operations) {
    for (; operations != 0; --operations) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random_, mix_);
      if (random_.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
  }
  void cut(FtlBench& b) {
    operate(b, random_.below(400));
    b.cut_power(true, random_);
  }
  static std::uint32_t programmed(FtlBench& b, std::uint32_t plane, std::uint32_t block) {
    const std::uint32_t planes = b.ftl().state.blocks.geometry().planes_per_die;
    return b.hal().flash().programmed_pages(plane / planes, plane % planes, block);
  }

  Mix mix_;
  fw::Random random_{77};
};

/// A block with more pages than stand before the first slow one is what it was, whether it is full or not.
TEST_P(Partitions, KeepBlocksThatTellWhichTheyServe) {
  FtlBench b(config());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const Geometry g = b.ftl().state.blocks.geometry();
  constexpr std::uint32_t kLead = 2; // of MLC: LSB pages 0 and 1 come before MSB page 2
  std::uint32_t told[2] = {};
  std::uint32_t begun[2] = {};
  for (int n = 0; n < 60; ++n) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random_.below(400)));
    std::vector<std::uint32_t> before(g.blocks(), fw::kMaxRegions);
    for (std::uint32_t i = 0; i < g.blocks(); ++i) {
      const fw::BlockInfo& info = b.ftl().state.blocks.block(i / g.blocks_per_plane, i % g.blocks_per_plane);
      if (info.state == fw::BlockState::open || info.state == fw::BlockState::closed) before[i] = info.region;
    }
    b.cut_power(true, random_);
    if (b.statistics().gc_blocks_erased != 0)
      continue; // while metadata was settled: it may serve another one
    for (std::uint32_t i = 0; i < g.blocks(); ++i) {
      const std::uint32_t plane = i / g.blocks_per_plane;
      const std::uint32_t block = i % g.blocks_per_plane;
      const std::uint32_t pages = programmed(b, plane, block);
      if (before[i] == fw::kMaxRegions || pages <= kLead) continue;
      const fw::Region after = b.ftl().state.blocks.block(plane, block).region;
      ASSERT_EQ(after, before[i]) << "plane " << plane << " block " << block << ", cut " << n;
      ++(pages == b.ftl().state.blocks.region_pages(after) ? told : begun)[after];
    }
  }
  for (const fw::Region r : {kHot, kCold}) {
    EXPECT_GT(told[r], 1000u);
    EXPECT_GT(begun[r], 100u);
  }
}

/// Erased blocks change sides at a cut, but what is promised of lists and capacity holds behind each.
TEST_P(Partitions, HaveWhatTheyNeedBehindEveryCut) {
  FtlBench b(config());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const fw::FtlConfig c = b.ftl().state.config;
  const std::uint32_t planes = c.geometry.planes();
  std::vector<std::uint32_t> at_boot;
  for (std::uint32_t p = 0; p < planes; ++p)
    at_boot.push_back(b.ftl().state.blocks.domain(b.ftl().state.blocks.domain_of(p, kHot)).blocks);
  const bool moves = std::string(GetParam()) == "broms";
  std::uint32_t moved = 0;
  for (int n = 0; n < 100; ++n) {
    mix_.max_sectors = n % 20 < 10 ? 4 : 64; // hot for a while, then cold
    ASSERT_NO_FATAL_FAILURE(cut(b)) << "cut " << n;
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    for (std::uint32_t p = 0; p < planes; ++p) {
      const fw::PlaneInfo& hot = blocks.domain(blocks.domain_of(p, kHot));
      const fw::PlaneInfo& cold = blocks.domain(blocks.domain_of(p, kCold));
      if (!moves) {
        ASSERT_EQ(hot.blocks, at_boot[p]) << "cut " << n;
      }
      moved += hot.blocks != at_boot[p] ? 1 : 0;
      ASSERT_GE(hot.serving(), fw::fewest_region_blocks(c)) << "cut " << n;
      ASSERT_GE(cold.serving(), fw::fewest_region_blocks(c)) << "cut " << n;
      const std::uint32_t room =
          hot.serving() * blocks.region_pages(kHot) + cold.serving() * blocks.region_pages(kCold);
      ASSERT_GE(room, b.ftl().state.exported_pages / planes + 2 * (8 + 16) + 2) << "cut " << n;
    }
  }
  EXPECT_EQ(moved != 0, moves);
}

/// What is left to the region may be enough for the rest of a victim alone. Of a full drive with few pages in
/// hand each region can still collect some block.
TEST_P(Partitions, CanCollectInAFullDriveBehindEveryCut) {
  FtlBenchConfig c = config();
  c.ftl.over_provisioning = 0.01;
  c.ftl.gc_threshold_blocks = 2;
  c.ftl.geometry.pages_per_block = 8;
  c.ftl.hold_up_pages = 1024;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  mix_.write_percent = 100;
  mix_.trim_percent = mix_.zero_percent = mix_.flush_percent = 0;
  std::uint32_t scarce = 0; // regions without an erased block
  for (int n = 0; n < 150; ++n) {
    mix_.max_sectors = n % 20 < 10 ? 4 : 32;
    ASSERT_NO_FATAL_FAILURE(cut(b)) << "cut " << n;
    ASSERT_FALSE(b.statistics().read_only) << "cut " << n;
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    for (std::uint32_t d = 0; d < blocks.domains(); ++d) {
      const std::uint32_t pages = blocks.region_pages(d % 2);
      std::uint32_t left = 0;
      std::uint32_t fewest = pages;
      for (std::uint32_t i = 0; i < blocks.blocks_per_plane(); ++i) {
        const fw::BlockInfo& info = blocks.member(d, i);
        if (!blocks.is_member(d, i)) continue;
        if (info.state == fw::BlockState::open) left = std::max<std::uint32_t>(left, pages - info.written);
        if (info.state > fw::BlockState::open && info.invalid() != 0)
          fewest = std::min<std::uint32_t>(fewest, info.valid);
      }
      scarce += blocks.domain(d).free_blocks == 0 ? 1 : 0;
      ASSERT_GE(blocks.domain(d).free_blocks * pages + left, fewest) << "domain " << d << ", cut " << n;
    }
  }
  EXPECT_GT(scarce, 0u);
  b.settle();
  b.check_all(true);
}

/// What has been trimmed needs no space until a cut undoes the trim. A full drive stays writable all the same.
TEST_P(Partitions, StayWritableWhereCutsUndoTrims) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    FtlBenchConfig c = config();
    c.ftl.over_provisioning = 0.43; // hardly more than metadata takes
    c.ftl.gc_threshold_blocks = 2;
    c.ftl.geometry.pages_per_block = 8;
    c.ftl.hold_up_pages = 1024;
    c.seed = seed;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    ASSERT_NO_FATAL_FAILURE(write_every_page(b));
    ASSERT_TRUE(b.statistics().metadata_kept);
    mix_.write_percent = 60;
    mix_.trim_percent = 35;
    mix_.zero_percent = mix_.flush_percent = 0;
    for (int n = 0; n < 60; ++n) {
      mix_.max_sectors = n % 20 < 10 ? 8 : 32;
      ASSERT_NO_FATAL_FAILURE(cut(b)) << "seed " << seed << ", cut " << n;
      ASSERT_FALSE(b.statistics().read_only) << "seed " << seed << ", cut " << n;
    }
    ASSERT_NO_FATAL_FAILURE(operate(b, 2000)) << "seed " << seed;
    b.settle();
    b.check_all(true);
    ASSERT_FALSE(b.statistics().read_only) << "seed " << seed;
  }
}

/// Data that were written once in small requests are old for their new firmware, too.
TEST_P(Partitions, SendMisplacedDataAwayInTheNextLife) {
  FtlBenchConfig c = config();
  c.ftl.region.cold_age = 2;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const auto write = [&](std::uint32_t lpn) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.write(std::uint64_t{lpn} * 4, 4);
  };
  const auto hot = [&](std::uint32_t begin, std::uint32_t end) {
    std::uint32_t sum = 0;
    for (std::uint32_t lpn = begin; lpn < end; ++lpn) {
      const fw::BlockTable& blocks = b.ftl().state.blocks;
      const Ppn page = b.ftl().state.policy.mapping->lookup(lpn);
      sum += blocks.block(blocks.plane_of(page), blocks.block_of(page)).region == kHot ? 1 : 0;
    }
    return sum;
  };
  for (std::uint32_t lpn = 400; lpn < 600; ++lpn) ASSERT_NO_FATAL_FAILURE(write(lpn));
  b.settle();
  ASSERT_EQ(hot(400, 600), 200u);
  for (std::uint32_t i = 0; i < 12000; ++i) {
    ASSERT_NO_FATAL_FAILURE(write(random_.below(100)));
    if (i % 1500 == 700) b.cut_power(true, random_);
    if (HasFatalFailure()) return;
  }
  b.settle();
  EXPECT_EQ(hot(0, 100), 100u);
  EXPECT_LT(hot(400, 600), 70u);
  b.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(Drives, Partitions, ::testing::Values("combo", "combo_logs", "broms"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::ftl_recovery_partitions_test
