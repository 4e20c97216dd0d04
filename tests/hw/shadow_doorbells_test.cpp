// Do doorbells in the host's memory work as NVMe 1.4 sections 5.7 and 7.13 want, whatever comes first?
#include <gtest/gtest.h>

#include <array>

#include "tests/support/front_end_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::shadow_doorbells_test {
namespace {

constexpr std::uint32_t kEntries = 16;
constexpr std::uint64_t kShadow = RawHost::kBase + 0x200000;
constexpr std::uint64_t kEvents = RawHost::kBase + 0x201000;
constexpr TimePs kLong = us(100);
constexpr std::uint32_t kTail = nvme::shadow::sq_tail(1), kHead = nvme::shadow::cq_head(1);

struct Bench : FrontEndBench {
  /// Pair 1 exists before the buffers are given. Host memory is not granted, so that every access is seen.
  explicit Bench(bool host_waits = false, hw::HostInterfaceConfig config = ideal())
      : FrontEndBench(config, host_waits) {
    host.grant_dmi = false;
    enable();
    create_pair(1, kEntries);
    give_buffers();
  }
  void give_buffers() {
    EXPECT_EQ(firmware.queue(reg::queue_op::shadow_doorbells, 0, kShadow), 0u);
    EXPECT_EQ(firmware.queue(reg::queue_op::event_indices, 0, kEvents), 0u);
    run(us(1));
  }
  std::uint32_t event(std::uint32_t number) const { return host.load<std::uint32_t>(kEvents + 4 * number); }
  void store(std::uint32_t number, std::uint32_t value) { host.store(kShadow + 4 * number, value); }
  std::uint32_t stored(std::uint32_t number) const { return host.load<std::uint32_t>(kShadow + 4 * number); }

  /// A command lies in queue 1, and no doorbell was rung.
  void place() {
    push(1, io(nvme::io::flush, next_cid_++, 1), kEntries);
    placed_ = sq_tail[1];
  }
  /// The host looks at EventIdx, and writes the register when it has to.
  void look(std::uint32_t old) {
    if (nvme::shadow::passes(event(kTail), old, placed_, kEntries)) ring_tail();
  }
  void ring_tail() {
    ++rings;
    write32(nvme::bar::doorbells + 4 * kTail, placed_);
  }
  void announce() {
    const std::uint32_t old = stored(kTail);
    store(kTail, placed_);
    look(old);
  }
  std::size_t seen() const { return firmware.seen.size(); }
  std::uint32_t rings = 0;

