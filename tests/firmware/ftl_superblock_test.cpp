// Does a drive that opens, collects and erases the blocks of all planes of a die together keep every promise, and its
// planes level, whatever its map's unit and its program unit are?
#include <string>

#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_superblock_test {
namespace {

/// 2 channels x 2 dies x 2 planes x 16 blocks x 16 pages of 4 sectors.
FtlBenchConfig superblock_drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.erase_unit = fw::EraseUnit::die;
  c.ftl.gc_moves = fw::GcMoves::multi;
  c.shuffle = true;
  return c;
}

const Setting kDrives[] = {
    {"Pages", [](FtlBenchConfig&) {}},
    {"PagesMovedAlone", [](FtlBenchConfig& c) { c.ftl.gc_moves = fw::GcMoves::single; }},
    {"ThreePlanes", [](FtlBenchConfig& c) { c.ftl.geometry.planes_per_die = 3; }},
    {"OnePlane", [](FtlBenchConfig& c) { c.ftl.geometry.planes_per_die = 1; }},
    {"CopiedBack",
     [](FtlBenchConfig& c) {
       c.ftl.gc_moves = fw::GcMoves::single;
       c.ftl.copybacks = 2;
     }},
    {"CopiesOfLowerPages",
     [](FtlBenchConfig& c) {
       c.ftl = tlc_with_copies().ftl;
       c.ftl.erase_unit = fw::EraseUnit::die;
     }},
    {"WordlinesCompleted",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::mlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.lower_pages = fw::LowerPageProtection::wordline;
       c.ftl.over_provisioning = 0.5;
     }},
    {"Units", [](FtlBenchConfig& c) { c.ftl = mapped_by_unit(c.ftl); }},
    {"UnitsProgrammedTogether",
     [](FtlBenchConfig& c) {
       c.ftl = mapped_by_unit(c.ftl);
       c.ftl.program_unit = fw::ProgramUnit::die;
     }},
    {"UnitsOnCompletedWordlines",
     [](FtlBenchConfig& c) {
       c.ftl = mapped_by_unit(c.ftl);
       c.ftl.geometry.cell = CellType::mlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.lower_pages = fw::LowerPageProtection::wordline;
       c.ftl.over_provisioning = 0.5;
     }},
    {"OnePassTlc", [](FtlBenchConfig& c) { in_one_pass(c, CellType::tlc); }},
    {"OnePassTlcByPlane",
     [](FtlBenchConfig& c) {
       in_one_pass(c, CellType::tlc);
       c.ftl.program_unit = fw::ProgramUnit::plane;
       c.ftl.gc_moves = fw::GcMoves::single;
     }},
    {"OnePassQlcUnits",
     [](FtlBenchConfig& c) {
       in_one_pass(c, CellType::qlc);
       c.ftl = mapped_by_unit(c.ftl);
     }},
    {"OnePassTlcUnitsOfFourPlanes",
     [](FtlBenchConfig& c) {
       in_one_pass(c, CellType::tlc);
       c.ftl.geometry.planes_per_die = 4;
       c.ftl.geometry.channels = 1;
       c.ftl = mapped_by_unit(c.ftl);
     }},
};

const Setting kSettings[] = {
    settings::nothing_else,
    settings::dies_first,
    settings::static_dies,
    settings::shared_frontier,
    settings::unequal_blocks_pair,
    settings::write_buffer,
    settings::no_patience,
    settings::deep_queues_programs_last,
    settings::no_pairs,
    settings::programs_of_the_next_plane,
    settings::suspension,
    settings::independent_reads,
    settings::first_in_first_out,
    settings::any_victim,
    settings::victims_by_cost_and_benefit,
    settings::wear_levelling,
    {"all dies of a chip", [](FtlBenchConfig& c) { c.ftl.erase_unit = fw::EraseUnit::chip; }},
    {"all dies of a channel", [](FtlBenchConfig& c) { c.ftl.erase_unit = fw::EraseUnit::channel; }},
    {"all dies", [](FtlBenchConfig& c) { c.ftl.erase_unit = fw::EraseUnit::drive; }},
    {"all dies, wear levelling",
     [](FtlBenchConfig& c) {
       c.ftl.erase_unit = fw::EraseUnit::drive;
       c.ftl.wear_gap = 2;
     }},
    {"all dies, shared frontier",
     [](FtlBenchConfig& c) {
       c.ftl.erase_unit = fw::EraseUnit::drive;
       c.ftl.frontier = fw::Frontier::shared;
     }},
    {"all dies, checkpoints",
     [](FtlBenchConfig& c) {
       c.ftl.erase_unit = fw::EraseUnit::drive;
       c.ftl.checkpoint_interval = 200;
     }},
    {"all dies, hardly any space",
     [](FtlBenchConfig& c) {
       c.ftl.erase_unit = fw::EraseUnit::drive;
       c.ftl.over_provisioning = 0;
     }},
    settings::checkpoints,
    settings::newest_first,
    settings::late_data,
    settings::whole_sectors,
    settings::hold_up_energy,
    {"rounds of the authors' simulator", [](FtlBenchConfig& c) { c.ftl.tbm_gc = fw::TbmGc::simulator; }},
    settings::no_spare_capacity,
    settings::no_spare_capacity_shared_frontier,
};

