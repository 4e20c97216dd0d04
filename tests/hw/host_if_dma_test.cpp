// Does data go where PRPs say, in the order of the ring, at the times of the link?
#include <gtest/gtest.h>

#include "tests/support/front_end_bench.h"
#include "tests/support/parameter_names.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::host_if_dma_test {
namespace {

using Bench = FrontEndBench;
constexpr std::uint32_t kBuffer = StubFirmware::kBuffers;

hw::HostInterfaceConfig full_data(std::uint32_t sector_size = 4096) {
  hw::HostInterfaceConfig config = Bench::ideal();
  config.data_mode = DataMode::full;
  config.sector_size = sector_size;
  return config;
}

std::uint8_t pattern(std::uint32_t byte) {
  return static_cast<std::uint8_t>(byte * 7 + byte / 251);
}

/// Reads `sectors` to the host through the PRPs given; returns the completion's status.
std::uint32_t read_to_host(Bench& bench, const nvme::Sqe& sqe, std::uint32_t bytes) {
  const std::uint16_t slot = bench.send(sqe);
  for (std::uint32_t i = 0; i < bytes; ++i) bench.firmware.buffer(kBuffer)[i] = pattern(i);
  bench.firmware.post(DmaOp::to_host, slot, 0, (sqe.cdw12 & 0xFFFF) + 1, kBuffer);
  bench.firmware.complete(slot);
  bench.firmware.kick();
  bench.run(us(100));
  return bench.cqe(1, 0).status >> 1;
}

std::uint32_t wrong_bytes(const Bench& bench, std::uint64_t address, std::uint32_t from,
                          std::uint32_t count) {
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    wrong += bench.host.load<std::uint8_t>(address + i) != pattern(from + i) ? 1 : 0;
  }
  return wrong;
}

struct Ready : Bench {
  explicit Ready(const hw::HostInterfaceConfig& config) : Bench(config) {
    enable();
    create_pair(1, 16);
  }
};

TEST(Prp, OnePageWithAnOffset) {
  Ready bench(full_data(512));
  const std::uint64_t at = Bench::kData + 0x204; // dword aligned
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 1, at), 512), 0u);
  EXPECT_EQ(wrong_bytes(bench, at, 0, 512), 0u);
  EXPECT_EQ(bench.host.load<std::uint8_t>(at - 1), 0u);
  EXPECT_EQ(bench.host.load<std::uint8_t>(at + 512), 0u);
}

TEST(Prp, OffsetThatSpillsIntoPrp2) {
  Ready bench(full_data());
  const std::uint64_t at = Bench::kData + 0xF00;
  const std::uint64_t second = Bench::kData + 0x8000;
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 1, at, second), 4096), 0u);
  EXPECT_EQ(wrong_bytes(bench, at, 0, 0x100), 0u);
  EXPECT_EQ(wrong_bytes(bench, second, 0x100, 0xF00), 0u);
  EXPECT_EQ(bench.host.load<std::uint8_t>(second + 0xF00), 0u);
}

TEST(Prp, TwoPages) {
  Ready bench(full_data());
  const std::uint64_t second = Bench::kData + 0x9000;
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 2, Bench::kData, second), 8192), 0u);
  EXPECT_EQ(wrong_bytes(bench, Bench::kData, 0, 4096), 0u);
  EXPECT_EQ(wrong_bytes(bench, second, 4096, 4096), 0u);
}

TEST(Prp, ListOfPagesInAnyOrder) {
  Ready bench(full_data());
  const std::uint64_t list = RawHost::kBase + 0x80000 + 0x7E0; // a list may start inside its page
  for (std::uint32_t i = 0; i < 4; ++i) bench.host.store(list + 8 * i, Bench::kData + 0x1000 * (10 - 2 * i));
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 5, Bench::kData, list), 5 * 4096), 0u);
  EXPECT_EQ(wrong_bytes(bench, Bench::kData, 0, 4096), 0u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(wrong_bytes(bench, Bench::kData + 0x1000 * (10 - 2 * i), 4096 * (i + 1), 4096), 0u);
  }
}

// The list starts three entries before the end of its page: two pages, then the link to the next list page.
void make_chained_list(Bench& bench, std::uint64_t list, std::uint64_t next, std::uint32_t pages) {
  for (std::uint32_t i = 0; i < pages; ++i) {
    const std::uint64_t place = i < 2 ? list + 8 * i : next + 8 * (i - 2);
    bench.host.store(place, Bench::kData + 0x1000 * (i + 1));
  }
  bench.host.store(list + 16, next);
}

