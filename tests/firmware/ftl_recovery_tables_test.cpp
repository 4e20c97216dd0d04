// Does the block table last without checkpoints: blocks that have gone bad, the end of the drive's life, what
// the front end counts; and is what one copy of metadata alone tells written again before the host sees it?
#include "tests/support/journal_of.h"
#include "tests/support/recovery_drives.h"

namespace twinplane::test::ftl_recovery_tables_test {
namespace {

class BlockTables : public ::testing::TestWithParam<Drive> {};

Mix small_mix() {
  Mix mix;
  mix.max_sectors = 4;
  mix.operations = 2500;
  return mix;
}

/// The host opens the drive, which is remembered.
void open(FtlBench& b) {
  journal_of(b).opened();
  b.settle();
}

std::uint64_t metadata_pages(FtlBench& b) {
  return b.statistics().pages_programmed[static_cast<std::size_t>(fw::ProgramCause::metadata)];
}

/// They have not been protected. An older version must not be found, nor none at all: that is an error, of as
/// many pages as recovery has counted at most.
TEST(TakenPages, AreErrorsWhereACheckpointNamesThem) {
  FtlBenchConfig c = with_checkpoints(tlc(), "", 1'000'000).config; // at a shutdown alone
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(journal_of(b).checkpoints());
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  fw::Random random(12);
  std::uint64_t taken = 0;
  for (int cut = 0; cut < 150; ++cut) {
    b.settle();
    b.shut_down();
    b.settle();
    const std::uint64_t lost = b.statistics().lost_sectors;
    const std::uint32_t lpn = random.below(b.ftl().state.exported_pages);
    b.write(std::uint64_t{lpn} * 4, 4);
    for (std::uint32_t i = random.below(4); i != 0; --i) b.step();
    b.cut_power(false, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    EXPECT_LE(b.statistics().lost_sectors, lost + 4 * b.ftl().recovery.counters().pages_taken);
    if (b.statistics().lost_sectors > lost) ++taken;
  }
  EXPECT_GT(taken, 3u) << "no cut has interrupted an upper page";
}

TEST_P(BlockTables, KeepBadBlocksBadOverCuts) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(journal_of(b).keeps_blocks());
  ASSERT_FALSE(journal_of(b).checkpoints());
  const bool types = GetParam().config.ftl.program_order == ProgramOrder::relaxed; // blocks are open for long
  b.hal().flash().fail_programs(types ? 10 : 2, 7);
  b.expect_wear();
  fw::Random random(11);
  std::uint64_t retired = 0;
  bool worn = false;
  for (int cut = 0; cut < 60 && !worn && (cut < 12 || retired == 0); ++cut) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, small_mix(), 60 + cut));
    b.settle();
    if (b.statistics().metadata_given_up != 0) break; // no room is left to write it down
    retired = b.statistics().retired_blocks;
    worn = b.statistics().read_only;
    if (worn) break;
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    EXPECT_EQ(b.statistics().retired_blocks, retired) << "cut " << cut;
    EXPECT_EQ(b.statistics().read_only, worn) << "cut " << cut;
  }
  EXPECT_GT(retired, 0u);
}

TEST_P(BlockTables, RememberWhatTheDriveHasCounted) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(5);
  std::uint64_t cycles = 1;
  std::uint64_t unsafe = 0;
  for (const bool shut_down : {true, false, false, true, false, true, true}) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, small_mix(), cycles));
    const std::uint64_t sectors = b.record()->sectors_written += 1000;
    if (shut_down) b.shut_down();
    b.settle();
    b.cut_power(false, random);
    open(b);
    unsafe += shut_down ? 0 : 1;
    EXPECT_EQ(b.record()->power_cycles, ++cycles);
    EXPECT_EQ(b.record()->unsafe_shutdowns, unsafe);
    if (shut_down) {
      EXPECT_EQ(b.record()->sectors_written, sectors);
    }
  }
}

/// Erase counts too, but for erases between the table and the end of its own writing.
TEST_P(BlockTables, RememberErasesThatAShutdownFollows) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(9);
  Mix mix;
  mix.operations = 6000;
  for (int cut = 0; cut < 6; ++cut) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 40 + cut));
    b.shut_down();
    b.settle();
    const std::uint64_t before = b.statistics().erases;
    b.cut_power(false, random);
    EXPECT_GE(b.statistics().erases * 100, before * 97u) << before;
    EXPECT_LE(b.statistics().erases, before + b.statistics().free_blocks);
  }
  EXPECT_GT(b.statistics().erases, 100u);
}

