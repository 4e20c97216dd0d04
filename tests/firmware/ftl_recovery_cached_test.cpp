// Does a drive with an SLC-mode cache find every acknowledged write again, whenever the supply fails?
//
// As ftl_recovery_test.cpp. What the drive knew at rest is an oracle besides: after a cut then its tables
// have to be what they were.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/ftl_cached.h"
#include "tests/support/journal_of.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_recovery_cached_test {
namespace {

struct Drive {
  const char* name;
  const char* scheme;
  void (*change)(FtlBenchConfig& c) = nullptr;
};
void PrintTo(const Drive& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

void fold(FtlBenchConfig& c, CellType cell) {
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.page_table = PageTable::wordline;
  c.ftl.pass_pages = static_cast<std::uint32_t>(cell);
}

void fold_of_three(FtlBenchConfig& c) {
  fold(c, CellType::tlc);
}
void fold_of_four(FtlBenchConfig& c) {
  fold(c, CellType::qlc);
}
void whole_pages_to_native(FtlBenchConfig& c) {
  c.ftl.slc_cache.full_to_native = true;
}
void fold_of_the_hosts_pages(FtlBenchConfig& c) {
  fold(c, CellType::tlc);
  whole_pages_to_native(c);
}
void moves_of_several_planes(FtlBenchConfig& c) {
  c.ftl.gc_moves = fw::GcMoves::multi;
  c.ftl.bac = false;
}
void union_of_all(FtlBenchConfig& c) {
  c.ftl.slc_cache.union_update = true;
}
void shared_frontier(FtlBenchConfig& c) {
  c.ftl.frontier = fw::Frontier::shared;
}
void deep_queues(FtlBenchConfig& c) {
  c.ftl.die_queue_depth = 4;
  c.programs_last = true;
}
void buffered(FtlBenchConfig& c) {
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 20;
}
void eight_subpages_of_tlc(FtlBenchConfig& c) {
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.geometry.subpages_per_page = 8;
}
void random_victims(FtlBenchConfig& c) {
  c.ftl.victim = "random";
}
void fold_without_capacitor(FtlBenchConfig& c) {
  fold(c, CellType::tlc);
  c.ftl.hold_up_pages = 0;
  c.ftl.lower_pages = fw::LowerPageProtection::backup;
}
void queued_fold_without_capacitor(FtlBenchConfig& c) {
  fold_without_capacitor(c);
  fold(c, CellType::qlc);
  deep_queues(c);
}
void relaxed_order(FtlBenchConfig& c) {
  c.ftl.program_order = ProgramOrder::relaxed;
}

void moving_size(FtlBenchConfig& c) {
  c.ftl.slc_cache.least_share = 0.17; // of 24 blocks 4 to 12
  c.ftl.slc_cache.most_share = 0.5;
}
void wear_levelling(FtlBenchConfig& c) {
  c.ftl.slc_cache.wear_gap = 2;
}
void moving_fold_of_worn_blocks(FtlBenchConfig& c) {
  fold(c, CellType::tlc);
  moving_size(c);
  wear_levelling(c);
}
void fold_of_the_hosts_pages_without_capacitor(FtlBenchConfig& c) {
  fold_without_capacitor(c);
  whole_pages_to_native(c);
  random_victims(c);
}
void moving_fold_without_capacitor(FtlBenchConfig& c) {
  fold_without_capacitor(c);
  moving_size(c);
}
void worn_fold_without_capacitor(FtlBenchConfig& c) {
  fold_without_capacitor(c);
  wear_levelling(c);
}
void moving_relaxed_order(FtlBenchConfig& c) {
  relaxed_order(c);
  moving_size(c);
}

void checkpoints(FtlBenchConfig& c) {
  c.ftl.checkpoint_interval = 200;
}
template <void (*change)(FtlBenchConfig&)>
void checkpoints_of(FtlBenchConfig& c) {
  change(c);
  checkpoints(c);
}
void folds(FtlBenchConfig& c) {
  fold(c, CellType::tlc);
}
void large_cache_of_eight_subpages(FtlBenchConfig& c) {
  eight_subpages_of_tlc(c);
  c.ftl.slc_cache.share = 0.4;
}
void moving_from_a_quarter_on(FtlBenchConfig& c) {
  moving_size(c);
  c.ftl.slc_cache.least_share = 0.25;
}

FtlBenchConfig config_of(const Drive& drive) {
  FtlBenchConfig c = cached_drive(drive.scheme);
  c.shuffle = true;
  c.ftl.marked_blocks = true;
  c.ftl.hold_up_pages = 4096;
  if (drive.change != nullptr) drive.change(c);
  return c;
}

/// What the tables say of every subpage, and of what pages are used for.
struct Tables {
  std::vector<fw::Pun> where;
  std::vector<std::uint32_t> pages; // slots, programs, level
  std::vector<std::uint32_t> blocks;
};

Tables tables_of(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const fw::UnitMap& map = b.ftl().state.units->map;
  Tables t;
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn) {
    for (std::uint32_t s = 0; s < map.units(); ++s) t.where.push_back(map.at(lpn, s));
  }
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const fw::BlockInfo& info = blocks.block(plane, block);
      const bool used = info.state != fw::BlockState::free && info.written != 0;
      t.blocks.push_back(used ? info.written | info.valid << 10 | info.region << 20 : 0u);
      for (std::uint32_t page = 0; used && page < info.written; ++page) {
        const fw::PageRecord& p = map.page(blocks.ppn(plane, block, page));
        const std::uint32_t level = map.sums(plane, block).level;
        const bool gone = level == 0 && p.valid == 0; // a checkpoint does not say with what it was filled
        t.pages.push_back(gone ? 0u : p.used | p.valid << 8 | level << 16 | p.updated << 20);
        t.pages.push_back(level == 0 ? 0u : std::uint32_t{p.programs});
      }
    }
  }
  return t;
}

