// Does a drive whose map's unit is smaller than a page keep every promise, and fill its pages?
#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_units_test {
namespace {

/// 2 channels x 2 dies x 2 planes x 16 blocks x 16 pages of 8 sectors in four units.
FtlBenchConfig unit_drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.sector_size = 512;
  c.ftl = mapped_by_unit(c.ftl);
  return c;
}

FtlBenchConfig one_plane() {
  FtlBenchConfig c = unit_drive();
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  return c;
}

class UnitsRandom : public ::testing::TestWithParam<Setting> {};

TEST_P(UnitsRandom, KeepTheShadow) {
  FtlBenchConfig c = unit_drive();
  c.shuffle = true;
  GetParam().change(c);
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 30000;
  mix.max_sectors = 24;
  mix.spoil_percent = 1;
  run_random(b, mix, 17);
  if (HasFatalFailure()) return;
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  const bool parts = c.ftl.geometry.sectors_per_page() != c.ftl.map_units;
  EXPECT_EQ(b.statistics().rmw_reads != 0, parts) << "sectors are parts of units";
}

const Setting kKinds[] = {
    {"Plain", [](FtlBenchConfig&) {}},
    {"TwoUnits", [](FtlBenchConfig& c) { c.ftl = mapped_by_unit(c.ftl, 2); }},
    {"EightUnits", [](FtlBenchConfig& c) { c.ftl = mapped_by_unit(c.ftl, 8); }},
    {"EveryByte", [](FtlBenchConfig& c) { c.ftl.data_mode = DataMode::full; }},
    {"Buffered",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 20;
     }},
    {"OfStaticPlanes", [](FtlBenchConfig& c) { c.ftl.plane_allocation = "CWDP"; }},
    {"SharedFrontier", [](FtlBenchConfig& c) { c.ftl.frontier = fw::Frontier::shared; }},
    {"MovesOfSeveralPlanes",
     [](FtlBenchConfig& c) {
       c.ftl.gc_moves = fw::GcMoves::multi;
       c.ftl.bac = false;
     }},
    {"DeepQueues",
     [](FtlBenchConfig& c) {
       c.ftl.die_queue_depth = 4;
       c.programs_last = true;
     }},
    {"LateData", [](FtlBenchConfig& c) { c.late_data = true; }},
    {"NewestFirst", [](FtlBenchConfig& c) { c.newest_first = true; }},
    {"RandomVictims", [](FtlBenchConfig& c) { c.ftl.victim = "random"; }},
    {"CostBenefit", [](FtlBenchConfig& c) { c.ftl.victim = "cost_benefit"; }},
    {"WearLevelling", [](FtlBenchConfig& c) { c.ftl.wear_gap = 2; }},
    {"HardlyAnyTransactions", [](FtlBenchConfig& c) { c.dram_bytes = 4096 * 32 + 2560 + 4096; }},
    {"NoPatience", [](FtlBenchConfig& c) { c.ftl.pack_timeout_ps = 0; }},
    {"OnePassTlc",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::tlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.page_table = PageTable::wordline;
       c.ftl.pass_pages = 3;
     }},
    {"ByWordlines",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::mlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.lower_pages = fw::LowerPageProtection::wordline;
       c.ftl.over_provisioning = 0.5;
     }},
};
INSTANTIATE_TEST_SUITE_P(Drives, UnitsRandom, ::testing::ValuesIn(kKinds), parameter_name);

/// All but the reserves is exported, and collection is in no hurry.
TEST(Units, NeedNoMoreThanTheReserve) {
  for (const fw::Frontier frontier : {fw::Frontier::shared, fw::Frontier::separate}) {
    std::uint64_t blocked = 0;
    for (const char* allocation : {"F2", "F", "D", "P", "CWDP"}) {
      SCOPED_TRACE(allocation);
      FtlBenchConfig c = unit_drive();
      c.ftl.over_provisioning = 0;
      c.ftl.frontier = frontier;
      c.ftl.plane_allocation = allocation;
      c.ftl.scheduling = "fifo";
      const Mix mix = long_writes();
      FtlBench b(c);
      ASSERT_EQ(b.error(), nullptr) << b.error();
      run_random(b, mix, 8);
      blocked += b.statistics().blocked_on_space;
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(blocked, 0u);
  }
}

TEST(Units, OutlastFailedPrograms) {
  for (const bool buffered : {false, true}) {
    FtlBenchConfig c = unit_drive();
    c.ftl.over_provisioning = 0.5;
    c.shuffle = true;
    if (buffered) {
      c.ftl.write_ack = fw::WriteAck::buffered;
      c.ftl.write_buffer_pages = 12;
    }
    FtlBench b(c);
    b.hal().flash().fail_programs(3, 7);
    b.expect_wear();
    Mix mix;
    mix.operations = 4000;
    run_random(b, mix, 5);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.statistics().flash_failures, 4u);
  }
}