class Superblocks : public ::testing::TestWithParam<Setting> {
 protected:
  Superblocks() : c(superblock_drive()) { GetParam().change(c); }

  FtlBenchConfig c;
};

TEST_P(Superblocks, KeepTheShadowThroughManyOperations) {
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 60'000;
  mix.check_every = 5000;
  mix.max_sectors = 8;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 3));
  EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
  EXPECT_FALSE(b.statistics().read_only);
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  EXPECT_EQ(b.statistics().gc_blocks_erased % c.ftl.geometry.planes_per_die, 0u);
}

TEST_P(Superblocks, KeepTheShadowInEverySetting) {
  run_in_every_setting(c, kSettings, 700);
}

TEST_P(Superblocks, ReportWhatCannotBeReadAndNeverWrongData) {
  run_while_reads_fail(c, {51, 52});
}

TEST_P(Superblocks, KeepTheShadowWhileProgramsFail) {
  run_while_programs_fail(c);
}

// Untimed writes leave wordlines that later passes go on in.
TEST_P(Superblocks, GoOnWhereUntimedWritesHaveStopped) {
  run_behind_untimed_writes(c);
}

INSTANTIATE_TEST_SUITE_P(Drives, Superblocks, ::testing::ValuesIn(kDrives), parameter_name);

// Planes that are filled by themselves drift apart, so that moves of two of them seldom fit together.
TEST(SuperblocksInTheSteadyState, MoveToAllPlanesAtOnce) {
  double share[2] = {};
  for (const bool die : {false, true}) {
    FtlBenchConfig c = superblock_drive();
    in_one_pass(c, CellType::tlc);
    c.ftl = mapped_by_unit(c.ftl);
    c.ftl.erase_unit = die ? fw::EraseUnit::die : fw::EraseUnit::block;
    c.ftl.bac = false;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    Mix mix;
    mix.operations = 60'000;
    mix.max_sectors = 1;
    mix.write_percent = 90;
    mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
    mix.check_every = 20'000;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 4));
    const fw::FtlStatistics& s = b.statistics();
    share[die] = static_cast<double>(s.gc_program_multi_pages) / static_cast<double>(s.gc_program_pages);
  }
  EXPECT_GT(share[true], 0.8);
  EXPECT_LT(share[false], 0.1);
}

std::uint32_t erases_of_die(FtlBench& b, std::uint32_t die) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t planes = blocks.geometry().planes_per_die;
  std::uint32_t sum = 0;
  for (std::uint32_t p = die * planes; p < (die + 1) * planes; ++p) {
    for (std::uint32_t block = 0; block < blocks.blocks_per_plane(); ++block)
      sum += blocks.block(p, block).erases;
  }
  return sum;
}

// Addresses of the first die alone are overwritten: the others have no reason of their own to collect.
TEST(SuperblocksOfSeveralDies, AreCollectedTogether) {
  const std::pair<fw::EraseUnit, std::uint32_t> kUnits[] = {
      // and dies that go along: 2 channels of a chip of 2
      {fw::EraseUnit::die, 1},
      {fw::EraseUnit::chip, 2},
      {fw::EraseUnit::channel, 2},
      {fw::EraseUnit::drive, 4}};
  for (const auto& [unit, dies] : kUnits) {
    SCOPED_TRACE(dies);
    FtlBenchConfig c = superblock_drive();
    c.ftl.erase_unit = unit;
    c.ftl.plane_allocation = "CWD";
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    write_every_page(b);
    b.settle();
    const auto sectors = c.ftl.geometry.sectors_per_page();
    for (int round = 0; round < 20; ++round) {
      for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn) {
        if (b.ftl().state.policy.planes->class_of(lpn) != 0) continue;
        while (b.free_slots() == 0) b.run_until_interrupt();
        b.write(std::uint64_t{lpn} * sectors, sectors);
      }
    }
    b.settle();
    b.check_all(true);
    for (std::uint32_t die = 0; die < c.ftl.geometry.dies(); ++die) {
      if (die < dies) {
        EXPECT_GT(erases_of_die(b, die), 20u) << die;
      } else {
        EXPECT_EQ(erases_of_die(b, die), 0u) << die;
      }
    }
  }
}

} // namespace
} // namespace twinplane::test::ftl_superblock_test