class CachedRecovery : public ::testing::TestWithParam<Drive> {
 protected:
  static bool has_capacitor(FtlBench& b) { return b.ftl().state.config.hold_up_pages != 0; }
  static void cut_power(FtlBench& b, fw::Random& random) {
    has_capacitor(b) ? b.cut_power_held_up(random) : b.cut_power(false, random);
  }
  void operate(FtlBench& b, fw::Random& random, const Mix& mix, std::uint32_t operations) {
    for (; operations != 0; --operations) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
  }
};

class BlocksOfAnyMode : public CachedRecovery {}; // cells tell which
class CachedCheckpoints : public CachedRecovery {};

/// All that has been written before the checkpoint and lies in full native blocks is known from the map.
TEST_P(CachedCheckpoints, TellWhatLiesInNativeBlocks) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(b.ftl().state.durability->keeps_map());
  Mix mix;
  mix.max_sectors = 6;
  fw::Random random(91);
  std::uint64_t known = 0;
  for (int cut = 0; cut < 12; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 800));
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    known += b.ftl().recovery.counters().blocks_known;
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 300));
    b.settle();
    b.check_all(true);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  EXPECT_GT(known, 100u);
}

/// As Recovery.NeverFindsOlderVersionsOfWhatCouldNotBeRead.
TEST_P(CachedRecovery, NeverFindsOlderVersionsOfWhatCouldNotBeRead) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.max_sectors = 6;
  fw::Random random(417);
  std::uint64_t failures = 0;
  for (int cut = 0; cut < 40; ++cut) {
    b.hal().flash().fail_reads(20, random.below(1000), true);
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, random.below(500)));
    failures += b.statistics().flash_failures;
    b.hal().flash().fail_reads(0, 0);
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  EXPECT_GT(failures, 100u);
}

/// As Recovery.CountsTheSectorsThatPagesAndMetadataCallLost.
TEST_P(CachedRecovery, CountsTheSectorsThatPagesAndMetadataCallLost) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.max_sectors = 6;
  mix.spoil_percent = 2;
  fw::Random random(418);
  std::uint64_t most = 0;
  for (int cut = 0; cut < 20; ++cut) {
    b.hal().flash().fail_reads(20, random.below(1000), true);
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, random.below(500)));
    b.hal().flash().fail_reads(0, 0);
    b.settle();
    b.flush();
    b.commit();
    b.settle();
    const std::vector<std::uint32_t> before = losses_of(b);
    most = std::max(most, b.statistics().lost_sectors);
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    EXPECT_EQ(losses_of(b), before) << "cut " << cut;
  }
  EXPECT_GT(most, 50u);
}