 private:
  std::uint16_t next_cid_ = 1;
  std::uint32_t placed_ = 0;
};

TEST(ShadowDoorbells, TakeOverFromTheRegistersWhenTheHostDoes) {
  Bench bench;
  bench.place();
  bench.ring_tail(); // the host has not seen yet that it may use memory
  bench.run(kLong);
  EXPECT_EQ(bench.seen(), 1u);
  EXPECT_EQ(bench.event(kTail), 1u);
  EXPECT_EQ(bench.stored(kTail), 0u) << "only the host writes there";
  bench.store(kTail, 1);
  bench.place();
  bench.announce();
  bench.run(us(1));
  EXPECT_EQ(bench.rings, 2u) << "EventIdx asks for it";
  EXPECT_EQ(bench.seen(), 2u);
  bench.run(kLong);
  bench.give_buffers(); // once more, with what was in them
  bench.store(kTail, 2);
  bench.place();
  bench.announce();
  bench.run(us(1));
  EXPECT_EQ(bench.seen(), 3u);
}

TEST(ShadowDoorbells, BeginWithWhatIsKnown) {
  Bench bench;
  for (int i = 0; i < 5; ++i) bench.place();
  bench.ring_tail();
  bench.run(kLong);
  bench.store(kTail, 11); // whatever a host has left there
  bench.give_buffers();
  EXPECT_EQ(bench.stored(kTail), 5u);
  EXPECT_EQ(bench.event(kTail), 5u);
  EXPECT_EQ(bench.seen(), 5u);
}

/// But once around the queue, where it passes the EventIdx of the last idle time.
TEST(ShadowDoorbells, ABusyHostWritesNoRegisters) {
  Bench bench;
  for (int i = 0; i < 100; ++i) {
    bench.place();
    bench.announce();
    bench.run(us(3));
    EXPECT_EQ(bench.seen(), i + 1u);
  }
  EXPECT_EQ(bench.rings, 1 + 99 / kEntries);
}

TEST(ShadowDoorbells, AnIdleQueueIsLeftAloneAndAsksForItsRegister) {
  Bench bench;
  bench.place();
  bench.announce();
  bench.run(kLong);
  EXPECT_EQ(bench.event(kTail), 1u);
  std::uint32_t accesses = 0;
  bench.host.before = [&accesses](std::uint64_t) { ++accesses; };
  bench.run(ms(10));
  EXPECT_EQ(accesses, 0u);
  for (int i = 0; i < 40; ++i) { // through wraps
    bench.place();
    bench.announce();
    bench.run(kLong);
    EXPECT_EQ(bench.seen(), i + 2u);
  }
  EXPECT_EQ(bench.rings, 41u);
}

TEST(ShadowDoorbells, AnOldRegisterWriteBehindANewerValueIsNotTakenForIt) {
  Bench bench;
  for (int i = 0; i < 3; ++i) bench.place();
  bench.store(kTail, 3);
  bench.write32(nvme::bar::doorbells + 4 * kTail, 1);
  bench.run(us(1));
  EXPECT_EQ(bench.seen(), 3u);
  bench.write32(nvme::bar::doorbells + 4 * kTail, 2);
  bench.run(kLong);
  EXPECT_EQ(bench.seen(), 3u) << "not the whole ring once more";
}

// The device moves EventIdx (points 0 before, 1 after) and reads the value again (2 before, 3 after). The
// host moves its value at one of these moments and looks at EventIdx at the same or a later one.
enum class Order { host_as_the_standard, host_looks_first, device_reads_first };

struct Race {
  Order order;
  int first, second;
};

/// True when the command was fetched.
bool survives(const Race& race) {
  Bench bench;
  for (const TimePs time : {kLong, us(1)}) { // the queue is busy then; a while later its EventIdx is moved
    bench.place();
    bench.announce();
    bench.run(time);
  }
  EXPECT_EQ(bench.seen(), 2u);
  int point = -1;
  std::uint32_t old_event = 0;
  const auto act = [&](std::uint64_t address, int moment) {
    if (address == kEvents + 4 * kTail) point = moment;
    if (point < 0 || (address == kShadow + 4 * kTail && moment + 2 <= point)) return;
    if (address == kShadow + 4 * kTail) point = moment + 2;
    const bool looks_first = race.order == Order::host_looks_first;
    if (point == race.first) {
      if (looks_first) old_event = bench.event(kTail);
      bench.place();
      if (!looks_first) bench.store(kTail, 3);
    }
    if (point == race.second) {
      if (!looks_first) old_event = bench.event(kTail);
      if (looks_first) bench.store(kTail, 3);
      if (nvme::shadow::passes(old_event, 2, 3, kEntries)) bench.ring_tail();
    }
    if (point == 3) {
      bench.host.before = bench.host.after = nullptr;
      if (bench.host.late) bench.host.late();
    }
  };
  bench.host.before = [&](std::uint64_t address) { act(address, 0); };
  bench.host.after = [&](std::uint64_t address) { act(address, 1); };
  if (race.order == Order::device_reads_first) bench.host.late_at = kEvents + 4 * kTail;
  bench.run(kLong);
  EXPECT_EQ(point, 3);
  return bench.seen() == 3;
}

class ShadowRace : public testing::TestWithParam<std::array<int, 3>> {};

/// Each order of the two loses a command in exactly the moments in which it must.
TEST_P(ShadowRace, LosesNothingUnlessSomebodyTurnsTheOrderRound) {
  const auto [kind, first, second] = GetParam();
  const Race race{static_cast<Order>(kind), first, second};
  bool safe = true;
  if (race.order == Order::host_looks_first) safe = first > 0 || second < 3;
  if (race.order == Order::device_reads_first) safe = second < 3;
  if (race.order == Order::device_reads_first && first < 3) safe = true; // the value is read
  EXPECT_EQ(survives(race), safe) << "value or look at " << first << ", the other at " << second;
}

std::vector<std::array<int, 3>> races() {
  std::vector<std::array<int, 3>> all;
  for (int kind = 0; kind < 3; ++kind)
    for (int first = 0; first < 4; ++first)
      for (int second = first; second < 4; ++second) all.push_back({kind, first, second});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Moments, ShadowRace, testing::ValuesIn(races()), parameter_name);

TEST(ShadowDoorbells, AFullCompletionQueueFindsItsHeadInMemory) {
  Bench bench;
  EXPECT_EQ(bench.firmware.queue(reg::queue_op::create_cq, 2, Bench::kCq + 0x2000, 4, 0, 1 | 2 << 16), 0u);
  EXPECT_EQ(bench.firmware.queue(reg::queue_op::create_sq, 2, Bench::kSq + 0x2000, kEntries, 2), 0u);
  bench.run(us(1));
  const std::uint32_t head = nvme::shadow::cq_head(2), tail = nvme::shadow::sq_tail(2);
  std::uint32_t heads = 0, taken = 0, rings = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    bench.push(2, Bench::io(nvme::io::flush, static_cast<std::uint16_t>(i), 1), kEntries);
    bench.store(tail, bench.sq_tail[2]);
    bench.ring(2);
    bench.run(us(1));
    ASSERT_EQ(bench.seen(), i + 1u);
    bench.firmware.complete(bench.firmware.seen.back().entry.slot);
    bench.firmware.kick();
    bench.run(us(5));
    ASSERT_EQ(bench.cqe(2, heads).cid, i) << "posted, or held for want of the head";
    const std::uint32_t old = heads;
    heads = (heads + 1) % 4;
    ++taken;
    bench.store(head, heads);
    if (!nvme::shadow::passes(bench.event(head), old, heads, 4)) continue;
    ++rings;
    bench.ring_head(2, heads);
    bench.run(us(1));
  }
  EXPECT_GE(rings, 1u);
  EXPECT_LE(rings, taken / 4 + 1);
}

