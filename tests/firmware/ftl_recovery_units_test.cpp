// Does a drive that replaces bad blocks of its twin units find again, from cells alone, which blocks are a unit?
//
// The oracle are the drive's own tables before the cut. Numbers of units may change, and are not compared:
// what is are sets of the die's blocks.
#include <set>
#include <utility>
#include <vector>

#include "tests/support/journal_of.h"
#include "tests/support/recovery_drives.h"

namespace twinplane::test::ftl_recovery_units_test {
namespace {

class ReplacedUnits : public ::testing::TestWithParam<Drive> {};

Mix small_mix() {
  Mix mix;
  mix.max_sectors = 4;
  mix.operations = 1500;
  return mix;
}

using Blocks = std::vector<std::uint32_t>; // of the die, by plane

/// Of the units of each site the blocks that hold pages. Copies of lower pages may go as soon as the drive is ready.
std::set<std::pair<std::uint32_t, Blocks>> units_of(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::set<std::pair<std::uint32_t, Blocks>> units;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    for (std::uint32_t unit = 0; unit < blocks.blocks_per_plane(); ++unit) {
      const fw::BlockState state = blocks.unit(site, unit).state;
      if (state == fw::BlockState::bad || state == fw::BlockState::free) continue;
      if (b.ftl().state.hooks.owner(site, unit) != nullptr) continue;
      Blocks in_die;
      for (std::uint32_t p = 0; p < blocks.twins(); ++p) {
        const std::uint32_t block = blocks.block_in_die(blocks.first_plane_of(site) + p, unit);
        const bool erased = b.hal().flash().programmed_pages(blocks.die_of_site(site), p, block) == 0;
        in_die.push_back(erased ? fw::kNoBlock : block);
      }
      units.insert({site, in_die});
    }
  }
  return units;
}

/// Of all that the map has entries of: pages of the dies, and slots in them.
std::vector<fw::Pun> places(FtlBench& b) {
  const fw::FtlState& state = b.ftl().state;
  const auto in_die = [&](Ppn page) { return state.blocks.in_die(page); };
  std::vector<fw::Pun> all;
  for (std::uint32_t item = 0; item < state.items.count(); ++item)
    all.push_back(state.items.renamed(state.items.at(item), in_die));
  return all;
}

/// Blocks that hold pages of units, and stand behind another number than their own.
std::uint32_t replaced(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    for (std::uint32_t n = 0; n < blocks.blocks_per_plane(); ++n) {
      const fw::BlockState state = blocks.block(p, n).state;
      const bool used = state != fw::BlockState::bad && state != fw::BlockState::free;
      sum += used && blocks.block_in_die(p, n) != n ? 1 : 0;
    }
  }
  return sum;
}

/// A load, and then nothing under way and no trim that a cut would undo.
void write_and_commit(FtlBench& b, const Mix& mix, std::uint64_t seed) {
  run_random(b, mix, seed);
  b.commit();
  b.settle();
}

/// Padding of units has no word, and without words a block does not tell with which others it was filled.
bool tells_its_units(const fw::FtlConfig& c) {
  return c.map_units == 1 || c.lower_pages != fw::LowerPageProtection::wordline;
}

/// Without a shutdown and with nothing under way: all tables are as they were.
TEST_P(ReplacedUnits, AreFoundAsTheyWere) {
  if (!tells_its_units(GetParam().config.ftl)) return;
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(journal_of(b).keeps_blocks());
  b.expect_wear();
  const bool copies = b.ftl().state.hooks.needs().blocks != 0; // in few units, which may not fail often
  b.hal().flash().fail_programs(1, 7);
  b.hal().flash().fail_erases(copies ? 0 : 8, 9);
  fw::Random random(11);
  std::uint64_t retired = 0;
  std::uint32_t most_replaced = 0;
  for (int cut = 0; cut < 25; ++cut) {
    ASSERT_NO_FATAL_FAILURE(write_and_commit(b, small_mix(), 60 + cut));
    ASSERT_EQ(b.statistics().metadata_given_up, 0u) << "cut " << cut;
    if (b.statistics().read_only) break; // worn out
    ASSERT_TRUE(journal_of(b).writer.idle()) << "cut " << cut;
    retired = b.statistics().retired_blocks;
    most_replaced = std::max(most_replaced, replaced(b));
    const auto units = units_of(b);
    const std::uint64_t erased = b.statistics().free_blocks;
    const std::vector<fw::Pun> before = places(b);
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    b.check_all(true);
    EXPECT_EQ(units_of(b), units) << "cut " << cut;
    EXPECT_EQ(b.statistics().free_blocks, erased) << "cut " << cut;
    EXPECT_TRUE(places(b) == before) << "cut " << cut;
    EXPECT_EQ(b.statistics().retired_blocks, retired) << "cut " << cut;
    EXPECT_EQ(b.ftl().recovery.counters().units_closed, 0u) << "cut " << cut;
  }
  EXPECT_GT(retired, copies ? 0u : 7u);
  EXPECT_GT(most_replaced, copies ? 0u : 5u);
}

