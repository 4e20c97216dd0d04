// Are untimed writes (preconditioning) writes like any other? Oracles: the rules of the flash, the tables
// against each other, and where the same writes go when they take time.
#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_untimed_write_test {
namespace {

struct Drive {
  const char* name;
  void (*change)(fw::FtlConfig& ftl);
};

void PrintTo(const Drive& d, std::ostream* out) {
  *out << d.name;
}

void twins(fw::FtlConfig& f, fw::TbmGc gc, fw::GcMoves moves) {
  f.block_allocation = "twin";
  f.tbm_gc = gc;
  f.gc_moves = moves;
}

void page_types(fw::FtlConfig& f, const char* allocation, const char* relocation) {
  f.block_allocation = allocation;
  f.relocation = relocation;
  f.program_order = ProgramOrder::relaxed;
  f.bac = false;
}

const Drive kDrives[] = {
    {"conventional", [](fw::FtlConfig&) {}},
    {"shared_frontier", [](fw::FtlConfig& f) { f.frontier = fw::Frontier::shared; }},
    {"multi_plane_moves", [](fw::FtlConfig& f) { f.gc_moves = fw::GcMoves::multi; }},
    {"rga", [](fw::FtlConfig& f) { f.victim = "rga"; }},
    {"random_victim", [](fw::FtlConfig& f) { f.victim = "random"; }},
    {"fifo_victim", [](fw::FtlConfig& f) { f.victim = "fifo"; }},
    {"cost_benefit", [](fw::FtlConfig& f) { f.victim = "cost_benefit"; }},
    {"early_collection", [](fw::FtlConfig& f) { f.gc_threshold_blocks = 5; }},
    {"plane_reads", [](fw::FtlConfig& f) { f.independent_reads = true; }},
    {"deep_queues", [](fw::FtlConfig& f) { f.die_queue_depth = 4; }},
    {"page_types", [](fw::FtlConfig& f) { page_types(f, "pa", "same"); }},
    {"page_types_ubs", [](fw::FtlConfig& f) { page_types(f, "pa", "ubs"); }},
    {"page_types_slow", [](fw::FtlConfig& f) { page_types(f, "pa", "slow"); }},
    {"page_type_twins", [](fw::FtlConfig& f) { page_types(f, "pa-twin", "same"); }},
    {"page_type_twins_ubs", [](fw::FtlConfig& f) { page_types(f, "pa-twin", "ubs"); }},
    {"twin_paper", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::paper, fw::GcMoves::single); }},
    {"twin_paper_multi", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::paper, fw::GcMoves::multi); }},
    {"twin_simulator", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::simulator, fw::GcMoves::single); }},
    {"twin_simulator_multi", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::simulator, fw::GcMoves::multi); }},
    {"twin_shared_frontier",
     [](fw::FtlConfig& f) {
       twins(f, fw::TbmGc::paper, fw::GcMoves::single);
       f.frontier = fw::Frontier::shared;
     }},
};

/// How much of the host's share is written, then again, and how much of the drive invalid pages fill up to.
struct Start {
  const char* name;
  double fill, overwrite, aged, over_provisioning;
};

const Start kStarts[] = {
    {"full", 1, 0, 0, 0.3},
    {"full and overwritten", 1, 1, 0, 0.3},
    {"overwritten with nothing but the reserve", 1, 2, 0, 0.01},
    {"half", 0.5, 0, 0, 0.3},
    {"half and overwritten", 0.5, 1, 0, 0.3},
    {"aged", 0.11, 0, 0.8, 0.3},
    {"aged further", 0.37, 0, 0.9, 0.3},
    {"empty", 0, 0, 0, 0.3},
};

FtlBenchConfig drive(const Drive& d, CellType cell, std::uint32_t planes) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.planes_per_die = planes;
  c.ftl.geometry.pages_per_block = 24; // whole wordlines of any cell
  c.ftl.geometry.blocks_per_plane = 14;
  c.ftl.over_provisioning = 0.3;
  d.change(c.ftl);
  return c;
}

using Case = std::tuple<Drive, CellType>;

class UntimedWrites : public ::testing::TestWithParam<Case> {
 protected:
  void write(FtlBench& b, const Start& s) {
    const std::uint32_t exported = b.ftl().state.exported_pages;
    const auto pages = static_cast<std::uint32_t>(s.fill * exported);
    fw::Random random(11);
    for (std::uint32_t lpn = 0; lpn < pages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
    for (auto n = static_cast<std::uint64_t>(s.overwrite * exported); n != 0; --n) {
      ASSERT_EQ(b.precondition(random.below(pages)), nullptr);
    }
    if (s.aged != 0) {
      ASSERT_EQ(b.ftl().zero_time.age(s.aged), nullptr);
    }
  }
  void start_and_use(const FtlBenchConfig& c, const Start& s, bool scattered) {
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    ASSERT_NO_FATAL_FAILURE(write(b, s));
    if (scattered) {
      ASSERT_EQ(b.ftl().zero_time.scatter(3), nullptr);
    }
    ASSERT_NO_FATAL_FAILURE(b.check_all(true));
    ASSERT_TRUE(b.ftl().idle());
    EXPECT_EQ(b.hal().now_ps(), 0u);
    Mix mix;
    mix.operations = 250;
    mix.write_percent = 90;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 5));
    EXPECT_FALSE(b.statistics().read_only);
    EXPECT_EQ(b.statistics().flash_failures, 0u);
  }
};

