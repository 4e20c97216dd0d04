// How are reads put together from write buffer, flash and zeros?
#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_read_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of the small drive

/// Half of each page in the buffer, half on flash, and hardly any transactions: most reads wait for the pool.
TEST(FtlRead, DeliversEachSectorOnceWhenThePoolRunsOut) {
  FtlBenchConfig c = small_drive();
  c.dram_bytes = 4096 * 32 + 4900; // FtlBench's DMA ring for 32 slots, and a little
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = 44;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr);
  constexpr std::uint32_t kPages = 30;
  for (std::uint32_t i = 0; i < 3 * kPages; ++i) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step());
    b.write(i * kSectors, kSectors);
  }
  b.settle();
  b.flush();
  b.settle();
  for (std::uint32_t i = 0; i < kPages; ++i) b.write(i * kSectors + 1, 2); // fewer than are written back
  b.settle();
  ASSERT_LT(b.ftl().state.pool.size(), kPages) << "else no read waits";
  const std::uint64_t before = b.hal().sectors_delivered();
  for (std::uint32_t i = 0; i < kPages; ++i) b.read(i * kSectors, kSectors);
  b.settle();
  EXPECT_EQ(b.hal().sectors_delivered() - before, std::uint64_t{kPages} * kSectors);
}

} // namespace
} // namespace twinplane::test::ftl_read_test
