// What does the host see of sectors whose flash page cannot be read any more? Sector by sector an error or
// the data that it wrote last, never anything else. Oracle: what the test has written, and the shadow of
// FtlBench.
#include "tests/support/ftl_random.h"
#include "tests/support/slots_of.h"

namespace twinplane::test::ftl_lost_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of the small drive
constexpr std::uint32_t kBufferPages = 8;

FtlBenchConfig drive(bool buffered) {
  FtlBenchConfig c = small_drive();
  if (!buffered) return c;
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = kBufferPages;
  return c;
}

std::uint16_t status_of_read(FtlBench& b, std::uint64_t lba, std::uint32_t sectors) {
  b.read(lba, sectors);
  b.settle();
  return b.last_status();
}

constexpr std::uint16_t kGood = nvme::status::success;
constexpr std::uint16_t kLost = nvme::status::unrecovered_read;

/// With and without a write buffer.
class Lost : public ::testing::TestWithParam<bool> {
 protected:
  Lost() : b(drive(GetParam())) {}

  void write(std::uint64_t lba, std::uint32_t sectors) {
    b.write(lba, sectors);
    b.settle();
    ASSERT_EQ(b.last_status(), kGood);
  }
  /// Nothing of the first pages is in the buffer any more.
  void empty_buffer() {
    if (!GetParam()) return;
    const std::uint64_t end = b.sectors();
    for (std::uint32_t i = 1; i <= kBufferPages; ++i) b.write(end - i * kSectors, kSectors);
    b.flush();
    b.settle();
  }
  void lose_page(std::uint32_t lpn) {
    empty_buffer();
    b.hal().flash().spoil(b.place(lpn));
  }
  void expect(const std::vector<std::uint16_t>& statuses) {
    for (std::uint32_t s = 0; s < statuses.size(); ++s) {
      EXPECT_EQ(status_of_read(b, s, 1), statuses[s]) << "sector " << s;
    }
  }

  FtlBench b;
};

TEST_P(Lost, AWriteOfOneSectorSucceedsAndTheOthersStayLost) {
  write(0, kSectors);
  lose_page(0);
  write(1, 1);
  expect({kLost, kGood, kLost, kLost});
  empty_buffer();
  expect({kLost, kGood, kLost, kLost});
  EXPECT_EQ(status_of_read(b, 0, kSectors), kLost);
  EXPECT_EQ(status_of_read(b, 1, 2), kLost);
}

TEST_P(Lost, EachSectorIsGoodAgainOnceItHasBeenWritten) {
  write(0, kSectors);
  lose_page(0);
  write(1, 1);
  empty_buffer();
  write(2, 2);
  expect({kLost, kGood, kGood, kGood});
  empty_buffer();
  expect({kLost, kGood, kGood, kGood});
  write(0, 1);
  expect({kGood, kGood, kGood, kGood});
  EXPECT_EQ(status_of_read(b, 0, kSectors), kGood);
  empty_buffer();
  EXPECT_FALSE(b.ftl().state.lost.any());
}

TEST_P(Lost, AWriteOfThePageAsAWholeLeavesNothingLost) {
  write(0, kSectors);
  lose_page(0);
  write(1, 1);
  empty_buffer();
  write(0, kSectors);
  empty_buffer();
  EXPECT_EQ(status_of_read(b, 0, kSectors), kGood);
  EXPECT_FALSE(b.ftl().state.lost.any());
}

TEST_P(Lost, ATrimmedPageReadsAsZerosAgain) {
  write(0, kSectors);
  lose_page(0);
  write(1, 1);
  empty_buffer();
  b.trim(0, kSectors);
  b.settle();
  EXPECT_EQ(status_of_read(b, 0, kSectors), kGood); // the shadow looks at the data
  EXPECT_FALSE(b.ftl().state.lost.any());
}

TEST_P(Lost, APartialTrimChangesNothing) {
  write(0, kSectors);
  lose_page(0);
  write(1, 1);
  empty_buffer();
  b.trim(0, 2);
  b.settle();
  expect({kLost, kGood, kLost, kLost});
}

TEST_P(Lost, ZeroesWrittenToASectorAreGood) {
  write(0, kSectors);
  lose_page(0);
  b.write_zeroes(3, 1);
  b.settle();
  EXPECT_EQ(b.last_status(), kGood);
  empty_buffer();
  expect({kLost, kLost, kLost, kGood});
}

/// A page that has been moved is as lost as before, and so is what is still in it.
TEST_P(Lost, CollectionMovesTheLossesAlong) {
  write(0, kSectors);
  lose_page(0);
  write(1, 1);
  empty_buffer();
  write(kSectors, kSectors); // and a page that collection itself finds unreadable
  lose_page(1);
  const Ppa before = b.place(0);
  fw::Random random(1);
  const auto pages = static_cast<std::uint32_t>(b.sectors() / kSectors);
  for (int i = 0; i < 6000; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step());
    b.write((2 + random.below(pages - 2)) * kSectors, kSectors);
  }
  b.settle();
  const Ppa after = b.place(0);
  ASSERT_FALSE(before.die == after.die && before.plane == after.plane && before.block == after.block);
  EXPECT_EQ(b.hal().flash().page(after).bad, 0b1101u) << "the page itself tells";
  ASSERT_TRUE(fw::is_page(b.ftl().state.policy.mapping->lookup(1)));
  EXPECT_EQ(b.hal().flash().page(b.place(1)).bad, 0b1111u) << "collection has come by";
  expect({kLost, kGood, kLost, kLost, kLost, kLost, kLost, kLost});
  write(kSectors + 2, 1);
  empty_buffer();
  expect({kLost, kGood, kLost, kLost, kLost, kLost, kGood, kLost});
  b.check_all(true);
}

