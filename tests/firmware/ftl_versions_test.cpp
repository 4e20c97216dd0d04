// Which version of a page wins when several are on their way from the write buffer to flash? Oracle: the
// shadow of FtlBench. Few addresses, so that versions meet; programs end in order, turned round, and in any
// order; some fail.
#include "tests/support/ftl_random.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::ftl_versions_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of the small drive

FtlBenchConfig buffered(std::uint32_t pages) {
  FtlBenchConfig c = small_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = pages;
  return c;
}

struct Heat {
  std::uint32_t sectors = 64; // that are used
  std::uint32_t trim_percent = 0;
  std::uint32_t through_percent = 0; // of writes: with force unit access
  std::uint32_t operations = 4000;
};

/// Every third write is of whole pages: such versions read nothing first and overtake others.
void one_operation(FtlBench& b, fw::Random& random, const Heat& heat) {
  const bool whole = random.below(3) == 0;
  const std::uint32_t count = whole ? kSectors * (1 + random.below(2)) : 1 + random.below(8);
  const std::uint64_t lba =
      whole ? random.below(heat.sectors / kSectors) * kSectors : random.below(heat.sectors);
  const std::uint32_t dice = random.below(100);
  if (dice < 70) {
    b.write(lba, count, random.below(100) < heat.through_percent);
  } else if (dice < 70 + heat.trim_percent) {
    random.below(3) == 0 ? b.write_zeroes(lba, count) : b.trim(lba, count);
  } else if (random.below(20) == 0) {
    b.flush();
  } else {
    b.read(lba, count);
  }
}

void run_hot(FtlBench& b, const Heat& heat, std::uint64_t seed) {
  fw::Random random(seed);
  for (std::uint32_t i = 0; i < heat.operations; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step()) << "stuck";
    one_operation(b, random, heat);
    if (random.below(2) == 0) b.step();
    b.check_cheap();
    b.check_versions();
    if (::testing::Test::HasFatalFailure()) return;
  }
  b.settle();
  for (std::uint64_t lba = 0; lba < heat.sectors + 8; lba += kSectors) b.read(lba, kSectors);
  b.settle();
  b.check_all(true);
}

enum class Ends { in_order, turned_round, shuffled };
void PrintTo(const Ends& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

class Versions : public ::testing::TestWithParam<Ends> {
 protected:
  FtlBenchConfig config(std::uint64_t seed) const {
    FtlBenchConfig c = buffered(static_cast<std::uint32_t>(seed % 5 == 0 ? 1 + seed % 3 : 4 + seed % 12));
    c.shuffle = GetParam() == Ends::shuffled;
    c.newest_first = GetParam() == Ends::turned_round;
    c.seed = seed;
    return c;
  }
};

TEST_P(Versions, TheNewestWinsWhateverEndsFirst) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    FtlBench b(config(seed));
    ASSERT_NO_FATAL_FAILURE(run_hot(b, Heat(), seed));
  }
}

TEST_P(Versions, TrimsBetweenVersionsTakeEffectInTheirTurn) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    FtlBench b(config(seed));
    Heat heat;
    heat.sectors = 24;
    heat.trim_percent = 15;
    heat.through_percent = 2;
    ASSERT_NO_FATAL_FAILURE(run_hot(b, heat, seed));
  }
}

/// The drive goes on until it has used up its blocks.
TEST_P(Versions, WhatWasAcknowledgedOutlivesProgramsThatFail) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    FtlBench b(config(seed));
    b.hal().flash().fail_programs(100, seed);
    Heat heat;
    heat.trim_percent = 3;
    ASSERT_NO_FATAL_FAILURE(run_hot(b, heat, seed));
    EXPECT_EQ(b.failed_reads(), 0u);
    EXPECT_GT(b.statistics().flash_failures, 0u);
  }
}

std::string name_of(const ::testing::TestParamInfo<Ends>& info) {
  return info.param == Ends::in_order       ? "InOrder"
         : info.param == Ends::turned_round ? "TurnedRound"
                                            : "Shuffled";
}

INSTANTIATE_TEST_SUITE_P(ProgramsEnd, Versions,
                         ::testing::Values(Ends::in_order, Ends::turned_round, Ends::shuffled), name_of);

/// A flush is done when every version that was dirty is on flash, those that wait for an older one included.
TEST(BufferedPage, AFlushWaitsForEveryVersion) {
  FtlBench b(buffered(8));
  b.write(0, kSectors, true); // on its way to flash at once
  b.turn();
  b.write(1, 1); // a second version
  b.flush();
  while (b.commands_done() < 3) ASSERT_TRUE(b.step());
  EXPECT_EQ(b.hal().flash().programs(), 2u);
}

/// The second version completes itself from the first one, although the first program of that one failed.
TEST(BufferedPage, TheOneWhoseProgramFailedIsWrittenBeforeTheNext) {
  FtlBench b(buffered(8));
  b.hal().flash().fail_program(1);
  b.write(0, kSectors, true);
  b.turn();
  b.write(1, 1);
  b.flush();
  b.settle();
  EXPECT_EQ(b.hal().flash().programs(), 3u);
  for (std::uint32_t i = 1; i <= 8; ++i) b.write(i * kSectors, kSectors); // the page leaves the buffer
  b.settle();
  b.read(0, kSectors);
  b.settle();
  EXPECT_EQ(b.last_status(), nvme::status::success);
  EXPECT_EQ(b.statistics().read_pages, 2u) << "one to complete the second version, one for the host";
}

/// Many failures in a row: the page stays in the buffer and is tried again, for as long as there is space.
TEST(BufferedPage, ABufferedPageIsNeverGivenUp) {
  FtlBench b(buffered(8));
  b.hal().flash().fail_program(1, 20);
  b.write(0, kSectors, true);
  b.settle();
  EXPECT_EQ(b.last_status(), nvme::status::success);
  EXPECT_EQ(b.hal().flash().programs(), 21u);
}

} // namespace
} // namespace twinplane::test::ftl_versions_test
