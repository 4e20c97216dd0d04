// Several programs of one page are with its die when the first one fails: does each of them end where newer
// data stay newer, and what the host has been told is written can be read?
#include "tests/support/ftl_cached.h"

namespace twinplane::test::ftl_cached_repeat_test {
namespace {

constexpr std::uint32_t kSectorsPerSubpage = 2;

/// One plane, whose die is given four programs at a time.
FtlBenchConfig deep_drive(const char* scheme) {
  FtlBenchConfig c = cached_drive(scheme);
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  c.ftl.die_queue_depth = 4;
  return c;
}

void read_all(FtlBench& b, std::uint32_t lpns) {
  for (std::uint32_t lpn = 0; lpn < lpns; ++lpn) {
    b.read(std::uint64_t{lpn} * 4 * kSectorsPerSubpage, kSectorsPerSubpage);
    b.settle();
    EXPECT_EQ(b.last_status(), nvme::status::success) << "LPN " << lpn;
  }
}

// IPU: both versions of a subpage are on their way to the same page. The older one fails.
TEST(CachedRepeats, LeaveTheNewerVersionOfASubpageAlone) {
  for (std::uint64_t failing = 1; failing <= 3; ++failing) {
    FtlBench b(deep_drive("ipu"));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.hal().flash().fail_program(failing);
    for (int version = 0; version < 4; ++version) {
      b.write(0, kSectorsPerSubpage);
      b.turn();
    }
    b.settle();
    read_all(b, 1); // the shadow knows the newest version
    b.check_all(true);
  }
}

// MGA: subpages of different logical pages. What was programmed behind the failure is not safe there.
TEST(CachedRepeats, SaveWhatWasProgrammedBehindAFailure) {
  for (const char* scheme : {"mga", "packed"}) {
    FtlBench b(deep_drive(scheme));
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.hal().flash().fail_program(1);
    for (std::uint32_t lpn = 0; lpn < 4; ++lpn) {
      b.write(std::uint64_t{lpn} * 4 * kSectorsPerSubpage, kSectorsPerSubpage);
      b.turn();
    }
    ASSERT_GT(b.hal().max_queued(), 1u);
    b.settle();
    EXPECT_EQ(b.failed_writes(), 0u);
    read_all(b, 4);
    b.check_all(true);
  }
}

/// A write whose program has failed gets a native page where the cache is full, which takes more of the
/// logical page than the write has: that is read first. Meanwhile the host and collection find the data of
/// the page that has failed in the write's buffer. No page is programmed twice: a failure takes nothing along.
TEST(CachedRepeats, LendWhatTheyHoldWhileTheyReadForANativePage) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    FtlBenchConfig c = cached_drive("slc_cache");
    c.ftl.slc_cache.share = 0.1;
    c.ftl.over_provisioning = 0.6;
    c.ftl.die_queue_depth = 4;
    c.shuffle = c.programs_last = true;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    b.expect_wear();
    b.hal().flash().fail_programs(8, seed);
    Mix mix;
    mix.write_percent = 65;
    mix.trim_percent = mix.zero_percent = 0;
    mix.lbas = 1500;
    fw::Random random(seed);
    while (b.statistics().flash_failures < 30 && !HasFailure()) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      random_operation(b, random, mix);
      EXPECT_EQ(b.statistics().lost_sectors, 0u) << "seed " << seed;
    }
    b.settle();
    EXPECT_EQ(b.failed_writes() + b.failed_reads(), 0u) << "seed " << seed;
    EXPECT_GT(b.statistics().cache.native_host_pages, 0u) << "seed " << seed;
    b.check_all(true);
  }
}

/// At the end of the drive's life writes that should be repeated are refused, and moves find no page any more:
/// what they should have replaced counts again, or is lost, and the drive knows.
TEST(CachedRepeats, LeaveNothingBehindThatNamesAPageWhoseProgramHasFailed) {
  for (const char* scheme : kCacheSchemes) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      FtlBenchConfig c = cached_drive(scheme);
      c.ftl.die_queue_depth = seed % 2 == 0 ? 4 : 1;
      c.shuffle = c.programs_last = true;
      FtlBench b(c);
      ASSERT_EQ(b.error(), nullptr) << b.error();
      b.expect_wear();
      b.hal().flash().fail_programs(60, seed);
      Mix mix;
      mix.write_percent = 80;
      fw::Random random(seed);
      for (int i = 0; i < 30000 && !b.statistics().read_only; ++i) {
        while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
        random_operation(b, random, mix);
        if (HasFatalFailure()) return;
      }
      ASSERT_TRUE(b.statistics().read_only) << scheme << ", seed " << seed;
      b.settle();
      const fw::UnitMap& map = b.ftl().state.units->map;
      for (std::uint32_t n = 0; n < b.ftl().state.exported_pages * map.units(); ++n) {
        const fw::Pun at = map.at(n / map.units(), n % map.units());
        if (at == fw::kNoPun) continue;
        EXPECT_FALSE(map.program_failed(map.page_of(at))) << scheme << ", seed " << seed << ", subpage " << n;
      }
      b.check_tables();
    }
  }
}

/// What a move could not bring anywhere, however often it was tried, is in the victim as before. The host writes a few
/// pages alone meanwhile.
TEST(CachedRepeats, LeaveInTheVictimWhatNoProgramOfAMoveHasBrought) {
  constexpr std::uint32_t kWritten = 8; // logical pages
  for (const char* scheme : {"slc_cache", "ipu", "packed_slc_cache", "packed_ipu", "packed_pslc"}) {
    SCOPED_TRACE(scheme);
    FtlBenchConfig c = cached_drive(scheme);
    c.shuffle = true;
    FtlBench b(c);
    Mix mix;
    mix.operations = 4000;
    run_random(b, mix, 8);
    const std::uint64_t moved = b.statistics().regions[fw::kNative].moved_pages;
    b.expect_wear();
    b.hal().flash().fail_programs(1000, 1);
    fw::Random random(9);
    while (b.statistics().flash_failures < 800 && !b.statistics().read_only) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
      b.write(std::uint64_t{random.below(kWritten * 8 - 4)}, 4);
      b.step();
    }
    EXPECT_GT(b.statistics().regions[fw::kNative].moved_pages, moved + 100);
    b.hal().flash().fail_programs(0, 1);
    b.settle();
    const std::vector<std::uint32_t> lost = losses_of(b);
    for (std::uint32_t lpn = kWritten; lpn < lost.size(); ++lpn) EXPECT_EQ(lost[lpn], 0u) << "LPN " << lpn;
    b.check_all(true);
  }
}

TEST(CachedRepeats, AnswerNoWriteWhoseDataWentWithALaterOne) {
  for (const char* scheme : kCacheSchemes) {
    SCOPED_TRACE(scheme);
    FtlBench b(deep_drive(scheme));
    ASSERT_NO_FATAL_FAILURE(expect_no_write_succeeds(b, 150, 5));
  }
}

} // namespace
} // namespace twinplane::test::ftl_cached_repeat_test
