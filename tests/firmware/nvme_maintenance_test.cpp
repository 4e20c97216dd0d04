// Format, self-test, telemetry, verify, write uncorrectable: what they do, and what they are refused for.
#include <gtest/gtest.h>

#include <cstring>

#include "firmware/nvme/self_test.h"
#include "firmware/nvme/telemetry.h"
#include "tests/support/nvme_bench.h"

namespace twinplane::test::nvme_maintenance_test {
namespace {

using namespace nvme::status;

class NvmeMaintenance : public testing::Test {
 protected:
  NvmeMaintenance() { bench.enable(); }

  void write(std::uint64_t lba, std::uint32_t sectors) {
    EXPECT_EQ(bench
                  .io(transfer(nvme::io::write, lba, sectors),
                      std::vector<std::uint8_t>(std::size_t{sectors} * 16, 0x77))
                  .status,
              success);
  }
  int read(std::uint64_t lba, std::uint32_t sectors) {
    return bench
        .io(transfer(nvme::io::read, lba, sectors), std::vector<std::uint8_t>(std::size_t{sectors} * 16))
        .status;
  }
  std::vector<std::uint8_t> log(std::uint32_t id, std::uint32_t bytes, std::uint32_t specific = 0) {
    const auto entry = sqe(nvme::admin::get_log_page, 0xFFFFFFFF, id | specific << 8 | (bytes / 4 - 1) << 16);
    EXPECT_EQ(bench.admin(entry, std::vector<std::uint8_t>(bytes)).status, success);
    return bench.data();
  }
  static std::uint64_t at(const std::vector<std::uint8_t>& page, std::size_t offset, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, page.data() + offset, bytes);
    return value;
  }
  Completion format(std::uint32_t nsid, std::uint32_t cdw10) {
    return bench.admin(sqe(nvme::admin::format, nsid, cdw10));
  }
  /// With all that needs no waiting for the backend.
  Completion self_test(std::uint32_t code, std::uint32_t nsid = 1) {
    bench.front.timer_ns = 0;
    const Completion c = bench.admin(sqe(nvme::admin::self_test, nsid, code));
    while (log(6, 4)[0] != 0 && !bench.storage.deferred) {
      EXPECT_NE(bench.front.timer_ns, 0u) << "nothing goes on";
      if (bench.front.timer_ns == 0) break;
      bench.front.time_ps += std::uint64_t{bench.front.timer_ns} * 1000;
      bench.front.timer_ns = 0;
      bench.controller.on_timer();
    }
    return c;
  }