TEST(Prp, ChainedLists) {
  Ready bench(full_data());
  const std::uint64_t list = RawHost::kBase + 0x80000 + 4096 - 24;
  make_chained_list(bench, list, RawHost::kBase + 0x90000, 8);
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 9, Bench::kData, list), 9 * 4096), 0u);
  EXPECT_EQ(wrong_bytes(bench, Bench::kData, 0, 9 * 4096), 0u);
}

TEST(Prp, ListThatJustFitsIsNotChained) {
  Ready bench(full_data());
  const std::uint64_t list = RawHost::kBase + 0x80000 + 4096 - 24;
  for (std::uint32_t i = 0; i < 3; ++i) bench.host.store(list + 8 * i, Bench::kData + 0x1000 * (i + 1));
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 4, Bench::kData, list), 4 * 4096), 0u);
  EXPECT_EQ(wrong_bytes(bench, Bench::kData, 0, 4 * 4096), 0u);
}

TEST(Prp, PiecesInAnyOrderFindTheirPages) {
  Ready bench(full_data());
  const std::uint64_t list = RawHost::kBase + 0x80000 + 4096 - 24;
  make_chained_list(bench, list, RawHost::kBase + 0x90000, 8);
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 9, Bench::kData, list));
  for (std::uint32_t i = 0; i < 9 * 4096; ++i) bench.firmware.buffer(kBuffer)[i] = pattern(i);
  for (const std::uint32_t sector : {8u, 0u, 3u, 1u, 7u, 2u, 4u, 6u, 5u}) {
    bench.firmware.post(DmaOp::to_host, slot, sector, 1, kBuffer + sector * 4096);
  }
  bench.firmware.kick();
  EXPECT_EQ(wrong_bytes(bench, Bench::kData, 0, 9 * 4096), 0u);
}

struct BadPrp {
  const char* name;
  std::uint32_t sectors;
  std::uint64_t prp1;
  std::uint64_t prp2;
};
void PrintTo(const BadPrp& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}
class BadPrps : public ::testing::TestWithParam<BadPrp> {};

TEST_P(BadPrps, EndWithPrpOffsetInvalid) {
  Ready bench(full_data());
  const BadPrp& bad = GetParam();
  bench.host.store(RawHost::kBase + 0x80000,
                   Bench::kData + 0x1000 + 8); // a list whose first entry has an offset
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, bad.sectors, bad.prp1, bad.prp2), 8 * 4096),
            nvme::status::prp_offset | nvme::status::dnr) // it would fail again
      << bad.name;
}

INSTANTIATE_TEST_SUITE_P(
    Offsets, BadPrps,
    ::testing::Values(BadPrp{"PRP1 not dword aligned", 1, Bench::kData + 2, Bench::kData + 0x1000},
                      BadPrp{"PRP2 page with an offset", 2, Bench::kData, Bench::kData + 0x1010},
                      BadPrp{"list pointer not qword aligned", 3, Bench::kData, RawHost::kBase + 0x80004},
                      BadPrp{"list entry with an offset", 3, Bench::kData, RawHost::kBase + 0x80000}),
    parameter_name);

TEST(Dma, HostMemoryErrorsBecomeDataTransferErrors) {
  hw::HostInterfaceConfig config = full_data();
  Bench bench(config);
  bench.host.grant_dmi = false;
  bench.enable();
  bench.create_pair(1, 16);
  bench.host.refuse_at = Bench::kData + 0x1000;
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 2, Bench::kData, Bench::kData + 0x1000), 8192),
            nvme::status::data_transfer_error);
}

TEST(Dma, NeverRunsOverTheCommandsData) {
  expect_reports("twinplane.host_if");
  Ready bench(full_data());
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 2, Bench::kData, Bench::kData + 0x1000));
  bench.firmware.buffer(kBuffer)[0] = 1;
  bench.firmware.post(DmaOp::to_host, slot, 1, 2, kBuffer); // sectors 1 and 2 of 0 .. 1
  bench.firmware.complete(slot);
  bench.firmware.kick();
  EXPECT_EQ(bench.cqe(1, 0).status >> 1, nvme::status::data_transfer_error);
  EXPECT_EQ(bench.host.load<std::uint8_t>(Bench::kData + 0x1000), 0u);
  EXPECT_EQ(bench.front.statistics().firmware_faults, 1u);
}

TEST(Dma, WorksTheSameWithoutDmi) {
  Bench bench(full_data());
  bench.host.grant_dmi = false;
  bench.enable();
  bench.create_pair(1, 16);
  const std::uint64_t list = RawHost::kBase + 0x80000 + 4096 - 24;
  make_chained_list(bench, list, RawHost::kBase + 0x90000, 8);
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 9, Bench::kData, list), 9 * 4096), 0u);
  EXPECT_EQ(wrong_bytes(bench, Bench::kData, 0, 9 * 4096), 0u);
}

