// Does the firmware find every acknowledged write again, whenever the supply fails?
//
// Cuts come at random moments of a random load; of the commands that the dies have been given some are
// complete, one of each die under way, the others not begun. Each sector is judged after each recovery, the
// tables are compared with the cells, and the load goes on from there.
#include <algorithm>

#include "firmware/ftl/features/partitions/two_regions.h"
#include "firmware/ftl/map/write_stamp.h"
#include "tests/support/journal_of.h"
#include "tests/support/recovery_drives.h"

namespace twinplane::test::ftl_recovery_test {
namespace {

class Recovery : public ::testing::TestWithParam<Drive> {};
class RecoveryByScan : public Recovery {}; // without checkpoints

TEST_P(Recovery, KeepsWhatWasAnsweredOverManyCuts) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(b.statistics().metadata_kept) << "trims would not last";
  const bool checkpoints = GetParam().config.ftl.checkpoint_interval != 0;
  ASSERT_EQ(journal_of(b).checkpoints(), checkpoints);
  Mix mix;
  fw::Random random(2611);
  std::uint64_t known = 0; // blocks, from checkpoints
  std::uint64_t unreadable = 0;
  std::uint64_t erases = 0;
  std::uint64_t unmapped = 0; // by pages of metadata
  const std::uint64_t good = b.ftl().state.blocks.good_blocks();
  const auto seen = [&] {
    return (unreadable != 0 || GetParam().hold_up) && (known != 0 || !checkpoints) && unmapped != 0;
  };
  for (std::uint32_t cut = 0; cut < at_depth(150, 5) || (cut < 150 && !seen()); ++cut) {
    for (std::uint32_t i = random.below(400); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
    erases += b.statistics().erases;
    ASSERT_EQ(b.statistics().metadata_given_up, 0u) << "before cut " << cut;
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    unreadable += b.ftl().recovery.counters().pages_unreadable;
    unmapped += b.ftl().recovery.counters().lpns_unmapped;
    known += b.ftl().recovery.counters().blocks_known;
    EXPECT_EQ(b.ftl().recovery.counters().metadata_gone, 0u) << "a cut leaves one copy, cut " << cut;
    if (random.below(2) == 0) b.settle(); // else collection is under way again
    b.check_all(b.ftl().idle());
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    EXPECT_EQ(blocks.good_blocks(), good) << "none has gone bad";
  }
  b.settle();
  b.check_all(true);
  EXPECT_GT(erases, 0u);
  EXPECT_GT(unmapped, 0u);
  EXPECT_EQ(unreadable != 0, !GetParam().hold_up);
  EXPECT_EQ(known != 0, checkpoints);
}

/// Of a sector that could not be read an older version, or zeros, must not be found after the cut: a host
/// that has moved its page, or written beside it, has programmed it as lost. With metadata and without.
TEST_P(Recovery, NeverFindsOlderVersionsOfWhatCouldNotBeRead) {
  for (const bool no_spare_blocks : {false, true}) {
    FtlBenchConfig config = GetParam().config;
    if (no_spare_blocks && (config.ftl.slc_mode || config.ftl.checkpoint_interval != 0)) continue;
    if (no_spare_blocks) config.ftl.over_provisioning = 0.01;
    FtlBench b(config);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    Mix mix;
    mix.max_sectors = 6;
    if (!b.statistics().metadata_kept) mix.trim_percent = mix.zero_percent = 0;
    fw::Random random(417);
    std::uint64_t failures = 0;
    for (int cut = 0; cut < 40; ++cut) {
      b.hal().flash().fail_reads(30, random.below(1000), true);
      for (std::uint32_t i = random.below(400); i != 0; --i) {
        while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
        random_operation(b, random, mix);
        if (random.below(2) == 0) b.step();
        if (HasFatalFailure()) return;
      }
      failures += b.statistics().flash_failures;
      b.hal().flash().fail_reads(0, 0);
      b.cut_power(GetParam().hold_up, random);
      if (HasFatalFailure()) FAIL() << "cut " << cut << (no_spare_blocks ? ", no spare blocks" : "");
    }
    EXPECT_GT(failures, 60u);
  }
}

/// By logical page: what the cells hold and cannot be read, whether or not the drive has met it.
std::vector<std::uint32_t> unreadable_sectors(FtlBench& b) {
  std::vector<std::uint32_t> sectors;
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn) {
    sectors.push_back(0);
    for (std::uint32_t s = 0; s < b.ftl().state.config.geometry.sectors_per_page(); ++s) {
      Ppa page;
      std::uint32_t at = 0;
      if (!b.place_sector((std::uint64_t{lpn} << b.ftl().state.sectors_shift) + s, page, at)) continue;
      sectors.back() |= (b.hal().flash().page(page).bad >> at & 1) << s;
    }
  }
  return sectors;
}

/// Most losses are told by the pages that were programmed without the sectors, and by nothing else. What the
/// drive knew at rest it knows after the cut, and it counts as many.
TEST_P(Recovery, CountsTheSectorsThatPagesAndMetadataCallLost) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.max_sectors = 6;
  mix.spoil_percent = 2;
  fw::Random random(418);
  std::uint64_t most = 0;
  for (int cut = 0; cut < 30; ++cut) {
    b.hal().flash().fail_reads(30, random.below(1000), true);
    for (std::uint32_t i = random.below(400); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
      if (HasFatalFailure()) return;
    }
    b.hal().flash().fail_reads(0, 0);
    b.settle();
    if (random.below(3) == 0) b.shut_down(); // with checkpoints: most blocks are not read after the cut
    b.commit();
    b.settle();
    const std::vector<std::uint32_t> before = losses_of(b);
    const std::vector<std::uint32_t> unreadable = unreadable_sectors(b); // collection may have come by
    most = std::max(most, b.statistics().lost_sectors);
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    const std::vector<std::uint32_t> after = losses_of(b);
    std::uint64_t count = 0;
    for (std::uint32_t lpn = 0; lpn < after.size(); ++lpn) {
      EXPECT_EQ(after[lpn] & ~(unreadable[lpn] & ~before[lpn]), before[lpn])
          << "LPN " << lpn << ", cut " << cut;
      count += fw::bits_set(after[lpn]);
    }
    EXPECT_EQ(b.statistics().lost_sectors, count) << "cut " << cut;
  }
  EXPECT_GT(most, 20u);
}

