// Does firmware learn what became of the data, before it has to act and whatever became of them?
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/front_end_bench.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::host_if_outcome_test {
namespace {

using Bench = FrontEndBench;
constexpr std::uint32_t kBuffer = StubFirmware::kBuffers;
constexpr std::uint32_t kStatus = 256u << 10; // DmaStatus in DRAM
constexpr std::uint8_t kOld = 0x0D;

struct Outcome : Bench {
  explicit Outcome(const hw::HostInterfaceConfig& config) : Bench(config) {
    firmware.write(reg::host::dma_status, kStatus);
    enable();
    create_pair(1, 16);
  }
  static hw::HostInterfaceConfig full() {
    hw::HostInterfaceConfig config = ideal();
    config.data_mode = DataMode::full;
    return config;
  }
  DmaStatus told() { return *reinterpret_cast<DmaStatus*>(firmware.buffer(kStatus)); }
  std::uint32_t status_of(std::uint16_t slot) {
    firmware.write(reg::host::data_slot, slot);
    return firmware.read(reg::host::data_status);
  }
  void fill(std::uint64_t address, std::uint32_t bytes, std::uint8_t value) {
    for (std::uint32_t i = 0; i < bytes; ++i) host.store(address + i, value);
  }
};

TEST(DmaOutcome, IsKnownWithoutADoorbell) {
  Outcome bench(Outcome::full());
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::write, 1, 1));
  bench.fill(Bench::kData, 4096, 0x42);
  const std::uint32_t index = bench.firmware.post(DmaOp::to_device, slot, 0, 1, kBuffer);
  EXPECT_LT(bench.told().moved, index);
  bench.firmware.write(reg::host::dma_move, index);
  EXPECT_EQ(bench.told().moved, index);
  EXPECT_EQ(bench.told().failed, 0u);
  EXPECT_EQ(bench.firmware.buffer(kBuffer)[4095], 0x42);
  EXPECT_LT(bench.firmware.read(reg::host::dma_done), index) << "its time counts from the doorbell";
  bench.firmware.complete(slot);
  bench.firmware.kick();
  EXPECT_EQ(bench.firmware.read(reg::host::dma_done), index + 1);
  bench.run(us(1));
  EXPECT_EQ(bench.cqe(1, 0).status >> 1, 0u);
}

/// When the descriptors of a read and a write with chained PRP lists, and of one with a bad PRP, are done
/// after their doorbell.
std::vector<TimePs> times(Outcome& bench, bool move_first) {
  const std::uint64_t list = RawHost::kBase + 0x80000 + 4096 - 24;
  const std::uint64_t next = RawHost::kBase + 0x90000;
  for (std::uint32_t i = 0; i < 2; ++i) bench.host.store(list + 8 * i, Bench::kData + 0x1000 * (i + 1));
  bench.host.store(list + 16, next);
  for (std::uint32_t i = 0; i < 6; ++i) bench.host.store(next + 8 * i, Bench::kData + 0x1000 * (i + 3));
  const std::uint16_t in = bench.send(Bench::io(nvme::io::write, 1, 9, Bench::kData, list));
  const std::uint16_t out = bench.send(Bench::io(nvme::io::read, 2, 9, Bench::kData, list));
  const std::uint16_t bad = bench.send(Bench::io(nvme::io::write, 3, 2, Bench::kData, Bench::kData + 8));
  bench.run(us(100)); // the link is idle
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < 9; i += 3) {
    first = bench.firmware.post(DmaOp::to_device, in, i, 3, kBuffer);
    if (last == 0) last = first;
    bench.firmware.post(DmaOp::to_host, out, 8 - i, 1, kBuffer);
    first = bench.firmware.post(DmaOp::to_device, bad, 1, 1, kBuffer);
  }
  std::swap(first, last);
  if (move_first) bench.firmware.write(reg::host::dma_move, last);
  for (const std::uint16_t slot : {in, out, bad}) last = bench.firmware.complete(slot);
  bench.firmware.kick();
  std::vector<TimePs> after;
  for (; first <= last; ++first) after.push_back(bench.front.fence->done_at(first) - bench.now());
  bench.run(us(100));
  return after;
}

