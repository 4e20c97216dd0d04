// Enable, reset and shutdown as the front end tells them to firmware, and what becomes of answers that come
// too late; queues deleted while their completions wait.
#include <gtest/gtest.h>

#include "tests/support/front_end_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::host_if_events_test {
namespace {

using Bench = FrontEndBench;
namespace event = reg::host_event;
namespace control = reg::host_control;

constexpr std::uint32_t kEn = Bench::kCcEnable;
constexpr std::uint32_t kBad = Bench::kCcEnable | 1u << 7; // 8 KiB pages
constexpr std::uint32_t kShutdown = Bench::kCcEnable | 1u << 14;

/// A front end whose firmware does nothing by itself.
struct QuietBench : Bench {
  explicit QuietBench(const hw::HostInterfaceConfig& config = ideal()) : Bench(config) {
    set_admin_queues();
    firmware.answers_events = false;
  }
  void write_cc(const std::vector<std::uint32_t>& values) {
    for (const std::uint32_t value : values) write32(nvme::bar::cc, value);
  }
  std::uint32_t status() { return read32(nvme::bar::csts); }
};

struct Writes {
  const char* name;
  std::vector<std::uint32_t> cc;
  std::uint32_t events;
};

void PrintTo(const Writes& writes, std::ostream* out) {
  *out << writes.name;
}

class HostEvents : public testing::TestWithParam<Writes> {};

TEST_P(HostEvents, HaveOneOrderHoweverOftenTheHostWritesCc) {
  QuietBench bench;
  bench.write_cc(GetParam().cc);
  EXPECT_EQ(bench.firmware.read(reg::host::event), GetParam().events);
  EXPECT_EQ(bench.firmware.read(reg::host::event), 0u) << "reading clears";
}

INSTANTIATE_TEST_SUITE_P(
    Sequences, HostEvents,
    testing::Values(Writes{"enable", {kEn}, event::enabled}, Writes{"reset", {kEn, 0}, event::disabled},
                    Writes{"toggle", {kEn, 0, kEn, 0}, event::disabled},
                    Writes{"enabled_at_last", {kEn, 0, kEn, 0, kEn}, event::disabled | event::enabled},
                    Writes{"bad_enable", {kBad}, 0},
                    Writes{"bad_enable_and_reset", {kBad, 0}, event::disabled},
                    Writes{"good_after_bad", {kBad, 0, kEn}, event::disabled | event::enabled},
                    Writes{"bad_after_good", {kEn, 0, kBad}, event::disabled},
                    Writes{"shutdown", {kEn, kShutdown}, event::enabled | event::shutdown},
                    Writes{"shutdown_revoked", {kEn, kShutdown, 0}, event::disabled},
                    Writes{"shutdown_of_the_second_life",
                           {kEn, kShutdown, 0, kEn, kShutdown},
                           event::disabled | event::enabled | event::shutdown}),
    parameter_name);

TEST(HostEventAnswers, ReadyForAnEnableThatWasResetMeanwhileIsVoid) {
  QuietBench bench;
  bench.write_cc({kEn});
  bench.firmware.read(reg::host::event);
  bench.write_cc({0});
  bench.firmware.write(reg::host::control, control::set_ready);
  EXPECT_EQ(bench.status(), 0u);
  bench.write_cc({kEn}); // firmware has not seen the reset: its answer is still to the first enable
  bench.firmware.write(reg::host::control, control::set_ready);
  EXPECT_EQ(bench.status(), 0u);
  bench.firmware.read(reg::host::event);
  bench.firmware.write(reg::host::control, control::set_ready);
  EXPECT_EQ(bench.status(), nvme::csts::rdy);
}

TEST(HostEventAnswers, ShutdownCompleteAfterAResetIsVoid) {
  QuietBench bench;
  bench.write_cc({kEn, kShutdown});
  bench.firmware.read(reg::host::event);
  bench.write_cc({0});
  bench.firmware.write(reg::host::control, control::shutdown_complete);
  EXPECT_EQ(bench.status(), 0u);
  bench.firmware.read(reg::host::event); // ... also when firmware knows of it
  bench.firmware.write(reg::host::control, control::shutdown_complete);
  bench.write_cc({kEn});
  bench.firmware.read(reg::host::event);
  bench.firmware.write(reg::host::control, control::shutdown_complete);
  EXPECT_EQ(bench.status(), 0u) << "no shutdown was asked for in this life";
}

TEST(HostEventAnswers, FirmwareThatIsAheadClearsReadyWithoutSettingItBefore) {
  QuietBench bench;
  bench.write_cc({kBad, 0});
  bench.firmware.write_at(reg::host::control, control::clear_ready, us(5));
  EXPECT_EQ(bench.status(), 0u) << "never was ready";
  bench.run(us(6));
  EXPECT_EQ(bench.status(), 0u);
}

TEST(HostEventAnswers, AReadyThatLiesAheadEndsWithTheEnable) {
  QuietBench bench;
  bench.write_cc({kEn});
  bench.firmware.read(reg::host::event);
  bench.firmware.write_at(reg::host::control, control::set_ready, us(5));
  EXPECT_EQ(bench.status(), 0u);
  bench.write_cc({0});
  bench.run(us(6));
  EXPECT_EQ(bench.status(), 0u) << "RDY must not rise with EN = 0";
}

TEST(HostEventAnswers, EntriesAreNotFetchedBeforeTheResetIsOver) {
  QuietBench bench;
  bench.write_cc({kEn});
  bench.firmware.read(reg::host::event);
  bench.firmware.write(reg::host::control, control::set_ready);
  bench.write_cc({0, kEn}); // without waiting for RDY = 0
  bench.push(0, nvme::Sqe{}, 16);
  bench.ring(0);
  bench.run(us(1));
  EXPECT_EQ(bench.front.statistics().fetched, 0u);
  bench.firmware.read(reg::host::event);
  bench.firmware.write(reg::host::control, control::clear_ready);
  bench.firmware.write(reg::host::control, control::set_ready);
  bench.run(us(1));
  EXPECT_EQ(bench.front.statistics().fetched, 1u);
}

/// Four commands are completed in a queue of two entries: one entry is posted, three completions wait.
struct HeldBench : Bench {
  explicit HeldBench() : Bench(ideal()) {
    enable();
    firmware.queue(reg::queue_op::create_cq, 1, kCq + 0x1000, 2, 0, 1 | 1 << 16);
    firmware.queue(reg::queue_op::create_sq, 1, kSq + 0x1000, 16, 1);
    firmware.queue(reg::queue_op::create_sq, 2, kSq + 0x2000, 16, 1);
    for (const std::uint32_t id : {1, 1, 2, 1}) push(id, io(nvme::io::flush, 1, 1), 16);
    ring(1);
    run(us(1));
    ring(2);
    run(us(1));
    for (const auto& command : firmware.seen) firmware.complete(command.entry.slot);
    firmware.kick();
    run(us(1));
  }
  std::uint32_t in_use() { return firmware.read(reg::host::inflight); }
};

/// The host makes room at a time that the core, which is ahead, has left behind.
TEST(HeldCompletions, AreNotPostedBeforeTheCoreHasFinishedTheirCommands) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.firmware.queue(reg::queue_op::create_cq, 1, Bench::kCq + 0x1000, 2, 0,
                       1 | 1 << 16); // room for one entry
  bench.firmware.queue(reg::queue_op::create_sq, 1, Bench::kSq + 0x1000, 16, 1);
  const std::uint16_t first = bench.send(Bench::io(nvme::io::flush, 1, 1));
  bench.firmware.complete(first);
  bench.firmware.kick();
  bench.run(us(1));
  const std::uint16_t second = bench.send(Bench::io(nvme::io::flush, 2, 1));
  const TimePs finished = hw::kernel_now() + us(5);
  bench.firmware.write_at(reg::host::dma_tail, bench.firmware.complete(second), us(5));
  bench.run(us(1));
  bench.ring_head(1, 1);
  bench.run(us(10));
  ASSERT_EQ(bench.host.messages.size(), 2u);
  EXPECT_GE(bench.host.messages.back().at, finished);
}

