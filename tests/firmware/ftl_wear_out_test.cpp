// What does the FTL do when programs fail until the flash runs out of good blocks? Oracle: the shadow of
// FtlBench, which allows a failed write the old data or the new.
#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_wear_out_test {
namespace {

struct Drive {
  const char* name;
  void (*change)(fw::FtlConfig& ftl);
};

void PrintTo(const Drive& d, std::ostream* out) {
  *out << d.name;
}

const Drive kDrives[] = {
    {"late_bound", [](fw::FtlConfig&) {}},
    {"bound", [](fw::FtlConfig& f) { f.plane_allocation = "CWDP"; }},
    {"one_plane",
     [](fw::FtlConfig& f) {
       f.geometry.channels = f.geometry.dies_per_chip = f.geometry.planes_per_die = 1;
     }},
    {"shared_frontier", [](fw::FtlConfig& f) { f.frontier = fw::Frontier::shared; }},
    {"multi_plane_moves", [](fw::FtlConfig& f) { f.gc_moves = fw::GcMoves::multi; }},
    {"twin_paper",
     [](fw::FtlConfig& f) {
       f.block_allocation = "twin";
       f.gc_moves = fw::GcMoves::multi;
     }},
    {"twin_paper_plane_by_plane", [](fw::FtlConfig& f) { f.block_allocation = "twin"; }},
    {"twin_paper_shared_frontier",
     [](fw::FtlConfig& f) {
       f.block_allocation = "twin";
       f.frontier = fw::Frontier::shared;
     }},
    {"twin_paper_four_planes",
     [](fw::FtlConfig& f) {
       f.block_allocation = "twin";
       f.geometry.channels = f.geometry.dies_per_chip = 1;
       f.geometry.planes_per_die = 4;
     }},
    {"page_types",
     [](fw::FtlConfig& f) {
       f.block_allocation = "pa";
       f.program_order = ProgramOrder::relaxed;
       f.geometry.pages_per_block = 15;
     }},
    {"page_type_twins",
     [](fw::FtlConfig& f) {
       f.block_allocation = "pa-twin";
       f.program_order = ProgramOrder::relaxed;
       f.geometry.pages_per_block = 15;
     }},
    {"twin_simulator",
     [](fw::FtlConfig& f) {
       f.block_allocation = "twin";
       f.tbm_gc = fw::TbmGc::simulator;
     }},
    {"buffered",
     [](fw::FtlConfig& f) {
       f.write_ack = fw::WriteAck::buffered;
       f.write_buffer_pages = 20;
     }},
    {"copies_of_lower_pages",
     [](fw::FtlConfig& f) {
       f.hold_up_pages = 0;
       f.lower_pages = fw::LowerPageProtection::backup;
     }},
    {"deep_queues", [](fw::FtlConfig& f) { f.die_queue_depth = 4; }},
};

class WearOut : public ::testing::TestWithParam<Drive> {
 protected:
  WearOut() {
    FtlBenchConfig c = small_drive();
    c.shuffle = true;
    GetParam().change(c.ftl);
    bench = std::make_unique<FtlBench>(c);
  }
  /// Until the drive is read-only, and on for a while.
  void wear_out() {
    bench->hal().flash().fail_programs(20, 5);
    Mix mix;
    mix.operations = 3000;
    mix.max_sectors = 8;
    for (int round = 0; round < 20 && !bench->statistics().read_only; ++round) {
      ASSERT_NO_FATAL_FAILURE(run_random(*bench, mix, 100 + static_cast<std::uint64_t>(round)));
    }
    ASSERT_TRUE(bench->statistics().read_only);
    ASSERT_NO_FATAL_FAILURE(run_random(*bench, mix, 99));
  }
  std::uint16_t status_of(void (FtlBench::*command)(std::uint64_t, std::uint32_t)) {
    (*bench.*command)(0, 4);
    bench->settle();
    return bench->last_status();
  }

  std::unique_ptr<FtlBench> bench;
};

TEST_P(WearOut, EndsReadOnlyAndKeepsWhatWasWritten) {
  ASSERT_NO_FATAL_FAILURE(wear_out());
  bench->write(0, 4);
  bench->settle();
  EXPECT_EQ(bench->last_status(), nvme::status::read_only_range);
  EXPECT_EQ(status_of(&FtlBench::trim), nvme::status::read_only_range);
  EXPECT_EQ(status_of(&FtlBench::write_zeroes), nvme::status::read_only_range);
  std::uint64_t lost = 0;
  for (std::uint64_t lba = 0; lba + 4 <= bench->sectors(); lba += 4) { // the shadow looks at the data
    bench->read(lba, 4);
    bench->settle();
    lost += bench->last_status() == nvme::status::success ? 0 : 1;
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(lost, 32u) << "at most the writes that were under way at the end";
}

/// What a refused write has not replaced counts again where it is still there; else the LPN is lost, and the
/// drive knows.
TEST_P(WearOut, NamesNoPageWhoseProgramHasFailed) {
  ASSERT_NO_FATAL_FAILURE(wear_out());
  fw::FtlState& state = bench->ftl().state;
  for (std::uint32_t lpn = 0; lpn < state.exported_pages; ++lpn) {
    if (!fw::is_page(state.policy.mapping->lookup(lpn))) continue;
    EXPECT_FALSE(bench->hal().flash().page(bench->place(lpn)).failed) << "LPN " << lpn;
  }
  bench->check_tables();
}

TEST_P(WearOut, RetiresTheBlocksWhoseProgramsFailed) {
  ASSERT_NO_FATAL_FAILURE(wear_out());
  const fw::BlockTable& blocks = bench->ftl().state.blocks;
  std::uint32_t bad = 0;
  for (std::uint32_t plane = 0; plane < blocks.geometry().planes(); ++plane) {
    for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
      const fw::BlockInfo& block = blocks.block(plane, b);
      bad += block.state == fw::BlockState::bad ? 1 : 0;
      EXPECT_FALSE(block.state == fw::BlockState::free && block.grown_bad != 0);
    }
  }
  EXPECT_GT(bad, 0u);
}

TEST_P(WearOut, AnswersNoWriteWhoseDataWentWithALaterOne) {
  ASSERT_NO_FATAL_FAILURE(expect_no_write_succeeds(*bench, 4000, 5));
  EXPECT_TRUE(bench->statistics().read_only) << "and then writes are refused";
}

INSTANTIATE_TEST_SUITE_P(Drives, WearOut, ::testing::ValuesIn(kDrives), parameter_name);

} // namespace
} // namespace twinplane::test::ftl_wear_out_test
