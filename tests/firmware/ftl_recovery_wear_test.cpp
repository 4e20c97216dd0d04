// Does a drive know over power cuts how worn it is, though it writes no checkpoints: which blocks have gone
// bad or are about to, that it is read-only, and what the SMART page counts?
#include <set>

#include "tests/support/ftl_cached.h"
#include "tests/support/ftl_regions.h"

namespace twinplane::test {
namespace {

struct Drive {
  const char* name;
  FtlBenchConfig config;
  bool hold_up = false; // what is under way at the cut is completed
};

void PrintTo(const Drive& d, std::ostream* out) {
  *out << d.name;
}

FtlBenchConfig busy(FtlBenchConfig c) {
  c.shuffle = true;
  c.ftl.marked_blocks = true;
  c.ftl.over_provisioning = 0.5;
  return c;
}

Drive conventional() {
  return {"Conventional", busy(small_drive())};
}
Drive copybacks() {
  FtlBenchConfig c = busy(small_drive());
  c.ftl.copybacks = 2;
  return {"Copybacks", c};
}
Drive buffered() {
  FtlBenchConfig c = busy(small_drive());
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 20;
  c.ftl.hold_up_pages = 4096;
  return {"Buffered", c, true};
}
Drive twins() {
  FtlBenchConfig c = busy(small_drive());
  c.ftl.block_allocation = "twin";
  c.ftl.gc_moves = fw::GcMoves::multi;
  return {"Twins", c};
}
Drive protected_tlc() {
  FtlBenchConfig c = busy(small_drive());
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.geometry.blocks_per_plane = 24;
  c.ftl.lower_pages = fw::LowerPageProtection::backup;
  return {"ProtectedTlc", c};
}
Drive wordlines() {
  Drive d = protected_tlc();
  d.name = "Wordlines";
  d.config.ftl.lower_pages = fw::LowerPageProtection::wordline;
  d.config.ftl.over_provisioning = 0.75;
  return d;
}
Drive page_types() {
  FtlBenchConfig c = busy(small_drive());
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.block_allocation = "pa";
  return {"PageTypes", c, true};
}
Drive partitions() {
  FtlBenchConfig c = busy(two_region_drive("broms"));
  return {"Partitions", c, true};
}
Drive cache() {
  FtlBenchConfig c = busy(cached_drive("ipu"));
  c.ftl.hold_up_pages = 4096;
  return {"SlcModeCache", c, true};
}

class Wear : public ::testing::TestWithParam<Drive> {
 protected:
  Wear() : bench_(GetParam().config) { bench_.expect_wear(); }

  void operate(std::uint32_t operations) {
    for (; operations != 0; --operations) {
      while (bench_.free_slots() == 0) ASSERT_TRUE(bench_.step()) << "stuck";
      random_operation(bench_, random_, mix_);
      if (random_.below(2) == 0) bench_.step();
      if (!bench_.ftl().metadata.busy()) told_ = bad_blocks();
      if (HasFatalFailure()) return;
    }
  }
  void cut_power() {
    bench_.ftl().state.config.hold_up_pages != 0 ? bench_.cut_power_held_up(random_)
                                                 : bench_.cut_power(GetParam().hold_up, random_);
  }
  /// Those that must not be used again, and those that must not once they have been erased.
  std::set<std::uint32_t> bad_blocks() {
    std::set<std::uint32_t> bad;
    const fw::BlockTable& blocks = bench_.ftl().state.blocks;
    for (std::uint32_t i = 0; i < blocks.geometry().blocks(); ++i) {
      if (blocks.block(i / blocks.blocks_per_plane(), i % blocks.blocks_per_plane()).grown_bad != 0)
        bad.insert(i);
    }
    return bad;
  }
  /// Until the drive is read-only; false: it has gone on.
  bool wear_out() {
    mix_.trim_percent = mix_.zero_percent =
        0; // they are not kept when there is no block for metadata any more
    bench_.hal().flash().fail_programs(20, 5);
    for (int round = 0; round < 400 && !bench_.statistics().read_only && !HasFatalFailure(); ++round)
      operate(500);
    bench_.settle();
    return bench_.statistics().read_only;
  }

