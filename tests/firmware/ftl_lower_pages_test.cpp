// Is every lower page copied before its write is answered, and no page more? Or its wordline completed?
#include "tests/support/ftl_regions.h"

namespace twinplane::test::ftl_lower_pages_test {
namespace {

std::uint64_t programmed(FtlBench& b, fw::ProgramCause cause) {
  return b.statistics().pages_programmed[static_cast<std::size_t>(cause)];
}

/// Of the first pages of a block, those that are not the last ones of their wordlines.
std::uint32_t lower_pages(const PageOrderTable& order, std::uint32_t pages) {
  std::uint32_t sum = 0;
  for (std::uint32_t p = 0; p < pages; ++p) sum += order.type(p) + 1u != order.types() ? 1 : 0;
  return sum;
}

/// One write at a time: no wordline is complete when its lower pages have been programmed.
TEST(LowerPages, AreCopiedOncePerPage) {
  FtlBench b(tlc_with_copies());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  for (std::uint64_t lpn = 0; lpn < 900; ++lpn) {
    b.write(lpn * 4, 4);
    b.settle();
  }
  std::uint64_t expected = 0;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block)
      expected += lower_pages(blocks.order(), blocks.block(plane, block).written);
  }
  EXPECT_EQ(programmed(b, fw::ProgramCause::host), 900u);
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), expected);
  EXPECT_EQ(b.statistics().backups_copied_on, 0u)
      << "wordlines are complete long before their copies are erased";
  b.check_all(true);
}

/// docs/power_loss.md: 3 + 2 M / U, where M of two frontiers are 5 pages each, and U 8.
TEST(LowerPages, TakeSoManyBlocks) {
  FtlBench b(tlc_with_copies());
  ASSERT_EQ(b.error(), nullptr) << b.error();
  EXPECT_EQ(b.ftl().state.hooks.needs().blocks, 6u * b.ftl().state.blocks.geometry().planes());
  FtlBenchConfig shared = tlc_with_copies();
  shared.ftl.frontier = fw::Frontier::shared;
  FtlBench one(shared);
  EXPECT_EQ(one.ftl().state.hooks.needs().blocks, 5u * one.ftl().state.blocks.geometry().planes());
}

/// What a write that is not answered has programmed is found by the next life, which must not ruin it.
TEST(LowerPages, OfUntimedWritesAreCovered) {
  FtlBenchConfig c = tlc_with_copies();
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes();
  for (std::uint32_t lpn = 0; lpn < 2 * planes; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 0u);
  b.ftl().protect_untimed();
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 2u * planes) << "L0 and L1 of each plane's first block";
  b.ftl().protect_untimed();
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 2u * planes) << "they have copies";
}

TEST(LowerPages, NeedNoCopiesWhereNothingEndangersThem) {
  FtlBenchConfig held_up = tlc_with_copies();
  held_up.ftl.hold_up_pages = 1024;
  FtlBenchConfig slc_mode = tlc_with_copies();
  slc_mode.ftl.slc_mode = true;
  slc_mode.ftl.over_provisioning = 0.8;
  FtlBenchConfig unprotected = tlc_with_copies();
  unprotected.ftl.lower_pages = fw::LowerPageProtection::none;
  FtlBenchConfig one_bit = small_drive();
  one_bit.ftl.lower_pages = fw::LowerPageProtection::backup;
  for (const FtlBenchConfig& c : {held_up, slc_mode, unprotected, one_bit}) {
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    EXPECT_FALSE(b.ftl().state.hooks.needs().own_operations);
    EXPECT_EQ(b.ftl().state.hooks.needs().blocks, 0u);
  }
}

TEST(LowerPages, AreRefusedWhereTheyCannotBeCopied) {
  FtlBenchConfig page_types = tlc_with_copies();
  page_types.ftl.program_order = ProgramOrder::relaxed;
  page_types.ftl.block_allocation = "pa";
  FtlBenchConfig small = tlc_with_copies();
  small.ftl.geometry.blocks_per_plane = 5;
  for (const FtlBenchConfig& c : {page_types, small}) {
    FtlBench b(c);
    ASSERT_NE(b.error(), nullptr);
    EXPECT_EQ(std::string(b.error()).rfind("ftl.lower_pages: ", 0), 0u) << b.error();
  }
}

