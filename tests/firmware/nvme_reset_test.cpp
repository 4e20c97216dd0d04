// Enable, controller reset and shutdown, also with commands in flight.
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.h"

namespace twinplane::test::nvme_reset_test {
namespace {

using namespace nvme::status;
namespace control = reg::host_control;

class NvmeReset : public testing::Test {
 protected:
  void raise(std::uint32_t event) {
    bench.front.raise_event(event);
    bench.run();
  }
  std::uint16_t start_read(std::uint16_t cid) {
    auto entry = transfer(nvme::io::read, 0, 1);
    entry.cid = cid;
    const std::uint16_t slot = bench.front.fetch(1, entry, std::vector<std::uint8_t>(16));
    bench.run();
    return slot;
  }
  [[nodiscard]] std::uint32_t last_control() const {
    return bench.front.controls.empty() ? 0 : bench.front.controls.back();
  }
  void expect_all_released(std::size_t count) {
    EXPECT_EQ(bench.front.completions.size(), count);
    for (const Completion& c : bench.front.completions) EXPECT_TRUE(c.released);
    bench.front.completions.clear();
  }

  NvmeBench bench;
};

TEST_F(NvmeReset, EnableSetsReady) {
  raise(reg::host_event::enabled);
  EXPECT_EQ(bench.front.controls, (std::vector<std::uint32_t>{control::set_ready}));
}

TEST_F(NvmeReset, EnableWaitsForTheTablesOfTheDrive) {
  bench.storage.recovers = true;
  raise(reg::host_event::enabled);
  EXPECT_TRUE(bench.front.controls.empty());
  bench.storage.recovers = false;
  bench.controller.on_recovered();
  EXPECT_EQ(bench.front.controls, (std::vector<std::uint32_t>{control::set_ready}));
}

TEST_F(NvmeReset, AnEnableThatIsTakenBackMeanwhileIsForgotten) {
  bench.storage.recovers = true;
  raise(reg::host_event::enabled);
  raise(reg::host_event::disabled);
  bench.storage.recovers = false;
  bench.controller.on_recovered();
  EXPECT_NE(last_control(), control::set_ready);
  raise(reg::host_event::enabled);
  EXPECT_EQ(last_control(), control::set_ready);
}

TEST_F(NvmeReset, NobodyIsReadyWhomNobodyHasEnabled) {
  bench.controller.on_recovered();
  EXPECT_TRUE(bench.front.controls.empty());
}

TEST_F(NvmeReset, IdleResetClearsReadyAtOnce) {
  bench.enable();
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetWaitsForCommandsInTheBackendAndDropsThem) {
  bench.enable();
  bench.storage.deferred = true;
  start_read(1);
  start_read(2);
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::set_ready) << "still working";
  bench.storage.finish_one();
  bench.run();
  EXPECT_EQ(last_control(), control::set_ready);
  bench.storage.finish_one();
  bench.run();
  expect_all_released(2);
  EXPECT_EQ(last_control(), control::clear_ready);
  EXPECT_EQ(bench.front.busy_slots(), 0u);
}

// Nothing happens in the backend after the last trim: the part that retires the last command ends the reset.
TEST_F(NvmeReset, ResetEndsWhenTheLastCommandToGoHadWaitedForABuffer) {
  bench.enable();
  bench.storage.deferred = true;
  constexpr std::uint16_t kTrims = fw::DataTransfers::kBuffers + 1;
  std::vector<std::uint8_t> data(16);
  data[4] = 1; // one sector
  for (std::uint16_t cid = 0; cid < kTrims; ++cid) {
    auto entry = sqe(nvme::io::dataset_management, 1, 0, 1u << 2);
    entry.cid = cid;
    bench.front.fetch(1, entry, data);
  }
  bench.run();
  raise(reg::host_event::disabled);
  while (bench.storage.finish_one()) {
  }
  bench.run();
  expect_all_released(kTrims);
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetDropsParkedEventsWaitingComparesAndCommandsInTheRing) {
  bench.enable();
  bench.storage.deferred = true;
  bench.front.fetch(0, sqe(nvme::admin::async_event));
  for (std::uint16_t cid = 0; cid < 3; ++cid) {
    bench.front.fetch(1, transfer(nvme::io::compare, cid, 1), std::vector<std::uint8_t>(16));
  }
  bench.run();
  bench.front.fetch(1, transfer(nvme::io::read, 0, 1), std::vector<std::uint8_t>(16));
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::set_ready) << "one compare reads";
  bench.storage.finish_one();
  bench.run();
  expect_all_released(5);
  EXPECT_EQ(last_control(), control::clear_ready);
  EXPECT_EQ(bench.storage.log.size(), 1u) << "only the first compare reached the backend";
}