  FtlBench bench_;
  fw::Random random_{11};
  Mix mix_;
  std::set<std::uint32_t> told_; // bad blocks when last nothing was left to be written of them
};

class WornOut : public Wear {}; // without a write buffer, whose data are lost with the supply then

/// At random moments, also between a failure and its being written down, and between that and the block's
/// erase.
TEST_P(Wear, NoBlockThatHasFailedIsForgotten) {
  ASSERT_EQ(bench_.error(), nullptr) << bench_.error();
  bench_.hal().flash().fail_programs(bench_.ftl().lower_pages.kept() ? 2 : 6, 7); // copies are in few blocks
  mix_.max_sectors = 4;
  std::size_t most = 0;
  std::uint64_t retired = 0;
  for (int cut = 0; cut < 40; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(random_.below(800)));
    if (bench_.statistics().metadata_given_up != 0 || bench_.statistics().read_only) break; // worn out
    const std::set<std::uint32_t> known = told_;
    ASSERT_NO_FATAL_FAILURE(cut_power()) << "cut " << cut;
    const std::set<std::uint32_t> found = bad_blocks();
    for (const std::uint32_t block : known)
      ASSERT_TRUE(found.count(block) != 0) << "block " << block << ", cut " << cut;
    most = std::max(most, known.size());
    retired = std::max(retired, bench_.statistics().retired_blocks);
  }
  EXPECT_GT(most + retired, 1u);
}

TEST_P(WornOut, ADriveThatIsReadOnlyComesBackReadOnly) {
  ASSERT_EQ(bench_.error(), nullptr) << bench_.error();
  ASSERT_TRUE(wear_out());
  const std::uint64_t retired = bench_.statistics().retired_blocks;
  EXPECT_GT(retired, 0u);
  for (int cut = 0; cut < 3; ++cut) {
    ASSERT_NO_FATAL_FAILURE(cut_power()) << "cut " << cut;
    EXPECT_TRUE(bench_.statistics().read_only) << "cut " << cut;
    EXPECT_GE(bench_.statistics().retired_blocks, retired) << "cut " << cut;
    bench_.write(0, 4);
    bench_.settle();
    EXPECT_EQ(bench_.last_status(), nvme::status::read_only_range) << "cut " << cut;
    const std::uint64_t failed = bench_.failed_reads();
    for (std::uint64_t lba = 0; lba + 4 <= bench_.sectors(); lba += 4) bench_.read(lba, 4), bench_.settle();
    EXPECT_LE(bench_.failed_reads(), failed + 32) << "at most what was under way at the end";
    bench_.check_all(true);
  }
}

/// The first life's end is not known: nothing had been written of it. From then on each is counted.
TEST_P(Wear, PowerCyclesAndWhatWasCountedLast) {
  ASSERT_EQ(bench_.error(), nullptr) << bench_.error();
  std::uint64_t cycles = 1;
  std::uint64_t unsafe = 0;
  std::uint64_t errors = 0;
  for (const bool shut_down : {false, true, true, false, true}) {
    ASSERT_NO_FATAL_FAILURE(operate(300));
    bench_.record()->media_errors += 3;
    bench_.ftl().metadata.block_table_changed();
    bench_.settle();
    if (shut_down) bench_.shut_down();
    bench_.settle();
    ASSERT_NO_FATAL_FAILURE(cut_power());
    bench_.ftl().metadata.opened();
    bench_.settle(); // the boot is remembered
    unsafe += shut_down ? 0 : 1;
    errors += 3;
    EXPECT_EQ(bench_.record()->power_cycles, ++cycles);
    EXPECT_EQ(bench_.record()->unsafe_shutdowns, unsafe);
    EXPECT_EQ(bench_.record()->media_errors, errors);
  }
}

/// Percentage used: stamps tell of the erases that no table does, but of those of caches. No more than there
/// were.
TEST_P(Wear, ErasesAreRemembered) {
  ASSERT_EQ(bench_.error(), nullptr) << bench_.error();
  const bool cached = bench_.ftl().state.policy.cache != nullptr;
  for (int cut = 0; cut < 6; ++cut) {
    ASSERT_NO_FATAL_FAILURE(operate(3000));
    if (cached) bench_.ftl().metadata.block_table_changed();
    bench_.settle();
    const std::uint64_t before = bench_.hal().flash().erases();
    ASSERT_NO_FATAL_FAILURE(cut_power());
    const std::uint64_t after = bench_.statistics().erases;
    EXPECT_LE(after, before + bench_.statistics().free_blocks) << "erased before the table, begun behind it";
    const bool copies = bench_.ftl().lower_pages.kept(); // of few pages, erased often
    EXPECT_GE(after * 100, before * (copies ? 15 : 70)) << "of " << before;
  }
  EXPECT_GT(bench_.statistics().erases, 300u);
}

/// Its host trims nothing, no program fails: the drive keeps all its blocks, and writes its own pages only.
TEST_P(Wear, ADriveThatHasLostNothingWritesNoTable) {
  ASSERT_EQ(bench_.error(), nullptr) << bench_.error();
  mix_.trim_percent = mix_.zero_percent = 0;
  ASSERT_NO_FATAL_FAILURE(operate(3000));
  bench_.settle();
  bench_.shut_down();
  bench_.settle();
  EXPECT_EQ(bench_.statistics().pages_programmed[static_cast<std::size_t>(fw::ProgramCause::metadata)], 0u);
}

const auto kUnbuffered = ::testing::Values(conventional(), copybacks(), twins(), protected_tlc(),
                                           page_types(), partitions(), cache());
const auto name_of = [](const auto& param) { return std::string(param.param.name); };

INSTANTIATE_TEST_SUITE_P(Drives, Wear, kUnbuffered, name_of);
INSTANTIATE_TEST_SUITE_P(ByWordline, Wear, ::testing::Values(wordlines()), name_of);
INSTANTIATE_TEST_SUITE_P(Buffered, Wear, ::testing::Values(buffered()), name_of);
INSTANTIATE_TEST_SUITE_P(Drives, WornOut, kUnbuffered, name_of);

} // namespace
} // namespace twinplane::test