FtlBenchConfig by_wordlines(CellType cell, std::uint32_t pages, PageTable table = PageTable::diagonal) {
  FtlBenchConfig c = tlc_with_copies();
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.pages_per_block = pages;
  c.ftl.page_table = table;
  c.ftl.lower_pages = fw::LowerPageProtection::wordline;
  return c;
}

TEST(Wordlines, OfHotBlocksAreNotCompleted) {
  FtlBenchConfig c = two_region_drive("combo");
  c.ftl.lower_pages = fw::LowerPageProtection::wordline;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.write(0, 4); // a page, which is hot
  b.settle();
  EXPECT_EQ(programmed(b, fw::ProgramCause::padding), 0u);
  b.write(400, 8); // two, which are cold
  b.settle();
  EXPECT_GT(programmed(b, fw::ProgramCause::padding), 0u);
}

/// The drive with marked blocks that exports as much as it can.
std::unique_ptr<FtlBench> largest_drive(FtlBenchConfig c) {
  for (std::uint32_t percent = 0; percent != 100; ++percent) {
    c.ftl.over_provisioning = 0.01 * percent;
    auto b = std::make_unique<FtlBench>(c);
    if (b->error() == nullptr) return b;
  }
  return nullptr;
}

std::uint32_t good_blocks(const fw::BlockTable& blocks, std::uint32_t plane) {
  std::uint32_t good = 0;
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b)
    good += blocks.block(plane, b).state != fw::BlockState::bad ? 1 : 0;
  return good;
}

/// Of three good blocks, all invalid pages may lie in the one that is open.
TEST(Wordlines, NeedNoMoreThanTheReserveForTheirPadding) {
  std::uint32_t smallest = 0;
  for (const fw::Frontier frontier : {fw::Frontier::shared, fw::Frontier::separate}) {
    for (std::uint64_t seed = 1; seed != 25; ++seed) {
      SCOPED_TRACE(seed);
      FtlBenchConfig c = by_wordlines(CellType::mlc, 108, PageTable::even_odd);
      c.ftl.geometry.blocks_per_plane = 7;
      c.ftl.gc_threshold_blocks = 3;
      c.ftl.frontier = frontier;
      c.ftl.plane_allocation = "PCDW"; // a write has one plane to go to
      c.ftl.marked_blocks = true;
      c.marked_percent = 30;
      c.seed = seed;
      const std::unique_ptr<FtlBench> b = largest_drive(c);
      if (b == nullptr) continue; // too few good blocks
      for (std::uint32_t plane = 0; plane != 8; ++plane)
        smallest += good_blocks(b->ftl().state.blocks, plane) == 3 ? 1 : 0;
      Mix mix = long_writes();
      mix.operations = 2000;
      mix.max_sectors = 20;
      ASSERT_NO_FATAL_FAILURE(run_random(*b, mix, seed));
      EXPECT_FALSE(b->statistics().read_only);
    }
  }
  EXPECT_GT(smallest, 2u);
}

/// Pages behind this one up to the last one of its wordline.
std::uint32_t missing_behind(const PageOrderTable& order, std::uint32_t page) {
  return order.page(order.wordline(page), static_cast<PageType>(order.types() - 1)) - page;
}