/// A page of a block that is being erased is what a write under way replaces.
bool erases_what_is_replaced(FtlBench& b) {
  return b.ftl().state.pool.find([](const fw::Transaction& t) {
    return t.is_host_page() && t.replaced() == fw::kErasedPpn;
  }) != nullptr;
}

/// A page that an unanswered write replaces may be the only one left when the supply fails: its block is not
/// erased before. Blocks of two pages, all of which are written all the time, are collected as soon as they
/// can. With hold-up energy there is no need to wait.
TEST(RecoveryOfReplacedPages, AreKeptUntilTheNewIsThere) {
  for (const bool hold_up : {false, true}) {
    FtlBenchConfig c = busy_drive();
    c.ftl.geometry.planes_per_die = 1;
    c.ftl.geometry.blocks_per_plane = 24;
    c.ftl.geometry.pages_per_block = 2;
    c.ftl.gc_threshold_blocks = 23;
    c.ftl.hold_up_pages = hold_up ? 1024 : 0;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    Mix mix;
    mix.write_percent = 100;
    mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
    mix.max_sectors = 4;
    mix.lbas = 8;
    fw::Random random(5);
    std::uint32_t too_early = 0;
    for (int i = 0; i < 60000; ++i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      b.step();
      too_early += erases_what_is_replaced(b) ? 1 : 0;
    }
    EXPECT_GT(b.statistics().erases, 1000u);
    EXPECT_EQ(too_early != 0, hold_up);
  }
}

