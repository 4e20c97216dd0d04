// Host memory that waits, with several drives in one simulation and behind a non-blocking target: does each
// drive get and keep what is its own, and does a slow host disturb another one?
#include <gtest/gtest.h>

#include "tests/support/at_host.h"
#include "tests/support/guest_host.h"

namespace twinplane::test::waiting_drives_test {
namespace {

void run() {
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
}

/// Twenty writes and reads of its own sectors, then ten reads together, and what they brought written
/// elsewhere.
void use(GuestHost& h, std::uint8_t seed) {
  h.start();
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(h.write_sector(i, static_cast<std::uint8_t>(seed + i)), 0) << h.name() << " " << i;
  }
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(h.read_sector(i), static_cast<std::uint8_t>(seed + i)) << h.name() << " " << i;
  }
  for (const std::uint8_t opcode : {nvme::io::read, nvme::io::write}) {
    const std::uint32_t first = opcode == nvme::io::read ? 0 : 40;
    for (std::uint32_t i = 0; i < 10; ++i)
      h.push(h.io, GuestHost::command(opcode, first + i, GuestHost::kBuffer + i * 4096u));
    h.ring(h.io);
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(h.wait_for(h.io), 0);
  }
  for (std::uint32_t i = 0; i < 10; ++i)
    EXPECT_EQ(h.read_sector(40 + i), static_cast<std::uint8_t>(seed + i));
}

sc_core::sc_time nanoseconds(int ns) {
  return sc_core::sc_time(ns, sc_core::SC_NS);
}

TEST(WaitingHosts, OfTwoDrivesKeepTheirOwnDataAndTime) {
  GuestBench a("", "_a");
  GuestBench b("", "_b");
  for (GuestBench* bench : {&a, &b}) bench->host.takes = nanoseconds(700);
  a.host.script = [&] { use(a.host, 10); };
  b.host.script = [&] { use(b.host, 100); };
  run();
  EXPECT_TRUE(a.host.done && b.host.done);
  EXPECT_EQ(a.host.accesses, b.host.accesses) << "the same at the same time";
  EXPECT_GT(a.host.most_at_once, 1u);
}

TEST(WaitingHosts, OfThreeDrivesDoNotDelayEachOther) {
  GuestBench a("", "_a");
  GuestBench slow("", "_slow");
  GuestBench b("", "_b");
  a.host.takes = b.host.takes = nanoseconds(300);
  slow.host.takes = nanoseconds(50'000);
  TimePs end_of_a = 0;
  TimePs end_of_slow = 0;
  a.host.script = [&] {
    use(a.host, 10);
    end_of_a = hw::kernel_now();
  };
  slow.host.script = [&] {
    use(slow.host, 60);
    end_of_slow = hw::kernel_now();
  };
  b.host.script = [&] { use(b.host, 100); };
  run();
  EXPECT_TRUE(a.host.done && slow.host.done && b.host.done);
  EXPECT_EQ(a.host.accesses, b.host.accesses);
  EXPECT_GT(end_of_slow, 2 * end_of_a);
}

TEST(WaitingHosts, BesideOneThatNeverWaitsDoNotDelayIt) {
  GuestBench waits("", "_waits");
  GuestBench direct("", "_direct", false);
  waits.host.takes = nanoseconds(20'000);
  direct.host.grants = true;
  waits.host.script = [&] { use(waits.host, 10); };
  direct.host.script = [&] { use(direct.host, 100); };
  run();
  EXPECT_TRUE(waits.host.done && direct.host.done);
}

/// A drive between a non-blocking master of its registers and a non-blocking target as its memory.
struct NonBlockingBench {
  platform::Ssd ssd;
  GuestHost host{"host"};
  NonBlocking master{"master"};
  NonBlockingMemory memory{"memory"};
  Nowhere nowhere{"nowhere"};
  sc_core::sc_signal<bool> intx{"intx"};

  NonBlockingBench() : ssd("ssd", guest_config()) {
    host.mmio.bind(nowhere.in);
    master.out.bind(ssd.bar);
    ssd.dma.bind(memory.in);
    memory.out.bind(host.memory);
    ssd.intx.bind(intx);
    host.intx.bind(intx);
    host.transport = [this](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
      master.transport(p, delay);
    };
  }
};

TEST(NonBlockingTarget, HoldsTheHostsMemory) {
  NonBlockingBench b;
  b.host.script = [&] { use(b.host, 10); };
  run();
  EXPECT_TRUE(b.host.done);
  EXPECT_EQ(b.memory.answered, b.host.accesses.size());
  EXPECT_GT(b.memory.most_open, 1u) << "several outstanding";
  EXPECT_EQ(b.memory.open, 0u);
  EXPECT_GT(b.master.responses, 40);
}

TEST(NonBlockingTarget, ThatAnswersAnErrorFailsTheCommandAndNoOther) {
  NonBlockingBench b;
  GuestHost& h = b.host;
  h.script = [&] {
    h.start();
    EXPECT_EQ(h.write_sector(3, 7), 0);
    const std::uint64_t nowhere = h.bytes.size() + 4096;
    for (const std::uint8_t opcode : {nvme::io::write, nvme::io::read}) {
      EXPECT_EQ(h.execute(h.io, GuestHost::command(opcode, 3, nowhere)) & ~nvme::status::dnr,
                nvme::status::data_transfer_error);
    }
    EXPECT_EQ(h.read_sector(3), 7);
  };
  run();
  EXPECT_TRUE(h.done);
}

} // namespace
} // namespace twinplane::test::waiting_drives_test
