// Do reads of what the host has spoilt (Write Uncorrectable) fail, and of nothing else, until it is written
// again? And does what has been committed, trims too, outlast a power cut? Oracle: the shadow of FtlBench.
#include <algorithm>
#include <memory>

#include "tests/support/ftl_cached.h"
#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_spoil_test {
namespace {

constexpr std::uint16_t kGood = nvme::status::success;
constexpr std::uint16_t kLost = nvme::status::unrecovered_read;

FtlBenchConfig buffered() {
  FtlBenchConfig c = small_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 8;
  return c;
}
FtlBenchConfig twins() {
  FtlBenchConfig c = small_drive();
  c.ftl.block_allocation = "twin";
  return c;
}

struct Drive {
  const char* name;
  FtlBenchConfig config;
};
void PrintTo(const Drive& drive, std::ostream* to) {
  *to << drive.name;
}

class SpoiltSectors : public ::testing::TestWithParam<Drive> {
 protected:
  void change(FtlBench& b, void (FtlBench::*what)(std::uint64_t, std::uint32_t), std::uint64_t lba,
              std::uint32_t sectors) {
    (b.*what)(lba, sectors);
    b.settle();
    ASSERT_EQ(b.last_status(), kGood);
  }
  const std::uint32_t kSectors = GetParam().config.ftl.geometry.sectors_per_page();
  static std::uint16_t read(FtlBench& b, std::uint64_t lba, std::uint32_t sectors) {
    b.read(lba, sectors);
    b.settle();
    return b.last_status();
  }
};

TEST_P(SpoiltSectors, FailReadsUntilTheyAreWrittenTrimmedOrZeroed) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const auto write = [&](std::uint64_t lba, std::uint32_t sectors) {
    b.write(lba, sectors);
    b.flush(); // what is lost is known behind the buffer
    b.settle();
  };
  write(0, 4 * kSectors);
  for (const std::uint64_t first : {0u, 1u}) { // a whole page, and the end of one with all of the next
    const std::uint32_t count = first == 0 ? kSectors : 2 * kSectors - 1;
    change(b, &FtlBench::spoil, first, count);
    for (std::uint64_t lba = 0; lba < 3 * kSectors; ++lba)
      EXPECT_EQ(read(b, lba, 1), lba >= first && lba < first + count ? kLost : kGood)
          << lba << " of " << first;
    EXPECT_EQ(b.statistics().lost_sectors, count);
    write(first + 1, 1);
    EXPECT_EQ(read(b, first + 1, 1), kGood);
    EXPECT_EQ(read(b, first, 1), kLost);
    write(0, 2 * kSectors);
    EXPECT_EQ(read(b, 0, 2 * kSectors), kGood);
    EXPECT_EQ(b.statistics().lost_sectors, 0u);
  }
  change(b, &FtlBench::spoil, 0, 3 * kSectors);
  change(b, &FtlBench::trim, 0, kSectors);
  change(b, &FtlBench::write_zeroes, kSectors, kSectors);
  change(b, &FtlBench::write_zeroes, 2 * kSectors, 1); // a part of a page
  EXPECT_EQ(read(b, 0, 2 * kSectors + 1), kGood);
  EXPECT_EQ(read(b, 2 * kSectors + 1, 1), kLost);
  b.flush();
  b.settle();
  EXPECT_EQ(b.statistics().lost_sectors, kSectors - 1);
}

TEST_P(SpoiltSectors, AreSpoiltThoughNobodyHasWrittenThem) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  change(b, &FtlBench::spoil, 2, 1);
  EXPECT_EQ(read(b, 2, 1), kLost);
  EXPECT_EQ(read(b, 0, 2), kGood);
  EXPECT_EQ(read(b, 3, 1), kGood);
}

/// The status of a read without data is that of one with.
TEST_P(SpoiltSectors, FailAReadWithoutDataAlike) {
  FtlBench b(GetParam().config);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  b.write(0, 3 * kSectors);
  b.settle();
  change(b, &FtlBench::spoil, kSectors + 1, 1);
  b.write(2 * kSectors + 1, 1); // in the buffer, if there is one
  b.settle();
  const std::uint64_t pages = b.statistics().read_pages;
  for (const std::uint64_t lba : {0u, kSectors - 1, kSectors + 1, kSectors + 2, 2 * kSectors + 1, 100u}) {
    fw::Request verify;
    verify.kind = fw::RequestKind::read;
    verify.lba = lba;
    verify.sectors = 2;
    verify.device_buffer = fw::kNoData;
    b.submit_foreign(verify);
    EXPECT_EQ(verify.status, lba == kSectors + 1 ? kLost : kGood) << lba;
  }
  EXPECT_GT(b.statistics().read_pages, pages) << "they are read";
}