/// With as little space as the reserves of block allocation leave, and every page written.
TEST_P(Recovery, FindsSpaceAgainInAFullDrive) {
  FtlBenchConfig c = GetParam().config;
  if (!c.ftl.slc_mode) c.ftl.over_provisioning = 0.01;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  Mix mix;
  mix.write_percent = 100;
  mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
  fw::Random random(23);
  for (std::uint32_t cut = 0; cut < at_depth(60, 3); ++cut) {
    for (std::uint32_t i = random.below(120); i != 0; --i) {
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
}

/// If a recovered drive took the victim's page for the newer one it would have to move pages for which there is no
/// space any more. Small blocks and no free one to spare make every such page count.
TEST(RecoveryOfCopybacks, NeedsNoMoreSpaceThanCollectionHad) {
  for (const std::string allocation : {"conventional", "pa"}) {
    FtlBenchConfig c = busy_drive();
    c.ftl.geometry.blocks_per_plane = 64;
    c.ftl.geometry.pages_per_block = 4;
    if (allocation == "pa") c.ftl.program_order = ProgramOrder::relaxed;
    c.ftl.block_allocation = allocation.c_str();
    c.ftl.copybacks = 2;
    c.ftl.over_provisioning = 0.01;
    c.ftl.hold_up_pages = 1024;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    ASSERT_NO_FATAL_FAILURE(write_every_page(b));
    Mix mix;
    mix.write_percent = 100;
    mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
    mix.max_sectors = 4;
    fw::Random random(29);
    std::uint64_t copied = 0;
    for (int cut = 0; cut < 150; ++cut) {
      for (std::uint32_t i = random.below(100); i != 0; --i) {
        while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
        random_operation(b, random, mix);
        b.step();
        if (HasFatalFailure()) return;
      }
      copied += b.statistics().gc_copybacks;
      b.cut_power(true, random);
      if (HasFatalFailure()) FAIL() << allocation << ", cut " << cut;
      ASSERT_FALSE(b.statistics().read_only) << allocation << ", cut " << cut;
    }
    b.settle();
    b.check_all(true);
    EXPECT_FALSE(b.statistics().read_only) << allocation;
    EXPECT_GT(copied, 100u) << allocation;
  }
}

/// An answered version that a trim has taken out of the write buffer was promised by the flush after that:
/// what the flash holds is older and may not come back.
TEST(RecoveryOfTrims, WhatATrimTookFromTheBufferIsFlushedToo) {
  FtlBenchConfig c = busy_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 8;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(3);
  b.write(8, 4);
  b.flush();
  b.settle();
  b.write(8, 4);
  b.settle();
  b.trim(8, 4);
  b.settle();
  const auto written = [&] {
    return b.statistics().pages_programmed[static_cast<std::size_t>(fw::ProgramCause::metadata)];
  };
  EXPECT_EQ(written(), 0u) << "it has not been asked for";
  b.flush();
  b.settle();
  EXPECT_EQ(written(), 2u);
  b.cut_power(false, random);
  EXPECT_FALSE(fw::is_page(b.ftl().state.policy.mapping->lookup(2)));
  b.check_all(true);
}

/// All victims hold trimmed pages, so none may be erased before there is metadata, and only their erase would
/// make space for that: trims have to wait before, not blocks afterwards.
TEST_P(Recovery, TrimsOfADriveThatIsShortOfSpaceLast) {
  FtlBenchConfig c = GetParam().config;
  const bool copies = c.ftl.lower_pages == fw::LowerPageProtection::backup; // take blocks, too
  const bool partitions = fw::region_modes(c.ftl).count != 1;
  const bool padding = c.ftl.lower_pages == fw::LowerPageProtection::wordline;
  const bool passes = c.ftl.pass_pages != 1;
  c.ftl.over_provisioning = padding || passes       ? c.ftl.over_provisioning - 0.02
                            : c.ftl.slc_mode        ? 0.8
                            : c.ftl.map_units != 1  ? 0.45
                            : partitions && !copies ? (c.ftl.geometry.cell == CellType::tlc ? 0.58 : 0.425)
                            : copies                ? 0.49
                            : c.ftl.geometry.cell == CellType::tlc ? 0.45
                            : c.ftl.host_streams != 1              ? 0.35
                                                                   : 0.26;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(b.statistics().metadata_kept);
  fw::Random random(41);
  const auto write = [&](std::uint32_t lpn) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.write(std::uint64_t{lpn} * 4, 4);
  };
  const std::uint32_t pages = b.ftl().state.exported_pages;
  ASSERT_NO_FATAL_FAILURE(write_every_page(b));
  for (std::uint32_t i = 0; i < 4 * pages; ++i) write(random.below(pages));
  for (std::uint32_t i = 0; i < pages; ++i) {
    for (std::uint32_t n = 0; n < 12; ++n) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      b.trim(std::uint64_t{random.below(pages)} * 4, 4);
    }
    write(random.below(pages));
    if (HasFatalFailure()) return;
  }
  b.settle();
  EXPECT_EQ(b.statistics().metadata_given_up, 0u);
  b.cut_power(GetParam().hold_up, random);
  b.settle(); // the border that was moved may have to move again
  b.check_all(true);
}

