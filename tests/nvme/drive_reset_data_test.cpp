// What do sectors hold whose writes a controller reset cut off (NVMe 1.4 section 7.3.2)? Old or new data,
// whatever the drive was doing with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/nvme/drive_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::drive_reset_data_test {
namespace {

constexpr std::uint32_t kWrites = 48; // in flight when the reset comes
constexpr std::uint64_t kFirst = 1000;

/// By the drive's configuration. With a buffer of 16 pages most writes wait for room in it: their data have
/// not been asked for when the reset comes, and what they get then has held other sectors before.
class CutOffWrites : public testing::TestWithParam<const char*> {
 protected:
  DriveBench bench{GetParam()};

  void start() {
    bench.start();
    ASSERT_TRUE(bench.host.create_pair(1, 64, 64));
  }
  static std::uint64_t word(std::uint64_t lba, std::uint64_t version) { return lba << 16 | version; }
  static std::uint64_t page(std::uint32_t i) { return DriveBench::kData + i * DriveBench::kPage; }
  void fill(std::uint64_t at, std::uint64_t value) {
    for (std::uint64_t i = 0; i < DriveBench::kPage; i += sizeof value)
      bench.host.memory.store(at + i, value);
  }
  void write(std::uint64_t lba, std::uint64_t version) {
    fill(page(0), word(lba, version));
    ASSERT_EQ(bench.host.execute(1, DriveBench::io(nvme::io::write, lba, 1, page(0))), 0);
  }
  void send(std::uint64_t version) {
    for (std::uint32_t i = 0; i < kWrites; ++i) {
      fill(page(i), word(kFirst + i, version));
      nvme::Sqe sqe = DriveBench::io(nvme::io::write, kFirst + i, 1, page(i));
      sqe.cid = static_cast<std::uint16_t>(i);
      bench.host.push(1, sqe);
    }
    bench.host.ring(1);
  }
  void reset() {
    bench.host.write(nvme::bar::cc, DriveHost::kCc);
    ASSERT_TRUE(bench.host.wait_status(~0u, 0, ms(1000)));
    for (std::uint32_t i = 0; i < kWrites; ++i) fill(page(i), 0xDEAD); // no longer the drive's
  }
  /// The version of all of the sector.
  std::uint64_t look(std::uint64_t lba) {
    EXPECT_EQ(bench.host.execute(1, DriveBench::io(nvme::io::read, lba, 1, page(0))), 0);
    const auto first = bench.host.memory.load<std::uint64_t>(page(0));
    for (std::uint64_t i = 0; i < DriveBench::kPage; i += sizeof first) {
      EXPECT_EQ(bench.host.memory.load<std::uint64_t>(page(0) + i), first) << "torn: LBA " << lba;
    }
    EXPECT_EQ(first >> 16, lba) << "another sector's data";
    return first & 0xFFFF;
  }
};

TEST_P(CutOffWrites, AreThereOrNotAndNeverAnotherSectors) {
  start();
  for (std::uint32_t i = 0; i < kWrites; ++i) write(i, 1);
  for (std::uint32_t i = 0; i < kWrites; ++i) write(kFirst + i, 1);
  std::uint64_t version[kWrites];
  std::fill(std::begin(version), std::end(version), 1);
  std::uint64_t next = 2;
  std::vector<TimePs> moments{us(5), us(20), us(100), us(250), us(600), ms(2)};
  for (TimePs moment = ns(100); moment < us(4); moment += ns(100)) moments.push_back(moment);
  for (const TimePs moment : moments) {
    SCOPED_TRACE("ns after the doorbell: " + std::to_string(moment / 1000));
    send(next);
    bench.host.pass(moment);
    reset();
    start();
    for (std::uint32_t i = 0; i < kWrites; ++i) {
      const std::uint64_t found = look(kFirst + i);
      EXPECT_TRUE(found == version[i] || found == next) << "LBA " << kFirst + i << " holds version " << found;
      EXPECT_EQ(look(i), 1u);
      version[i] = found;
    }
    ++next;
  }
  EXPECT_NE(*std::max_element(std::begin(version), std::end(version)), 1u) << "some write was in time";
}
INSTANTIATE_TEST_SUITE_P(WithAndWithoutBuffer, CutOffWrites,
                         testing::Values("", "[ftl]\nwrite_buffer = 16\nwrite_ack = \"buffered\"\n"),
                         parameter_name);

} // namespace
} // namespace twinplane::test::drive_reset_data_test
