// Log pages: contents against what happened, ranges, refusals.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/nvme_bench.h"

namespace twinplane::test::nvme_log_test {
namespace {

using namespace nvme::status;

class NvmeLogs : public testing::Test {
 protected:
  NvmeLogs() { bench.enable(); }

  static nvme::Sqe log_entry(std::uint32_t id, std::uint32_t bytes, std::uint64_t offset = 0) {
    auto entry = sqe(nvme::admin::get_log_page, 0xFFFFFFFF, id | (bytes / 4 - 1) << 16);
    entry.cdw12 = static_cast<std::uint32_t>(offset);
    entry.cdw13 = static_cast<std::uint32_t>(offset >> 32);
    return entry;
  }
  std::vector<std::uint8_t> log(std::uint32_t id, std::uint32_t bytes, std::uint64_t offset = 0) {
    EXPECT_EQ(bench.admin(log_entry(id, bytes, offset), std::vector<std::uint8_t>(bytes)).status, success);
    return bench.data();
  }
  template <typename T>
  static T at(const std::vector<std::uint8_t>& page, std::size_t offset) {
    T value;
    std::memcpy(&value, page.data() + offset, sizeof value);
    return value;
  }
  void write(std::uint32_t sectors) {
    bench.io(transfer(nvme::io::write, 0, sectors), std::vector<std::uint8_t>(std::size_t{sectors} * 16));
  }
  void read(std::uint32_t sectors) {
    bench.io(transfer(nvme::io::read, 0, sectors), std::vector<std::uint8_t>(std::size_t{sectors} * 16));
  }