/// A trimmed LPN's newest version may be the one before the one whose program failed.
TEST_P(Recovery, KeepsTrimsWhereProgramsFail) {
  FtlBenchConfig c = GetParam().config;
  const bool padding = c.ftl.lower_pages == fw::LowerPageProtection::wordline;
  if (!c.ftl.slc_mode && !padding && c.ftl.map_units == 1) c.ftl.over_provisioning = 0.5;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(b.statistics().metadata_kept);
  const bool types = c.ftl.program_order == ProgramOrder::relaxed; // more blocks are open: fewer to spare
  const bool lasting = journal_of(b).keeps_blocks();               // what has gone bad stays so
  const bool copies = b.ftl().state.hooks.needs().own_operations;  // in few blocks, which fail as often
  const bool partitions = b.ftl().state.blocks.regions() != 1;     // the same
  const bool passes = c.ftl.pass_pages != 1;                       // wordlines fail as a whole
  const std::uint32_t often = lasting ? (passes ? 6 : 12) : types || partitions ? 30 : 80;
  b.hal().flash().fail_programs(copies ? (lasting ? 1 : 3) : often, 7);
  Mix mix;
  mix.write_percent = 60;
  mix.trim_percent = 25;
  mix.max_sectors = 4;
  mix.lbas = 100;
  fw::Random random(53);
  std::uint64_t failures = 0;
  for (int cut = 0; cut < 100; ++cut) {
    for (std::uint32_t i = random.below(400); i != 0; --i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (HasFatalFailure()) return;
    }
    failures += b.statistics().flash_failures;
    if (copies && b.statistics().read_only) break; // worn out: too few blocks for copies
    ASSERT_EQ(b.statistics().metadata_given_up, 0u) << "before cut " << cut;
    ASSERT_EQ(b.failed_writes(), 0u) << "before cut " << cut;
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  b.settle();
  EXPECT_GT(failures, copies ? 5u : 50u);
}

/// A load that fills some blocks and begins others, then a cut with nothing under way.
void write_and_cut(FtlBench& b, std::uint64_t seed) {
  fw::Random random(seed);
  Mix mix;
  mix.trim_percent = mix.zero_percent = 0;
  run_random(b, mix, seed);
  b.cut_power(false, random);
}

/// Runs of pages that follow each other in a block: one, or where types go on by themselves one of each.
std::uint32_t runs_of(FtlBench& b) {
  const fw::FtlState& s = b.ftl().state;
  const bool by_type = s.config.program_order == ProgramOrder::relaxed || s.blocks.regions() != 1;
  return by_type ? s.blocks.order().types() : 1;
}

Ppa first_page(FtlBench& b, std::uint32_t plane, std::uint32_t block) {
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes_per_die;
  return {plane / planes, plane % planes, block, 0};
}

std::uint32_t written_in_run(FtlBench& b, std::uint32_t plane, std::uint32_t block, std::uint32_t run) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t runs = runs_of(b);
  Ppa at = first_page(b, plane, block);
  std::uint32_t pages = 0;
  for (; pages < blocks.pages_per_block() / runs; ++pages) {
    at.page = runs == 1 ? pages : blocks.order().page(pages, static_cast<PageType>(run));
    if (b.hal().flash().page(at).programs == 0) break;
  }
  return pages;
}