TEST(Dma, HonoursRevokedPointers) {
  Ready bench(full_data());
  EXPECT_EQ(read_to_host(bench, Bench::io(nvme::io::read, 1, 1), 4096), 0u);
  bench.host.revoke();
  std::vector<std::uint8_t> moved(bench.host.bytes); // the host moves its memory elsewhere
  bench.host.bytes.swap(moved);
  std::fill(moved.begin(), moved.end(), std::uint8_t{0xEE});
  bench.send(Bench::io(nvme::io::flush, 2, 1));
  EXPECT_EQ(bench.firmware.seen.back().sqe.cid, 2u) << "fetched from the new place";
}

TEST(Dma, TagModeMovesSixteenBytesOfEachSector) {
  hw::HostInterfaceConfig config = Bench::ideal();
  config.sector_size = 512;
  Ready bench(config);
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::write, 1, 3, Bench::kData + 512));
  for (std::uint64_t i = 0; i < 3; ++i) bench.host.store(Bench::kData + 512 + 512 * i, SectorTag{70 + i, 9});
  bench.firmware.post(DmaOp::to_device, slot, 0, 3, kBuffer);
  bench.firmware.kick();
  for (std::uint64_t i = 0; i < 3; ++i) {
    SectorTag tag;
    std::memcpy(&tag, bench.firmware.buffer(kBuffer) + 16 * i, sizeof tag);
    EXPECT_EQ(tag.lba, 70 + i);
    EXPECT_EQ(tag.sequence, 9u);
  }
  EXPECT_EQ(bench.front.statistics().bytes_in, 1536u) << "the link carries whole sectors";
  bench.firmware.post(DmaOp::zero_to_host, slot, 1, 1, 0);
  bench.firmware.kick();
  EXPECT_EQ(bench.host.load<SectorTag>(Bench::kData + 512).lba, 70u);
  EXPECT_EQ(bench.host.load<SectorTag>(Bench::kData + 1024).lba, 0u);
}

// --- times ---------------------------------------------------------------------------------------

/// Gen3 x4: 8 GT/s, 128b/130b, four lanes: 1015.625 / 4 ps per byte; packets of 256 with 26 bytes of
/// overhead.
constexpr TimePs kLatency = ns(150);
constexpr TimePs kHostRead = ns(100);
constexpr TimePs wire(std::uint64_t bytes) {
  const std::uint64_t on_wire = bytes + (bytes + 255) / 256 * 26;
  return (on_wire * 8125 + 31) / 32; // rounded up
}
constexpr TimePs request() {
  return (26 * 8125 + 31) / 32;
}

TEST(LinkTiming, CommandsArriveAfterDoorbellAndFetch) {
  Ready bench(hw::HostInterfaceConfig{});
  const TimePs rung = bench.now();
  bench.push(1, Bench::io(nvme::io::flush, 1, 1), 16);
  bench.ring(1);
  bench.run(us(10));
  const TimePs doorbell = rung + wire(4) + kLatency;
  EXPECT_EQ(bench.firmware.seen.back().at, doorbell + request() + kLatency + kHostRead + wire(64) + kLatency);
}

TEST(LinkTiming, DmaEndsAtTheClosedFormOfTheLink) {
  Ready bench(hw::HostInterfaceConfig{});
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::write, 1, 1));
  const TimePs start = bench.now();
  const std::uint32_t in = bench.firmware.post(DmaOp::to_device, slot, 0, 1, kBuffer);
  const std::uint32_t out1 = bench.firmware.post(DmaOp::to_host, slot, 0, 1, kBuffer);
  const std::uint32_t out2 = bench.firmware.post(DmaOp::to_host, slot, 0, 1, kBuffer, dma_flag::notify);
  const std::uint32_t done = bench.firmware.complete(slot);
  EXPECT_EQ(bench.front.fence->done_at(in), kNever);
  bench.firmware.kick();
  const TimePs arrived = start + request() + kLatency + kHostRead + wire(4096) + kLatency;
  EXPECT_EQ(bench.front.fence->done_at(in), arrived);
  EXPECT_EQ(bench.front.fence->done_at(out1), std::max(arrived, start + wire(4096))) << "strictly in order";
  const TimePs sent = std::max(arrived, start + 2 * wire(4096));
  EXPECT_EQ(bench.front.fence->done_at(out2), sent);
  EXPECT_EQ(bench.front.fence->done_at(done), sent + wire(16));
  EXPECT_EQ(bench.front.fence->done_at(done + 1), kNever);
  bench.run(us(10));
  ASSERT_EQ(bench.host.messages.size(), 1u);
  EXPECT_EQ(bench.host.messages[0].at, sent + wire(16) + wire(4) + kLatency);
  ASSERT_EQ(bench.firmware.dma_interrupts.size(), 1u);
  EXPECT_EQ(bench.firmware.dma_interrupts[0], sent);
}

