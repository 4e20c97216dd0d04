// Does Sanitize leave nothing of the host's data in the cells of a whole drive, also when the supply fails
// while it goes on, and does a Format with user data erase? Oracle: the cells' bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/nvme/drive_bench.h"
#include "tests/support/temp_folder.h"

namespace twinplane::test::drive_sanitize_test {
namespace {

constexpr std::uint64_t kMark = 0x6B6E6174756F4354; // of every word that the host writes
constexpr std::uint32_t kSectors = 400;

/// Counts the words of the host among what the cells are kept as.
class MarkCounter final : public StateVisitor {
 public:
  [[nodiscard]] bool loading() const override { return false; }
  void section(const char* /*name*/) override {}
  void bytes(void* data, std::size_t size) override {
    const auto* const begin = static_cast<const std::uint8_t*>(data);
    for (std::size_t i = 0; i + sizeof kMark <= size; ++i) {
      if (std::memcmp(begin + i, &kMark, sizeof kMark) == 0) ++marks;
    }
  }
  void refuse(const char* why) override { ADD_FAILURE() << why; }
  std::uint64_t marks = 0;
};

struct SanitizeBench : DriveBench {
  explicit SanitizeBench(const std::string& more = "checkpoint_interval = 300\n",
                         const std::string& cells = "")
      : DriveBench("[ftl]\nover_provisioning = \"50%\"\n" + more, cells) {}

  void start_io() {
    start();
    ASSERT_TRUE(host.create_pair(1, 16, 16));
  }
  void write(std::uint64_t lba) {
    for (std::uint64_t i = 0; i < kPage; i += sizeof kMark) host.memory.store(kData + i, kMark);
    ASSERT_EQ(host.execute(1, io(nvme::io::write, lba, 1)), 0);
  }
  /// Each sector twice, so that there are older versions.
  void fill() {
    for (std::uint64_t i = 0; i < 2 * kSectors; ++i) ASSERT_NO_FATAL_FAILURE(write(i * 7 % kSectors));
  }
  bool is_zero(std::uint64_t lba) {
    EXPECT_EQ(host.execute(1, io(nvme::io::read, lba, 1)), 0);
    for (std::uint64_t i = 0; i < kPage; i += 8) {
      if (host.memory.load<std::uint64_t>(kData + i) != 0) return false;
    }
    return true;
  }
  std::uint64_t marks() {
    MarkCounter counter;
    ssd.serialise(counter);
    return counter.marks;
  }
  int sanitize() { return host.execute(0, admin(nvme::admin::sanitize, 2)); }
  std::uint16_t sanitize_state() {
    EXPECT_EQ(host.execute(0, admin(nvme::admin::get_log_page, 127u << 16 | 0x81, 0, ~0u)), 0);
    return host.memory.load<std::uint16_t>(kData + 2) & 7;
  }
  void await_sanitize() {
    for (int look = 0; look < 1000 && sanitize_state() == 2; ++look) host.pass(ms(1));
    EXPECT_EQ(sanitize_state(), 1);
  }
};

TEST(DriveSanitize, LeavesNothingInTheCells) {
  SanitizeBench b;
  ASSERT_NO_FATAL_FAILURE(b.start_io());
  ASSERT_NO_FATAL_FAILURE(b.fill());
  EXPECT_GT(b.marks(), kSectors * DriveBench::kPage / 8) << "older versions, too";
  EXPECT_EQ(b.sanitize(), 0);
  EXPECT_EQ(b.sanitize_state(), 2);
  EXPECT_EQ(b.host.execute(1, DriveBench::io(nvme::io::read, 0, 1)), nvme::status::sanitize_in_progress);
  b.await_sanitize();
  EXPECT_EQ(b.marks(), 0u);
  for (const std::uint64_t lba : {0u, kSectors / 2, kSectors - 1}) EXPECT_TRUE(b.is_zero(lba));
  ASSERT_NO_FATAL_FAILURE(b.fill());
}

TEST(DriveSanitize, GoesOnOverResetsAndAShutdown) {
  SanitizeBench b;
  ASSERT_NO_FATAL_FAILURE(b.start_io());
  ASSERT_NO_FATAL_FAILURE(b.fill());
  EXPECT_EQ(b.sanitize(), 0);
  b.host.write(nvme::bar::cc, DriveHost::kCc);
  ASSERT_TRUE(b.host.wait_status(~0u, 0, ms(100)));
  ASSERT_NO_FATAL_FAILURE(b.start_io());
  EXPECT_EQ(b.sanitize_state(), 2);
  b.host.write(nvme::bar::cc, DriveHost::kCc | nvme::cc::en | nvme::cc::shn_normal);
  ASSERT_TRUE(b.host.wait_status(nvme::csts::shst_mask, nvme::csts::shst_complete, ms(2000)));
  b.host.write(nvme::bar::cc, DriveHost::kCc);
  ASSERT_TRUE(b.host.wait_status(~0u, 0, ms(100)));
  ASSERT_NO_FATAL_FAILURE(b.start_io());
  b.await_sanitize();
  EXPECT_EQ(b.marks(), 0u);
}

/// A format is answered when the blocks are erased; without user data erase they are not.
TEST(DriveSanitize, AFormatErasesUserDataWhenAskedTo) {
  SanitizeBench b("");
  ASSERT_NO_FATAL_FAILURE(b.start_io());
  EXPECT_EQ(b.sanitize(), nvme::status::invalid_opcode) << "nothing keeps its state over a power cut";
  ASSERT_NO_FATAL_FAILURE(b.fill());
  EXPECT_EQ(b.host.execute(0, DriveBench::admin(nvme::admin::format, 0, 0, 1)), 0);
  EXPECT_NE(b.marks(), 0u);
  EXPECT_EQ(b.host.execute(0, DriveBench::admin(nvme::admin::format, 1u << 9, 0, 1)), 0);
  EXPECT_EQ(b.marks(), 0u);
  EXPECT_TRUE(b.is_zero(0));
}

/// In a process of its own, for there is one simulation in each: begins to sanitize, loses its supply, and
/// leaves its cells in the file.
void first_life(TimePs until_cut, const std::string& file) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SanitizeBench b;
    b.start_io();
    b.fill();
    const bool begun = b.sanitize() == 0;
    b.ssd.announce_power_cut(b.host.now() + until_cut);
    b.host.pass(until_cut);
    b.ssd.cut_power();
    platform::StateSaver saver(file, "");
    b.ssd.serialise(saver);
    saver.complete();
    _exit(begun && b.marks() != 0 && !testing::Test::HasFailure() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

class SanitizeOverPowerCuts : public testing::TestWithParam<TimePs> {};

TEST_P(SanitizeOverPowerCuts, GoesOn) {
  const TempFolder folder;
  const std::string file = (folder.path() / "cells.state").string();
  ASSERT_NO_FATAL_FAILURE(first_life(GetParam(), file));
  SanitizeBench b("checkpoint_interval = 300\n", file);
  b.host.pass(ms(100)); // it need not be asked for
  ASSERT_NO_FATAL_FAILURE(b.start_io());
  b.await_sanitize();
  EXPECT_EQ(b.marks(), 0u);
  EXPECT_TRUE(b.is_zero(0));
  ASSERT_NO_FATAL_FAILURE(b.write(0));
}

INSTANTIATE_TEST_SUITE_P(Moments, SanitizeOverPowerCuts, testing::Values(ns(1), us(300), us(2000), us(4000)),
                         [](const auto& instance) { return std::to_string(instance.param / 1000) + "ns"; });

} // namespace
} // namespace twinplane::test::drive_sanitize_test