/// Of each block that is not full one page is read in vain: the first blank one, or where types have runs of
/// their own, the first blank one of each run that has been begun.
TEST_P(RecoveryByScan, ReadsEachWrittenPageAndTheFirstBlankOnes) {
  FtlBench b(GetParam().config);
  ASSERT_NO_FATAL_FAILURE(write_and_cut(b, 7));
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t runs = runs_of(b);
  std::uint64_t written = 0;
  std::uint64_t blank = 0;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      for (std::uint32_t run = 0; run < runs; ++run) {
        const std::uint32_t pages = written_in_run(b, plane, block, run);
        written += pages;
        blank += pages < blocks.pages_per_block() / runs ? 1 : 0;
        if (pages == 0) break;
      }
    }
  }
  const fw::RecoveryCounters& c = b.ftl().recovery.counters();
  EXPECT_EQ(c.pages_found, written);
  EXPECT_EQ(c.pages_read, written + blank);
  EXPECT_EQ(c.pages_unreadable, 0u) << "nothing was under way";
  EXPECT_EQ(c.units_closed, 0u);
}

/// What is written next goes where it would have gone without the cut: no block is left half empty.
TEST_P(Recovery, GoesOnInTheBlocksThatWereOpen) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  for (std::uint32_t lpn = 0; lpn < 19; ++lpn) b.write(std::uint64_t{lpn} * 4, 4);
  b.settle();
  const std::uint64_t free = b.statistics().free_blocks;
  fw::Random random(1);
  b.cut_power(false, random);
  EXPECT_EQ(b.statistics().free_blocks, free);
  b.write(0, 4);
  b.settle();
  b.check_all(true);
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes();
  EXPECT_GE(b.statistics().free_blocks + planes, free);
  EXPECT_EQ(b.ftl().recovery.counters().units_closed, 0u);
}

/// Stamps count on over the end of their bits.
TEST_P(Recovery, TellsNewFromOldAcrossTheWrapOfStamps) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint64_t last = 2 * fw::words_of_drive(b.ftl().state).order().reach() - 0x100;
  b.ftl().state.write_sequence = last;
  for (std::uint64_t seed = 1; seed <= at_depth(6, 3); ++seed)
    ASSERT_NO_FATAL_FAILURE(write_and_cut(b, seed));
  EXPECT_LT(b.ftl().state.write_sequence, last);
}

TEST_P(Recovery, FindsNothingInADriveThatWasNeverWritten) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(1);
  b.cut_power(false, random);
  const fw::RecoveryCounters& c = b.ftl().recovery.counters();
  EXPECT_EQ(c.pages_read, b.ftl().state.blocks.good_blocks()) << "nothing is read of those that are marked";
  EXPECT_EQ(c.units_found, 0u);
  b.check_all(true);
}

class Checkpoints : public ::testing::TestWithParam<Drive> {};
class BadBlocks : public Checkpoints {}; // of drives that have spare ones to lose