/// A host that has been told that nothing can be written must not be able to write after a cut, and reads
/// what it had.
TEST_P(BlockTables, KeepAWornOutDriveReadOnly) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.expect_wear();
  b.hal().flash().fail_programs(60, 7);
  fw::Random random(3);
  for (int round = 0; round < 200 && !b.statistics().read_only; ++round) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, small_mix(), 100 + round));
    b.settle();
  }
  ASSERT_TRUE(b.statistics().read_only);
  if (b.statistics().metadata_given_up != 0) return; // no room was left to write it down
  for (int cut = 0; cut < 3; ++cut) {
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    open(b);
    EXPECT_TRUE(b.statistics().read_only) << "cut " << cut;
    const std::uint64_t failed = b.failed_writes();
    b.write(0, 4);
    b.settle();
    EXPECT_EQ(b.failed_writes(), failed + 1) << "cut " << cut;
  }
}

/// The cut comes between the two copies of a trim, and the page that has been written is ruined by the next
/// one. Nothing that was zero in between comes back.
TEST_P(BlockTables, SettleATrimThatOneCopyAloneTells) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(13);
  for (std::uint32_t lpn = 0; lpn < 24; ++lpn) b.write(std::uint64_t{lpn} * 4, 4);
  b.settle();
  b.trim(8, 4);
  b.commit();
  while (metadata_pages(b) == 0) ASSERT_TRUE(b.step()) << "the first copy is not written";
  while (b.ftl().state.pool.in_use() != 0 && metadata_pages(b) == 1) ASSERT_TRUE(b.step());
  b.cut_power(false, random);
  ASSERT_FALSE(HasFatalFailure());
  if (fw::is_page(b.ftl().state.policy.mapping->lookup(2)))
    GTEST_SKIP() << "the page of metadata was the one that was torn";
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const Ppa page{plane / blocks.geometry().planes_per_die, plane % blocks.geometry().planes_per_die,
                     block, 0};
      const std::uint32_t lpn = fw::oob_lpn(b.hal().flash().page(page).oob);
      if (fw::journal_copy_in(lpn, b.ftl().state.exported_pages) == 1) b.hal().flash().spoil(page);
    }
  }
  b.cut_power(false, random);
  EXPECT_FALSE(fw::is_page(b.ftl().state.policy.mapping->lookup(2)));
  EXPECT_GT(b.ftl().recovery.counters().lpns_unmapped, 0u) << "by the other copy";
}

/// Where the newest pages of that slice are, by copy.
struct NewestPages {
  Ppa at[fw::kJournalCopies];
};

NewestPages newest_pages(FtlBench& b, std::uint32_t slice) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const Geometry& g = blocks.geometry();
  NewestPages found;
  std::uint32_t stamp[fw::kJournalCopies] = {};
  for (std::uint64_t n = 0; n < g.pages(); ++n) {
    const auto block = static_cast<std::uint32_t>(n / g.pages_per_block);
    const std::uint32_t plane = block / g.blocks_per_plane;
    const Ppa at{plane / g.planes_per_die, plane % g.planes_per_die, block % g.blocks_per_plane,
                 static_cast<std::uint32_t>(n % g.pages_per_block)};
    const SimFlash::Page& page = b.hal().flash().page(at);
    const fw::JournalWord word = journal_of(b).items.read_word(page.oob);
    if (!page.programmed || word.number == 0 || (word.number - 1) / fw::kJournalCopies != slice) continue;
    const std::uint32_t copy = (word.number - 1) % fw::kJournalCopies;
    if (word.stamp <= stamp[copy]) continue;
    stamp[copy] = word.stamp;
    found.at[copy] = at;
  }
  for (const std::uint32_t s : stamp) EXPECT_NE(s, 0u) << "slice " << slice << " has not been written";
  return found;
}

/// Trims the logical page and has metadata tell; the host has not been promised that it is kept.
void trim_and_tell(FtlBench& b, std::uint32_t lpn) {
  b.write(std::uint64_t{lpn} * 4, 4);
  b.settle();
  b.trim(std::uint64_t{lpn} * 4, 4);
  b.settle();
  (void)journal_of(b).begin_commit();
  b.turn();
  b.settle();
}

class GoneMetadata : public BlockTables {
 protected:
  GoneMetadata() : b(GetParam().config) {
    EXPECT_EQ(b.error(), nullptr) << b.error();
    for (std::uint32_t lpn = 0; lpn < 24; ++lpn) b.write(std::uint64_t{lpn} * 4, 4);
    b.settle();
    b.shut_down(); // block table
    b.settle();
    trim_and_tell(b, 2);
  }
  /// The data alone, or the word as well.
  void lose(const Ppa& page, bool word = false) {
    word ? b.hal().flash().spoil(page) : b.hal().flash().spoil_sectors(page, ~0u);
  }
  const fw::RecoveryCounters& cut() {
    b.cut_power(GetParam().hold_up, random);
    return b.ftl().recovery.counters();
  }
  bool trimmed() { return !fw::is_page(b.ftl().state.policy.mapping->lookup(2)); }

