// Of a page that is unreadable in part, does the host lose the sectors that are and no other, whatever reads
// the page: the host, a write of part of it, collection? Oracle: what the test has written and spoilt, and
// the shadow of FtlBench.
#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_lost_sectors_test {
namespace {

constexpr std::uint32_t kSectors = 4; // per page of the small drive
constexpr std::uint16_t kGood = nvme::status::success;
constexpr std::uint16_t kLost = nvme::status::unrecovered_read;

class LostSectors : public ::testing::Test {
 protected:
  LostSectors() : b(small_drive()) { write(0, kSectors); }

  void write(std::uint64_t lba, std::uint32_t sectors) {
    b.write(lba, sectors);
    b.settle();
    ASSERT_EQ(b.last_status(), kGood);
  }
  std::uint16_t read(std::uint64_t lba, std::uint32_t sectors) {
    b.read(lba, sectors);
    b.settle();
    return b.last_status();
  }
  void spoil(std::uint32_t sectors) { b.hal().flash().spoil_sectors(b.place(0), sectors); }
  void expect(const std::vector<std::uint16_t>& statuses) {
    for (std::uint32_t s = 0; s < statuses.size(); ++s) EXPECT_EQ(read(s, 1), statuses[s]) << "sector " << s;
  }
  /// Until collection has moved the first page.
  void collect() {
    const Ppa before = b.place(0);
    fw::Random random(1);
    const auto pages = static_cast<std::uint32_t>(b.sectors() / kSectors);
    for (int i = 0; i < 6000; ++i) {
      while (b.free_slots() == 0) ASSERT_TRUE(b.step());
      b.write((1 + random.below(pages - 1)) * kSectors, kSectors);
    }
    b.settle();
    const Ppa after = b.place(0);
    ASSERT_FALSE(before.die == after.die && before.plane == after.plane && before.block == after.block);
  }

  FtlBench b;
};

TEST_F(LostSectors, FailOnlyTheCommandsThatReadThem) {
  spoil(1u << 2);
  expect({kGood, kGood, kLost, kGood});
  EXPECT_EQ(read(0, 2), kGood);
  EXPECT_EQ(read(0, kSectors), kLost);
  EXPECT_EQ(read(1, 2), kLost);
}

TEST_F(LostSectors, AreAllThatAPartialWriteLoses) {
  spoil(1u << 2);
  write(1, 1);
  expect({kGood, kGood, kLost, kGood});
  EXPECT_EQ(b.ftl().state.lost.count(), 1u);
  write(3, 1); // the next one reads a page that is good again but for what it knows
  expect({kGood, kGood, kLost, kGood});
  write(2, 1);
  expect({kGood, kGood, kGood, kGood});
  EXPECT_FALSE(b.ftl().state.lost.any());
}

TEST_F(LostSectors, AreAllThatCollectionLoses) {
  spoil(1u << 0 | 1u << 3);
  ASSERT_NO_FATAL_FAILURE(collect());
  expect({kLost, kGood, kGood, kLost});
  EXPECT_EQ(b.ftl().state.lost.count(), 2u);
  b.check_all(true);
}

TEST_F(LostSectors, AreNoneWhenTheWriteBringsThem) {
  spoil(1u << 2);
  write(2, 1);
  expect({kGood, kGood, kGood, kGood});
  EXPECT_FALSE(b.ftl().state.lost.any());
}

/// With metadata, and without.
TEST(GivenUpWrites, LeaveTheVersionBeforeAlsoBehindACut) {
  for (const double spare : {0.01, 0.3}) {
    for (const std::uint32_t failures : {fw::kProgramTries, 2 * fw::kProgramTries + 1}) {
      FtlBenchConfig c = small_drive();
      c.ftl.over_provisioning = spare;
      FtlBench b(c);
      EXPECT_EQ(b.statistics().metadata_kept, spare > 0.1);
      b.write(0, kSectors);
      b.settle();
      b.hal().flash().fail_program(1, failures);
      b.write(0, kSectors);
      b.settle();
      ASSERT_EQ(b.last_status(), nvme::status::write_fault);
      for (int cut = 0; cut < 2; ++cut) {
        b.read(0, kSectors);
        b.settle();
        EXPECT_EQ(b.last_status(), kGood) << "over-provisioning " << spare << ", cut " << cut;
        fw::Random random(3);
        b.cut_power(true, random);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

} // namespace
} // namespace twinplane::test::ftl_lost_sectors_test