/// What a full drive at rest holds is read once: of each block the first word and the last one of each run of
/// pages; of each block that is not full all words and the first blank one; of metadata words and pages.
TEST_P(Checkpoints, LeaveNothingToBeReadOfADriveThatWasShutDown) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 7));
  b.shut_down();
  b.settle();
  fw::Random random(1);
  b.cut_power(false, random);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t runs = runs_of(b);
  const std::uint32_t all = blocks.pages_per_block() / runs;
  const bool partitions = blocks.regions() != 1;
  std::uint64_t expected = 0;
  std::uint64_t full = 0;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block) {
      const auto written = [&](std::uint32_t run) { return written_in_run(b, plane, block, run); };
      expected += 1; // first word
      if (written(0) == 0) continue;
      const SimFlash::Page& first = b.hal().flash().page(first_page(b, plane, block));
      const std::uint64_t word = b.ftl().state.units == nullptr ? first.oob : first.words[0];
      const bool metadata = journal_of(b).items.read_word(word).number != 0;
      std::uint32_t words = 0;
      std::uint32_t run = 0;
      for (; run < runs && written(run) == all; ++run) words += all;
      if (run == runs && !metadata) { // full: the last word of each run
        expected += runs;
        ++full;
        continue;
      }
      const bool cold = runs == 2 && written(1) != 0; // else of a hot block, whose slow pages are blank
      if (partitions && !metadata && written(0) == all) {
        expected += 3; // the last word of each run, and the first one of the slow pages
        full += cold ? 0 : 1;
        if (!cold) continue;
      } else if (!metadata) {
        expected += run + 1; // last words, until one is blank
      }
      for (run = 0, words = 0; run < runs; ++run) {
        const std::uint32_t pages = written(run);
        words += pages;
        expected += pages < all ? 1 : 0;
        if (pages == 0) break;
      }
      expected += words - 1 + (metadata ? words / journal_of(b).units.pass() : 0); // the others are padding
    }
  }
  const fw::RecoveryCounters& c = b.ftl().recovery.counters();
  EXPECT_EQ(c.pages_read, expected);
  EXPECT_EQ(c.blocks_known, full);
  EXPECT_GT(full, 0u);
  EXPECT_GT(b.statistics().metadata_kept, 0u);
}

/// The front end's counters, and whether the host had shut the drive down.
TEST_P(Checkpoints, RememberWhatTheDriveHasCounted) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(5);
  Mix mix;
  mix.operations = at_depth(20000, 10);
  std::uint64_t cycles = 1;
  std::uint64_t unsafe = 0;
  for (const bool shut_down : {true, false, false, true, false, true, true}) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, cycles));
    b.record()->sectors_written += 1000;
    if (shut_down) b.shut_down();
    b.settle();
    b.cut_power(false, random);
    journal_of(b).opened();
    b.settle(); // the boot is remembered
    unsafe += shut_down ? 0 : 1;
    EXPECT_EQ(b.record()->power_cycles, ++cycles);
    EXPECT_EQ(b.record()->unsafe_shutdowns, unsafe);
    EXPECT_GE(b.record()->sectors_written, shut_down ? 1000u : 0u);
  }
}

/// No erase is forgotten that a shutdown follows, and few are without one.
TEST_P(Checkpoints, RememberErases) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  fw::Random random(9);
  Mix mix;
  mix.operations = 6000;
  for (int cut = 0; cut < 8; ++cut) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 40 + cut));
    const bool shut_down = cut % 2 == 0;
    if (shut_down) b.shut_down();
    b.settle();
    const std::uint64_t before = b.statistics().erases;
    b.cut_power(false, random);
    const std::uint64_t after = b.statistics().erases;
    EXPECT_LE(after, before + b.statistics().free_blocks); // erased before a checkpoint, begun behind it
    EXPECT_GE(after * 100, before * (shut_down ? 96u : 70u)) << before; // old units of metadata follow it
  }
  EXPECT_GT(b.statistics().erases, 100u);
}

/// A block that has gone bad is not written again in any later life.
TEST_P(BadBlocks, StayBadOverCuts) {
  FtlBenchConfig c = GetParam().config;
  if (!c.ftl.slc_mode) c.ftl.over_provisioning = 0.5;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.hal().flash().fail_programs(c.ftl.map_units == 1 ? 3 : 12, 7);
  b.expect_wear();
  fw::Random random(11);
  Mix mix;
  mix.max_sectors = 4;
  mix.operations = 400;
  std::uint64_t retired = 0;
  for (int cut = 0; cut < 25; ++cut) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 60 + cut));
    b.settle();
    if (b.statistics().metadata_given_up != 0) break; // worn out
    retired = b.statistics().retired_blocks;
    const bool border_stays = std::string(c.ftl.regions) == "combo";
    const std::uint32_t hot = border_stays ? region_blocks(b, fw::kHot) : 0;
    b.cut_power(GetParam().hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    EXPECT_EQ(b.statistics().retired_blocks, retired) << "cut " << cut;
    if (border_stays) {
      EXPECT_NEAR(region_blocks(b, fw::kHot), hot, 1) << "cut " << cut << ": but for one that cold data need";
    }
  }
  EXPECT_GT(retired, 0u);
}

