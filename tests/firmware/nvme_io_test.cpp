// The NVM command set: what succeeds, and which status every refusal has.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/nvme_bench.h"

namespace twinplane::test::nvme_io_test {
namespace {

using namespace nvme::status;

constexpr std::uint32_t kTag = 16;

class NvmeIo : public testing::Test {
 protected:
  NvmeIo() { bench.enable(); }

  static std::vector<std::uint8_t> payload(std::uint32_t sectors, std::uint8_t seed) {
    std::vector<std::uint8_t> bytes(std::size_t{sectors} * kTag);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(seed + i * 7);
    return bytes;
  }
  Completion write(std::uint64_t lba, std::uint32_t sectors, std::uint8_t seed) {
    return bench.io(transfer(nvme::io::write, lba, sectors), payload(sectors, seed));
  }
  std::vector<std::uint8_t> read(std::uint64_t lba, std::uint32_t sectors) {
    const auto entry = transfer(nvme::io::read, lba, sectors);
    EXPECT_EQ(bench.io(entry, std::vector<std::uint8_t>(std::size_t{sectors} * kTag, 0xEE)).status, success);
    return bench.data();
  }
  static nvme::Sqe dsm(std::uint32_t ranges, std::uint32_t attributes = 4) {
    return sqe(nvme::io::dataset_management, 1, ranges - 1, attributes);
  }
  static std::vector<std::uint8_t> ranges(const std::vector<nvme::DsmRange>& list) {
    std::vector<std::uint8_t> bytes(list.size() * sizeof(nvme::DsmRange));
    std::memcpy(bytes.data(), list.data(), bytes.size());
    return bytes;
  }