/// As GoneMetadata.IsToldWhereBothCopiesCannotBeRead.
TEST_P(CachedRecovery, TellsThatBothCopiesOfMetadataCannotBeRead) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(15);
  b.write(0, 16);
  b.flush();
  b.settle();
  b.trim(8, 8);
  b.settle();
  (void)journal_of(b).begin_commit();
  b.turn();
  b.settle();
  const Geometry& g = b.ftl().state.blocks.geometry();
  int spoilt = 0;
  for (std::uint32_t n = 0; n < g.blocks() * g.pages_per_block; ++n) {
    const std::uint32_t block = n / g.pages_per_block;
    const std::uint32_t plane = block / g.blocks_per_plane;
    const Ppa at{plane / g.planes_per_die, plane % g.planes_per_die, block % g.blocks_per_plane,
                 n % g.pages_per_block};
    const fw::JournalWord word = journal_of(b).items.read_word(b.hal().flash().page(at).words[0]);
    if (word.number == 0 || (word.number - 1) / fw::kJournalCopies != 0) continue;
    b.hal().flash().spoil_sectors(at, ~0u);
    ++spoilt;
  }
  ASSERT_EQ(spoilt, 2) << "both copies have been written once";
  cut_power(b, random);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(b.ftl().recovery.counters().metadata_gone, 1u);
  EXPECT_EQ(b.ftl().recovery.counters().sectors_untold, b.sectors());
  cut_power(b, random);
  EXPECT_EQ(b.ftl().recovery.counters().metadata_gone, 0u);
}

TEST_P(CachedRecovery, KeepsWhatWasAnsweredOverManyCuts) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(b.statistics().metadata_kept) << "trims would not last";
  Mix mix;
  std::uint64_t unmapped = 0; // by pages of metadata
  std::uint64_t unreadable = 0;
  fw::Random random(2611);
  std::uint64_t evicted = 0;
  std::uint64_t erases = 0;
  for (std::uint32_t cut = 0; cut < at_depth(150, 5); ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, random.below(500)));
    evicted += b.statistics().cache.evicted_pages;
    erases += b.statistics().erases;
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    unreadable += b.ftl().recovery.counters().pages_unreadable;
    unmapped += b.ftl().recovery.counters().lpns_unmapped;
    if (random.below(2) == 0) b.settle(); // else collection is under way again
    b.check_all(b.ftl().idle());
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    ASSERT_FALSE(b.statistics().read_only) << "cut " << cut;
  }
  b.settle();
  b.check_all(true);
  EXPECT_EQ(unreadable != 0, !has_capacitor(b));
  EXPECT_GT(unmapped, 0u);
  EXPECT_GT(evicted, at_depth(1000, 5));
  EXPECT_GT(erases, at_depth(1000, 5));
}

/// A cache too small for metadata does not keep trims, but zeroes that the host has written it does.
TEST_P(CachedRecovery, KeepsZeroesWithoutMetadata) {
  FtlBenchConfig c = config_of(GetParam());
  c.ftl.slc_cache.share = 0.1;
  if (c.ftl.slc_cache.least_share != 0) c.ftl.slc_cache.least_share = 0.05;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_FALSE(b.statistics().metadata_kept);
  Mix mix;
  mix.zero_percent = 20;
  mix.trim_percent = 0;
  mix.max_sectors = 24;
  fw::Random random(83);
  for (int cut = 0; cut < 20; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, random.below(500)));
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  b.settle();
  b.check_all(true);
}

TEST_P(CachedRecovery, FindsItsTablesAsTheyWere) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.trim_percent = mix.zero_percent = 0; // would be found as they were
  mix.max_sectors = 6;
  fw::Random random(77);
  for (int cut = 0; cut < 12; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 1500));
    b.settle();
    b.flush();
    b.settle();
    const Tables before = tables_of(b);
    const std::uint64_t free = b.statistics().free_blocks;
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    EXPECT_GE(b.statistics().free_blocks, free); // blocks opened and not begun are free
    EXPECT_EQ(b.ftl().recovery.counters().units_closed, 0u);
    const Tables after = tables_of(b);
    ASSERT_EQ(after.where, before.where) << "cut " << cut;
    ASSERT_EQ(after.blocks, before.blocks) << "cut " << cut;
    ASSERT_EQ(after.pages, before.pages) << "cut " << cut;
  }
  EXPECT_GT(b.statistics().cached.valid, 0.0) << "the cache holds something";
}

