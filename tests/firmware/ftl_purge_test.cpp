// Is no data of the host in any cell behind a purge (sanitize, or a format with user data erase), whatever
// the policy and wherever a power cut falls, and is the drive as good as a new one? Oracle: the cells
// themselves, and the shadow of FtlBench.
#include "tests/support/ftl_random.h"
#include "tests/support/ftl_regions.h"
#include "tests/support/journal_of.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_purge_test {
namespace {

struct Drive {
  const char* name;
  FtlBenchConfig config;
};
void PrintTo(const Drive& drive, std::ostream* to) {
  *to << drive.name;
}

FtlBenchConfig cells(CellType cell, std::uint32_t pages) {
  FtlBenchConfig c = small_drive();
  c.shuffle = true;
  c.sleepy = true; // a lost wake-up hangs
  c.ftl.marked_blocks = true;
  c.ftl.geometry.blocks_per_plane = 24;
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.pages_per_block = pages;
  c.ftl.over_provisioning = 0.5;
  return c;
}
Drive simple(const char* name, void (*change)(fw::FtlConfig&)) {
  Drive d{name, cells(CellType::slc, 16)};
  change(d.config.ftl);
  return d;
}
Drive tlc(const char* name, void (*change)(fw::FtlConfig&)) {
  Drive d{name, cells(CellType::tlc, 24)};
  d.config.ftl.hold_up_pages = 1024;
  change(d.config.ftl);
  return d;
}
Drive partitions(const char* name, const char* regions, fw::LowerPageProtection lower_pages) {
  Drive d{name, two_region_drive(regions)};
  d.config.shuffle = d.config.sleepy = true;
  d.config.ftl.marked_blocks = true;
  d.config.ftl.over_provisioning = 0.65;
  d.config.ftl.geometry.blocks_per_plane += 8;
  d.config.ftl.lower_pages = lower_pages;
  d.config.ftl.hold_up_pages = lower_pages == fw::LowerPageProtection::backup ? 0 : 1024;
  return d;
}

constexpr auto kBackup = fw::LowerPageProtection::backup;
constexpr auto kNone = fw::LowerPageProtection::none;

const Drive kDrives[] = {
    simple("Conventional", [](fw::FtlConfig&) {}),
    simple("SharedFrontierWithQueues",
           [](fw::FtlConfig& c) {
             c.frontier = fw::Frontier::shared;
             c.die_queue_depth = 3;
           }),
    simple("Suspend", [](fw::FtlConfig& c) { c.suspend = true; }),
    simple("WriteBuffer",
           [](fw::FtlConfig& c) {
             c.write_ack = fw::WriteAck::buffered;
             c.write_buffer_pages = 8;
           }),
    simple("Checkpoints", [](fw::FtlConfig& c) { c.checkpoint_interval = 100; }),
    simple("Twins", [](fw::FtlConfig& c) { c.block_allocation = "twin"; }),
    simple("SharpTwinsOfUnequalBlocks",
           [](fw::FtlConfig& c) {
             c.block_allocation = "twin";
             c.tbm_gc = fw::TbmGc::simulator;
             c.bac = false;
           }),
    tlc("PageTypes",
        [](fw::FtlConfig& c) {
          c.program_order = ProgramOrder::relaxed;
          c.block_allocation = "pa";
          c.classifier = "QDS";
        }),
    tlc("PageTypeTwins",
        [](fw::FtlConfig& c) {
          c.program_order = ProgramOrder::relaxed;
          c.block_allocation = "pa-twin";
        }),
    tlc("SlcMode",
        [](fw::FtlConfig& c) {
          c.slc_mode = true;
          c.over_provisioning = 0.8;
        }),
    tlc("ProtectedLowerPages",
        [](fw::FtlConfig& c) {
          c.hold_up_pages = 0;
          c.lower_pages = kBackup;
        }),
    tlc("ProtectedTwinsWithCheckpoints",
        [](fw::FtlConfig& c) {
          c.hold_up_pages = 0;
          c.lower_pages = kBackup;
          c.block_allocation = "twin";
          c.checkpoint_interval = 100;
          c.geometry.blocks_per_plane = 32;
        }),
    tlc("CompletedWordlines",
        [](fw::FtlConfig& c) {
          c.hold_up_pages = 0;
          c.lower_pages = fw::LowerPageProtection::wordline;
          c.geometry.blocks_per_plane = 32;
          c.over_provisioning = 0.75;
        }),
    tlc("CompletedWordlinesBehindAWriteBuffer",
        [](fw::FtlConfig& c) {
          c.hold_up_pages = 0;
          c.lower_pages = fw::LowerPageProtection::wordline;
          c.write_ack = fw::WriteAck::buffered;
          c.write_buffer_pages = 64;
          c.geometry.blocks_per_plane = 32;
          c.over_provisioning = 0.75;
        }),
    partitions("Combo", "combo", kNone),
    partitions("ComboLogs", "combo_logs", kNone),
    partitions("Broms", "broms", kNone),
    partitions("ProtectedBroms", "broms", kBackup),
};

/// What the front end does before.
void trim_all(FtlBench& b) {
  for (std::uint64_t lba = 0; lba < b.sectors(); lba += 64) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    b.trim(lba, static_cast<std::uint32_t>(std::min<std::uint64_t>(64, b.sectors() - lba)));
  }
  b.settle();
  b.commit();
  b.settle();
}
void begin(FtlBench& b, fw::Request& purge) {
  purge = fw::Request{};
  purge.kind = fw::RequestKind::purge;
  b.begin_foreign(purge);
  b.turn();
}
/// Pages of the host's data that could still be read.
std::uint64_t pages_left(FtlBench& b) {
  const Geometry& g = b.ftl().state.blocks.geometry();
  std::uint64_t left = 0;
  for (std::uint32_t die = 0; die < g.dies(); ++die) {
    for (std::uint32_t n = 0; n < g.planes_per_die * g.blocks_per_plane * g.pages_per_block; ++n) {
      const std::uint32_t block = n / g.pages_per_block;
      const Ppa at{die, block / g.blocks_per_plane, block % g.blocks_per_plane, n % g.pages_per_block};
      const SimFlash::Page& page = b.hal().flash().page(at);
      const auto lpn = static_cast<std::uint32_t>(page.oob);
      left += page.programmed && fw::journal_copy_in(lpn, b.ftl().state.exported_pages) == 0 ? 1 : 0;
    }
  }
  return left;
}