TEST(ShadowDoorbells, ThePinFallsWithTheLastEntryThatIsTaken) {
  Bench bench;
  bench.write32(nvme::bar::msix_control, 0);
  std::uint32_t old = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    bench.place();
    bench.announce();
    bench.run(us(5));
    bench.firmware.complete(bench.firmware.seen.back().entry.slot);
    bench.firmware.kick();
    bench.run(us(5));
    ASSERT_TRUE(bench.intx.read());
    const std::uint32_t head = (i + 1) % kEntries;
    bench.store(kHead, head);
    ASSERT_TRUE(nvme::shadow::passes(bench.event(kHead), old, head, kEntries)) << "every head counts";
    bench.ring_head(1, head);
    bench.run(us(5));
    ASSERT_FALSE(bench.intx.read());
    old = head;
  }
}

TEST(ShadowDoorbells, AValueBeyondTheQueueIsReportedOnceAndMended) {
  Bench bench;
  bench.place();
  bench.announce();
  bench.run(kLong);
  bench.place();
  bench.store(kTail, kEntries);
  bench.ring_tail();
  bench.run(kLong);
  EXPECT_EQ(bench.front.statistics().bad_doorbells, 1u);
  EXPECT_EQ(bench.firmware.read(reg::host::event_info), 1u) << "Invalid Doorbell Write Value";
  EXPECT_EQ(bench.seen(), 1u);
  for (int i = 0; i < 10; ++i) {
    bench.announce();
    bench.run(kLong);
    EXPECT_EQ(bench.seen(), i + 2u);
    bench.place();
  }
}