TEST_P(CachedRecovery, FindsSpaceAgainInAFullDrive) {
  FtlBenchConfig c = config_of(GetParam());
  c.ftl.over_provisioning = 0;
  c.ftl.gc_threshold_blocks = 2;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  Mix mix;
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  mix.max_sectors = 8;
  fw::Random random(23);
  for (std::uint32_t cut = 0; cut < at_depth(50, 2); ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, random.below(300)));
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    ASSERT_FALSE(b.statistics().read_only) << "cut " << cut;
  }
  ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 2000));
  b.settle();
  b.check_all(true);
}

/// Without a capacitor each of these cuts wastes the wordline that moves were being programmed into.
TEST_P(CachedRecovery, StaysWritableWhenCollectionsAreCutAgainAndAgain) {
  FtlBenchConfig c = config_of(GetParam());
  c.ftl.over_provisioning = 0;
  c.ftl.gc_threshold_blocks = 2;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  Mix mix;
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  mix.max_sectors = 8;
  fw::Random random(31);
  ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 1500));
  for (std::uint32_t cut = 0; cut < at_depth(100, 5); ++cut) {
    for (int i = 0; i < 1000; ++i) {
      if (i % 4 == 0 && b.free_slots() != 0) random_operation(b, random, mix);
      b.step();
      bool moves = false;
      b.ftl().state.pool.for_each([&moves](const fw::Transaction& t) {
        moves |= t.traits->maps_page && t.traits->stream == fw::Stream::relocation && t.ppn != kNoPpn &&
                 t.ppn != t.source;
      });
      if (moves && random.below(4) == 0) break;
    }
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    ASSERT_FALSE(b.statistics().read_only) << "cut " << cut;
  }
  ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 2000));
  b.settle();
  b.check_all(true);
  EXPECT_FALSE(b.statistics().read_only);
}

/// Blocks that are open, of the cache, and whose first program has failed.
std::uint32_t begun_with_a_failure(FtlBench& b) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t planes = blocks.geometry().planes_per_die;
  std::uint32_t count = 0;
  for (std::uint32_t p = 0; p < blocks.geometry().planes(); ++p) {
    for (std::uint32_t n = 0; n < blocks.blocks_per_plane(); ++n) {
      const fw::BlockInfo& info = blocks.block(p, n);
      if (info.state != fw::BlockState::open || info.region != fw::kCache) continue;
      count += b.hal().flash().page(Ppa{p / planes, p % planes, n, 0}).failed ? 1 : 0;
    }
  }
  return count;
}

/// The first page of a block tells in which mode it is read. Where that one cannot be read the block is read
/// as a native one before, and more of its pages are garbage than have been written.
TEST_P(BlocksOfAnyMode, GoOnWhereTheirFirstProgramHasFailed) {
  Mix mix;
  mix.trim_percent = 0;
  fw::Random random(97);
  std::uint32_t begun = 0;
  for (std::uint64_t drive = 0; drive < 18; ++drive) {
    FtlBenchConfig c = config_of(GetParam());
    c.ftl.over_provisioning = 0.6;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.expect_wear();
    b.hal().flash().fail_programs(40, drive);
    for (int cut = 0; cut < 3; ++cut) {
      ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 60 + random.below(60)));
      b.settle();
      begun += begun_with_a_failure(b);
      cut_power(b, random);
      if (HasFatalFailure()) FAIL() << "drive " << drive << " cut " << cut;
      ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 60));
      b.settle();
      b.check_all(b.ftl().recovery.counters().units_closed == 0);
      if (HasFatalFailure()) FAIL() << "drive " << drive << " cut " << cut;
    }
  }
  EXPECT_GT(begun, 5u);
}

TEST_P(CachedRecovery, KeepsWhatWasAnsweredWhereProgramsFail) {
  FtlBenchConfig c = config_of(GetParam());
  c.ftl.over_provisioning = 0.6;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.expect_wear();
  // where a page is programmed several times a failure loses what it held: fewer of them
  b.hal().flash().fail_programs(std::string(GetParam().scheme) == "slc_cache" ? 8 : 3, 7);
  Mix mix;
  mix.write_percent = 65;
  mix.trim_percent = 15;
  mix.lbas = 1500;
  fw::Random random(53);
  std::uint64_t failures = 0;
  for (int cut = 0; cut < 100; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, random.below(400)));
    failures += b.statistics().flash_failures;
    if (b.statistics().metadata_given_up != 0) break; // worn out: trims may come back
    ASSERT_EQ(b.failed_writes(), 0u) << "before cut " << cut;
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    // a block without a single word is given up where another one of its level is open
    b.check_all(b.ftl().idle() && b.ftl().recovery.counters().units_closed == 0);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  b.settle();
  EXPECT_GT(failures, 15u);
}

