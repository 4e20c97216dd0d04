// Does the drive behave as TLM-2.0 asks with hosts that it does not know: what is wrong with an access, hosts
// that act unannounced, non-blocking initiators, memory that grants, denies and takes back direct access?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atomic>
#include <thread>

#include "tests/support/at_host.h"
#include "tests/support/guest_host.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::foreign_host_test {
namespace {

using ::testing::HasSubstr;

void run(sc_core::sc_time limit = sc_core::sc_time(1, sc_core::SC_SEC)) {
  sc_core::sc_start(limit);
}

// --- accesses that are not plain words ---

TEST(ForeignAccess, TheIgnoreCommandDoesNothing) {
  GuestBench b;
  GuestHost& h = b.host;
  h.script = [&] {
    h.start();
    h.push(h.io, GuestHost::command(nvme::io::read, 3, GuestHost::kBuffer));
    std::uint32_t tail = h.io.tail;
    EXPECT_EQ(h.access(tlm::TLM_IGNORE_COMMAND, nvme::bar::doorbells + 8, &tail, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(h.wait_for(h.io), GuestHost::kNothing) << "no doorbell was rung";
    h.ring(h.io);
    EXPECT_EQ(h.wait_for(h.io), 0);
  };
  run();
  EXPECT_TRUE(h.done);
}

TEST(ForeignAccess, TheIgnoreCommandDoesNothingInsideTheDriveEither) {
  GuestBench b;
  b.host.script = [&] { b.host.start(); };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto ignored = [](auto& socket, std::uint64_t address) {
    std::uint32_t word = 0xFFFF'FFFF;
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_IGNORE_COMMAND);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    p.set_data_length(4);
    p.set_streaming_width(4);
    sc_core::sc_time delay;
    socket.get_base_export()->b_transport(p, delay);
    EXPECT_EQ(word, 0xFFFF'FFFFu);
    return p.get_response_status();
  };
  auto& flash = b.ssd.controllers()[0]->regs;
  auto& front = const_cast<hw::FrontEndBlock&>(b.ssd.front_end()).device;
  auto& core = const_cast<hw::CoreBlock&>(b.ssd.core()).irq;
  EXPECT_EQ(ignored(flash, reg::flash::doorbell), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(ignored(front, reg::host::control),
            tlm::TLM_OK_RESPONSE); // a write would be the end of the drive
  EXPECT_EQ(ignored(core, reg::intc::trigger), tlm::TLM_OK_RESPONSE);
  run();
  EXPECT_TRUE(b.host.up);
}

TEST(ForeignAccess, EachKindOfWrongAccessHasItsOwnAnswer) {
  GuestBench b;
  GuestHost& h = b.host;
  h.script = [&] {
    std::uint64_t word = 0;
    EXPECT_EQ(h.access(tlm::TLM_READ_COMMAND, 0x1000'0000, &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(h.access(tlm::TLM_WRITE_COMMAND, nvme::bar::size, &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(h.access(tlm::TLM_READ_COMMAND, 0, &word, 2), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(h.access(tlm::TLM_READ_COMMAND, 2, &word, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(h.access(tlm::TLM_READ_COMMAND, 0, &word, 8), tlm::TLM_OK_RESPONSE);
  };
  run();
  EXPECT_TRUE(h.done);
}

// --- a host that answers inside the drive's own message ---

TEST(ForeignAccess, AnInterruptHandlerThatIsAFunctionCallMayRingDoorbells) {
  GuestBench b;
  GuestHost& h = b.host;
  int sent = 0;
  int got = 0;
  h.script = [&] {
    h.start();
    const auto next = [&] {
      h.push(h.io, GuestHost::command(sent % 3 != 0 ? nvme::io::read : nvme::io::write,
                                      static_cast<std::uint32_t>(sent % 40), GuestHost::kBuffer));
      ++sent;
    };
    h.on_message = [&](const sc_core::sc_time& delay) {
      sc_core::sc_time at = delay;
      for (nvme::Cqe c; h.poll(h.io, c, &at);) {
        EXPECT_EQ(c.status >> 1, 0);
        ++got;
        if (sent < 200) next();
      }
      h.ring(h.io, &at);
    };
    for (int i = 0; i < 8; ++i) next();
    h.ring(h.io);
    wait(sc_core::sc_time(200, sc_core::SC_MS));
    h.on_message = nullptr;
  };
  run();
  EXPECT_EQ(sent, 200);
  EXPECT_EQ(got, 200);
}

// --- hosts that act unannounced ---

/// A write of four sectors is under way; 20 us later an actor of which the kernel knows nothing reads. When
/// the completions were seen, after that.
struct Unannounced : sc_core::sc_prim_channel {
  sc_core::sc_event event;
  Unannounced() : sc_prim_channel("unannounced") {}
  void update() override { event.notify(sc_core::SC_ZERO_TIME); }
};

std::vector<TimePs> script_of(GuestHost& h, Unannounced& outside, std::atomic<bool>& under_way) {
  std::vector<TimePs> seen;
  h.start();
  h.write_sector(0, 5);
  h.push(h.io, GuestHost::command(nvme::io::write, 40, GuestHost::kBuffer));
  h.ring(h.io);
  under_way = true;
  sc_core::wait(outside.event);
  const TimePs begin = hw::kernel_now();
  h.push(h.io, GuestHost::command(nvme::io::read, 0, GuestHost::kBuffer + 4096));
  h.ring(h.io);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(h.wait_for(h.io), 0);
    seen.push_back(hw::kernel_now() - begin);
  }
  return seen;
}

/// Acts between two calls of sc_start(), or from an OS thread in the meantime.
std::vector<TimePs> run_unannounced(GuestBench& b, bool from_a_thread) {
  Unannounced outside;
  std::atomic<bool> under_way{false};
  std::vector<TimePs> seen;
  b.host.script = [&] { seen = script_of(b.host, outside, under_way); };
  while (!under_way && hw::kernel_now() < ms(100)) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  if (from_a_thread) {
    std::thread([&] { outside.async_request_update(); }).join();
  } else {
    outside.async_request_update();
  }
  while (!b.host.done && hw::kernel_now() < ms(300)) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_TRUE(b.host.done);
  return seen;
}

void expect_service_in_time(bool from_a_thread) {
  GuestBench b;
  const auto seen = run_unannounced(b, from_a_thread);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_GT(seen[0], us(50)) << "tR, or what was left of tPROG";
  EXPECT_LT(seen[1], us(400)) << "both are done after one program and one read";
}

TEST(Unannounced, AHostBetweenTwoCallsOfScStartIsServedInTime) {
  expect_service_in_time(false);
}

TEST(Unannounced, AHostInAThreadOfTheOperatingSystemIsServedInTime) {
  expect_service_in_time(true);
}

std::string refusal;
void keep_refusal(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_ERROR) {
    refusal = report.get_msg();
    return; // as a platform that does not throw: the response must tell, too
  }
  sc_core::sc_report_handler::default_handler(report, actions);
}

TEST(Unannounced, ADriveThatHasGoneAheadRefusesInsteadOfAnsweringLate) {
  sc_core::sc_report_handler::set_handler(keep_refusal);
  GuestBench b("[cpu]\nrun_ahead=\"1ms\"\n");
  GuestHost& h = b.host;
  Unannounced outside;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  bool under_way = false;
  h.script = [&] {
    h.start();
    h.push(h.io, GuestHost::command(nvme::io::write, 40, GuestHost::kBuffer));
    h.ring(h.io);
    under_way = true;
    sc_core::wait(outside.event);
    std::uint32_t tail = 1;
    status = h.access(tlm::TLM_WRITE_COMMAND, nvme::bar::doorbells + 8, &tail, 4);
  };
  while (!under_way && hw::kernel_now() < ms(100)) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
  outside.async_request_update();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_TRUE(h.done);
  EXPECT_EQ(status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_THAT(refusal, HasSubstr("cpu.run_ahead"));
}

// Processes of the kernel's are known: with them a drive may run ahead, and nothing is refused.
TEST(Unannounced, AHostThatTheKernelKnowsIsNeverRefused) {
  GuestBench b("[cpu]\nrun_ahead=\"1ms\"\n");
  GuestHost& h = b.host;
  h.script = [&] {
    h.start();
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(h.write_sector(i, static_cast<std::uint8_t>(i + 1)), 0);
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(h.read_sector(i), static_cast<int>(i + 1));
  };
  run();
  EXPECT_TRUE(h.done);
}

// --- a non-blocking initiator ---

TEST(NonBlockingInitiator, WritesAndReads) {
  platform::Ssd ssd("ssd", guest_config());
  GuestHost h("host");
  NonBlocking master("master");
  Nowhere nowhere("nowhere");
  sc_core::sc_signal<bool> intx("intx");
  h.mmio.bind(nowhere.in);
  master.out.bind(ssd.bar);
  ssd.dma.bind(h.memory);
  ssd.intx.bind(intx);
  h.intx.bind(intx);
  h.transport = [&](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) { master.transport(p, delay); };
  h.script = [&] {
    h.start();
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(h.write_sector(i, static_cast<std::uint8_t>(i + 1)), 0);
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(h.read_sector(i), static_cast<int>(i + 1));
    std::uint32_t word = 0;
    EXPECT_EQ(h.access(tlm::TLM_READ_COMMAND, 0x1000'0000, &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  run();
  EXPECT_TRUE(h.up && h.done);
  EXPECT_GT(master.responses, 40);
}

// --- direct memory access ---

TEST(DirectMemory, GrantedDeniedAndTakenBackTheDataIsRight) {
  GuestBench b;
  GuestHost& h = b.host;
  std::size_t by_transaction[3] = {};
  h.script = [&] {
    h.grants = true;
    h.start();
    const auto round = [&](int which) {
      const std::size_t before = h.accesses.size();
      const int base = 10 * which;
      for (int i = 0; i < 5; ++i)
        EXPECT_EQ(h.write_sector(static_cast<std::uint32_t>(base + i), static_cast<std::uint8_t>(base + i)),
                  0);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(h.read_sector(static_cast<std::uint32_t>(base + i)), base + i);
      by_transaction[which] = h.accesses.size() - before;
    };
    round(0);
    h.deny_from_now_on();
    std::vector<std::uint8_t> moved(h.bytes.begin(),
                                    h.bytes.end()); // the old memory is not the host's any more
    h.bytes.swap(moved);
    std::fill(moved.begin(), moved.end(), std::uint8_t{0xDD});
    round(1);
    EXPECT_EQ(std::count(moved.begin(), moved.end(), 0xDD), static_cast<std::ptrdiff_t>(moved.size()))
        << "nothing was written by the pointer that was taken back";
    h.grants = true;
    round(2);
  };
  run();
  EXPECT_TRUE(h.up && h.done);
  EXPECT_GT(h.granted, 1u);
  EXPECT_LT(by_transaction[0], by_transaction[1]);
  EXPECT_LT(by_transaction[2], by_transaction[1]);
}

} // namespace
} // namespace twinplane::test::foreign_host_test
