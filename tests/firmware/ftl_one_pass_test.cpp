// Does a drive without a cache that programs its wordlines in one pass keep every promise, and fill the wordlines?
// All data are held against the shadow, the flash judges each pass, and passes fail as a whole.
#include <functional>
#include <string>

#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_one_pass_test {
namespace {

class OnePass : public ::testing::TestWithParam<CellType> {
 protected:
  OnePass() : c(small_drive()) {
    c.ftl.geometry.cell = GetParam();
    c.ftl.geometry.pages_per_block = 24;
    c.ftl.page_table = PageTable::wordline;
    c.ftl.pass_pages = static_cast<std::uint32_t>(GetParam());
    c.shuffle = true;
  }
  /// Writes pages to a drive of one die, whose planes are programmed together.
  void write_to_one_die(std::uint32_t pages, const std::function<void(FtlBench&)>& judge) {
    c.ftl.geometry.channels = 1;
    c.ftl.geometry.dies_per_chip = 1;
    c.ftl.program_unit = fw::ProgramUnit::die;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    for (std::uint32_t lpn = 0; lpn < pages; ++lpn) b.write(std::uint64_t{lpn} * 4, 4);
    b.settle();
    judge(b);
    b.check_all(true);
  }
  /// Of all page types as many pages have been programmed: whole wordlines.
  void expect_whole_wordlines(FtlBench& b) const {
    const fw::FtlStatistics& s = b.statistics();
    for (std::uint32_t t = 0; t < c.ftl.pass_pages; ++t)
      EXPECT_EQ(s.programs_by_type[t], s.wordline_passes) << "page type " << t;
    EXPECT_GT(s.wordline_passes, 0u);
  }
  void run(const FtlBenchConfig& changed, const Mix& mix, std::uint64_t seed) {
    ASSERT_EQ(fw::check_config(changed.ftl), nullptr);
    FtlBench b(changed);
    run_random(b, mix, seed);
    if (HasFatalFailure()) return;
    EXPECT_FALSE(b.statistics().read_only);
    EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
    expect_whole_wordlines(b);
  }

  FtlBenchConfig c;
};

TEST_P(OnePass, KeepsTheShadowThroughManyOperations) {
  Mix mix;
  mix.operations = 200'000;
  mix.check_every = 20'000;
  mix.max_sectors = 8;
  run(c, mix, 3);
}

// Each collection gains little, and many moves wait for others of their pass while the host overwrites their pages.
TEST_P(OnePass, KeepsTheShadowInBlocksOfFewWordlines) {
  c.ftl.geometry.pages_per_block = 2 * c.ftl.pass_pages;
  c.ftl.geometry.blocks_per_plane = 15;
  c.ftl.plane_allocation = "F";
  c.ftl.over_provisioning = 0;
  Mix mix;
  mix.operations = 40'000;
  mix.max_sectors = 8;
  mix.write_percent = 80;
  run(c, mix, 71);
}

const Setting kSettings[] = {
    settings::dies_first,
    settings::static_planes_plane_first,
    settings::static_channels,
    settings::shared_frontier,
    {"shared frontier, late collection",
     [](FtlBenchConfig& c) {
       c.ftl.frontier = fw::Frontier::shared;
       c.ftl.gc_threshold_blocks = 2;
     }},
    settings::moves_of_several_planes,
    {"programs of all planes", [](FtlBenchConfig& c) { c.ftl.program_unit = fw::ProgramUnit::die; }},
    {"programs and moves of all planes, deep queues",
     [](FtlBenchConfig& c) {
       c.ftl.program_unit = fw::ProgramUnit::die;
       c.ftl.gc_moves = fw::GcMoves::multi;
       c.ftl.die_queue_depth = 8;
     }},
    {"programs of all planes with equal blocks",
     [](FtlBenchConfig& c) {
       c.ftl.program_unit = fw::ProgramUnit::die;
       c.ftl.gc_moves = fw::GcMoves::multi;
       c.ftl.bac = true;
     }},
    settings::programs_of_the_next_plane,
    settings::write_buffer,
    {"write buffer of a page",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 1;
     }},
    settings::no_patience,
    settings::deep_queues,
    settings::suspension,
    settings::independent_reads,
    settings::first_in_first_out,
    settings::any_victim,
    settings::oldest_victims,
    settings::wear_levelling,
    settings::checkpoints,
    {"page hints", [](FtlBenchConfig& c) { c.ftl.classifier = "size"; }},
    {"slow relocation", [](FtlBenchConfig& c) { c.ftl.relocation = "slow"; }},
    settings::newest_first,
    settings::programs_last,
    settings::late_data,
    {"an interrupt-driven core", [](FtlBenchConfig& c) { c.sleepy = true; }},
    settings::whole_sectors,
    settings::hold_up_energy,
    settings::no_spare_capacity,
    {"hardly any space, shared frontier",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0;
       c.ftl.frontier = fw::Frontier::shared;
       c.ftl.gc_threshold_blocks = 2;
     }},
    {"hardly any space, static planes",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0;
       c.ftl.plane_allocation = "CWDP";
     }},
};