  FtlBench b;
  fw::Random random{14};
};

/// The trim is undone, and the drive says so, once: what the host sees from then on is told again.
TEST_P(GoneMetadata, IsToldWhereBothCopiesCannotBeRead) {
  std::uint64_t errors = 0;
  for (const int wordless : {-1, 0, 1}) {
    const NewestPages pages = newest_pages(b, 0);
    for (int copy = 0; copy < 2; ++copy) lose(pages.at[copy], copy == wordless);
    const fw::RecoveryCounters& found = cut();
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_FALSE(trimmed());
    EXPECT_EQ(found.metadata_gone, 1u) << "copy without a word: " << wordless;
    EXPECT_EQ(found.sectors_untold, b.sectors());
    EXPECT_EQ(b.record()->media_errors, ++errors);
    open(b);
    EXPECT_EQ(cut().metadata_gone, 0u);
    ASSERT_FALSE(HasFatalFailure());
    trim_and_tell(b, 2);
    EXPECT_TRUE(trimmed());
  }
}

TEST_P(GoneMetadata, IsNotToldWhereACopyIsLeft) {
  for (const bool word : {false, true}) {
    for (const int copy : {0, 1}) {
      trim_and_tell(b, 2);
      lose(newest_pages(b, 0).at[copy], word);
      const fw::RecoveryCounters& found = cut();
      ASSERT_FALSE(HasFatalFailure());
      EXPECT_TRUE(trimmed());
      EXPECT_EQ(found.metadata_gone, 0u) << "copy " << copy;
      EXPECT_EQ(found.sectors_untold, 0u) << "copy " << copy;
    }
  }
}

TEST_P(GoneMetadata, IsNotToldOfWhatNewerPagesHaveReplaced) {
  const NewestPages pages = newest_pages(b, 0);
  trim_and_tell(b, 5);
  for (const Ppa& page : pages.at) lose(page);
  const fw::RecoveryCounters& found = cut();
  EXPECT_EQ(found.metadata_gone, 0u);
  EXPECT_TRUE(trimmed());
}

TEST_P(GoneMetadata, IsToldOfTheBlockTable) {
  const fw::SliceLayout& layout = journal_of(b).slices.layout();
  const NewestPages pages = newest_pages(b, layout.begin(fw::SliceKind::blocks));
  for (const Ppa& page : pages.at) lose(page);
  const fw::RecoveryCounters& found = cut();
  EXPECT_EQ(found.metadata_gone, 1u);
  EXPECT_EQ(found.sectors_untold, 0u) << "no trim was among it";
  EXPECT_TRUE(trimmed());
  EXPECT_EQ(cut().metadata_gone, 0u) << "it has been written again";
}

/// A drive whose spare blocks are too few for the table keeps trims as it always did, and lives as long.
TEST(BlockTablesOfTinyDrives, MakeWayForTrims) {
  FtlBenchConfig c = busy_drive();
  c.ftl.over_provisioning = 0.26;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  EXPECT_TRUE(b.statistics().metadata_kept);
  EXPECT_FALSE(journal_of(b).keeps_blocks());
  fw::Random random(3);
  for (int cut = 0; cut < 10; ++cut) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, small_mix(), 60 + cut));
    b.shut_down();
    b.settle();
    b.cut_power(false, random);
    ASSERT_FALSE(b.statistics().read_only);
  }
}

Drive roomy(Drive d) {
  d.config.ftl.geometry.blocks_per_plane += 8;
  if (d.config.ftl.over_provisioning < 0.5) d.config.ftl.over_provisioning = 0.5;
  return d;
}

INSTANTIATE_TEST_SUITE_P(Drives, BlockTables,
                         ::testing::Values(roomy(conventional()), roomy(queued()), roomy(copybacks()),
                                           roomy(tlc()), roomy(tlc_in_slc_mode()), roomy(twins()),
                                           roomy(simulator_twins()), roomy(replaced_twins()),
                                           roomy(replaced_simulator_twins()), roomy(page_types()),
                                           roomy(page_type_twins())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(LowerPages, BlockTables,
                         ::testing::Values(roomy(protected_tlc()), roomy(protected_even_odd()),
                                           roomy(wordlines_of_mlc())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Partitions, BlockTables, ::testing::Values(roomy(combo()), roomy(broms())), name_of);
INSTANTIATE_TEST_SUITE_P(Drives, GoneMetadata,
                         ::testing::Values(roomy(conventional()), roomy(tlc()), roomy(twins()),
                                           roomy(page_types()), roomy(protected_tlc()), roomy(combo()),
                                           checkpoints()),
                         name_of);

} // namespace
} // namespace twinplane::test::ftl_recovery_tables_test