class PurgedDrive : public ::testing::TestWithParam<Drive> {
 protected:
  static void load(FtlBench& b, fw::Random& random, int operations) {
    const Mix mix;
    for (int i = 0; i < operations; ++i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      if (random.below(2) == 0) b.step();
    }
  }
};

TEST_P(PurgedDrive, HasNoDataInAnyCell) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_TRUE(b.ftl().state.policy.allocation->can_close_open());
  fw::Random random(7);
  for (int round = 0; round < 6; ++round) {
    load(b, random, 200 + 700 * round); // from little to more than the drive's size
    if (HasFatalFailure()) return;
    if (round == 3) {
      ASSERT_NO_FATAL_FAILURE(write_every_page(b));
    }
    EXPECT_NE(pages_left(b), 0u);
    trim_all(b);
    EXPECT_NE(pages_left(b), 0u) << "a trim does not erase";
    fw::Request purge;
    begin(b, purge);
    std::uint32_t progress = 0;
    while (!b.foreign_done()) {
      ASSERT_TRUE(b.step()) << "stuck";
      EXPECT_GE(b.ftl().state.hooks.progress() + (b.foreign_done() ? 0xFFFFu : 0u), progress);
      progress = b.ftl().state.hooks.progress();
    }
    EXPECT_EQ(purge.status, nvme::status::success);
    EXPECT_EQ(pages_left(b), 0u);
    b.settle();
    b.check_all(true);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

/// Nothing that was trimmed comes back, and what was not erased before the cut is by the next purge.
TEST_P(PurgedDrive, IsEmptyWhenThePurgeIsRepeatedBehindAPowerCut) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const bool hold_up = GetParam().config.ftl.hold_up_pages != 0;
  fw::Random random(11);
  std::uint32_t cut_short = 0;
  for (int cut = 0; cut < 25; ++cut) {
    load(b, random, static_cast<int>(random.below(1200)));
    if (HasFatalFailure()) return;
    trim_all(b);
    fw::Request purge;
    begin(b, purge);
    for (std::uint32_t i = random.below(60); i != 0 && !b.foreign_done(); --i) b.step();
    cut_short += b.foreign_done() ? 0 : 1;
    if (b.foreign_done()) {
      EXPECT_EQ(pages_left(b), 0u);
    }
    b.cut_power(hold_up, random);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
    trim_all(b);
    begin(b, purge);
    b.settle();
    ASSERT_TRUE(b.foreign_done());
    EXPECT_EQ(pages_left(b), 0u) << "cut " << cut;
    b.check_all(true);
    if (HasFatalFailure()) FAIL() << "cut " << cut;
  }
  EXPECT_GT(cut_short, 5u);
}