TEST_P(UntimedWrites, LeaveADriveThatKeepsEveryRuleAndTakesTimedOnes) {
  std::uint32_t count = 2; // planes of a die
  OneIn starts(5);
  for (const Start& s : kStarts) {
    for (const char* planes : {"F", "F2", "PDWC"}) {
      count = count == 2 ? 4 : 2;
      for (const bool scattered : {false, true}) {
        if (!starts.runs()) continue;
        FtlBenchConfig c = drive(std::get<0>(GetParam()), std::get<1>(GetParam()), count);
        const std::string blocks(c.ftl.block_allocation);
        const bool assigns_planes = blocks == "twin" || blocks == "pa-twin";
        if (assigns_planes && planes[0] == 'P') continue; // refused: two cannot name the plane
        c.ftl.plane_allocation = planes;
        c.ftl.over_provisioning = s.over_provisioning;
        SCOPED_TRACE(std::string(s.name) + ", " + planes + (scattered ? ", scattered, " : ", ") +
                     std::to_string(count) + " planes");
        ASSERT_NO_FATAL_FAILURE(start_and_use(c, s, scattered));
      }
    }
  }
}

/// Pages of units of any logical pages, then writes of the host.
TEST(UntimedUnits, LeaveADriveThatKeepsEveryRuleAndTakesTimedOnes) {
  for (const std::uint32_t count : {2u, 4u, 8u}) {
    SCOPED_TRACE(std::to_string(count) + " units");
    FtlBenchConfig c = small_drive();
    c.ftl.geometry.sector_size = 512;
    c.ftl = mapped_by_unit(c.ftl, count);
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    const std::uint32_t pages = b.ftl().state.exported_pages;
    for (std::uint32_t lpn = 0; lpn < pages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
    fw::Random random(3);
    for (std::uint32_t n = 0; n < 2 * pages; ++n) {
      ASSERT_EQ(b.precondition(draw_different(random, pages * count, count)), nullptr);
    }
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
    ASSERT_NO_FATAL_FAILURE(b.check_all(true));
    Mix mix;
    mix.operations = 2000;
    mix.write_percent = 60;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 5));
    EXPECT_FALSE(b.statistics().read_only);
  }
}

TEST(UntimedUnits, AreRefusedWhereThereAreNone) {
  FtlBench b(small_drive());
  const std::uint32_t unit = 0;
  EXPECT_STREQ(b.ftl().zero_time.write_packed(&unit, nullptr),
               "functional write of units to a drive that maps whole pages");
}

std::vector<Ppn> map_of(FtlBench& b) {
  std::vector<Ppn> map;
  for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn) {
    map.push_back(b.ftl().state.policy.mapping->lookup(lpn));
  }
  return map;
}

/// Drives with one domain: there collection starts at the same points of the sequence, behind a timed write
/// or before the untimed one that follows.
TEST_P(UntimedWrites, GoWhereTimedOnesGoOneAtATime) {
  FtlBenchConfig c = drive(std::get<0>(GetParam()), std::get<1>(GetParam()), 1);
  if (std::string(c.ftl.block_allocation) == "twin") c.ftl.geometry.planes_per_die = 4;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.over_provisioning = 0.45;
  FtlBench timed(c);
  FtlBench untimed(c);
  ASSERT_EQ(timed.error(), nullptr) << timed.error();
  ASSERT_EQ(untimed.error(), nullptr);
  const std::uint32_t pages = timed.ftl().state.exported_pages;
  const std::uint32_t sectors = c.ftl.geometry.sectors_per_page();
  fw::Random random(17);
  for (std::uint32_t i = 0; i < pages * 5; ++i) {
    const std::uint32_t lpn = random.below(pages);
    std::vector<Ppn> expected = map_of(timed);
    timed.write(std::uint64_t{lpn} * sectors, sectors);
    ASSERT_NO_FATAL_FAILURE(timed.settle());
    ASSERT_EQ(untimed.precondition(lpn), nullptr);
    const std::vector<Ppn> found = map_of(untimed);
    expected[lpn] = found[lpn]; // to be compared the next time
    ASSERT_TRUE(expected == found) << "write " << i;
  }
  ASSERT_GT(timed.statistics().gc_pages_moved, 10u);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const char* const cells[] = {"", "slc", "mlc", "tlc", "qlc"};
  return std::string(std::get<0>(info.param).name) + "_" + cells[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Drives, UntimedWrites,
                         ::testing::Combine(::testing::ValuesIn(kDrives),
                                            ::testing::Values(CellType::slc, CellType::mlc, CellType::tlc,
                                                              CellType::qlc)),
                         name_of);

} // namespace
} // namespace twinplane::test::ftl_untimed_write_test