TEST_P(SpoiltSectors, AreTheOnlyOnesThatFailAmongOthers) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    FtlBenchConfig c = GetParam().config;
    c.shuffle = true;
    c.seed = seed;
    FtlBench b(c);
    Mix mix;
    mix.operations = 12000;
    mix.spoil_percent = 6;
    mix.commit_percent = 1;
    mix.lbas = seed == 1 ? 64 : 0; // they meet
    run_random(b, mix, seed);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.failed_reads(), 0u);
    EXPECT_EQ(b.failed_reads(), b.spoilt_reads());
    EXPECT_EQ(b.failed_writes(), 0u);
    EXPECT_FALSE(b.statistics().read_only);
  }
}

/// A page tells of its spoilt sectors: a drive that is short of blocks takes those of its metadata for writes, although
/// sectors are spoilt, and still knows after a cut which ones are.
TEST(SpoiltSectorsOfATinyDrive, DoNotEndIt) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.channels = c.ftl.geometry.dies_per_chip = c.ftl.geometry.planes_per_die = 1;
  c.ftl.geometry.pages_per_block = 12;
  c.ftl.over_provisioning = 0.26;
  c.ftl.checkpoint_interval = 50;
  c.ftl.marked_blocks = true;
  std::uint64_t given_up = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    write_every_page(b);
    Mix mix;
    mix.operations = 4000;
    mix.spoil_percent = 6;
    mix.trim_percent = mix.zero_percent = 0; // without metadata a cut may undo these
    run_random(b, mix, seed);
    if (HasFatalFailure()) return;
    b.settle();
    EXPECT_EQ(b.failed_writes(), 0u);
    EXPECT_FALSE(b.statistics().read_only);
    const std::uint64_t lost = b.statistics().lost_sectors;
    EXPECT_GT(lost, 0u);
    given_up += b.statistics().metadata_given_up;
    fw::Random random(seed);
    b.cut_power(false, random);
    if (HasFatalFailure()) return;
    EXPECT_EQ(b.statistics().lost_sectors, lost);
  }
  EXPECT_GT(given_up, 0u) << "no drive was short of blocks";
}

INSTANTIATE_TEST_SUITE_P(Drives, SpoiltSectors,
                         ::testing::Values(Drive{"Plain", small_drive()}, Drive{"Buffered", buffered()},
                                           Drive{"Baseline", cached_drive("slc_cache")},
                                           Drive{"Ipu", cached_drive("ipu")}, Drive{"Twins", twins()}),
                         parameter_name);

/// Everything is trimmed, committed, and the supply fails: nothing comes back.
TEST(CommittedTrims, AreNotUndoneByAPowerCut) {
  for (const bool in_buffer : {false, true}) {
    FtlBenchConfig c = in_buffer ? buffered() : small_drive();
    c.ftl.marked_blocks = true;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    ASSERT_TRUE(b.statistics().metadata_kept);
    fw::Random random(4);
    write_every_page(b);
    b.settle();
    b.trim(0, static_cast<std::uint32_t>(b.sectors()));
    b.settle();
    b.commit();
    b.settle();
    b.cut_power(false, random);
    ASSERT_FALSE(HasFatalFailure());
    for (std::uint32_t lpn = 0; lpn < b.ftl().state.exported_pages; ++lpn)
      ASSERT_FALSE(fw::is_page(b.ftl().state.policy.mapping->lookup(lpn))) << lpn;
  }
}

/// The same of what has been spoilt, whole pages and parts.
TEST(CommittedSpoils, AreNotUndoneByAPowerCut) {
  for (const bool in_buffer : {false, true}) {
    FtlBenchConfig c = in_buffer ? buffered() : small_drive();
    c.ftl.marked_blocks = true;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    fw::Random random(4);
    write_every_page(b);
    b.settle();
    b.flush();
    b.settle();
    for (std::uint32_t lba = 0; lba < 200; lba += 20) b.spoil(lba, 1 + lba / 20);
    b.settle();
    b.commit();
    b.settle();
    const std::uint64_t lost = b.statistics().lost_sectors;
    EXPECT_EQ(lost, 55u);
    for (int cut = 0; cut < 3; ++cut) b.cut_power(false, random); // the shadow knows what has to be lost
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_EQ(b.statistics().lost_sectors, lost);
  }
}

FtlBenchConfig with_checkpoints() {
  FtlBenchConfig c = small_drive();
  c.ftl.over_provisioning = 0.4;
  c.ftl.checkpoint_interval = 300;
  return c;
}
FtlBenchConfig eight_subpages() {
  FtlBenchConfig c = cached_drive("mga");
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.geometry.subpages_per_page = 8;
  return c;
}