const auto kByScan = ::testing::Values(conventional(), shared_frontier(), queued(), copybacks(), suspends(),
                                       random_victims(), twins_of_random_victims(), tlc(), tlc_in_slc_mode(),
                                       twins(), simulator_twins(), page_types(), page_type_twins(),
                                       one_pass_tlc(), one_pass_queued_qlc(), one_pass_held_up());
const auto kUnits =
    ::testing::Values(units(), units_of_random_victims(), queued_units(), units_of_tlc(),
                      units_of_tlc_in_slc_mode(), one_pass_units(), one_pass_queued_units_of_qlc());
const auto kUnitsByWordlines = ::testing::Values(
    by_unit(wordlines_of_tlc(), "UnitsByWordlines"), by_unit(wordlines_of_mlc(), "UnitsByWordlinesOfMlc"),
    by_unit(wordlines_even_odd(), "UnitsByWordlinesEvenOdd"),
    by_unit(checkpoints_of_wordlines(), "CheckpointsOfUnitsByWordlines"));
const auto kKeptUnits = ::testing::Values(by_unit(checkpoints(), "CheckpointsOfUnits"),
                                          by_unit(checkpoints_of_queued(), "CheckpointsOfQueuedUnits"));
const auto kSpareBlocks = ::testing::Values(
    checkpoints(), checkpoints_all_the_time(), checkpoints_of_queued(), checkpoints_of_tlc(),
    checkpoints_of_tlc_in_slc_mode(), checkpoints_of_twins(), checkpoints_of_one_pass());
const auto kProtected =
    ::testing::Values(protected_tlc(), protected_mlc(), protected_queued_qlc(), protected_even_odd(),
                      protected_twins(), checkpoints_of_protected());
const auto kPartitions = ::testing::Values(combo(), combo_of_shared_frontiers(), combo_logs(), combo_of_tlc(),
                                           broms(), broms_of_tlc(), queued_broms());
const auto kProtectedPartitions =
    ::testing::Values(protected_combo(), protected_combo_logs(), protected_broms());
const auto kPartitionsByWordlines = ::testing::Values(
    wordlines_of_combo(), wordlines_of_combo_logs(), wordlines_of_broms(), wordlines_of_queued_broms(),
    wordlines_of_combo_of_tlc(), checkpoints_of_wordlines_of_broms());
const auto kKeptPartitions =
    ::testing::Values(checkpoints_of_combo(), checkpoints_of_broms(), checkpoints_of_protected_combo_logs());
const auto kByWordlines =
    ::testing::Values(wordlines_of_tlc(), wordlines_of_mlc(), wordlines_of_queued_qlc(), wordlines_even_odd(),
                      wordlines_of_twins(), wordlines_of_copybacks(), wordlines_of_random_victims(),
                      checkpoints_of_wordlines());
const auto kReplaced = ::testing::Values(replaced_twins(), replaced_simulator_twins(),
                                         replaced_twins_of_four(), replaced_protected_twins(),
                                         replaced_wordlines_of_twins(), checkpoints_of_replaced_twins());
const auto kPageTypes = ::testing::Values(checkpoints_of_page_types());
const auto kCopied = ::testing::Values(copybacks_of_twins(), copybacks_of_simulator_twins(),
                                       copybacks_of_combo_logs(), copybacks_of_broms());
const auto kProtectedCopies =
    ::testing::Values(protected_copybacks(), protected_copybacks_of_twins(), protected_copybacks_of_combo(),
                      copybacks_of_replaced_twins());