/// Of each block that is not full one page is read in vain, the first blank one.
TEST_P(CachedRecovery, ReadsEachWrittenPageAndTheFirstBlankOnes) {
  const FtlBenchConfig c = config_of(GetParam());
  if (c.ftl.checkpoint_interval != 0) return; // fewer
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 4000;
  mix.trim_percent = mix.zero_percent = 0;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 7));
  b.flush();
  b.settle();
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const bool types =
      c.ftl.program_order == ProgramOrder::relaxed;         // pages of each type have runs of their own
  const bool looks = fw::exchanges_blocks(c.ftl.slc_cache); // native blocks are read in SLC mode first
  std::uint64_t written = 0;
  std::uint64_t blank = 0;
  std::uint64_t twice = 0;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const fw::BlockInfo& info = blocks.block(plane, block);
      const std::uint32_t pages = info.state == fw::BlockState::free ? 0 : info.written;
      written += pages;
      twice += looks && pages != 0 && info.region == fw::kNative ? 1 : 0;
      if (pages == 0 || info.region == fw::kCache || !types) {
        blank += pages != blocks.region_pages(info.region) ? 1 : 0;
        continue;
      }
      std::uint32_t of_type[kMaxPageTypes] = {};
      for (std::uint32_t page = 0; page < pages; ++page) ++of_type[blocks.order().type(page)];
      for (std::uint32_t t = 0; t < blocks.order().types() && (t == 0 || of_type[t - 1] != 0); ++t)
        blank += of_type[t] != blocks.order().wordlines() ? 1 : 0;
    }
  }
  fw::Random random(1);
  cut_power(b, random);
  const fw::RecoveryCounters& counters = b.ftl().recovery.counters();
  EXPECT_EQ(counters.pages_found, written);
  EXPECT_EQ(counters.pages_read, written + blank + twice);
  b.check_all(true);
}

/// Words of 8 subpages of a small drive leave the sequence some 50 bits: it counts on over their end.
TEST_P(CachedRecovery, TellsNewFromOldAcrossTheWrapOfSequences) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const fw::StampOrder order = b.ftl().state.units->io.words().order();
  b.ftl().state.write_sequence = order.stamp(0) - 400;
  Mix mix;
  mix.trim_percent = mix.zero_percent = 0;
  fw::Random random(3);
  for (int cut = 0; cut < 5; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(b, random, mix, 500));
    cut_power(b, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    b.check_all(b.ftl().idle());
  }
  EXPECT_LT(order.stamp(b.ftl().state.write_sequence), order.reach()) << "it has not wrapped";
}

TEST_P(CachedRecovery, FindsNothingInADriveThatWasNeverWritten) {
  FtlBench b(config_of(GetParam()));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(1);
  cut_power(b, random);
  const fw::RecoveryCounters& c = b.ftl().recovery.counters();
  EXPECT_EQ(c.pages_read, b.ftl().state.blocks.geometry().blocks());
  EXPECT_EQ(c.units_found, 0u);
  b.check_all(true);
}

const auto kOfOneMode = ::testing::Values(
    Drive{"Baseline", "slc_cache"}, Drive{"Mga", "mga"}, Drive{"MgaPacked", "packed"}, Drive{"Ipu", "ipu"},
    Drive{"BaselineFold", "slc_cache", fold_of_three}, Drive{"MgaFold", "mga", fold_of_four},
    Drive{"MgaPackedFold", "packed", fold_of_three}, Drive{"IpuFold", "ipu", fold_of_three},
    Drive{"BaselineFullPagesToNative", "slc_cache", whole_pages_to_native},
    Drive{"IpuUnion", "ipu", union_of_all}, Drive{"IpuSharedFrontier", "ipu", shared_frontier},
    Drive{"MgaQueuedPrograms", "mga", deep_queues}, Drive{"IpuQueuedPrograms", "ipu", deep_queues},
    Drive{"IpuBuffered", "ipu", buffered}, Drive{"MgaEightSubpages", "mga", eight_subpages_of_tlc},
    Drive{"BaselineRandomVictims", "slc_cache", random_victims}, Drive{"BaselinePacked", "packed_slc_cache"},
    Drive{"IpuPacked", "packed_ipu"}, Drive{"IpuPackedFold", "packed_ipu", fold_of_three},
    Drive{"MgaPackedRandomVictims", "packed", random_victims},
    Drive{"MgaFoldOfTheHostsPages", "mga", fold_of_the_hosts_pages},
    Drive{"BaselineFoldOfTheHostsPagesWithoutCapacitor", "slc_cache",
          fold_of_the_hosts_pages_without_capacitor},
    Drive{"BaselineMovesOfSeveralPlanes", "slc_cache", moves_of_several_planes},
    Drive{"IpuMovesOfSeveralPlanes", "ipu", moves_of_several_planes},
    Drive{"IpuRelaxedOrder", "ipu", relaxed_order},
    Drive{"BaselineFoldWithoutCapacitor", "slc_cache", fold_without_capacitor},
    Drive{"BaselineQueuedFoldWithoutCapacitor", "slc_cache", queued_fold_without_capacitor},
    Drive{"Pslc", "packed_pslc"}, Drive{"PslcFold", "packed_pslc", fold_of_three},
    Drive{"PslcBuffered", "packed_pslc", buffered},
    Drive{"PslcFoldWithoutCapacitor", "packed_pslc", fold_without_capacitor});