/// One write at a time: each completes its own wordline, whatever else lies between.
TEST(Wordlines, AreCompletedBeforeAWriteIsAnswered) {
  struct Case {
    CellType cell;
    std::uint32_t pages;
    PageTable table;
    std::uint32_t inside; // of a block: padding behind each write
  };
  for (const Case& k :
       {Case{CellType::mlc, 16, PageTable::diagonal, 3}, Case{CellType::mlc, 16, PageTable::even_odd, 6},
        Case{CellType::tlc, 24, PageTable::diagonal, 8}, Case{CellType::qlc, 32, PageTable::diagonal, 15}}) {
    FtlBench b(by_wordlines(k.cell, k.pages, k.table));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    std::uint64_t expected = 0;
    std::uint32_t most = 0;
    for (std::uint32_t lpn = 0; lpn < 100; ++lpn) {
      b.write(std::uint64_t{lpn} * 4, 4);
      b.settle();
      const std::uint32_t missing = missing_behind(blocks.order(), b.place(lpn).page);
      expected += missing;
      if (missing > most) most = missing;
      ASSERT_EQ(programmed(b, fw::ProgramCause::padding), expected) << "write " << lpn;
    }
    EXPECT_EQ(most, k.inside);
    EXPECT_EQ(fw::padding_pages(b.ftl().state.config, blocks.order()), k.inside);
    EXPECT_EQ(programmed(b, fw::ProgramCause::host), 100u);
    EXPECT_EQ(b.statistics().gc_invocations, 0u);
    b.check_all(true);
  }
}

/// While writes come they complete each other's wordlines: padding is for the end alone.
TEST(Wordlines, AreCompletedByTheWritesBehind) {
  FtlBenchConfig c = by_wordlines(CellType::tlc, 24);
  c.slot_sectors = 256;
  c.ftl.max_requests = 64;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes();
  for (std::uint32_t i = 0; i < 30; ++i) b.write(std::uint64_t{i} * 128, 128); // 960 pages at once
  b.settle();
  EXPECT_EQ(programmed(b, fw::ProgramCause::host), 960u);
  EXPECT_LE(programmed(b, fw::ProgramCause::padding), planes * 8u);
  EXPECT_EQ(programmed(b, fw::ProgramCause::backup), 0u);
  EXPECT_EQ(b.ftl().state.hooks.needs().blocks, 0u);
}

/// What a write buffer has answered waits for nothing, until there is a flush.
TEST(Wordlines, OfABufferAreCompletedWhenSomebodyWaits) {
  FtlBenchConfig c = by_wordlines(CellType::tlc, 24);
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 64;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const auto step_out = [&] {
    while (b.step()) {
    }
  };
  for (std::uint32_t lpn = 0; lpn < 64; ++lpn) {
    b.write(std::uint64_t{lpn} * 4, 4);
    step_out();
  }
  EXPECT_EQ(b.commands_done(), 64u);
  EXPECT_GT(programmed(b, fw::ProgramCause::host), 0u);
  EXPECT_EQ(programmed(b, fw::ProgramCause::padding), 0u);
  b.flush();
  step_out();
  EXPECT_EQ(b.commands_done(), 65u);
  EXPECT_EQ(programmed(b, fw::ProgramCause::host), 64u);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  for (std::uint32_t lpn = 0; lpn < 64; ++lpn) {
    const Ppa a = b.place(lpn);
    const std::uint32_t plane = a.die * blocks.geometry().planes_per_die + a.plane;
    EXPECT_GT(blocks.block(plane, a.block).written, a.page + missing_behind(blocks.order(), a.page));
  }
  b.check_all(true);
}

/// They go around the buffer, and the request waits for their page.
TEST(Wordlines, OfSectorsThatTheHostMakesUnreadableAreCompleted) {
  for (const bool by_unit : {false, true}) {
    FtlBenchConfig c = by_wordlines(CellType::tlc, 24);
    c.ftl.write_ack = fw::WriteAck::buffered;
    c.ftl.write_buffer_pages = 64;
    if (by_unit) c.ftl = mapped_by_unit(c.ftl);
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.spoil(0, 1);
    while (b.step()) {
    }
    EXPECT_EQ(b.commands_done(), 1u);
  }
}

