// Page buffers of the firmware's pool: who gets them, who waits for them, and is it said how long?
#include <gtest/gtest.h>

#include "tests/support/ftl_cached.h"

namespace twinplane::test::page_buffers_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of small_drive()
constexpr std::uint32_t kPages = 64;  // of a request

FtlBenchConfig drive_with(std::uint32_t page_buffers) {
  FtlBenchConfig c = small_drive();
  c.ftl.page_buffers = page_buffers;
  c.slot_sectors = kPages * kSectors;
  return c;
}

/// Writes of more pages than the pool has buffers for, all to pages of their own.
void fill_the_pool(FtlBench& b) {
  for (std::uint32_t i = 1; i <= 3; ++i) b.write(std::uint64_t{i} * kPages * kSectors, kPages * kSectors);
}

TEST(PageBuffers, AreLeftToReadsByWritesThatWait) {
  FtlBench b(drive_with(kPages));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  ASSERT_EQ(b.precondition(0), nullptr);
  fill_the_pool(b);
  b.turn();
  ASSERT_LT(b.statistics().host_pages_written, 3 * kPages) << "writes wait";
  b.read(0, kSectors);
  b.turn();
  EXPECT_EQ(b.statistics().host_pages_read, 1u) << "no program has ended, and the read has its buffer";
  b.settle();
  EXPECT_EQ(b.parts(0).page_buffer_wait, 0u);
}

TEST(PageBuffers, GoToWritesHoweverManyReadsCome) {
  FtlBench b(drive_with(kPages));
  for (std::uint32_t lpn = 0; lpn < 2 * kPages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  const auto flood = [&b] {
    while (b.free_slots() > 1) b.read(0, kPages * kSectors);
  };
  flood();
  b.turn();
  ASSERT_GT(b.statistics().short_of_page_buffers, 0u);
  b.write(3 * kPages * kSectors, kPages * kSectors);
  for (std::uint32_t n = 0; b.responses(1) == 0; ++n) {
    ASSERT_LT(n, 10'000u) << "the write starves";
    b.step();
    flood();
  }
  EXPECT_LE(b.responses(0), 100u) << "reads that went first";
  b.settle();
}

TEST(PageBuffers, ThatAreWaitedForHaveTheirPartOfTheLatency) {
  for (const std::uint32_t buffers : {kPages, 1024u}) {
    FtlBench b(drive_with(buffers));
    fill_the_pool(b);
    b.settle();
    const bool few = buffers == kPages;
    EXPECT_EQ(b.parts(1).page_buffer_wait > 0, few) << buffers;
    EXPECT_EQ(b.statistics().short_of_page_buffers, few ? 3u : 0u) << "each request counts once";
    EXPECT_EQ(b.parts(1).write_buffer_wait, 0u);
    EXPECT_LE(b.breakdown_ps(1), b.response_ps(1)) << "the rest is the firmware's own";
  }
}

TEST(WriteBuffer, ThatIsFullHasItsPartOfTheLatency) {
  FtlBenchConfig c = drive_with(0);
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 8;
  FtlBench b(c);
  for (std::uint32_t i = 0; i < 8; ++i) b.write(std::uint64_t{i} * kSectors, kSectors);
  b.settle();
  EXPECT_EQ(b.parts(1).write_buffer_wait, 0u) << "there was room";
  fill_the_pool(b);
  b.settle();
  EXPECT_GT(b.parts(1).write_buffer_wait, 0u);
  EXPECT_GE(b.statistics().short_of_write_buffer, 3u);
  EXPECT_EQ(b.parts(1).page_buffer_wait, 0u);
  EXPECT_LE(b.breakdown_ps(1), b.response_ps(1));
}

struct Drive {
  const char* name;
  void (*change)(FtlBenchConfig&);
};
const Drive kDrives[] = {
    {"plain", [](FtlBenchConfig&) {}},
    {"buffered",
     [](FtlBenchConfig& c) {
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 32;
     }},
    {"padded wordlines",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::tlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.geometry.blocks_per_plane = 32;
       c.ftl.over_provisioning = 0.5;
       c.ftl.lower_pages = fw::LowerPageProtection::wordline;
       c.ftl.write_ack = fw::WriteAck::buffered;
       c.ftl.write_buffer_pages = 32;
     }},
    {"SLC-mode cache",
     [](FtlBenchConfig& c) {
       const std::uint32_t buffers = c.ftl.page_buffers, sectors = c.slot_sectors;
       c = cached_drive("ipu");
       c.ftl.page_buffers = buffers;
       c.slot_sectors = sectors;
     }},
    {"twin blocks", [](FtlBenchConfig& c) { c.ftl.block_allocation = "twin"; }},
    {"late data", [](FtlBenchConfig& c) { c.late_data = true; }},
    {"sleepy", [](FtlBenchConfig& c) { c.sleepy = true; }},
};

// What waits goes on, data are right, and the pool's counts hold.
TEST(PageBuffers, OfASmallPoolServeAnyMix) {
  for (const Drive& drive : kDrives) {
    SCOPED_TRACE(drive.name);
    FtlBenchConfig c = drive_with(fw::kFewestPageBuffers);
    drive.change(c);
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    Mix mix;
    mix.max_sectors = 48;
    run_random(b, mix, 7);
    EXPECT_EQ(b.ftl().state.pool.in_use(), 0u);
    EXPECT_TRUE(b.ftl().state.pool.counts_hold());
    if (HasFatalFailure()) return;
  }
}

} // namespace
} // namespace twinplane::test::page_buffers_test