/// Sector of unit `n`.
std::uint64_t sector(std::uint32_t n) {
  return std::uint64_t{n} * 2;
}

TEST(Units, OfFourWritesFillAPage) {
  FtlBench b(unit_drive());
  for (const std::uint32_t unit : {0u, 41u, 82u, 123u}) b.write(sector(unit), 2);
  b.settle();
  EXPECT_EQ(b.statistics().program_pages, 1u);
  EXPECT_EQ(b.statistics().host_sectors_written, 8u);
  EXPECT_EQ(b.statistics().rmw_reads, 0u);
  const fw::UnitMap& map = b.ftl().state.units->map;
  const Ppn page = map.page_of(map.at(0, 0));
  EXPECT_EQ(map.page(page).valid, 0xFu);
  for (const std::uint32_t unit : {41u, 82u, 123u}) EXPECT_EQ(map.page_of(map.at(unit / 4, unit % 4)), page);
}

/// What nothing else comes with is programmed alone, and the rest of its page is padding.
TEST(Units, DoNotWaitForOthersWhenNothingIsUnderWay) {
  FtlBench b(unit_drive());
  for (const std::uint32_t unit : {0u, 41u}) {
    b.write(sector(unit), 2);
    b.settle();
  }
  EXPECT_EQ(b.statistics().program_pages, 2u);
}

TEST(Units, OfOnePageAreWrittenSideBySide) {
  FtlBench b(unit_drive());
  for (const std::uint32_t unit : {0u, 1u, 2u, 3u}) b.write(sector(unit), 2);
  b.settle();
  EXPECT_EQ(b.statistics().program_pages, 1u) << "none has waited for the lock of another one";
}

TEST(Units, AreCompletedWhereTheHostBringsAPart) {
  FtlBench b(unit_drive());
  b.write(0, 8);
  b.settle();
  b.write(3, 1); // of unit 1
  b.settle();
  EXPECT_EQ(b.statistics().rmw_reads, 1u);
  b.read(0, 8);
  b.settle();
}

/// 3 + 3 + 3 + 3 units are three pages: the third part of a page goes along with what leaves room for it.
TEST(Units, OfAWriteThatDoesNotFitGoToTwoPages) {
  FtlBench b(one_plane());
  for (std::uint32_t n = 0; n < 4; ++n) b.write(sector(4 * n), 6);
  b.settle();
  EXPECT_EQ(b.statistics().program_pages, 3u);
  b.read(0, 32);
  b.settle();
}

/// A trim of a sector more than two units, over the border of two pages.
TEST(Units, AreTrimmedAsFarAsTheyAreCovered) {
  FtlBenchConfig c = unit_drive();
  c.ftl.over_provisioning = 0.5; // metadata tell of zeroes
  FtlBench b(c);
  ASSERT_TRUE(b.statistics().metadata_kept);
  b.write(0, 16);
  b.settle();
  b.trim(sector(3), 5);
  b.settle();
  const fw::UnitMap& map = b.ftl().state.units->map;
  EXPECT_EQ(map.mapped(0), 0x7u);
  EXPECT_EQ(map.mapped(1), 0xEu) << "of unit 1 a sector is not covered";
  EXPECT_EQ(b.statistics().parts_trimmed, 2u);
  EXPECT_EQ(b.statistics().pages_trimmed, 0u);
  b.write_zeroes(sector(5), 2);
  b.settle();
  EXPECT_EQ(map.mapped(1), 0xCu) << "zeroes of a unit need no page";
  EXPECT_EQ(b.statistics().host_pages_written, 2u);
  b.read(0, 16);
  b.settle();
}

