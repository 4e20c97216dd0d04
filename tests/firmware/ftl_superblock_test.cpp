// Does a drive that opens, collects and erases the blocks of all planes of a die together keep every promise, and its
// planes level, whatever its map's unit and its program unit are?
#include <string>

#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

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

void in_one_pass(FtlBenchConfig& c, CellType cell) {
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.page_table = PageTable::wordline;
  c.ftl.pass_pages = static_cast<std::uint32_t>(cell);
  c.ftl.program_unit = fw::ProgramUnit::die;
}

struct Kind {
  const char* name;
  void (*change)(FtlBenchConfig& c);
};
void PrintTo(const Kind& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

const Kind kDrives[] = {
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

struct Setting {
  const char* name;
  void (*change)(FtlBenchConfig& c);
};

const Setting kSettings[] = {
    {"nothing else", [](FtlBenchConfig&) {}},
    {"dies first", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "F"; }},
    {"static dies", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "CWD"; }},
    {"shared frontier", [](FtlBenchConfig& c) { c.ftl.frontier = fw::Frontier::shared; }},
    {"any blocks", [](FtlBenchConfig& c) { c.ftl.bac = false; }},
    {"write buffer",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 20;
     }},
    {"no patience", [](FtlBenchConfig& c) { c.ftl.pack_timeout_ps = 1; }},
    {"deep queues",
     [](FtlBenchConfig& c) {
       c.ftl.die_queue_depth = 4;
       c.programs_last = true;
     }},
    {"planes by themselves", [](FtlBenchConfig& c) { c.ftl.pair = fw::Pairing::off; }},
    {"programs of the next plane", [](FtlBenchConfig& c) { c.ftl.pair = fw::Pairing::next; }},
    {"suspension", [](FtlBenchConfig& c) { c.ftl.suspend = true; }},
    {"independent reads", [](FtlBenchConfig& c) { c.ftl.independent_reads = true; }},
    {"first in, first out", [](FtlBenchConfig& c) { c.ftl.scheduling = "fifo"; }},
    {"random victims", [](FtlBenchConfig& c) { c.ftl.victim = "random"; }},
    {"cost and benefit", [](FtlBenchConfig& c) { c.ftl.victim = "cost_benefit"; }},
    {"wear levelling", [](FtlBenchConfig& c) { c.ftl.wear_gap = 2; }},
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
    {"checkpoints", [](FtlBenchConfig& c) { c.ftl.checkpoint_interval = 200; }},
    {"newest first", [](FtlBenchConfig& c) { c.newest_first = true; }},
    {"late data", [](FtlBenchConfig& c) { c.late_data = true; }},
    {"whole sectors", [](FtlBenchConfig& c) { c.ftl.data_mode = DataMode::full; }},
    {"hold-up energy", [](FtlBenchConfig& c) { c.ftl.hold_up_pages = 1024; }},
    {"rounds of the authors' simulator", [](FtlBenchConfig& c) { c.ftl.tbm_gc = fw::TbmGc::simulator; }},
    {"hardly any space", [](FtlBenchConfig& c) { c.ftl.over_provisioning = 0; }},
    {"hardly any space, shared frontier",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0;
       c.ftl.frontier = fw::Frontier::shared;
     }},
};

class Superblocks : public ::testing::TestWithParam<Kind> {
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