/// More than a page of metadata has a list for: a page of 4 KiB lists 64.
class ManyLosses : public ::testing::TestWithParam<Drive> {
 protected:
  ManyLosses() {
    FtlBenchConfig c = GetParam().config;
    c.ftl.marked_blocks = true;
    c.ftl.hold_up_pages = c.ftl.slc_cache.share == 0 ? 0 : 4096;
    held_up_ = c.ftl.hold_up_pages != 0;
    sectors_ = c.ftl.geometry.sectors_per_page();
    b = std::make_unique<FtlBench>(c);
  }
  void SetUp() override {
    ASSERT_EQ(b->error(), nullptr) << b->error();
    ASSERT_TRUE(b->statistics().metadata_kept);
    for (int i = 0; i < 2; ++i) write_every_page(*b);
    kept();
  }
  /// What has been done so far has to outlast power cuts.
  void kept() {
    b->settle();
    b->flush();
    b->settle();
    b->commit();
    b->settle();
  }
  void spoil(std::uint64_t lba) {
    while (b->free_slots() == 0) ASSERT_TRUE(b->step()) << "stuck";
    b->spoil(lba, 1);
  }
  /// A sector of each of so many pages, from `first` on.
  void spoil_pages(std::uint32_t first, std::uint32_t pages) {
    for (std::uint32_t lpn = first; lpn < first + pages; ++lpn)
      spoil(std::uint64_t{lpn} * sectors_ + lpn % sectors_);
    kept();
  }
  void write_pages(std::uint32_t first, std::uint32_t pages) {
    for (std::uint32_t lpn = first; lpn < first + pages; ++lpn) {
      while (b->free_slots() == 0) ASSERT_TRUE(b->step()) << "stuck";
      b->write(std::uint64_t{lpn} * sectors_, sectors_);
    }
    kept();
  }
  /// The shadow knows what has to be lost.
  void expect_lost_after_cuts(std::uint64_t lost) {
    EXPECT_EQ(b->statistics().lost_sectors, lost);
    for (int cut = 0; cut < 3; ++cut) {
      held_up_ ? b->cut_power_held_up(random_) : b->cut_power(false, random_);
      if (HasFatalFailure()) FAIL() << "cut " << cut << " with " << lost << " losses";
      ASSERT_EQ(b->statistics().lost_sectors, lost) << "cut " << cut;
      b->settle();
    }
    EXPECT_EQ(b->statistics().metadata_given_up, 0u);
  }

  std::unique_ptr<FtlBench> b;
  fw::Random random_{4};
  std::uint32_t sectors_ = 0;
  bool held_up_ = false;
};

TEST_P(ManyLosses, AreNotUndoneByAPowerCut) {
  std::uint32_t lost = 0;
  for (const std::uint32_t to : {63u, 64u, 65u, 66u, 300u, b->ftl().state.exported_pages}) {
    ASSERT_NO_FATAL_FAILURE(spoil_pages(lost, to - lost));
    lost = to;
    ASSERT_NO_FATAL_FAILURE(expect_lost_after_cuts(lost));
  }
}

TEST_P(ManyLosses, AreFewAgainAndManyAgain) {
  const std::uint32_t pages = b->ftl().state.exported_pages;
  for (int round = 0; round < 4; ++round) {
    ASSERT_NO_FATAL_FAILURE(spoil_pages(0, pages));
    ASSERT_NO_FATAL_FAILURE(expect_lost_after_cuts(pages));
    ASSERT_NO_FATAL_FAILURE(write_pages(10, pages - 20));
    ASSERT_NO_FATAL_FAILURE(expect_lost_after_cuts(20));
  }
}

/// All sectors of some pages, some sectors of others, written, trimmed and zeroed among that.
TEST_P(ManyLosses, AreKeptAmongAllElse) {
  Mix mix;
  mix.spoil_percent = 30;
  mix.write_percent = 30;
  mix.trim_percent = mix.zero_percent = 8;
  std::uint64_t most = 0;
  for (int cut = 0; cut < 30; ++cut) {
    for (std::uint32_t i = random_.below(300); i != 0; --i) {
      while (b->free_slots() == 0) ASSERT_TRUE(b->step()) << "stuck";
      random_operation(*b, random_, mix);
    }
    ASSERT_NO_FATAL_FAILURE(kept());
    most = std::max(most, b->statistics().lost_sectors);
    ASSERT_NO_FATAL_FAILURE(expect_lost_after_cuts(b->statistics().lost_sectors)) << "cut " << cut;
    b->check_all(true);
  }
  EXPECT_GT(most, 500u);
}

INSTANTIATE_TEST_SUITE_P(Drives, ManyLosses,
                         ::testing::Values(Drive{"Plain", small_drive()}, Drive{"Buffered", buffered()},
                                           Drive{"Checkpoints", with_checkpoints()}, Drive{"Twins", twins()},
                                           Drive{"Baseline", cached_drive("slc_cache")},
                                           Drive{"MgaEightSubpages", eight_subpages()}),
                         parameter_name);

} // namespace
} // namespace twinplane::test::ftl_spoil_test