const auto kKeptCopies = ::testing::Values(checkpoints_of_copybacks(), checkpoints_of_twin_copybacks(),
                                           checkpoints_of_broms_copybacks());

const auto kHotData = ::testing::Values(hot_data(), hot_data_of_shared_frontiers(), hot_data_by_wordlines(),
                                        checkpoints_of_hot_data(), hot_units_in_superblocks());

INSTANTIATE_TEST_SUITE_P(Drives, Recovery, kByScan, name_of);
INSTANTIATE_TEST_SUITE_P(HotData, Recovery, kHotData, name_of);
INSTANTIATE_TEST_SUITE_P(LowerPages, Recovery, kProtected, name_of);
INSTANTIATE_TEST_SUITE_P(Units, Recovery, kUnits, name_of);
INSTANTIATE_TEST_SUITE_P(Units, RecoveryByScan, kUnits, name_of);
INSTANTIATE_TEST_SUITE_P(UnitsByWordlines, Recovery, kUnitsByWordlines, name_of);
INSTANTIATE_TEST_SUITE_P(CheckpointsOfUnits, Recovery, kKeptUnits, name_of);
INSTANTIATE_TEST_SUITE_P(CheckpointsOfPassesOfUnits, Recovery,
                         ::testing::Values(by_unit(checkpoints_of_one_pass(), "CheckpointsOfOnePassUnits")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Units, Checkpoints, kKeptUnits, name_of);
INSTANTIATE_TEST_SUITE_P(Partitions, Recovery, kPartitions, name_of);
INSTANTIATE_TEST_SUITE_P(ProtectedPartitions, Recovery, kProtectedPartitions, name_of);
INSTANTIATE_TEST_SUITE_P(Wordlines, Recovery, kByWordlines, name_of);
INSTANTIATE_TEST_SUITE_P(WordlinesOfPartitions, Recovery, kPartitionsByWordlines, name_of);
INSTANTIATE_TEST_SUITE_P(ReplacedBlocks, Recovery, kReplaced, name_of);
INSTANTIATE_TEST_SUITE_P(Copybacks, Recovery, kCopied, name_of);
INSTANTIATE_TEST_SUITE_P(ProtectedCopybacks, Recovery, kProtectedCopies, name_of);
INSTANTIATE_TEST_SUITE_P(CheckpointsOfCopybacks, Recovery, kKeptCopies, name_of);
INSTANTIATE_TEST_SUITE_P(Copybacks, Checkpoints, kKeptCopies, name_of);
INSTANTIATE_TEST_SUITE_P(Drives, RecoveryByScan, kByScan, name_of);
INSTANTIATE_TEST_SUITE_P(Partitions, RecoveryByScan, kPartitions, name_of);
INSTANTIATE_TEST_SUITE_P(Checkpoints, Recovery, kSpareBlocks, name_of);
INSTANTIATE_TEST_SUITE_P(CheckpointsByType, Recovery, kPageTypes, name_of);
INSTANTIATE_TEST_SUITE_P(CheckpointsOfPartitions, Recovery, kKeptPartitions, name_of);
INSTANTIATE_TEST_SUITE_P(Drives, Checkpoints, kSpareBlocks, name_of);
INSTANTIATE_TEST_SUITE_P(Partitions, Checkpoints,
                         ::testing::Values(checkpoints_of_combo(), checkpoints_of_broms()), name_of);
INSTANTIATE_TEST_SUITE_P(ByType, Checkpoints, kPageTypes, name_of);
INSTANTIATE_TEST_SUITE_P(Drives, BadBlocks, kSpareBlocks, name_of);
INSTANTIATE_TEST_SUITE_P(ReplacedBlocks, BadBlocks, ::testing::Values(checkpoints_of_replaced_twins()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Partitions, BadBlocks,
                         ::testing::Values(checkpoints_of_combo(), checkpoints_of_broms()), name_of);

} // namespace
} // namespace twinplane::test::ftl_recovery_test