TEST(DmaOutcome, MovingEarlyChangesNoTime) {
  Outcome bench{hw::HostInterfaceConfig()};
  const std::vector<TimePs> with_the_doorbell = times(bench, false);
  EXPECT_EQ(with_the_doorbell.size(), 12u);
  EXPECT_EQ(times(bench, true), with_the_doorbell);
}

TEST(DmaOutcome, AFailedMoveLeavesTheDeviceAsItWas) {
  Outcome bench(Outcome::full());
  bench.host.refuse_at = Bench::kData + 0x1000; // the second page
  for (const bool dmi : {false, true}) {
    SCOPED_TRACE(dmi);
    bench.host.grant_dmi = dmi;
    const std::uint64_t second = dmi ? Bench::kData + 0x2008 : Bench::kData + 0x1000;
    // one descriptor of two sectors, and a sector that lies in both pages
    for (const std::uint64_t prp1 : {Bench::kData, Bench::kData + 0x800}) {
      const std::uint32_t sectors = prp1 == Bench::kData ? 2 : 1;
      const std::uint16_t slot = bench.send(Bench::io(nvme::io::write, 1, sectors, prp1, second));
      bench.fill(Bench::kData, 4096, 0x42);
      std::memset(bench.firmware.buffer(kBuffer), kOld, 8192);
      const std::uint32_t index = bench.firmware.post(DmaOp::to_device, slot, 0, sectors, kBuffer);
      bench.firmware.write(reg::host::dma_move, index);
      EXPECT_EQ(bench.told().failed, 1u);
      EXPECT_EQ(bench.status_of(slot), dmi ? nvme::status::prp_offset : nvme::status::data_transfer_error);
      for (std::uint32_t i = 0; i < 8192; ++i) ASSERT_EQ(bench.firmware.buffer(kBuffer)[i], kOld) << i;
      bench.firmware.complete(slot);
      bench.firmware.kick();
      EXPECT_EQ(bench.told().failed, 0u);
      bench.run(us(1));
    }
  }
}

TEST(DmaOutcome, DataOfAForgottenCommandCountAsFailed) {
  Outcome bench(Outcome::full());
  const std::uint16_t done = bench.send(Bench::io(nvme::io::write, 1, 1));
  const std::uint16_t late = bench.send(Bench::io(nvme::io::write, 2, 1));
  bench.fill(Bench::kData, 4096, 0x42);
  std::memset(bench.firmware.buffer(kBuffer), kOld, 8192);
  bench.firmware.write(reg::host::dma_move, bench.firmware.post(DmaOp::to_device, done, 0, 1, kBuffer));
  bench.write32(nvme::bar::cc, 0); // the stub has not seen it yet
  const std::uint32_t index = bench.firmware.post(DmaOp::to_device, late, 0, 1, kBuffer + 4096);
  bench.firmware.write(reg::host::dma_move, index);
  EXPECT_EQ(bench.status_of(done), 0u);
  EXPECT_EQ(bench.status_of(late), nvme::status::abort_requested);
  EXPECT_EQ(bench.firmware.buffer(kBuffer)[0], 0x42);
  EXPECT_EQ(bench.firmware.buffer(kBuffer + 4096)[0], kOld);
  bench.firmware.complete(done);
  bench.firmware.complete(late, nvme::status::abort_requested);
  bench.firmware.kick();
  EXPECT_EQ(bench.told().failed, 0u);
  EXPECT_EQ(bench.front.statistics().completed, 0u);
}

TEST(DmaOutcome, DataToTheHostThatFailAreToldToo) {
  Outcome bench(Outcome::full());
  bench.host.refuse_at = Bench::kData;
  bench.host.grant_dmi = false;
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 1));
  bench.firmware.post(DmaOp::to_host, slot, 0, 1, kBuffer);
  bench.firmware.kick();
  EXPECT_EQ(bench.status_of(slot), nvme::status::data_transfer_error);
}

} // namespace
} // namespace twinplane::test::host_if_outcome_test