  NvmeBench bench;
};

// --- verify and write uncorrectable ---

TEST_F(NvmeMaintenance, VerifyReadsWithoutMovingData) {
  write(10, 4);
  auto entry = transfer(nvme::io::verify, 10, 4);
  EXPECT_EQ(bench.io(entry).status, success);
  const fw::Request& r = bench.storage.log.back();
  EXPECT_EQ(r.kind, fw::RequestKind::read);
  EXPECT_EQ(r.device_buffer, fw::kNoData);
  entry.cdw12 = 4095; // more than MDTS: no data move
  entry.cdw10 = 0;
  EXPECT_EQ(bench.io(entry).status, success);
  bench.storage.next_status = unrecovered_read;
  EXPECT_EQ(bench.io(entry).status, unrecovered_read);
}

TEST_F(NvmeMaintenance, WhatIsUncorrectableFailsReadsUntilItIsWritten) {
  write(0, 8);
  EXPECT_EQ(bench.io(transfer(nvme::io::write_uncorrectable, 2, 3)).status, success);
  EXPECT_EQ(bench.storage.log.back().kind, fw::RequestKind::commit) << "a power cut must not undo it";
  EXPECT_EQ(read(0, 2), success);
  EXPECT_EQ(read(4, 1), unrecovered_read);
  EXPECT_EQ(bench.io(transfer(nvme::io::verify, 0, 8)).status, unrecovered_read);
  auto entry = transfer(nvme::io::compare, 2, 1);
  EXPECT_EQ(bench.io(entry, std::vector<std::uint8_t>(16)).status, unrecovered_read);
  write(2, 3);
  EXPECT_EQ(read(0, 8), success);
  bench.storage.next_status = read_only_range;
  EXPECT_EQ(bench.io(transfer(nvme::io::write_uncorrectable, 2, 3)).status, read_only_range);
  EXPECT_EQ(bench.storage.log.back().kind, fw::RequestKind::write_uncorrectable) << "nothing to commit";
}

// --- format ---

TEST_F(NvmeMaintenance, FormatTakesAllDataAndCommits) {
  write(0, 8);
  write(MemoryStorage::kSectors - 1, 1);
  for (const std::uint32_t erase : {0u, 1u << 9}) {
    bench.storage.log.clear();
    EXPECT_EQ(format(erase == 0 ? 1 : 0xFFFFFFFF, erase).status, success);
    ASSERT_EQ(bench.storage.log.size(), erase == 0 ? 2u : 3u);
    EXPECT_EQ(bench.storage.log.back().kind, erase == 0 ? fw::RequestKind::commit : fw::RequestKind::purge);
    EXPECT_EQ(bench.storage.log[0].kind, fw::RequestKind::trim);
    EXPECT_EQ(bench.storage.log[0].lba, 0u);
    EXPECT_EQ(bench.storage.log[0].sectors, MemoryStorage::kSectors);
    EXPECT_EQ(bench.storage.log[1].kind, fw::RequestKind::commit);
  }
  for (const std::uint64_t lba : {std::uint64_t{0}, MemoryStorage::kSectors - 1})
    EXPECT_EQ(*bench.storage.sector(lba), 0);
}

TEST_F(NvmeMaintenance, FormatRefusesWhatTheDriveDoesNotHave) {
  EXPECT_EQ(format(0, 0).status, invalid_namespace);
  EXPECT_EQ(format(2, 0).status, invalid_namespace);
  EXPECT_EQ(format(1, 1).status, invalid_format) << "LBA format 1";
  EXPECT_EQ(format(1, 1u << 4).status, invalid_format) << "metadata";
  EXPECT_EQ(format(1, 1u << 5).status, invalid_format) << "protection information";
  EXPECT_EQ(format(1, 2u << 9).status, invalid_field) << "cryptographic erase: FNA bit 2 is 0";
  EXPECT_EQ(format(1, 7u << 9).status, invalid_field);
  EXPECT_EQ(bench.storage.log.size(), 0u);
}

TEST_F(NvmeMaintenance, CommandsAreRefusedWhileAFormatGoesOn) {
  bench.storage.deferred = true;
  auto entry = sqe(nvme::admin::format, 1, 0);
  entry.cid = 99;
  bench.front.fetch(0, entry);
  bench.run();
  EXPECT_EQ(read(0, 1), format_in_progress);
  EXPECT_EQ(bench.io(transfer(nvme::io::write_zeroes, 0, 1)).status, format_in_progress);
  EXPECT_EQ(bench.io(sqe(nvme::io::flush, 1)).status, format_in_progress);
  EXPECT_EQ(bench.io(sqe(nvme::io::dataset_management, 1, 0, 4)).status, format_in_progress);
  EXPECT_EQ(format(1, 0).status, format_in_progress);
  EXPECT_EQ(self_test(1).status, format_in_progress);
  EXPECT_EQ(bench.admin(sqe(nvme::admin::identify, 0, 1), std::vector<std::uint8_t>(4096)).status, success);
  while (bench.storage.finish_one()) bench.run();
  const Completion c = bench.take();
  EXPECT_EQ(c.cid, 99u);
  EXPECT_EQ(c.status, success);
  bench.storage.deferred = false;
  EXPECT_EQ(read(0, 1), success);
}

TEST_F(NvmeMaintenance, AFormatThatFailsSaysSoAndLetsTheHostGoOn) {
  bench.storage.next_status = read_only_range;
  EXPECT_EQ(format(1, 0).status, read_only_range);
  bench.storage.next_status = success;
  EXPECT_EQ(read(0, 1), success);
}

TEST_F(NvmeMaintenance, AResetWaitsForAFormatAndForgetsIt) {
  bench.storage.deferred = true;
  bench.begin(0, sqe(nvme::admin::format, 1, 0));
  bench.run();
  bench.front.raise_event(reg::host_event::disabled);
  bench.run();
  EXPECT_EQ(bench.front.controls.back(), reg::host_control::set_ready) << "not before it is done";
  while (bench.storage.finish_one()) bench.run();
  EXPECT_EQ(bench.front.controls.back(), reg::host_control::clear_ready);
  EXPECT_EQ(bench.take().released, true);
}

// --- self-test ---

constexpr std::uint32_t kPage = fw::SelfTest::kPageBytes;

TEST_F(NvmeMaintenance, AShortSelfTestReadsSamplesAndALongOneEverything) {
  for (const std::uint32_t code : {1u, 2u}) {
    bench.storage.log.clear();
    EXPECT_EQ(self_test(code).status, success);
    std::uint64_t sectors = 0;
    for (const fw::Request& r : bench.storage.log) {
      EXPECT_EQ(r.kind, fw::RequestKind::read);
      EXPECT_EQ(r.device_buffer, fw::kNoData);
      EXPECT_LE(r.lba + r.sectors, MemoryStorage::kSectors);
      sectors += r.sectors;
    }
    const std::uint32_t piece = 16; // sectors of a page in each plane of a die
    EXPECT_EQ(sectors, code == 1 ? fw::SelfTest::kSamples * piece : MemoryStorage::kSectors);
    const auto page = log(6, kPage);
    EXPECT_EQ(page[0], 0) << "none goes on";
    EXPECT_EQ(page[4], code << 4) << "passed";
    EXPECT_EQ(at(page, 16, 4), 1u) << "namespace";
  }
  const auto page = log(6, kPage);
  EXPECT_EQ(page[4 + 28], 1u << 4) << "the one before";
  EXPECT_EQ(page[4 + 2 * 28], 0x0F) << "an entry that is not used";
}

TEST_F(NvmeMaintenance, ASelfTestNamesTheFirstSectorThatFails) {
  EXPECT_EQ(bench.io(transfer(nvme::io::write_uncorrectable, 3333, 2)).status, success);
  self_test(2);
  const auto page = log(6, kPage);
  EXPECT_EQ(page[4], 0x27) << "extended, a segment has failed";
  EXPECT_EQ(page[5], 7) << "the one that reads";
  EXPECT_EQ(page[6], 0x0F) << "namespace, LBA, status code and its type are valid";
  EXPECT_EQ(at(page, 20, 8), 3333u);
  EXPECT_EQ(page[28], 2);
  EXPECT_EQ(page[29], 0x81);
}

TEST_F(NvmeMaintenance, ASelfTestWithoutNamespaceLooksAtTheHealthAlone) {
  EXPECT_EQ(self_test(1, 0).status, success);
  EXPECT_EQ(bench.storage.log.size(), 0u);
  EXPECT_EQ(log(6, kPage)[4], 0x10);
  bench.storage.counters.read_only = true;
  self_test(1, 0);
  const auto page = log(6, kPage);
  EXPECT_EQ(page[4], 0x17);
  EXPECT_EQ(page[5], 2);
}

TEST_F(NvmeMaintenance, ASelfTestCanBeAbortedAndNoSecondOneBegins) {
  EXPECT_EQ(self_test(15).status, success) << "nothing to abort";
  EXPECT_EQ(self_test(0).status, invalid_field);
  EXPECT_EQ(self_test(3).status, invalid_field);
  EXPECT_EQ(self_test(1, 2).status, invalid_namespace);
  bench.storage.deferred = true;
  EXPECT_EQ(self_test(2).status, success);
  for (int i = 0; i < 64; ++i) bench.storage.finish_one(); // of 256 pieces
  EXPECT_EQ(bench.front.timer_ns, 0u) << "the backend takes its time";
  auto page = log(6, kPage);
  EXPECT_EQ(page[0], 2);
  EXPECT_EQ(page[1], 25) << "percent";
  EXPECT_EQ(self_test(1).status, self_test_in_progress);
  EXPECT_EQ(self_test(15).status, success);
  page = log(6, kPage);
  EXPECT_EQ(page[0], 0);
  EXPECT_EQ(page[4], 0x21);
  EXPECT_EQ(self_test(1).status, success) << "while a read of the other is under way";
  while (bench.storage.finish_one()) {
  }
  page = log(6, kPage);
  EXPECT_EQ(page[4], 0x10);
  EXPECT_EQ(page[4 + 28], 0x21);
}

TEST_F(NvmeMaintenance, ResetsAndFormatsEndASelfTest) {
  bench.storage.deferred = true;
  self_test(2);
  bench.front.raise_event(reg::host_event::disabled);
  bench.run();
  EXPECT_EQ(bench.front.controls.back(), reg::host_control::clear_ready) << "a reset does not wait for it";
  bench.front.raise_event(reg::host_event::enabled);
  bench.run();
  EXPECT_EQ(log(6, kPage)[4], 0x22);
  self_test(2);
  bench.begin(0, sqe(nvme::admin::format, 1, 0));
  bench.run();
  EXPECT_EQ(log(6, kPage)[4], 0x24);
  while (bench.storage.finish_one()) bench.run();
}

// --- telemetry and the other log pages ---

TEST_F(NvmeMaintenance, TelemetryIsASnapshotOfTheCounters) {
  constexpr std::uint32_t kCreate = 1;
  auto page = log(7, 2048);
  EXPECT_EQ(page[0], 7);
  EXPECT_EQ(at(page, 8, 2), 0u) << "none has been asked for";
  bench.storage.counters.gc_pages_moved = 321;
  page = log(7, 2048, kCreate);
  for (std::uint32_t area = 1; area <= 3; ++area) EXPECT_EQ(at(page, 6 + 2 * area, 2), area);
  const std::size_t moved = 512 + 8 * static_cast<std::size_t>(fw::FlashLogWord::gc_pages_moved);
  EXPECT_EQ(at(page, moved, 8), 321u);
  EXPECT_EQ(page[1024 + 3], 100) << "available spare";
  bench.storage.counters.gc_pages_moved = 322;
  EXPECT_EQ(at(log(7, 2048), moved, 8), 321u) << "until the host asks again";
  EXPECT_EQ(at(log(7, 2048, kCreate), moved, 8), 322u);
  const auto controller = log(8, 512);
  EXPECT_EQ(controller[0], 8);
  EXPECT_EQ(controller[382], 0) << "the controller has none";
  auto entry = sqe(nvme::admin::get_log_page, 0xFFFFFFFF, 7u | 15u << 16);
  EXPECT_EQ(bench.admin(entry).status, invalid_field) << "64 bytes: not a block";
  entry.cdw10 = 7u | 127u << 16;
  entry.cdw12 = 64;
  EXPECT_EQ(bench.admin(entry).status, invalid_field) << "not from a block on";
}

TEST_F(NvmeMaintenance, NoNamespaceEverChanges) {
  const auto page = log(4, 4096);
  for (const std::uint8_t byte : page) EXPECT_EQ(byte, 0);
}

} // namespace
} // namespace twinplane::test::nvme_maintenance_test