/// While programs and erases are under way, fail, and are repeated.
TEST_P(ReplacedUnits, KeepWhatWasAnsweredOverManyCuts) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.expect_wear();
  b.hal().flash().fail_programs(1, 7);
  b.hal().flash().fail_erases(b.ftl().state.hooks.needs().blocks != 0 ? 1 : 10, 9);
  Mix mix;
  fw::Random random(2611);
  std::uint64_t retired = 0;
  for (int cut = 0; cut < 120; ++cut) {
    for (std::uint32_t i = random.below(400); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
    if (b.statistics().read_only) break; // worn out
    retired = std::max(retired, b.statistics().retired_blocks);
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    if (random.below(2) == 0) b.settle();
    b.check_all(b.ftl().idle());
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  EXPECT_GT(retired, 3u);
}

/// Without a block table what has gone bad is forgotten; what has replaced it is not.
TEST_P(ReplacedUnits, AreFoundWithoutABlockTable) {
  FtlBenchConfig c = GetParam().config;
  if (c.ftl.checkpoint_interval != 0 || c.ftl.lower_pages == fw::LowerPageProtection::wordline) return;
  c.ftl.over_provisioning = 0.05; // there are no spare blocks for one
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_FALSE(journal_of(b).keeps_blocks());
  b.expect_wear();
  Mix mix = small_mix();
  mix.trim_percent = mix.zero_percent = 0;
  mix.lbas = static_cast<std::uint32_t>(b.sectors() / 3);
  fw::Random random(5);
  std::uint32_t most_replaced = 0;
  for (int cut = 0; cut < 12; ++cut) {
    b.hal().flash().fail_erases(8, 9 + cut);
    ASSERT_NO_FATAL_FAILURE(write_and_commit(b, mix, 160 + cut));
    if (b.statistics().read_only) break;
    most_replaced = std::max(most_replaced, replaced(b));
    const auto units = units_of(b);
    const std::vector<fw::Pun> before = places(b);
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    b.check_all(b.ftl().idle());
    EXPECT_TRUE(places(b) == before) << "cut " << cut;
    const auto found = units_of(b);
    for (const auto& unit : units) EXPECT_EQ(found.count(unit), 1u) << "cut " << cut;
  }
  EXPECT_GT(most_replaced, 5u);
}

/// Of the site that has lost most of them.
std::uint32_t units_lost(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint32_t most = 0;
  for (std::uint32_t site = 0; site < blocks.sites(); ++site) {
    std::uint32_t lost = 0;
    for (std::uint32_t unit = 0; unit < blocks.blocks_per_plane(); ++unit)
      lost += blocks.unit(site, unit).state == fw::BlockState::bad ? 1 : 0;
    most = std::max(most, lost);
  }
  return most;
}

/// Blocks have gone bad until half of the spare ones are left, and every page is written: what is brought together
/// must leave collection the space that it had.
TEST_P(ReplacedUnits, LeaveAFullDriveItsSpace) {
  FtlBenchConfig c = GetParam().config;
  if (c.ftl.lower_pages != fw::LowerPageProtection::none && !GetParam().hold_up)
    return; // units for copies wear out
  c.ftl.over_provisioning = c.ftl.checkpoint_interval != 0 ? 0.4 : 0.3;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.expect_wear();
  fw::Random random(23);
  Mix mix;
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  const std::uint32_t at_boot = units_lost(b);
  const std::uint64_t spare = b.statistics().spare_blocks_at_boot / c.ftl.geometry.planes();
  std::uint64_t retired = 0;
  for (int cut = 0; cut < 80; ++cut) {
    retired = std::max(retired, b.statistics().retired_blocks);
    const bool enough = units_lost(b) >= at_boot + spare / 2;
    b.hal().flash().fail_erases(enough ? 0 : 10, 30 + static_cast<std::uint64_t>(cut));
    for (std::uint32_t i = random.below(300); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    ASSERT_FALSE(b.statistics().read_only) << "cut " << cut;
  }
  b.settle();
  b.check_all(true);
  EXPECT_GT(retired, 3u);
}

/// What two lives find in the same cells is the same.
TEST_P(ReplacedUnits, AreFoundTheSameWayTwice) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.expect_wear();
  b.hal().flash().fail_erases(8, 9);
  ASSERT_NO_FATAL_FAILURE(write_and_commit(b, small_mix(), 3));
  fw::Random random(1);
  b.cut_power(GetParam().hold_up, random);
  const auto units = units_of(b);
  const std::vector<fw::Pun> before = places(b);
  for (int cut = 0; cut < 3; ++cut) {
    b.cut_power(GetParam().hold_up, random);
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_EQ(units_of(b), units);
    EXPECT_TRUE(places(b) == before);
  }
}

Drive roomy(Drive d) {
  d.config.ftl.geometry.blocks_per_plane += 24;
  d.config.ftl.over_provisioning = std::max(d.config.ftl.over_provisioning, 0.6);
  return d;
}

INSTANTIATE_TEST_SUITE_P(Drives, ReplacedUnits,
                         ::testing::Values(roomy(replaced_twins()), roomy(replaced_simulator_twins()),
                                           roomy(replaced_twins_of_four()), roomy(replaced_protected_twins()),
                                           roomy(replaced_wordlines_of_twins()),
                                           roomy(units_of_replaced_blocks()),
                                           roomy(units_of_replaced_wordlines()),
                                           roomy(checkpoints_of_replaced_twins())),
                         name_of);

} // namespace
} // namespace twinplane::test::ftl_recovery_units_test