/// It waits for the write alone that has a lock of its units.
TEST(Units, AreTrimmedBesideWritesOfOthers) {
  FtlBench b(unit_drive());
  b.write(0, 8);
  b.settle();
  const Ppn page = b.ftl().state.units->map.page_of(b.ftl().state.units->map.at(0, 0));
  b.write(sector(0) + 1, 1); // reads the rest of its unit first
  b.trim(sector(1), 2);
  EXPECT_EQ(b.ftl().state.units->map.mapped(0), 0xDu) << "at once";
  b.trim(sector(0), 2);
  EXPECT_EQ(b.ftl().state.units->map.mapped(0), 0xDu);
  EXPECT_EQ(b.ftl().state.units->map.page_of(b.ftl().state.units->map.at(0, 0)), page);
  b.settle();
  EXPECT_EQ(b.ftl().state.units->map.mapped(0), 0xCu);
}

/// A version in the write buffer keeps what the trim leaves of it, also while it waits for its turn to be written.
TEST(Units, AreTrimmedInTheWriteBuffer) {
  FtlBenchConfig c = unit_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 12;
  FtlBench b(c);
  b.write(0, 8);
  b.trim(sector(1), 2);
  b.read(0, 8);
  b.settle();
  EXPECT_EQ(b.statistics().program_pages, 0u);
  b.write(sector(1), 2); // a newer version, or the same: sectors of the trimmed unit come back
  b.trim(sector(2), 4);
  b.flush();
  b.settle();
  EXPECT_EQ(b.ftl().state.units->map.mapped(0), 0x3u);
  EXPECT_EQ(b.statistics().program_pages, 1u);
  b.read(0, 8);
  b.settle();
}

/// The trim waits for the write-back, which reads the rest of a unit first. What it leaves of that version is no reason
/// for newer ones to wait.
TEST(Units, OfAVersionThatATrimHasWaitedForAreNotWaitedFor) {
  FtlBenchConfig c = unit_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 12;
  FtlBench b(c);
  ASSERT_EQ(b.precondition(0), nullptr);
  b.write(sector(0) + 1, 1);
  b.write(sector(2), 2);
  b.flush();
  b.ftl().pump();
  ASSERT_TRUE(b.ftl().state.locks.held(0));
  b.trim(sector(0), 2);
  EXPECT_EQ(b.ftl().state.units->map.mapped(0), 0xFu) << "it waits";
  b.settle();
  EXPECT_EQ(b.ftl().state.units->map.mapped(0), 0xEu);
  b.write(sector(3), 2);
  b.flush();
  b.settle();
  b.read(0, 8);
  b.settle();
}

/// Two writes are programmed in a page that has no room for all of the second one, which so keeps its lock. As nothing
/// waits they linger on their wordline, until a trim does.
TEST(Units, OfAWriteThatLingersAreTrimmed) {
  FtlBenchConfig c = one_plane();
  c.ftl.geometry.cell = CellType::mlc;
  c.ftl.lower_pages = fw::LowerPageProtection::wordline;
  c.ftl.over_provisioning = 0.5;
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 3; // so few are written back at once
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.write(sector(0), 4);
  b.write(sector(4), 6);
  while (b.statistics().program_pages == 0) ASSERT_TRUE(b.step());
  for (int i = 0; i < 100 && b.step(); ++i) {
  }
  ASSERT_TRUE(b.ftl().state.locks.held(1)) << "it lingers";
  EXPECT_EQ(b.statistics().program_pages, 1u);
  b.trim(sector(4), 8);
  while (b.step()) {
  }
  EXPECT_EQ(b.ftl().state.units->map.mapped(1), 0u);
  b.settle();
}

TEST(Units, CountInVictims) {
  FtlBench b(one_plane());
  for (std::uint32_t lpn = 0; lpn < 16; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t block =
      blocks.block_of(b.ftl().state.units->map.page_of(b.ftl().state.units->map.at(0, 0)));
  EXPECT_EQ(blocks.data(0, block), 64u);
  for (std::uint32_t lpn = 0; lpn < 16; ++lpn) b.write(sector(4 * lpn), 2); // one unit of each
  b.settle();
  EXPECT_EQ(blocks.block(0, block).valid, 16u) << "each page has valid units";
  EXPECT_EQ(blocks.invalid_data(0, block), 16u);
  EXPECT_EQ(blocks.domain(0).reclaimable, 16u);
}

} // namespace
} // namespace twinplane::test::ftl_units_test