TEST_F(NvmeReset, ResetWaitsForTheDmaEngine) {
  bench.enable();
  bench.front.hold_dma();
  start_read(1);
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::set_ready) << "host memory may still be written";
  EXPECT_NE(bench.front.timer_ns, 0u) << "looks again later";
  bench.front.release_dma();
  bench.controller.on_timer();
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetWaitsForCommandsOnTheirWayToTheRing) {
  bench.enable();
  bench.front.slots_kept = 1;
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::set_ready);
  bench.front.slots_kept = 0;
  bench.front.fetch(1, transfer(nvme::io::read, 0, 1), std::vector<std::uint8_t>(16));
  bench.controller.on_timer();
  expect_all_released(1);
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetWaitsForCommandsOnASlowLinkAsLongAsItTakes) {
  bench.enable();
  bench.front.slots_kept = 1;
  raise(reg::host_event::disabled);
  for (int poll = 0; poll < 1000; ++poll) bench.controller.on_timer();
  EXPECT_EQ(last_control(), control::set_ready);
  bench.front.slots_kept = 0;
  bench.controller.on_timer();
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetForgetsQueuesAndFeatures) {
  bench.enable();
  EXPECT_EQ(bench.admin(sqe(nvme::admin::set_features, 0, 1, 0x05)).status, success);
  raise(reg::host_event::disabled);
  raise(reg::host_event::enabled);
  EXPECT_EQ(last_control(), control::set_ready);
  EXPECT_EQ(bench.admin(sqe(nvme::admin::get_features, 0, 1)).result, 3u);
  bench.create_pair(1); // would be refused if the old one were remembered
  EXPECT_EQ(bench.io(sqe(nvme::io::flush, 1)).status, success);
}

TEST_F(NvmeReset, EnableDuringResetIsObeyedAfterIt) {
  bench.enable();
  bench.storage.deferred = true;
  start_read(1);
  raise(reg::host_event::disabled);
  raise(reg::host_event::enabled);
  EXPECT_EQ(bench.front.controls.size(), 1u);
  bench.storage.finish_one();
  bench.run();
  EXPECT_EQ(bench.front.controls,
            (std::vector<std::uint32_t>{control::set_ready, control::clear_ready, control::set_ready}));
}

TEST_F(NvmeReset, ResetDuringQueueDeletionDropsTheDeletion) {
  bench.enable();
  bench.storage.deferred = true;
  start_read(1);
  bench.front.fetch(0, sqe(nvme::admin::delete_sq, 0, 1));
  bench.run();
  raise(reg::host_event::disabled);
  bench.storage.finish_one();
  bench.run();
  expect_all_released(2);
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetDuringTrimEndsIt) {
  bench.enable();
  bench.storage.deferred = true;
  std::vector<std::uint8_t> ranges(2 * sizeof(nvme::DsmRange));
  ranges[4] = ranges[20] = 1; // two ranges of one block
  bench.front.fetch(1, sqe(nvme::io::dataset_management, 1, 1, 4), ranges);
  bench.run();
  raise(reg::host_event::disabled);
  while (bench.storage.finish_one()) bench.run();
  expect_all_released(1);
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ShutdownFlushesBeforeItIsComplete) {
  bench.enable();
  bench.storage.deferred = true;
  raise(reg::host_event::shutdown);
  EXPECT_EQ(bench.storage.log.back().kind, fw::RequestKind::flush);
  EXPECT_EQ(last_control(), control::set_ready);
  bench.storage.finish_one();
  EXPECT_EQ(last_control(), control::shutdown_complete);
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ResetDuringShutdownDoesNotReportIt) {
  bench.enable();
  bench.storage.deferred = true;
  raise(reg::host_event::shutdown);
  raise(reg::host_event::disabled);
  EXPECT_EQ(last_control(), control::clear_ready);
  bench.storage.finish_one();
  EXPECT_EQ(last_control(), control::clear_ready);
}

TEST_F(NvmeReset, ManyResetsUnderLoadLoseNoSlot) {
  bench.storage.deferred = true;
  for (int round = 0; round < 100; ++round) {
    bench.storage.deferred = false;
    bench.enable();
    bench.storage.deferred = true;
    for (std::uint16_t i = 0; i < NvmeFrontEnd::kSlots; ++i) {
      const bool compare = (i + round) % 3 == 0;
      bench.front.fetch(1, transfer(compare ? nvme::io::compare : nvme::io::read, i, 1),
                        std::vector<std::uint8_t>(16));
    }
    for (int i = 0; i < round % 7; ++i) {
      bench.run();
      bench.storage.finish_one();
    }
    raise(reg::host_event::disabled);
    while (bench.storage.finish_one()) bench.run();
    ASSERT_EQ(last_control(), control::clear_ready) << round;
    ASSERT_EQ(bench.front.busy_slots(), 0u) << round;
    ASSERT_EQ(bench.front.completions.size(), NvmeFrontEnd::kSlots) << round;
    bench.front.completions.clear();
  }
}

} // namespace
} // namespace twinplane::test::nvme_reset_test