/// The write whose old page is unreadable fails, too, at first: it is programmed again elsewhere.
TEST_P(Lost, AFailedProgramChangesNothingAboutIt) {
  write(0, kSectors);
  lose_page(0);
  b.hal().flash().fail_program(1, 2);
  write(1, 1);
  empty_buffer();
  expect({kLost, kGood, kLost, kLost});
}

/// One command after the other, so that the test knows what is lost. With a buffer, a page that it still
/// holds outlives its flash page: then the test only knows what may be lost.
TEST_P(Lost, ErrorsAreForLostSectorsOnly) {
  fw::Random random(7);
  constexpr std::uint32_t kUsed = 24 * kSectors;
  bool lost[kUsed] = {};
  std::uint32_t errors = 0;
  for (std::uint32_t lba = 0; lba < kUsed; lba += kSectors) write(lba, kSectors);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t count = 1 + random.below(6);
    const std::uint32_t lba = random.below(kUsed - count + 1);
    const std::uint32_t dice = random.below(100);
    if (dice < 4) {
      const std::uint32_t lpn = lba / kSectors;
      if (!fw::is_page(b.ftl().state.policy.mapping->lookup(lpn))) continue;
      b.hal().flash().spoil(b.place(lpn));
      for (std::uint32_t s = 0; s < kSectors; ++s) lost[lpn * kSectors + s] = true;
    } else if (dice < 40) {
      ASSERT_NO_FATAL_FAILURE(write(lba, count));
      // what waits in the buffer is good; what was lost with its flash page stays so
      for (std::uint32_t s = lba; s < lba + count; ++s) lost[s] = false;
    } else if (dice < 43) {
      b.trim(lba / kSectors * kSectors, kSectors);
      b.settle();
      for (std::uint32_t s = 0; s < kSectors; ++s) lost[lba / kSectors * kSectors + s] = false;
    } else {
      bool may_fail = false;
      for (std::uint32_t s = lba; s < lba + count; ++s) may_fail = may_fail || lost[s];
      const std::uint16_t status = status_of_read(b, lba, count);
      errors += status == kLost ? 1 : 0;
      if (status != kGood || (may_fail && !GetParam())) {
        ASSERT_TRUE(may_fail) << "sector " << lba << " in step " << i;
        ASSERT_EQ(status, kLost);
      }
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(errors, 100u);
  EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
}

/// Everything at once: pages go bad as they are read, by whomever. In the end all is written, and all is
/// good.
TEST_P(Lost, NothingButErrorsComesOfPagesThatGoBad) {
  for (const bool reverse : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(seed);
      FtlBenchConfig c = drive(GetParam());
      c.shuffle = !reverse;
      c.newest_first = reverse;
      c.seed = seed;
      FtlBench drive(c);
      drive.hal().flash().fail_reads(50, seed);
      drive.hal().flash().fail_programs(1, seed); // more blocks than are spare must not go bad
      Mix mix;
      mix.operations = 3000;
      mix.max_sectors = 8;
      ASSERT_NO_FATAL_FAILURE(run_random(drive, mix, seed));
      EXPECT_GT(drive.failed_reads(), 50u);
      drive.hal().flash().fail_reads(0, seed);
      drive.hal().flash().fail_programs(0, seed);
      for (const bool write : {true, false}) {
        for (std::uint64_t lba = 0; lba < drive.sectors(); lba += kSectors) {
          while (drive.free_slots() == 0) ASSERT_TRUE(drive.step());
          write ? drive.write(lba, kSectors) : drive.read(lba, kSectors);
        }
        drive.settle();
        drive.flush();
        drive.settle();
      }
      EXPECT_EQ(drive.last_status(), kGood);
      EXPECT_FALSE(drive.ftl().state.lost.any());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, Lost, ::testing::Values(false, true),
                         [](const auto& param) { return param.param ? "Buffered" : "Unbuffered"; });

/// The flash page goes bad while the buffer still has a clean copy: collection finds out, and the copy is
/// written again before its slot is given away.
TEST(BufferedCopy, ReplacesAPageThatCollectionCannotRead) {
  FtlBenchConfig c = drive(true);
  c.ftl.write_buffer_pages = 64;
  FtlBench b(c);
  b.write(0, kSectors);
  b.flush();
  b.settle();
  b.hal().flash().spoil(b.place(0));
  fw::Random random(1);
  const auto pages = static_cast<std::uint32_t>(b.sectors() / kSectors);
  fw::WriteBuffer& buffer = slots_of(b.ftl().state);
  for (int i = 0; i < 20000 && b.statistics().flash_failures == 0; ++i) {
    while (b.free_slots() < 2) ASSERT_TRUE(b.step());
    b.write((1 + random.below(pages - 1)) * kSectors, kSectors);
    b.read(0, kSectors); // keeps it in the buffer
  }
  b.settle();
  ASSERT_GT(b.statistics().flash_failures, 0u) << "collection has met the page";
  ASSERT_NE(buffer.newest(0), nullptr) << "and the buffer still had it";
  for (std::uint32_t i = 1; i <= 64; ++i) {
    b.write(i * kSectors, kSectors);
    b.settle();
  }
  EXPECT_EQ(status_of_read(b, 0, kSectors), kGood);
  EXPECT_FALSE(b.ftl().state.lost.any());
}

} // namespace
} // namespace twinplane::test::ftl_lost_test