  NvmeBench bench;
};

TEST_F(NvmeLogs, HealthPageCountsCommandsAndDataUnits) {
  for (int i = 0; i < 20; ++i)
    write(8); // 160 sectors of 4 KiB = 1280 units of 512 B: 2 thousands, rounded up
  read(8);    // 64 units: 1 thousand, rounded up
  const auto page = log(2, 512);
  EXPECT_EQ(page[0], 0); // no critical warning
  EXPECT_EQ(at<std::uint16_t>(page, 1), 313u);
  EXPECT_EQ(page[3], 100);
  EXPECT_EQ(page[4], 10);
  EXPECT_EQ(page[5], 0);
  EXPECT_EQ(at<std::uint64_t>(page, 32), 1u);
  EXPECT_EQ(at<std::uint64_t>(page, 48), 2u);
  EXPECT_EQ(at<std::uint64_t>(page, 64), 1u);
  EXPECT_EQ(at<std::uint64_t>(page, 80), 20u);
  EXPECT_EQ(at<std::uint64_t>(page, 112), 1u);
  EXPECT_EQ(at<std::uint64_t>(page, 160), 0u);
}

TEST_F(NvmeLogs, HealthPageCountsBusyMinutesPowerOnHoursAndWear) {
  constexpr std::uint64_t kMinute = 60'000'000'000'000;
  bench.storage.deferred = true;
  bench.front.fetch(1, transfer(nvme::io::read, 0, 1), std::vector<std::uint8_t>(16));
  bench.run();
  bench.front.time_ps += 3 * kMinute;
  bench.storage.finish_one();
  bench.run();
  bench.take();
  bench.front.time_ps += 60 * kMinute;                                                 // idle
  bench.storage.counters.erases = std::uint64_t{bench.config.geometry.blocks()} * 300; // of 3000
  const auto page = log(2, 512);
  EXPECT_EQ(at<std::uint64_t>(page, 96), 3u);
  EXPECT_EQ(at<std::uint64_t>(page, 128), 1u);
  EXPECT_EQ(page[5], 10);
}

TEST_F(NvmeLogs, HealthPageSaysHowMuchOfTheSpareIsLeftAndWarnsOfTheLast) {
  struct Case {
    std::uint64_t at_boot, retired;
    int percent, warning;
  };
  for (const Case& c : {Case{40, 0, 100, 0}, Case{40, 10, 75, 0}, Case{40, 36, 10, 0}, Case{40, 37, 7, 1},
                        Case{40, 40, 0, 1}, Case{40, 50, 0, 1}, Case{0, 0, 100, 0}, Case{0, 1, 0, 1}}) {
    bench.storage.counters.spare_blocks_at_boot = c.at_boot;
    bench.storage.counters.retired_blocks = c.retired;
    const auto page = log(2, 512);
    EXPECT_EQ(page[3], c.percent) << c.retired << " of " << c.at_boot;
    EXPECT_EQ(page[4], 10);
    EXPECT_EQ(page[0], c.warning) << c.retired << " of " << c.at_boot;
  }
}

TEST_F(NvmeLogs, HealthPageWarnsOfTheTemperature) {
  bench.admin(sqe(nvme::admin::set_features, 0, 4, 313));
  EXPECT_EQ(log(2, 512)[0], 2);
}

TEST_F(NvmeLogs, HealthPageWarnsOfAReadOnlyDrive) {
  bench.storage.counters.read_only = true;
  EXPECT_EQ(log(2, 512)[0], 8);
}

TEST_F(NvmeLogs, HealthPageWarnsOfBufferedDataThatDoNotOutlastTheSupply) {
  bench.storage.counters.read_only = true;
  bench.storage.counters.buffered_sectors_left = 3;
  EXPECT_EQ(log(2, 512)[0], 8 | 16);
}

TEST_F(NvmeLogs, ErrorLogHasTheNewestErrorFirst) {
  EXPECT_EQ(at<std::uint64_t>(log(1, 64), 0), 0u) << "empty";
  auto entry = transfer(nvme::io::read, MemoryStorage::kSectors + 5, 1);
  entry.cid = 21;
  bench.io(entry);
  bench.admin(sqe(0xC0));
  const auto page = log(1, 128);
  EXPECT_EQ(at<std::uint64_t>(page, 0), 2u);
  EXPECT_EQ(at<std::uint16_t>(page, 8), 0u); // admin queue
  EXPECT_EQ(at<std::uint16_t>(page, 12), (invalid_opcode | dnr) << 1);
  EXPECT_EQ(at<std::uint64_t>(page, 64), 1u);
  EXPECT_EQ(at<std::uint16_t>(page, 72), 1u);
  EXPECT_EQ(at<std::uint16_t>(page, 74), 21u);
  EXPECT_EQ(at<std::uint16_t>(page, 76), (lba_range | dnr) << 1);
  EXPECT_EQ(at<std::uint64_t>(page, 80), MemoryStorage::kSectors + 5);
  EXPECT_EQ(at<std::uint32_t>(page, 88), 1u);
  EXPECT_EQ(at<std::uint64_t>(log(2, 512), 176), 2u) << "the health page counts them";
}

TEST_F(NvmeLogs, ErrorLogKeepsTheLast64) {
  for (int i = 0; i < 70; ++i) bench.admin(sqe(0x80));
  const auto page = log(1, 4096);
  for (std::uint64_t i = 0; i < 64; ++i) ASSERT_EQ(at<std::uint64_t>(page, i * 64), 70 - i);
}

TEST_F(NvmeLogs, FirmwareSlotOneIsActive) {
  const auto page = log(3, 512);
  EXPECT_EQ(page[0], 1);
  EXPECT_EQ(std::memcmp(&page[8], "0.1     ", 8), 0);
  EXPECT_EQ(page[16], 0) << "no second slot";
}

TEST_F(NvmeLogs, EffectsPageNamesExactlyTheCommandsThatWork) {
  const auto page = log(5, 4096);
  for (std::uint32_t opcode = 0; opcode < 256; ++opcode) {
    const bool admin_supported = (page[opcode * 4] & 1) != 0;
    const bool io_supported = (page[1024 + opcode * 4] & 1) != 0;
    auto entry = sqe(static_cast<std::uint8_t>(opcode), 1);
    entry.flags = 1; // fused: refused by every command that exists, before it does anything
    EXPECT_EQ(bench.admin(entry).status, admin_supported ? invalid_field : invalid_opcode) << opcode;
    EXPECT_EQ(bench.io(entry).status, io_supported ? invalid_field : invalid_opcode) << opcode;
  }
  EXPECT_EQ(page[1024 + nvme::io::write * 4], 3) << "changes content";
  EXPECT_EQ(page[1024 + nvme::io::read * 4], 1);
}

TEST_F(NvmeLogs, FlashStatisticsPageHasTheCountersInTheirOrder) {
  using Word = fw::FlashLogWord;
  auto& c = bench.storage.counters;
  c.host_pages_written = 11;
  c.programs_by_type[2] = 12;
  c.pages_programmed[static_cast<int>(fw::ProgramCause::gc)] = 13;
  c.gc_pages_moved = 14;
  c.erase_blocks = 15;
  c.program_multi_commands = 16;
  c.valid_pages = 17;
  const auto page = log(0xC0, 512);
  const auto word = [&page](Word w) { return at<std::uint64_t>(page, 8u * static_cast<unsigned>(w)); };
  EXPECT_EQ(word(Word::version), 1u);
  EXPECT_EQ(word(Word::host_pages_written), 11u);
  EXPECT_EQ(word(Word::programs_msb), 12u);
  EXPECT_EQ(word(Word::programs_gc), 13u);
  EXPECT_EQ(word(Word::gc_pages_moved), 14u);
  EXPECT_EQ(word(Word::erase_blocks), 15u);
  EXPECT_EQ(word(Word::program_multi_commands), 16u);
  EXPECT_EQ(word(Word::valid_pages), 17u);
}

TEST_F(NvmeLogs, PartOfAPageIsThatPart) {
  const auto whole = log(2, 512);
  EXPECT_EQ(log(2, 16, 64), std::vector<std::uint8_t>(whole.begin() + 64, whole.begin() + 80));
}

TEST_F(NvmeLogs, LengthBehindTheEndSendsWhatThereIs) {
  const auto whole = log(2, 512);
  EXPECT_EQ(bench.admin(log_entry(2, 64, 480), std::vector<std::uint8_t>(64, 0xEE)).status, success);
  EXPECT_TRUE(std::equal(whole.begin() + 480, whole.end(), bench.data().begin()));
}

TEST_F(NvmeLogs, RefusesWhatDoesNotExist) {
  for (const std::uint32_t id : {0x00u, 0x09u, 0x0Du, 0x70u, 0xC1u}) {
    EXPECT_EQ(bench.admin(log_entry(id, 64)).status, log_page) << id;
  }
  EXPECT_EQ(bench.admin(log_entry(2, 64, 516)).status, invalid_field) << "offset behind the page";
  EXPECT_EQ(bench.admin(log_entry(2, 64, 2)).status, invalid_field) << "offset not a dword";
  auto entry = log_entry(2, 64);
  entry.nsid = 1;
  EXPECT_EQ(bench.admin(entry).status, invalid_field) << "no log of a namespace";
  entry = log_entry(2, 64);
  entry.cdw11 = 1; // 256 KiB: beyond MDTS
  EXPECT_EQ(bench.admin(entry).status, invalid_field);
  for (int i = 0; i < 20; ++i) bench.admin(log_entry(0x70, 64));
  EXPECT_EQ(bench.admin(log_entry(2, 512), std::vector<std::uint8_t>(512)).status, success)
      << "no buffer was lost";
}

} // namespace
} // namespace twinplane::test::nvme_log_test