  NvmeBench bench;
};

TEST_F(NvmeIo, ReadReturnsWhatWriteStored) {
  EXPECT_EQ(write(100, 8, 1).status, success);
  EXPECT_EQ(read(100, 8), payload(8, 1));
}

TEST_F(NvmeIo, RequestCarriesAddressLengthSlotAndTime) {
  bench.front.time_ps = 5000;
  write(0x0FF, 3, 1);
  const fw::Request& r = bench.storage.log.back();
  EXPECT_EQ(r.kind, fw::RequestKind::write);
  EXPECT_EQ(r.lba, 0xFFu);
  EXPECT_EQ(r.sectors, 3u);
  EXPECT_EQ(r.data_offset, 0u);
  EXPECT_EQ(r.seen_ps, 5000u);
  EXPECT_EQ(r.device_buffer, fw::kHostData);
}

TEST_F(NvmeIo, AccessLatencyHintAndFuaReachTheRequest) {
  auto entry = transfer(nvme::io::write, 0, 1);
  for (std::uint32_t latency = 0; latency < 4; ++latency) {
    entry.cdw13 = latency << 4 | 0xC; // the frequency bits beside it must not leak in
    entry.cdw12 = latency == 2 ? 1u << 30 : 0;
    bench.io(entry, payload(1, 0));
    EXPECT_EQ(static_cast<std::uint32_t>(bench.storage.log.back().access_latency), latency);
    EXPECT_EQ(bench.storage.log.back().force_unit_access, latency == 2);
  }
}

TEST_F(NvmeIo, LastSectorIsInRangeAndTheNextOneIsNot) {
  EXPECT_EQ(write(MemoryStorage::kSectors - 2, 2, 1).status, success);
  EXPECT_EQ(write(MemoryStorage::kSectors - 1, 2, 1).status, lba_range);
  EXPECT_EQ(write(MemoryStorage::kSectors, 1, 1).status, lba_range);
  const Completion wrapped = write(0xFFFF'FFFF'FFFF'FFFFu, 2, 1); // must not wrap around to 0
  EXPECT_EQ(wrapped.status, lba_range);
  EXPECT_TRUE(wrapped.dnr);
}

TEST_F(NvmeIo, EveryCommandWithSectorsChecksTheRange) {
  for (const std::uint8_t opcode :
       {nvme::io::read, nvme::io::write, nvme::io::write_zeroes, nvme::io::compare}) {
    EXPECT_EQ(bench.io(transfer(opcode, MemoryStorage::kSectors, 1)).status, lba_range) << int{opcode};
  }
}

TEST_F(NvmeIo, TransferUpToMdtsIsTakenAndOneSectorMoreRefused) {
  EXPECT_EQ(write(0, 8, 1).status, success); // 4 KiB << 3
  for (const std::uint8_t opcode : {nvme::io::read, nvme::io::write, nvme::io::compare}) {
    EXPECT_EQ(bench.io(transfer(opcode, 0, 9)).status, invalid_field) << int{opcode};
  }
  EXPECT_EQ(bench.io(transfer(nvme::io::write_zeroes, 0, 9)).status, success); // moves no data
}

TEST_F(NvmeIo, RefusesForeignNamespaces) {
  for (const std::uint8_t opcode : {nvme::io::read, nvme::io::write, nvme::io::write_zeroes,
                                    nvme::io::compare, nvme::io::dataset_management, nvme::io::flush}) {
    for (const std::uint32_t nsid : {0u, 2u}) {
      auto entry = transfer(opcode, 0, 1);
      entry.nsid = nsid;
      EXPECT_EQ(bench.io(entry).status, invalid_namespace) << int{opcode} << " nsid " << nsid;
    }
  }
  EXPECT_TRUE(bench.storage.log.empty());
}

TEST_F(NvmeIo, RefusesUnknownOpcodes) {
  for (const std::uint8_t opcode : std::initializer_list<std::uint8_t>{0x0D, 0x11, 0x19, 0x80, 0xFF}) {
    EXPECT_EQ(bench.io(transfer(opcode, 0, 1)).status, invalid_opcode) << int{opcode};
  }
}

TEST_F(NvmeIo, RefusesFusedCommandsAndScatterGatherLists) {
  for (const std::uint8_t opcode : {nvme::io::read, nvme::io::write, nvme::io::write_zeroes,
                                    nvme::io::compare, nvme::io::dataset_management, nvme::io::flush}) {
    for (const std::uint8_t flags : std::initializer_list<std::uint8_t>{0x01, 0x02, 0x40, 0x80}) {
      auto entry = transfer(opcode, 0, 1);
      entry.flags = flags;
      EXPECT_EQ(bench.io(entry).status, invalid_field) << int{opcode} << " flags " << int{flags};
    }
  }
}

TEST_F(NvmeIo, FlushTakesOneOrAllNamespaces) {
  EXPECT_EQ(bench.io(sqe(nvme::io::flush, 1)).status, success);
  EXPECT_EQ(bench.io(sqe(nvme::io::flush, 0xFFFFFFFF)).status, success);
  EXPECT_EQ(bench.storage.log.back().kind, fw::RequestKind::flush);
}

TEST_F(NvmeIo, WriteZeroesClearsWithoutData) {
  write(10, 4, 1);
  EXPECT_EQ(bench.io(transfer(nvme::io::write_zeroes, 11, 2)).status, success);
  const auto now = read(10, 4);
  const auto before = payload(4, 1);
  EXPECT_TRUE(std::equal(now.begin(), now.begin() + kTag, before.begin()));
  EXPECT_EQ(std::vector<std::uint8_t>(now.begin() + kTag, now.begin() + 3 * kTag),
            std::vector<std::uint8_t>(2 * kTag));
  EXPECT_TRUE(std::equal(now.begin() + 3 * kTag, now.end(), before.begin() + 3 * kTag));
}

TEST_F(NvmeIo, StorageFailureIsReportedAndCounted) {
  bench.storage.next_status = write_fault;
  EXPECT_EQ(write(0, 1, 1).status, write_fault);
  bench.storage.next_status = unrecovered_read;
  const Completion c = bench.io(transfer(nvme::io::read, 0, 1));
  EXPECT_EQ(c.status, unrecovered_read);
  EXPECT_FALSE(c.dnr);
  EXPECT_EQ(bench.controller.health().media_errors, 2u);
  EXPECT_EQ(bench.controller.errors().count(), 2u);
}

// --- compare ---

TEST_F(NvmeIo, CompareTellsEqualFromDifferentInTheLastByte) {
  write(20, 8, 3);
  auto bytes = payload(8, 3);
  EXPECT_EQ(bench.io(transfer(nvme::io::compare, 20, 8), bytes).status, success);
  bytes.back() ^= 1;
  EXPECT_EQ(bench.io(transfer(nvme::io::compare, 20, 8), bytes).status, compare_failure);
  EXPECT_EQ(bench.data(), bytes) << "compare must not change host memory";
}

TEST_F(NvmeIo, ComparesQueueAndDoNotMixTheirData) {
  write(0, 1, 1);
  write(1, 1, 2);
  bench.storage.deferred = true;
  auto first = transfer(nvme::io::compare, 0, 1);
  auto second = transfer(nvme::io::compare, 1, 1);
  second.cid = 8;
  bench.front.fetch(1, first, payload(1, 1));
  bench.front.fetch(1, second, payload(1, 2));
  bench.run();
  EXPECT_TRUE(bench.front.completions.empty());
  EXPECT_TRUE(bench.storage.finish_one());
  bench.run();
  EXPECT_TRUE(bench.storage.finish_one());
  bench.run();
  EXPECT_EQ(bench.take().status, success);
  EXPECT_EQ(bench.take().status, success);
}

TEST_F(NvmeIo, CompareReportsTheReadError) {
  bench.storage.next_status = unrecovered_read;
  EXPECT_EQ(bench.io(transfer(nvme::io::compare, 0, 1), payload(1, 0)).status, unrecovered_read);
}

TEST_F(NvmeIo, WaitingCompareCanBeAborted) {
  bench.storage.deferred = true;
  bench.front.fetch(1, transfer(nvme::io::compare, 0, 1), payload(1, 0));
  auto second = transfer(nvme::io::compare, 1, 1);
  second.cid = 99;
  bench.front.fetch(1, second, payload(1, 0));
  bench.run();
  bench.front.fetch(0, sqe(nvme::admin::abort, 0, 99u << 16 | 1));
  bench.run();
  const Completion aborted = bench.take();
  EXPECT_EQ(aborted.cid, 99);
  EXPECT_EQ(aborted.status, abort_requested);
  EXPECT_EQ(bench.take().result, 0u);
}

// --- dataset management ---

TEST_F(NvmeIo, TrimDeallocatesEveryRange) {
  write(0, 8, 1);
  EXPECT_EQ(bench.io(dsm(3), ranges({{0, 1, 0}, {0, 0, 3}, {0, 2, 5}})).status, success);
  const auto now = read(0, 8);
  const auto before = payload(8, 1);
  for (std::uint32_t sector = 0; sector < 8; ++sector) {
    const bool trimmed = sector == 0 || sector == 5 || sector == 6;
    for (std::uint32_t i = sector * kTag; i < (sector + 1) * kTag; ++i) {
      ASSERT_EQ(now[i], trimmed ? 0 : before[i]) << "sector " << sector;
    }
  }
}

TEST_F(NvmeIo, TrimTakes256RangesWithoutNesting) {
  std::vector<nvme::DsmRange> list;
  for (std::uint64_t i = 0; i < 256; ++i) list.push_back({0, 1, i * 16});
  EXPECT_EQ(bench.io(dsm(256), ranges(list)).status, success);
  EXPECT_EQ(bench.storage.log.size(), 256u);
  EXPECT_EQ(bench.storage.log.back().lba, 255u * 16);
}

TEST_F(NvmeIo, TrimRunsItsRangesOneAfterTheOtherOnASlowBackend) {
  bench.storage.deferred = true;
  bench.front.fetch(1, dsm(2), ranges({{0, 1, 0}, {0, 1, 9}}));
  bench.run();
  EXPECT_EQ(bench.storage.log.size(), 1u);
  EXPECT_TRUE(bench.storage.finish_one());
  EXPECT_EQ(bench.storage.log.size(), 2u);
  EXPECT_TRUE(bench.storage.finish_one());
  bench.run();
  EXPECT_EQ(bench.take().status, success);
}

TEST_F(NvmeIo, TrimOutOfRangeTrimsNothing) {
  EXPECT_EQ(bench.io(dsm(2), ranges({{0, 1, 0}, {0, 2, MemoryStorage::kSectors - 1}})).status, lba_range);
  EXPECT_TRUE(bench.storage.log.empty());
}

TEST_F(NvmeIo, DatasetManagementWithoutDeallocateIsAdvice) {
  EXPECT_EQ(bench.io(dsm(1, 3)).status, success);
  EXPECT_TRUE(bench.storage.log.empty());
}

TEST_F(NvmeIo, MoreTrimsThanBuffersAllEndWell) {
  bench.storage.deferred = true;
  for (std::uint16_t i = 0; i < 12; ++i) {
    auto entry = dsm(1);
    entry.cid = i;
    bench.front.fetch(1, entry, ranges({{0, 1, i}}));
  }
  bench.run();
  while (bench.storage.finish_one()) bench.run();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(bench.take().status, success);
  EXPECT_EQ(bench.storage.log.size(), 12u);
}

} // namespace
} // namespace twinplane::test::nvme_io_test