TEST(DeletedQueues, TakeTheirHeldCompletionsWithThem) {
  HeldBench bench;
  ASSERT_EQ(bench.in_use(), 3u);
  EXPECT_EQ(bench.firmware.queue(reg::queue_op::delete_sq, 1), nvme::status::success);
  EXPECT_EQ(bench.in_use(), 1u) << "queue 2 still waits";
  bench.ring_head(1, 1);
  bench.run(us(1));
  EXPECT_EQ(bench.front.statistics().completed, 2u);
  EXPECT_EQ(bench.cqe(1, 1).sq_id, 2u);
  EXPECT_EQ(bench.in_use(), 0u);
}

TEST(DeletedQueues, OfEitherEndOfTheListLeaveTheOtherCompletions) {
  HeldBench bench; // held: SQ1, SQ1, SQ2 in the order of completion
  EXPECT_EQ(bench.firmware.queue(reg::queue_op::delete_sq, 2), nvme::status::success);
  EXPECT_EQ(bench.in_use(), 2u);
  for (std::uint32_t head = 1; head <= 3; ++head) {
    bench.ring_head(1, head % 2);
    bench.run(us(1));
  }
  EXPECT_EQ(bench.front.statistics().completed, 3u);
  EXPECT_EQ(bench.in_use(), 0u);
}

TEST(DeletedQueues, GetNoCompletionOfACommandThatFirmwareFinishesLater) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.create_pair(1, 16);
  const std::uint16_t slot = bench.send(Bench::io(nvme::io::flush, 7, 1));
  EXPECT_EQ(bench.firmware.queue(reg::queue_op::delete_sq, 1), nvme::status::success);
  bench.firmware.queue(reg::queue_op::create_sq, 1, Bench::kSq + 0x1000, 16, 1, 5u << 16);
  bench.firmware.complete(slot); // was posted in the ring before the deletion
  bench.firmware.kick();
  bench.run(us(1));
  EXPECT_EQ(bench.front.statistics().completed, 0u);
  EXPECT_EQ(bench.firmware.read(reg::host::inflight), 0u);
  bench.sq_tail[1] = 0;
  bench.send(Bench::io(nvme::io::flush, 8, 1));
  EXPECT_EQ(bench.firmware.seen.back().entry.queue_tag, 5u)
      << "tells the new queue's commands from the old one's";
}

TEST(Reset, FreesHeldCompletionsAtOnce) {
  HeldBench bench;
  bench.write32(nvme::bar::cc, 0);
  EXPECT_EQ(bench.in_use(), 0u);
}

} // namespace
} // namespace twinplane::test::host_if_events_test