TEST_P(OnePass, KeepsTheShadowInEverySetting) {
  std::uint64_t seed = 230;
  OneIn half(2);
  for (const Setting& setting : kSettings) {
    ++seed;
    if (!half.runs()) continue;
    SCOPED_TRACE(setting.name);
    FtlBenchConfig changed = c;
    changed.seed = seed;
    setting.change(changed);
    changed.shuffle = !changed.newest_first;
    Mix mix;
    mix.operations = 8000;
    mix.max_sectors = 24;
    run(changed, mix, seed);
    if (HasFatalFailure()) return;
  }
}

TEST_P(OnePass, ReportsWhatCannotBeReadAndNeverWrongData) {
  run_while_reads_fail(c, {51, 52});
}

// A pass that fails has lost all its pages: each of them is written again, or reported.
TEST_P(OnePass, KeepsTheShadowWhilePassesFail) {
  run_while_programs_fail(c);
}

TEST_P(OnePass, KeepsTheShadowWhilePassesFailInDeepQueues) {
  c.ftl.die_queue_depth = 4;
  run_while_programs_fail(c);
}

// A write that nothing can come behind is not kept waiting: its wordline holds nothing else.
TEST_P(OnePass, PadsTheWordlineOfALonelyWrite) {
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.write(0, 4);
  b.settle();
  EXPECT_EQ(b.statistics().wordline_passes, 1u);
  EXPECT_EQ(b.statistics().padded_pages, c.ftl.pass_pages - 1);
  EXPECT_EQ(b.commands_done(), 1u);
  b.check_all(true);
}

// Writes that come together fill their wordlines.
TEST_P(OnePass, PadsNothingWhereEnoughWritesCome) {
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t pass = c.ftl.pass_pages;
  for (std::uint32_t lpn = 0; lpn < 4 * pass; ++lpn) b.write(std::uint64_t{lpn} * 4, 4);
  b.settle();
  EXPECT_EQ(b.statistics().padded_pages, 0u);
  EXPECT_EQ(b.statistics().wordline_passes, 4u);
  b.check_all(true);
}

// As many as the wordlines of all planes have pages go as one command.
TEST_P(OnePass, ProgramsTheWordlinesOfAllPlanesTogether) {
  const std::uint32_t planes = c.ftl.geometry.planes_per_die;
  const std::uint32_t pages = 2 * planes * c.ftl.pass_pages;
  write_to_one_die(pages, [&](FtlBench& b) {
    EXPECT_EQ(b.statistics().wordline_passes, 2 * planes);
    EXPECT_EQ(b.statistics().program_multi_commands, 2u);
    EXPECT_EQ(b.statistics().program_multi_pages, pages);
    EXPECT_EQ(b.statistics().padded_pages, 0u);
  });
}

// Fewer of them leave no plane a wordline that is padded beside one that is not.
TEST_P(OnePass, PadsOneWordlineOfTheRest) {
  write_to_one_die(c.ftl.pass_pages + 1, [&](FtlBench& b) {
    EXPECT_EQ(b.statistics().wordline_passes, 2u);
    EXPECT_EQ(b.statistics().program_multi_commands, 0u);
    EXPECT_EQ(b.statistics().padded_pages, c.ftl.pass_pages - 1);
  });
}

/// Parts whose wordlines have fewer pages than a plane has moves under way: moves of others hardly ever wait for the die
/// at the same moment.
class MovesOfOnePass : public OnePass {};

TEST_P(MovesOfOnePass, ProgramTheWordlinesOfSeveralPlanesTogether) {
  c.ftl.gc_moves = fw::GcMoves::multi;
  c.ftl.over_provisioning = 0.05;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 100'000;
  mix.max_sectors = 8;
  mix.write_percent = 80;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 19));
  EXPECT_GT(b.statistics().gc_program_multi_pages, 0u);
  EXPECT_LE(b.statistics().gc_program_multi_pages, b.statistics().gc_program_pages);
}

// Untimed writes leave wordlines that later passes go on in.
TEST_P(OnePass, GoesOnInWordlinesThatUntimedWritesHaveBegun) {
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t pages = b.ftl().state.exported_pages;
  for (std::uint32_t lpn = 0; lpn < pages; lpn += 1 + lpn % 2) ASSERT_EQ(b.precondition(lpn), nullptr);
  Mix mix;
  mix.operations = 8000;
  run_random(b, mix, 9);
  b.settle();
  b.check_all(true);
}

INSTANTIATE_TEST_SUITE_P(
    Each, OnePass, ::testing::Values(CellType::mlc, CellType::tlc, CellType::qlc), [](const auto& cell) {
      return std::string(cell.param == CellType::mlc ? "mlc" : cell.param == CellType::tlc ? "tlc" : "qlc");
    });

INSTANTIATE_TEST_SUITE_P(Each, MovesOfOnePass, ::testing::Values(CellType::mlc, CellType::tlc),
                         [](const auto& cell) {
                           return std::string(cell.param == CellType::mlc ? "mlc" : "tlc");
                         });

} // namespace
} // namespace twinplane::test::ftl_one_pass_test