TEST(LinkTiming, DoneRegisterAnswersForTheTimeOfTheAccess) {
  Ready bench(hw::HostInterfaceConfig{});
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 2, Bench::kData, Bench::kData + 0x1000));
  const TimePs start = bench.now();
  bench.firmware.post(DmaOp::to_host, slot, 0, 1, kBuffer);
  bench.firmware.post(DmaOp::to_host, slot, 1, 1, kBuffer);
  bench.firmware.kick();
  const auto done_at = [&](TimePs at) {
    hw::RegisterAccess access;
    sc_core::sc_time delay = hw::to_sc_time(at - bench.now());
    return access.read(bench.firmware.mmio, reg::host::dma_done, delay);
  };
  EXPECT_EQ(done_at(start + wire(4096) - 1), 0u);
  EXPECT_EQ(done_at(start + wire(4096)), 1u);
  EXPECT_EQ(done_at(start + 2 * wire(4096) - 1), 1u);
  EXPECT_EQ(done_at(start + 2 * wire(4096)), 2u);
}

TEST(LinkTiming, PrpListsAreFetchedBeforeTheDataTheyName) {
  Ready bench(hw::HostInterfaceConfig{});
  const std::uint64_t list = RawHost::kBase + 0x80000;
  for (std::uint32_t i = 0; i < 2; ++i) bench.host.store(list + 8 * i, Bench::kData + 0x1000 * (i + 1));
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 3, Bench::kData, list));
  const TimePs start = bench.now();
  const std::uint32_t index = bench.firmware.post(DmaOp::to_host, slot, 0, 3, kBuffer);
  bench.firmware.kick();
  const TimePs fetched = start + request() + kLatency + kHostRead + wire(16) + kLatency;
  EXPECT_EQ(bench.front.fence->done_at(index), fetched + wire(3 * 4096));
}

TEST(LinkTiming, DramBandwidthIsTheLimitWhenItIsSlower) {
  hw::BandwidthPort port(hw::Rate::bytes_per_second(1'000'000'000)); // 1 ns per byte
  hw::HostInterfaceConfig config;
  config.dram_port = &port;
  Ready bench(config);
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::read, 1, 1));
  const TimePs start = bench.now();
  const std::uint32_t first = bench.firmware.post(DmaOp::to_host, slot, 0, 1, kBuffer);
  const std::uint32_t second = bench.firmware.post(DmaOp::to_host, slot, 0, 1, kBuffer);
  bench.firmware.kick();
  EXPECT_EQ(bench.front.fence->done_at(first), start + ns(4096));
  EXPECT_EQ(bench.front.fence->done_at(second), start + ns(8192));
}

TEST(LinkTiming, EveryGenerationHasItsRate) {
  const std::uint64_t bytes_per_second[] = {250'000'000, 500'000'000, 984'615'384, 1'969'230'769,
                                            3'938'461'538};
  for (std::uint32_t generation = 1; generation <= 5; ++generation) {
    for (std::uint32_t lanes = 1; lanes <= 16; lanes *= 2) {
      hw::PcieConfig config;
      config.generation = generation;
      config.lanes = lanes;
      config.tlp_overhead = 0;
      const hw::PcieLink link(config);
      const double expected = 1e12 * 65536 / static_cast<double>(bytes_per_second[generation - 1] * lanes);
      EXPECT_NEAR(static_cast<double>(link.wire(65536)), expected, 1.5) << generation << " x" << lanes;
    }
  }
}

TEST(LinkTiming, ImpossibleLinksAreRefused) {
  hw::PcieConfig config;
  EXPECT_EQ(hw::PcieLink::check(config), nullptr);
  config.generation = 6;
  EXPECT_STREQ(hw::PcieLink::check(config), "pcie.generation must be 1 to 5");
  config.generation = 5;
  config.lanes = 3;
  EXPECT_STREQ(hw::PcieLink::check(config), "pcie.lanes must be 1, 2, 4, 8 or 16");
  config.lanes = 8;
  config.max_payload = 100;
  EXPECT_STREQ(hw::PcieLink::check(config), "pcie.max_payload must be a power of two from 128 to 4096 bytes");
}

} // namespace
} // namespace twinplane::test::host_if_dma_test