/// Random loads end, with everything checked; and no block is erased that has pages whose copies are still in
/// danger.
void run_checking_victims(FtlBench& b, std::uint64_t seed) {
  Mix mix;
  fw::Random random(seed);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  std::uint64_t waited = 0;
  for (std::uint32_t i = 0; i < 12000; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    random_operation(b, random, mix);
    if (random.below(2) == 0) b.step();
    if (random.below(300) == 0) b.settle();
    b.ftl().state.pool.for_each([&](const fw::Transaction& t) {
      if (!t.is_move() || !t.programmed) return;
      ++waited;
      const fw::BlockState state = blocks.block(blocks.plane_of(t.home), blocks.block_of(t.home)).state;
      EXPECT_EQ(state, fw::BlockState::victim);
    });
    if (i % 500 == 0) b.check_all(false);
    if (::testing::Test::HasFailure()) return;
  }
  b.settle();
  b.check_all(true);
  EXPECT_GT(waited, 0u);
  EXPECT_FALSE(b.statistics().read_only);
}

TEST(Wordlines, KeepVictimsUntilTheirPagesAreSafe) {
  for (const bool buffered : {false, true}) {
    for (const bool twin : {false, true}) {
      FtlBenchConfig c = by_wordlines(CellType::tlc, 24);
      c.shuffle = true;
      c.ftl.over_provisioning = 0.01; // as much as the reserves leave
      c.ftl.geometry.blocks_per_plane = 24;
      if (buffered) {
        c.ftl.write_ack = fw::WriteAck::buffered;
        c.ftl.write_buffer_pages = 96;
      }
      if (twin) c.ftl.block_allocation = "twin";
      FtlBench b(c);
      ASSERT_EQ(b.error(), nullptr) << b.error();
      ASSERT_NO_FATAL_FAILURE(run_checking_victims(b, 31)) << buffered << twin;
      if (HasFailure()) FAIL() << buffered << twin;
    }
  }
}

/// Untimed writes end like timed ones.
TEST(Wordlines, OfUntimedWritesAreCompleted) {
  FtlBench b(by_wordlines(CellType::tlc, 24));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t planes = b.ftl().state.blocks.geometry().planes();
  for (std::uint32_t lpn = 0; lpn < 2 * planes; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  EXPECT_EQ(programmed(b, fw::ProgramCause::padding), 0u);
  b.ftl().protect_untimed();
  const std::uint64_t expected = 7u * planes; // L0 L1, then C0 L2 C1 M0 L3 C2 M1
  EXPECT_EQ(programmed(b, fw::ProgramCause::padding), expected);
  b.ftl().protect_untimed();
  EXPECT_EQ(programmed(b, fw::ProgramCause::padding), expected) << "they are complete";
}

TEST(Wordlines, AreRefusedWhereTheyStayIncomplete) {
  FtlBenchConfig page_types = by_wordlines(CellType::tlc, 24);
  page_types.ftl.program_order = ProgramOrder::relaxed;
  page_types.ftl.block_allocation = "pa";
  FtlBench b(page_types);
  ASSERT_NE(b.error(), nullptr);
  EXPECT_EQ(std::string(b.error()).rfind("ftl.lower_pages: ", 0), 0u) << b.error();
}

TEST(Wordlines, SurviveProgramsThatFail) {
  run_while_programs_fail(by_wordlines(CellType::mlc, 16));
  FtlBenchConfig twins = by_wordlines(CellType::tlc, 24);
  twins.ftl.block_allocation = "twin";
  run_while_programs_fail(twins);
}

/// One write at a time: nothing else completes wordlines, so that copies need not be copied on.
TEST(LowerPageCopies, WhoseProgramsFailKeepNoWriteForEver) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FtlBenchConfig c = tlc_with_copies();
    c.ftl.geometry.pages_per_block = 96; // many lower pages are in danger at a time
    FtlBench b(c);
    const std::size_t slots = b.free_slots();
    b.hal().flash().fail_programs(20, seed);
    b.hal().flash().fail_erases(50, seed);
    fw::Random random(seed);
    for (int i = 0; i < 20000 && !b.statistics().read_only; ++i) {
      b.write(random.below(static_cast<std::uint32_t>(b.sectors() / 4)) * 4, 4);
      b.settle();
      ASSERT_EQ(b.free_slots(), slots) << "write " << i << ", seed " << seed;
    }
    EXPECT_TRUE(b.statistics().read_only);
  }
}

} // namespace
} // namespace twinplane::test::ftl_lower_pages_test
