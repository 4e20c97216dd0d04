// May an actor join in that acts unannounced, and leave again, and is everything as if it had never been
// there?
#include <gtest/gtest.h>

#include "hw/core/run_ahead.h"
#include "tests/support/guest_host.h"

namespace twinplane::test::run_ahead_test {
namespace {

TEST(RunAhead, IsAllowedAgainWhenAllWhoJoinedHaveLeft) {
  hw::RunAhead ahead(ms(1));
  EXPECT_TRUE(ahead.allowed());
  ahead.block();
  ahead.block();
  ahead.unblock();
  EXPECT_FALSE(ahead.allowed()) << "one is still there";
  ahead.unblock();
  EXPECT_TRUE(ahead.allowed());
}

TEST(RunAhead, IsNeverAllowedWhereTheMostIsNothing) {
  hw::RunAhead ahead(0);
  ahead.block();
  ahead.unblock();
  EXPECT_FALSE(ahead.allowed());
}

TEST(RunAhead, EndsNowWhileSomebodyMayActUnannounced) {
  hw::RunAhead ahead(ms(1));
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_US));
  EXPECT_EQ(ahead.horizon(us(5)), us(1005));
  ahead.block();
  EXPECT_EQ(ahead.horizon(us(5)), 0u);
  ahead.unblock();
  EXPECT_EQ(ahead.horizon(us(5)), us(1005));
}

constexpr const char* kAhead = "[cpu]\nrun_ahead = \"1ms\"\n";

/// A debugger, or a server with events of its own: there for a while, and looks at the drive at times that
/// the kernel does not know before.
class Visitor : public sc_core::sc_module {
 public:
  Visitor(const sc_core::sc_module_name& name, GuestBench& bench) : sc_module(name), bench_(bench) {
    SC_HAS_PROCESS(Visitor);
    SC_THREAD(visit);
  }
  std::uint32_t looks = 0;
  std::uint32_t stays = 0;

 private:
  void visit() {
    hw::RunAhead& ahead = bench_.ssd.run_ahead();
    for (; stays < 3; ++stays) {
      wait(sc_core::sc_time(1700, sc_core::SC_US));
      EXPECT_TRUE(ahead.allowed());
      ahead.block();
      wait(sc_core::sc_time(1, sc_core::SC_MS)); // until then it may be ahead
      for (int i = 0; i < 500; ++i, ++looks) {
        wait(sc_core::sc_time(777, sc_core::SC_NS));
        std::uint32_t csts = 0;
        EXPECT_EQ(look(csts), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(csts, nvme::csts::rdy);
      }
      ahead.unblock();
    }
  }
  /// Past the host's socket, without time of its own.
  tlm::tlm_response_status look(std::uint32_t& value) {
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(nvme::bar::csts);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    bench_.host.mmio->b_transport(p, delay);
    return p.get_response_status();
  }

  GuestBench& bench_;
};

/// Works for some 10 ms: writes, reads, and pauses in which the drive is alone.
void work(GuestHost& h) {
  h.start();
  for (std::uint32_t i = 0; i < 24; ++i) {
    EXPECT_EQ(h.write_sector(i, static_cast<std::uint8_t>(i + 1)), 0);
    h.pause(us(100));
    EXPECT_EQ(h.read_sector(i), static_cast<int>(i + 1));
  }
}

TEST(RunAhead, AVisitorChangesNothingThatTheHostSees) {
  GuestBench alone(kAhead, "_alone", false);
  GuestBench visited(kAhead, "_visited", false);
  Visitor visitor("visitor", visited);
  for (GuestBench* b : {&alone, &visited}) {
    b->host.script = [b] { work(b->host); };
  }
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
  EXPECT_TRUE(alone.host.done && visited.host.done);
  EXPECT_EQ(visitor.stays, 3u);
  EXPECT_EQ(visitor.looks, 1500u);
  EXPECT_TRUE(alone.host.accesses == visited.host.accesses);
}

/// Twenty writes at once.
void write_twenty(GuestHost& h) {
  for (std::uint32_t i = 0; i < 20; ++i) {
    h.push(h.io, GuestHost::command(nvme::io::write, i, GuestHost::kBuffer + 4096 * i));
  }
  h.ring(h.io);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(h.wait_for(h.io), 0);
}

TEST(RunAhead, CostsTheKernelMoreWhileSomebodyIsThere) {
  GuestBench b(kAhead, "", false);
  std::vector<std::uint64_t> events;
  b.host.script = [&] {
    b.host.start();
    for (int i = 0; i < 3; ++i) {
      if (i == 1) b.ssd.run_ahead().block();
      b.host.pause(ms(2));
      const std::uint64_t before = b.ssd.kernel_events();
      write_twenty(b.host);
      events.push_back(b.ssd.kernel_events() - before);
      if (i == 1) b.ssd.run_ahead().unblock();
    }
  };
  b.run();
  ASSERT_TRUE(b.host.done);
  EXPECT_GT(events[1], 2 * events[0]);
  EXPECT_LE(events[2], events[0] + 2) << "as before";
}

} // namespace
} // namespace twinplane::test::run_ahead_test
