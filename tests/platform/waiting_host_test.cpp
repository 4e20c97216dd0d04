// Host memory that calls wait() in b_transport: does anything inside the drive stop meanwhile?
#include <gtest/gtest.h>

#include "tests/support/guest_host.h"

namespace twinplane::test::waiting_host_test {
namespace {

constexpr std::uint64_t kData = GuestHost::kBuffer;

struct Load {
  TimePs time = 0;
  std::uint32_t completions = 0;
};

/// `total` reads of 8 KiB, 15 in flight.
Load read_many(GuestHost& host, std::uint32_t total) {
  Load result;
  const TimePs begin = sc_core::sc_time_stamp().value();
  std::uint32_t sent = 0;
  while (result.completions < total) {
    while (sent < total && sent - result.completions < 15) {
      host.push(host.io, GuestHost::command(nvme::io::read, 2 * (sent * 37 % 64), kData, 2, kData + 4096));
      ++sent;
    }
    host.ring(host.io);
    if (host.wait_for(host.io) != 0) break;
    ++result.completions;
  }
  result.time = sc_core::sc_time_stamp().value() - begin;
  return result;
}

void fill_drive(GuestHost& host) {
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(host.execute(host.io, GuestHost::command(nvme::io::write, 2 * i, kData, 2, kData + 4096)), 0u);
  }
}

// 600 reads of four planes are flash-bound: 50 us per page and two pages at a time per die. Memory that takes
// 300 ns per access, several accesses per read one after the other, adds its time to the latency and to
// nothing else.
TEST(WaitingHost, DoesNotSlowTheFlash) {
  GuestBench bench;
  bench.host.script = [&bench] {
    GuestHost& host = bench.host;
    host.start();
    fill_drive(host);
    const Load quick = read_many(host, 300);
    host.takes = sc_core::sc_time(300, sc_core::SC_NS);
    const Load slow = read_many(host, 300);
    EXPECT_EQ(quick.completions, 300u);
    EXPECT_EQ(slow.completions, 300u);
    EXPECT_LT(static_cast<double>(slow.time), 1.10 * static_cast<double>(quick.time));
  };
  bench.run();
  EXPECT_TRUE(bench.host.done);
  EXPECT_FALSE(bench.host.called_by_method);
}

/// Time of a write of 15 pages to a drive that acknowledges from its buffer, of a host that takes 2 us.
TimePs time_of_write(const char* tags, std::uint32_t& at_once) {
  GuestBench bench(std::string("[ftl]\nwrite_buffer=0\n[pcie]\ntags=") + tags + "\n");
  TimePs time = 0;
  bench.host.script = [&] {
    GuestHost& host = bench.host;
    host.start();
    host.takes = sc_core::sc_time(2, sc_core::SC_US);
    for (std::uint32_t i = 0; i < 15; ++i)
      host.push(host.io, GuestHost::command(nvme::io::write, 8 * i, kData + 0x1000 * i));
    const TimePs begin = sc_core::sc_time_stamp().value();
    host.most_at_once = 0;
    host.ring(host.io);
    for (std::uint32_t i = 0; i < 15; ++i) EXPECT_EQ(host.wait_for(host.io), 0u);
    time = sc_core::sc_time_stamp().value() - begin;
    at_once = host.most_at_once;
  };
  bench.run();
  EXPECT_TRUE(bench.host.done);
  return time;
}

TEST(WaitingHost, IsReadFromSeveralTimesAtOnce) {
  std::uint32_t at_once = 0;
  EXPECT_GT(time_of_write("32", at_once), 0u);
  EXPECT_GE(at_once, 8u);
}

TEST(WaitingHost, IsReadFromNoMoreThanItsTagsAllow) {
  std::uint32_t at_once = 0;
  EXPECT_GT(time_of_write("2", at_once), 0u);
  EXPECT_LE(at_once, 5u) << "two for data, and entries, data to the host, posted writes";
  EXPECT_GE(at_once, 2u);
}

TEST(WaitingHost, SeesDataBeforeTheEntryAndTheEntryBeforeTheMessage) {
  GuestBench bench;
  bench.host.script = [&bench] {
    GuestHost& host = bench.host;
    host.start();
    fill_drive(host);
    host.takes = sc_core::sc_time(700, sc_core::SC_NS);
    for (std::uint32_t i = 0; i < 50; ++i) {
      host.fill(kData + 0x4000, 0xEE);
      const std::uint64_t messages = host.messages;
      host.push(host.io, GuestHost::command(nvme::io::read, i, kData + 0x4000));
      host.ring(host.io);
      nvme::Cqe cqe;
      while (!host.poll(host.io, cqe)) host.pause(ns(10));
      EXPECT_EQ(cqe.status >> 1, 0);
      EXPECT_NE(host.bytes[kData + 0x4000 + 4095], 0xEE) << "the entry came before its data";
      EXPECT_EQ(host.messages, messages) << "the message came before its entry";
      host.pause(us(5));
      EXPECT_EQ(host.messages, messages + 1);
    }
  };
  bench.run();
  EXPECT_TRUE(bench.host.done);
}

} // namespace
} // namespace twinplane::test::waiting_host_test