TEST(ShadowDoorbells, OfQueuesThatAreNotThereAreReportedAsEver) {
  Bench bench;
  bench.write32(nvme::bar::doorbells + 4 * nvme::shadow::sq_tail(3), 1);
  bench.run(us(1));
  EXPECT_EQ(bench.front.statistics().bad_doorbells, 1u);
}

TEST(ShadowDoorbells, AReasonForCfsWhenTheBuffersAreGoneUntilAReset) {
  Bench bench;
  bench.host.refuse_at = kShadow;
  bench.place();
  bench.ring_tail();
  bench.run(us(1));
  EXPECT_NE(bench.read32(nvme::bar::csts) & nvme::csts::cfs, 0u);
  bench.write32(nvme::bar::cc, 0);
  bench.run(us(10));
  bench.host.refuse_at = 0;
  bench.enable();
  EXPECT_EQ(bench.read32(nvme::bar::csts), nvme::csts::rdy);
  bench.create_pair(1, kEntries);
  bench.store(kTail, 9);
  bench.place();
  bench.ring_tail();
  bench.run(us(1));
  EXPECT_EQ(bench.seen(), 1u) << "a reset takes the buffers away: the register counts";
}

TEST(ShadowDoorbells, EventIndicesThatAreGoneAreAReasonForCfs) {
  Bench bench;
  bench.host.refuse_at = kEvents;
  bench.place();
  bench.announce();
  bench.run(kLong);
  EXPECT_NE(bench.read32(nvme::bar::csts) & nvme::csts::cfs, 0u);
}

TEST(ShadowDoorbells, TheAdminQueuesStayWithTheirRegisters) {
  Bench bench;
  bench.host.store(kShadow, std::uint32_t{9});
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::identify;
  bench.push(0, sqe, kEntries);
  bench.ring(0);
  bench.run(us(10));
  EXPECT_EQ(bench.seen(), 1u);
}

/// A read over the link, and nothing else.
TEST(ShadowDoorbells, CostAReadOfFourBytes) {
  std::array<TimePs, 2> taken{};
  Bench bench(false, hw::HostInterfaceConfig{});
  const hw::PcieConfig config;
  for (const bool shadowed : {true, false}) {
    if (!shadowed) { // the same drive, after a reset
      bench.write32(nvme::bar::cc, 0);
      bench.run(us(10));
      bench.sq_tail[1] = 0;
      bench.enable();
      bench.create_pair(1, kEntries);
    }
    bench.place();
    bench.store(kTail, 1);
    bench.ring_tail();
    bench.run(kLong);
    bench.place();
    bench.store(kTail, 2);
    const TimePs before = bench.now();
    bench.ring_tail();
    bench.run(us(10));
    taken[shadowed ? 0 : 1] = bench.firmware.seen.back().at - before;
  }
  const hw::PcieLink link(config);
  const auto header = static_cast<TimePs>(config.tlp_overhead * 1e6 / 3938.4615); // PCIe 3.0 x4, in ps
  const TimePs read = header + config.latency + config.read_latency + link.wire(4) + config.latency;
  EXPECT_NEAR(static_cast<double>(taken[0] - taken[1]), static_cast<double>(read), 2);
}

TEST(ShadowDoorbells, WorkWithAHostThatMayWait) {
  Bench bench(true);
  for (int i = 0; i < 40; ++i) {
    bench.place();
    bench.announce();
    bench.run(i % 2 == 0 ? us(3) : kLong);
    EXPECT_EQ(bench.seen(), i + 1u);
  }
  bench.place();
  bench.announce();
  bench.write32(nvme::bar::cc, 0);
  bench.run(us(10));
  EXPECT_EQ(bench.read32(nvme::bar::csts), 0u);
  EXPECT_EQ(bench.seen(), 40u);
}

} // namespace
} // namespace twinplane::test::shadow_doorbells_test