INSTANTIATE_TEST_SUITE_P(Ftl, PurgedDrive, ::testing::ValuesIn(kDrives), parameter_name);

/// Too few spare blocks for metadata: nothing waits for it.
TEST(Purge, NeedsNoMetadata) {
  for (const bool buffered : {false, true}) {
    FtlBenchConfig c = cells(CellType::slc, 16);
    c.ftl.over_provisioning = 0.05;
    if (buffered) c.ftl.write_ack = fw::WriteAck::buffered;
    c.ftl.write_buffer_pages = buffered ? 8 : 0;
    FtlBench b(c);
    ASSERT_FALSE(journal_of(b).kept());
    Mix mix;
    mix.operations = 3000;
    ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 3));
    b.flush();
    b.settle();
    trim_all(b);
    fw::Request purge;
    begin(b, purge);
    b.settle();
    ASSERT_TRUE(b.foreign_done());
    EXPECT_EQ(purge.status, nvme::status::success);
    EXPECT_EQ(pages_left(b), 0u);
    b.check_all(true);
  }
}

/// What has not been trimmed is not erased.
TEST(Purge, FailsWhileSomethingIsValid) {
  FtlBench b(small_drive());
  b.write(0, 4);
  b.settle();
  fw::Request purge;
  purge.kind = fw::RequestKind::purge;
  b.submit_foreign(purge);
  EXPECT_EQ(purge.status, nvme::status::internal_error);
  b.read(0, 4);
  b.settle();
  b.check_all(true);
}

/// Blocks that have gone bad were erased when they were retired.
TEST(Purge, LeavesNothingInBlocksThatHaveGoneBad) {
  FtlBenchConfig c = small_drive();
  c.ftl.over_provisioning = 0.6;
  FtlBench b(c);
  b.expect_wear();
  b.hal().flash().fail_programs(3, 5);
  Mix mix;
  mix.operations = 6000;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 5));
  ASSERT_GT(b.statistics().retired_blocks, 0u);
  b.trim(0, 64);
  fw::Request purge;
  for (std::uint64_t lba = 0; lba < b.sectors(); lba += 64) {
    fw::Request trim;
    trim.kind = fw::RequestKind::trim;
    trim.lba = lba;
    trim.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, b.sectors() - lba));
    b.submit_foreign(trim);
  }
  purge.kind = fw::RequestKind::commit;
  b.submit_foreign(purge);
  purge = fw::Request{};
  purge.kind = fw::RequestKind::purge;
  b.submit_foreign(purge);
  EXPECT_EQ(purge.status, nvme::status::success);
  const Geometry& g = c.ftl.geometry;
  for (std::uint32_t die = 0; die < g.dies(); ++die) {
    for (std::uint32_t plane = 0; plane < g.planes_per_die; ++plane) {
      for (std::uint32_t block = 0; block < g.blocks_per_plane; ++block) {
        const fw::BlockState state = b.ftl().state.blocks.block(die * g.planes_per_die + plane, block).state;
        if (state == fw::BlockState::metadata) continue;
        EXPECT_EQ(b.hal().flash().programmed_pages(die, plane, block), 0u)
            << die << ' ' << plane << ' ' << block;
      }
    }
  }
}

} // namespace
} // namespace twinplane::test::ftl_purge_test