const auto kOfAnyMode = ::testing::Values(
    Drive{"BaselineMoving", "slc_cache", moving_size}, Drive{"MgaMoving", "mga", moving_size},
    Drive{"MgaPackedMoving", "packed", moving_size}, Drive{"IpuMoving", "ipu", moving_size},
    Drive{"IpuPackedMoving", "packed_ipu", moving_size},
    Drive{"IpuMovingRelaxedOrder", "ipu", moving_relaxed_order},
    Drive{"BaselineWearLevelling", "slc_cache", wear_levelling},
    Drive{"MgaWearLevelling", "mga", wear_levelling}, Drive{"IpuWearLevelling", "ipu", wear_levelling},
    Drive{"IpuMovingFoldOfWornBlocks", "ipu", moving_fold_of_worn_blocks},
    Drive{"BaselineMovingFoldWithoutCapacitor", "slc_cache", moving_fold_without_capacitor},
    Drive{"BaselineWornFoldWithoutCapacitor", "slc_cache", worn_fold_without_capacitor},
    Drive{"PslcMoving", "packed_pslc", moving_size},
    Drive{"PslcWornFoldWithoutCapacitor", "packed_pslc", worn_fold_without_capacitor});
const auto kWithCheckpoints = ::testing::Values(
    Drive{"Baseline", "slc_cache", checkpoints}, Drive{"Mga", "mga", checkpoints},
    Drive{"MgaPacked", "packed", checkpoints}, Drive{"Ipu", "ipu", checkpoints},
    Drive{"MgaFold", "mga", checkpoints_of<folds>}, Drive{"MgaPackedFold", "packed", checkpoints_of<folds>},
    Drive{"BaselineFoldWithoutCapacitor", "slc_cache", checkpoints_of<fold_without_capacitor>},
    Drive{"IpuQueuedPrograms", "ipu", checkpoints_of<deep_queues>},
    Drive{"MgaEightSubpages", "mga", checkpoints_of<large_cache_of_eight_subpages>},
    Drive{"IpuMoving", "ipu", checkpoints_of<moving_from_a_quarter_on>},
    Drive{"MgaPackedMoving", "packed", checkpoints_of<moving_from_a_quarter_on>},
    Drive{"IpuWearLevelling", "ipu", checkpoints_of<wear_levelling>},
    Drive{"IpuRelaxedOrder", "ipu", checkpoints_of<relaxed_order>},
    Drive{"PslcMoving", "packed_pslc", checkpoints_of<moving_from_a_quarter_on>});
const auto name_of = [](const ::testing::TestParamInfo<Drive>& drive) {
  return std::string(drive.param.name);
};

INSTANTIATE_TEST_SUITE_P(Drives, CachedRecovery, kOfOneMode, name_of);
INSTANTIATE_TEST_SUITE_P(Exchanges, CachedRecovery, kOfAnyMode, name_of);
INSTANTIATE_TEST_SUITE_P(Exchanges, BlocksOfAnyMode, kOfAnyMode, name_of);
INSTANTIATE_TEST_SUITE_P(Checkpoints, CachedRecovery, kWithCheckpoints, name_of);
INSTANTIATE_TEST_SUITE_P(Drives, CachedCheckpoints, kWithCheckpoints, name_of);

} // namespace
} // namespace twinplane::test::ftl_recovery_cached_test
