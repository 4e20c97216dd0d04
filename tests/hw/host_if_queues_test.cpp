// Do commands and completions travel through the queues as NVMe wants, under pressure too?
#include <gtest/gtest.h>

#include <map>

#include "tests/support/front_end_bench.h"

namespace twinplane::test::host_if_queues_test {
namespace {

using Bench = FrontEndBench;

TEST(NvmeQueueTraffic, CompletionsCarryHeadIdsStatusAndPhaseThroughWraps) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.create_pair(1, 4);
  for (std::uint32_t i = 0; i < 13; ++i) {
    bench.push(1, Bench::io(nvme::io::flush, static_cast<std::uint16_t>(100 + i), 1), 4);
    bench.ring(1);
    bench.run(us(1));
    bench.firmware.complete(bench.firmware.seen.back().entry.slot, nvme::status::lba_range, i);
    bench.firmware.kick();
    bench.run(us(1));
    const nvme::Cqe entry = bench.cqe(1, i % 4);
    EXPECT_EQ(entry.status & 1u, (i / 4) % 2 == 0 ? 1u : 0u) << "phase tag of entry " << i;
    EXPECT_EQ(entry.status >> 1, nvme::status::lba_range);
    EXPECT_EQ(entry.cid, 100 + i);
    EXPECT_EQ(entry.sq_id, 1u);
    EXPECT_EQ(entry.sq_head, (i + 1) % 4);
    EXPECT_EQ(entry.result, i);
    bench.ring_head(1, (i + 1) % 4);
  }
}

TEST(NvmeQueueTraffic, FullCompletionQueueHoldsItsOwnCompletionsOnly) {
  Bench bench(Bench::ideal());
  bench.enable();
  bench.create_pair(2, 16);
  bench.firmware.queue(reg::queue_op::create_cq, 1, Bench::kCq + 0x1000, 4, 0, 1 | 1 << 16);
  bench.firmware.queue(reg::queue_op::create_sq, 1, Bench::kSq + 0x1000, 16, 1);
  for (std::uint16_t i = 0; i < 6; ++i) bench.push(1, Bench::io(nvme::io::flush, i, 1), 16);
  bench.ring(1);
  bench.push(2, Bench::io(nvme::io::flush, 50, 1), 16);
  bench.ring(2);
  bench.run(us(1));
  ASSERT_EQ(bench.firmware.seen.size(), 7u);
  for (const auto& command : bench.firmware.seen) bench.firmware.complete(command.entry.slot);
  bench.firmware.kick();
  bench.run(us(1));
  EXPECT_EQ(bench.front.statistics().completed, 4u) << "three entries of queue 1, one of queue 2";
  EXPECT_EQ(bench.front.statistics().held_completions, 3u);
  EXPECT_EQ(bench.cqe(2, 0).cid, 50u);
  EXPECT_EQ(bench.cqe(1, 3).status & 1, 0u) << "the last entry stays free: never overrun";
  EXPECT_EQ(bench.firmware.read(reg::host::inflight), 3u) << "held completions keep their slots";
  bench.ring_head(1, 2);
  bench.run(us(1));
  EXPECT_EQ(bench.cqe(1, 3).cid, 3u);
  EXPECT_EQ(bench.cqe(1, 0).cid, 4u);
  EXPECT_EQ(bench.cqe(1, 0).status & 1, 0u) << "second pass: phase 0";
  EXPECT_EQ(bench.firmware.read(reg::host::inflight), 1u);
  bench.ring_head(1, 1);
  bench.run(us(1));
  EXPECT_EQ(bench.cqe(1, 1).cid, 5u);
  EXPECT_EQ(bench.firmware.read(reg::host::inflight), 0u);
}

TEST(NvmeQueueTraffic, FetchStopsWithoutSlotsAndGoesOnWhenOneIsFreed) {
  hw::HostInterfaceConfig config = Bench::ideal();
  config.max_slots = 3;
  Bench bench(config);
  bench.enable();
  bench.create_pair(1, 16);
  for (std::uint16_t i = 0; i < 8; ++i) bench.push(1, Bench::io(nvme::io::flush, i, 1), 16);
  bench.ring(1);
  bench.run(us(1));
  EXPECT_EQ(bench.firmware.seen.size(), 3u);
  EXPECT_EQ(bench.firmware.read(reg::host::queued), 5u);
  EXPECT_EQ(bench.firmware.read(reg::host::max_slots), 3u);
  bench.firmware.complete(bench.firmware.seen[1].entry.slot);
  bench.firmware.kick();
  bench.run(us(1));
  EXPECT_EQ(bench.firmware.seen.size(), 4u);
  EXPECT_EQ(bench.firmware.seen[3].sqe.cid, 3u);
}

TEST(NvmeQueueTraffic, FetchStopsAtAFullCommandRing) {
  Bench bench(Bench::ideal());
  bench.firmware.write(reg::host::command_size, 4);
  bench.firmware.ring_entries = 4;
  bench.enable();
  bench.create_pair(1, 16);
  bench.firmware.auto_consume = false;
  for (std::uint16_t i = 0; i < 6; ++i) bench.push(1, Bench::io(nvme::io::flush, i, 1), 16);
  bench.ring(1);
  bench.run(us(1));
  EXPECT_EQ(bench.firmware.seen.size(), 4u);
  bench.firmware.write(reg::host::command_head, 1);
  bench.run(us(1));
  EXPECT_EQ(bench.firmware.seen.size(), 5u);
  EXPECT_EQ(bench.firmware.seen[4].sqe.cid, 4u);
}

TEST(NvmeQueueTraffic, RefusesRingsThatDoNotFit) {
  Bench bench(Bench::ideal());
  bench.firmware.write(reg::host::command_size, 48);
  EXPECT_FALSE(bench.firmware.accepted()) << "no power of two";
  bench.firmware.write(reg::host::dma_base, (16u << 20) - 32);
  bench.firmware.write(reg::host::dma_size, 2);
  EXPECT_FALSE(bench.firmware.accepted()) << "ends beyond DRAM";
}

/// Shares of `count` fetches among saturated queues, one slot at a time.
std::map<std::uint32_t, std::uint32_t> shares(Bench& bench, std::uint32_t queues, std::uint32_t count) {
  std::map<std::uint32_t, std::uint32_t> result;
  for (std::uint32_t id = 1; id <= queues; ++id) {
    for (std::uint16_t i = 0; i < 60; ++i) bench.push(id, Bench::io(nvme::io::flush, i, 1), 64);
    bench.ring(id);
  }
  bench.run(us(1));
  for (std::uint32_t i = 0; i < count; ++i) {
    const StubFirmware::Seen command = bench.firmware.seen.at(i); // the vector grows below
    ++result[command.entry.sqid];
    bench.firmware.complete(command.entry.slot);
    bench.firmware.kick();
    bench.run(us(1));
    bench.ring_head(command.entry.sqid,
                    bench.cq_head[command.entry.sqid] = (bench.cq_head[command.entry.sqid] + 1) % 64);
  }
  return result;
}

hw::HostInterfaceConfig one_slot() {
  hw::HostInterfaceConfig config = Bench::ideal();
  config.max_slots = 1;
  return config;
}

TEST(NvmeArbitration, RoundRobinServesAllQueuesAlikeInBursts) {
  Bench bench(one_slot());
  bench.enable();
  bench.firmware.write(reg::host::arbitration, 2); // AB: 4 commands
  for (std::uint32_t id = 1; id <= 3; ++id) bench.create_pair(id, 64);
  const auto share = shares(bench, 3, 49); // the first fetch happens before queues 2 and 3 have entries
  EXPECT_EQ(share.at(1), 16u + 1);
  EXPECT_EQ(share.at(2), 16u);
  EXPECT_EQ(share.at(3), 16u);
  for (std::uint32_t i = 1; i < 49; ++i) {
    EXPECT_EQ(bench.firmware.seen[i].entry.sqid, (1 + (i - 1) / 4) % 3 + 1) << "turns of four, fetch " << i;
  }
}

TEST(NvmeArbitration, WeightedRoundRobinSharesByWeight) {
  Bench bench(one_slot());
  bench.enable(Bench::kCcEnable | 1u << 11);
  bench.firmware.write(reg::host::arbitration, 0u | 0u << 8 | 2u << 16 | 5u << 24); // low 1, medium 3, high 6
  bench.create_pair(1, 64, 3);
  bench.create_pair(2, 64, 2);
  bench.create_pair(3, 64, 1);
  const auto share = shares(bench, 3, 81); // the first fetch happens before queues 2 and 3 have entries
  EXPECT_EQ(share.at(1), 8u + 1);
  EXPECT_EQ(share.at(2), 24u);
  EXPECT_EQ(share.at(3), 48u);
}

TEST(NvmeArbitration, UrgentQueuesGoBeforeAllWeights) {
  Bench bench(one_slot());
  bench.enable(Bench::kCcEnable | 1u << 11);
  bench.firmware.write(reg::host::arbitration, 7u << 24);
  bench.create_pair(1, 64, 1);
  bench.create_pair(2, 64, 0);
  const auto share = shares(bench, 2, 61);
  EXPECT_EQ(share.at(2), 60u);
  EXPECT_EQ(share.at(1), 1u);
}

TEST(NvmeArbitration, AdminGoesBeforeUrgent) {
  Bench bench(one_slot());
  bench.enable(Bench::kCcEnable | 1u << 11);
  bench.create_pair(1, 64, 0);
  for (std::uint16_t i = 0; i < 4; ++i) bench.push(1, Bench::io(nvme::io::flush, i, 1), 64);
  bench.ring(1);
  bench.run(us(1));
  nvme::Sqe admin;
  admin.opcode = nvme::admin::async_event;
  bench.push(0, admin, 16);
  bench.ring(0);
  bench.firmware.complete(bench.firmware.seen[0].entry.slot);
  bench.firmware.kick();
  bench.run(us(1));
  ASSERT_EQ(bench.firmware.seen.size(), 2u);
  EXPECT_EQ(bench.firmware.seen[1].entry.sqid, 0u);
}

TEST(NvmeArbitration, IdleClassesGiveTheirShareAway) {
  Bench bench(one_slot());
  bench.enable(Bench::kCcEnable | 1u << 11);
  bench.firmware.write(reg::host::arbitration, 0u | 3u << 8 | 7u << 24); // low 4, high 8; no medium queue
  bench.create_pair(1, 64, 3);
  bench.create_pair(2, 64, 1);
  const auto share = shares(bench, 2, 61);
  EXPECT_EQ(share.at(1), 20u + 1);
  EXPECT_EQ(share.at(2), 40u);
}

} // namespace
} // namespace twinplane::test::host_if_queues_test
