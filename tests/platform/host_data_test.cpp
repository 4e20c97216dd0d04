// Whatever becomes of the host's data on their way: does a sector hold what it held, or what was written?
#include <gtest/gtest.h>

#include "tests/support/guest_host.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::host_data_test {
namespace {

constexpr std::uint64_t kData = GuestHost::kBuffer;
constexpr std::uint64_t kUnmapped = GuestHost::kBytes + 0x5000;

/// How host memory answers, and whether the drive acknowledges from its buffer.
struct Setting {
  const char* name;
  bool dmi;
  bool buffered;
  bool waits = false;
};
void PrintTo(const Setting& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

std::string keys(const Setting& s) {
  return s.buffered ? "[ftl]\nwrite_buffer=16\nwrite_ack=\"buffered\"\n" : "";
}

class HostData : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    bench.host.grants = GetParam().dmi;
    if (GetParam().waits) bench.host.takes = sc_core::sc_time(300, sc_core::SC_NS);
  }
  void write(std::uint64_t lba, std::uint8_t value) {
    bench.host.fill(kData, value);
    EXPECT_EQ(bench.host.execute(bench.host.io, GuestHost::command(nvme::io::write, lba, kData)), 0u);
  }
  std::uint32_t io(const nvme::Sqe& sqe) { return bench.host.execute(bench.host.io, sqe); }
  void run(const std::function<void()>& script) {
    bench.host.script = script;
    bench.run();
    ASSERT_TRUE(bench.host.done) << "the script hangs";
  }

  GuestBench bench{keys(GetParam())};
};

TEST_P(HostData, AFailedWriteKeepsWhatItsSectorsHeld) {
  run([this] {
    GuestHost& host = bench.host;
    host.start();
    for (std::uint32_t i = 0; i < 40; ++i) write(i, static_cast<std::uint8_t>(i + 1));
    for (std::uint32_t i = 0; i < 6; ++i) {
      EXPECT_EQ(io(GuestHost::command(nvme::io::write, 5, kData + 2)), nvme::status::prp_offset);
      EXPECT_EQ(io(GuestHost::command(nvme::io::write, 6, kUnmapped)), nvme::status::data_transfer_error);
      EXPECT_EQ(host.read_sector(5), 6);
      EXPECT_EQ(host.read_sector(6), 7);
    }
    EXPECT_EQ(io(GuestHost::command(nvme::io::write, 8, kData, 2, kData + 0x1008)), nvme::status::prp_offset);
    EXPECT_EQ(host.read_sector(9), 10);
    write(5, 99);
    EXPECT_EQ(host.read_sector(5), 99);
  });
}

TEST_P(HostData, CompareAndTrimSayWhatIsWrongWithTheirData) {
  run([this] {
    GuestHost& host = bench.host;
    host.start();
    for (std::uint32_t i = 0; i < 8; ++i) write(i, static_cast<std::uint8_t>(i + 1));
    EXPECT_EQ(io(GuestHost::command(nvme::io::compare, 5, kData + 2)), nvme::status::prp_offset);
    EXPECT_EQ(io(GuestHost::command(nvme::io::compare, 5, kUnmapped)), nvme::status::data_transfer_error);
    EXPECT_EQ(io(GuestHost::command(nvme::io::compare, 5, kData)), nvme::status::compare_failure);
    nvme::DsmRange range; // the first of two ranges, in the last bytes of the first page
    range.slba = 2;
    range.blocks = 4;
    std::memcpy(&host.bytes[kData + 4096 - sizeof range], &range, sizeof range);
    nvme::Sqe dsm =
        GuestHost::command(nvme::io::dataset_management, 1, kData + 4096 - sizeof range, 1, kData + 0x1008);
    dsm.cdw11 = 4;
    EXPECT_EQ(io(dsm), nvme::status::prp_offset);
    for (std::uint32_t i = 2; i < 6; ++i) EXPECT_EQ(host.read_sector(i), static_cast<int>(i + 1));
  });
}

