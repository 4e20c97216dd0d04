// Does a drive leave host memory alone once a controller reset is done, however slowly that memory answers?
#include <gtest/gtest.h>

#include "tests/support/guest_host.h"

namespace twinplane::test::waiting_resets_test {
namespace {

constexpr std::uint32_t kCommands = 15;

/// Reads whose data and completions wait for the host, `pause` after their doorbell.
void load(GuestHost& host, TimePs pause) {
  host.takes = sc_core::SC_ZERO_TIME;
  host.start();
  host.takes = sc_core::sc_time(20, sc_core::SC_US);
  for (std::uint32_t i = 0; i < kCommands; ++i)
    host.push(host.io, GuestHost::command(nvme::io::flush, i, GuestHost::kBuffer));
  host.ring(host.io);
  host.pause(pause);
}

// A flush takes no time: soon all entries wait for the one that is being written.
TEST(WaitingHost, IsLeftAloneWhenAResetIsDone) {
  GuestBench bench;
  bench.host.script = [&bench] {
    GuestHost& host = bench.host;
    for (const TimePs pause : {us(1), us(30), us(60), us(90), us(150), us(400)}) {
      load(host, pause);
      EXPECT_TRUE(host.disable());
      const std::uint64_t accesses = host.accesses.size();
      const std::uint64_t messages = host.messages;
      const std::vector<std::uint8_t> bytes = host.bytes;
      EXPECT_EQ(host.at_once, 0u) << "RDY has fallen while memory is in use";
      host.pause(ms(2));
      EXPECT_EQ(host.accesses.size(), accesses) << pause;
      EXPECT_EQ(host.messages, messages) << pause;
      EXPECT_EQ(host.bytes, bytes) << pause;
    }
  };
  bench.run();
  EXPECT_TRUE(bench.host.done);
}

// What has not left when the reset comes is not wanted any more.
TEST(WaitingHost, IsNotSentWhatWaitedForItBeforeTheReset) {
  GuestBench bench;
  bench.host.script = [&bench] {
    GuestHost& host = bench.host;
    load(host, us(90));
    const std::uint64_t before = host.accesses.size();
    EXPECT_TRUE(host.disable());
    EXPECT_LE(host.accesses.size() - before, 2u) << "entries and messages of fifteen commands were waiting";
  };
  bench.run();
  EXPECT_TRUE(bench.host.done);
}

} // namespace
} // namespace twinplane::test::waiting_resets_test
