// What does the write buffer promise?
#include <gtest/gtest.h>

#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_buffer_test {
namespace {

constexpr std::uint32_t kPages = 8;
constexpr std::uint32_t kSectors = 4; // per page

FtlBenchConfig buffered() {
  FtlBenchConfig c = small_drive();
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = kPages;
  return c;
}

TEST(WriteBuffer, AcknowledgesWithoutTouchingFlash) {
  FtlBench b(buffered());
  b.write(0, kSectors);
  b.settle();
  EXPECT_EQ(b.commands_done(), 1u);
  EXPECT_EQ(b.hal().flash().programs(), 0u);
}

TEST(WriteBuffer, ServesReadsFromDram) {
  FtlBench b(buffered());
  b.write(4, 2);
  b.read(4, 2);
  b.settle();
  EXPECT_EQ(b.statistics().buffer_read_hits, 1u);
  EXPECT_EQ(b.statistics().read_pages, 0u);
}

TEST(WriteBuffer, JoinsBufferAndFlashInOneRead) {
  FtlBench b(buffered());
  b.write(0, kSectors);
  b.flush();
  b.settle();
  for (std::uint32_t i = 1; i <= kPages; ++i) b.write(i * kSectors, kSectors); // page 0 leaves the buffer
  b.settle();
  b.write(1, 1);
  b.read(0, kSectors);
  b.settle();
  EXPECT_EQ(b.statistics().read_pages, 1u);
}

TEST(WriteBuffer, MergesWritesToOnePage) {
  FtlBench b(buffered());
  for (std::uint32_t n = 0; n < 20; ++n) b.write(n % kSectors, 1);
  b.flush();
  b.settle();
  EXPECT_EQ(b.statistics().buffer_write_hits, 19u);
  EXPECT_EQ(b.hal().flash().programs(), 1u);
}

TEST(WriteBuffer, FlushCompletesOnlyWhenEverythingIsOnFlash) {
  FtlBench b(buffered());
  for (std::uint32_t i = 0; i < 3; ++i) b.write(i * kSectors, kSectors);
  b.settle();
  ASSERT_EQ(b.commands_done(), 3u);
  b.flush();
  while (b.commands_done() == 3) {
    ASSERT_LE(b.hal().flash().programs(), 3u);
    ASSERT_TRUE(b.step());
  }
  EXPECT_EQ(b.hal().flash().programs(), 3u);
}

TEST(WriteBuffer, ForcedUnitAccessReachesFlashBeforeTheAnswer) {
  FtlBench b(buffered());
  b.write(0, kSectors, true);
  while (b.commands_done() == 0) ASSERT_TRUE(b.step());
  EXPECT_EQ(b.hal().flash().programs(), 1u);
}

TEST(WriteBuffer, WritesBackAboveTheWatermark) {
  FtlBench b(buffered());
  for (std::uint32_t i = 0; i < kPages; ++i) b.write(i * kSectors, kSectors);
  b.settle();
  EXPECT_EQ(b.hal().flash().programs(), kPages / 4);
}

TEST(WriteBuffer, ForgetsTrimmedPages) {
  FtlBench b(buffered());
  b.write(0, kSectors);
  b.trim(0, kSectors);
  b.flush();
  b.settle(); // a read does not wait for changes that wait
  b.read(0, kSectors);
  b.settle();
  const std::uint64_t* const programs = b.statistics().pages_programmed;
  EXPECT_EQ(programs[static_cast<std::size_t>(fw::ProgramCause::host)], 0u);
  EXPECT_EQ(programs[static_cast<std::size_t>(fw::ProgramCause::metadata)], 2u) << "the flush keeps the trim";
  EXPECT_EQ(b.statistics().unmapped_reads, 1u);
}

/// A clean slot whose data still waits for DMA must not be reused; the waiting write must be woken.
TEST(WriteBuffer, WaitsForReadsOfASlotBeforeReusingIt) {
  FtlBenchConfig c = buffered();
  c.sleepy = true;
  FtlBench b(c);
  for (std::uint32_t i = 0; i < kPages; ++i) b.write(i * kSectors, kSectors);
  b.flush();
  b.settle();
  for (std::uint32_t i = 0; i < kPages; ++i) b.read(i * kSectors, kSectors);
  b.write(kPages * kSectors, 1);
  b.settle();
  EXPECT_EQ(b.commands_done(), 2 * kPages + 2);
}

TEST(WriteBuffer, RefusesAnAcknowledgeFromABufferThatIsNotThere) {
  FtlBenchConfig c = buffered();
  c.ftl.write_buffer_pages = 0;
  EXPECT_STREQ(FtlBench(c).error(), "ftl.write_ack: buffered needs ftl.write_buffer of at least one page");
}

} // namespace
} // namespace twinplane::test::ftl_buffer_test