// Sixteen writes of one and two sectors, and a reset so many nanoseconds after their doorbell.
TEST_P(HostData, AResetLeavesEverySectorOldOrNew) {
  run([this] {
    GuestHost& host = bench.host;
    std::uint32_t fresh = 0;
    std::uint32_t rounds = 0;
    for (TimePs after = 0; after < us(12); after += ns(330), ++rounds) {
      const auto old = static_cast<std::uint8_t>(2 * rounds + 1);
      const auto now = static_cast<std::uint8_t>(2 * rounds + 2);
      host.start();
      for (std::uint32_t i = 0; i < 24; ++i) write(i, old);
      for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint64_t buffer = kData + 0x2000 * (i + 1);
        host.fill(buffer, now, 8192);
        host.push(host.io, i < 8 ? GuestHost::command(nvme::io::write, 2 * i, buffer, 2, buffer + 4096)
                                 : GuestHost::command(nvme::io::write, 8 + i, buffer));
      }
      host.ring(host.io);
      host.pause(after);
      ASSERT_TRUE(host.disable()) << "ready for ever, reset after " << after << " ps";
      host.start();
      for (std::uint32_t i = 0; i < 24; ++i) {
        const int value = host.read_sector(i);
        ASSERT_TRUE(value == old || value == now)
            << "LBA " << i << " holds " << value << ", reset after " << after << " ps";
        fresh += value == now ? 1 : 0;
      }
      ASSERT_TRUE(host.disable());
    }
    EXPECT_GT(fresh, 24u) << "no reset was late enough to mean anything";
    EXPECT_LT(fresh, 24u * (rounds - 1)) << "no reset was early enough";
    EXPECT_EQ(bench.ssd.front_end().statistics().firmware_faults, 0u);
  });
}

// Grants come and go while writes and reads are under way.
TEST_P(HostData, SurvivesGrantsThatComeAndGo) {
  run([this] {
    GuestHost& host = bench.host;
    host.start();
    for (std::uint32_t round = 0; round < 40; ++round) {
      host.grants = round % 3 != 0;
      for (std::uint32_t i = 0; i < 8; ++i) {
        host.fill(kData + 0x1000 * i, static_cast<std::uint8_t>(round + i + 1));
        host.push(host.io, GuestHost::command(nvme::io::write, i, kData + 0x1000 * i));
      }
      host.ring(host.io);
      host.pause(ns(200) * (round % 7));
      host.revoke();
      for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(host.wait_for(host.io), 0u);
      const std::uint32_t lba = round % 8;
      ASSERT_EQ(host.read_sector(lba), static_cast<int>(round + lba + 1));
    }
  });
}

TEST_P(HostData, AnEntryThatCannotBeReadIsFatalUntilTheReset) {
  run([this] {
    GuestHost& host = bench.host;
    host.grants = false; // a grant would be an answer
    host.revoke();
    host.start();
    write(1, 11);
    host.refused_page = host.io.sq;
    host.push(host.io, GuestHost::command(nvme::io::read, 1, kData));
    host.ring(host.io);
    host.pause(us(50));
    EXPECT_EQ(host.read(nvme::bar::csts), nvme::csts::rdy | nvme::csts::cfs);
    host.refused_page = 0;
    ASSERT_TRUE(host.disable());
    host.start();
    EXPECT_EQ(host.read(nvme::bar::csts), nvme::csts::rdy);
    EXPECT_EQ(host.read_sector(1), 11);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, HostData,
    ::testing::Values(Setting{"direct", true, false}, Setting{"transactions", false, false},
                      Setting{"direct_buffered", true, true}, Setting{"transactions_buffered", false, true},
                      Setting{"waiting", false, false, true}, Setting{"waiting_buffered", false, true, true},
                      Setting{"waiting_direct", true, false, true}),
    parameter_name);

} // namespace
} // namespace twinplane::test::host_data_test
