// Does the firmware follow a host that changes its mind faster than the firmware looks? And a queue that is
// deleted and created anew while its commands are on their way?
#include <gtest/gtest.h>

#include "tests/support/nvme_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::nvme_events_test {
namespace {

namespace control = reg::host_control;
namespace event = reg::host_event;
using Controls = std::vector<std::uint32_t>;

/// What the host does in one turn of the firmware, and what the firmware must have answered in all.
struct Story {
  const char* name;
  bool enabled; // before it
  std::vector<std::uint32_t> acts;
  Controls answers;
};

void PrintTo(const Story& story, std::ostream* out) {
  *out << story.name;
}

class NvmeEvents : public testing::TestWithParam<Story> {};

TEST_P(NvmeEvents, AreObeyedInTheirOrderHoweverManyComeAtOnce) {
  const Story& story = GetParam();
  NvmeBench bench;
  if (story.enabled) bench.enable();
  bench.front.controls.clear();
  for (const std::uint32_t act : story.acts) bench.front.raise_event(act);
  bench.run();
  EXPECT_EQ(bench.front.controls, story.answers);
}

INSTANTIATE_TEST_SUITE_P(
    Stories, NvmeEvents,
    testing::Values(
        Story{"enable", false, {event::enabled}, {control::set_ready}},
        Story{"reset", true, {event::disabled}, {control::clear_ready}},
        Story{"reset_and_enable",
              true,
              {event::disabled, event::enabled},
              {control::clear_ready, control::set_ready}},
        Story{"toggle", true, {event::disabled, event::enabled, event::disabled}, {control::clear_ready}},
        Story{"enable_taken_back", false, {event::enabled, event::disabled}, {control::clear_ready}},
        // a failed enable tells the firmware nothing, the reset after it does
        Story{"good_enable_after_a_failed_one",
              false,
              {event::disabled, event::enabled},
              {control::clear_ready, control::set_ready}},
        Story{"shutdown_revoked", true, {event::shutdown, event::disabled}, {control::clear_ready}},
        Story{"shutdown_of_the_next_life",
              true,
              {event::disabled, event::enabled, event::shutdown},
              {control::clear_ready, control::set_ready, control::shutdown_complete}}),
    parameter_name);

TEST(NvmeShutdown, AFlushFromBeforeAResetDoesNotStandForALaterShutdown) {
  NvmeBench bench;
  bench.enable();
  bench.storage.deferred = true;
  bench.front.raise_event(event::shutdown);
  bench.run();
  bench.front.raise_event(event::disabled);
  bench.front.raise_event(event::enabled);
  bench.front.raise_event(event::shutdown);
  bench.run();
  EXPECT_TRUE(bench.storage.finish_one()) << "the flush of the first life";
  bench.run();
  EXPECT_NE(bench.front.controls.back(), control::shutdown_complete)
      << "what was written since is not flushed";
  EXPECT_TRUE(bench.storage.finish_one()) << "the flush of the second life";
  bench.run();
  EXPECT_EQ(bench.front.controls.back(), control::shutdown_complete);
}

TEST(NvmeQueueDeletion, CommandsOnTheirWayAreNotExecutedInAQueueCreatedAnew) {
  NvmeBench bench;
  bench.enable();
  const std::uint16_t tag = bench.front.queue_tags[1];
  EXPECT_EQ(bench.admin(sqe(nvme::admin::delete_sq, 0, 1)).status, nvme::status::success);
  EXPECT_EQ(bench.admin(create_sq(1, 64, 1)).status, nvme::status::success);
  bench.front.queue_tags[1] = tag; // fetched before the deletion, visible only now
  bench.front.fetch(1, transfer(nvme::io::read, 0, 1), std::vector<std::uint8_t>(16));
  bench.run();
  ASSERT_EQ(bench.front.completions.size(), 1u);
  EXPECT_TRUE(bench.take().released);
  EXPECT_TRUE(bench.storage.log.empty()) << "it was not executed";
}

} // namespace
} // namespace twinplane::test::nvme_events_test
