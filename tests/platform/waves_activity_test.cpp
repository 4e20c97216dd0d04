// Is the busy time of planes and buses counted once, on the right lane?
#include <gtest/gtest.h>

#include "platform/observe/activity_observer.h"
#include "platform/report/timeline.h"

namespace twinplane::platform::waves_activity_test {
namespace {

using hw::PlaneState;

class ActivityTest : public ::testing::Test {
 protected:
  ActivityBins bins_{kLanes, ms(1)};
  ActivityObserver observer_{Geometry{}, bins_}; // one die of two planes

  static hw::ArrayOperation operation(std::uint32_t plane, PlaneState state, TimePs start, TimePs end) {
    hw::ArrayOperation operation;
    operation.plane = plane;
    operation.state = state;
    operation.start = start;
    operation.end = end;
    return operation;
  }
  void run(std::uint32_t plane, PlaneState state, TimePs start, TimePs end) {
    observer_.on_array(0, operation(plane, state, start, end));
  }
  void change(hw::ArrayChange what, PlaneState state, TimePs start, TimePs end) {
    observer_.on_array_change(0, what, operation(0, state, start, end));
  }
  std::uint64_t busy(Lane lane) const { return bins_.busy(static_cast<std::uint32_t>(lane)); }
};

TEST_F(ActivityTest, PlanesOfOneCommandAddUp) {
  run(0, PlaneState::reading, us(10), us(75));
  run(1, PlaneState::reading, us(10), us(75));
  run(0, PlaneState::programming, us(100), us(600));
  EXPECT_EQ(busy(Lane::planes_reading), us(130));
  EXPECT_EQ(busy(Lane::planes_programming), us(500));
  EXPECT_EQ(observer_.plane_busy(), us(630));
}

TEST_F(ActivityTest, OverlappingOperationsOfOnePlaneCountOnce) {
  run(0, PlaneState::erasing, us(0), us(700));
  run(0, PlaneState::reading, us(600), us(800));
  EXPECT_EQ(busy(Lane::planes_erasing), us(700));
  EXPECT_EQ(busy(Lane::planes_reading), us(100));
}

TEST_F(ActivityTest, ASuspendedOperationIsBusyForItsOwnTimeOnly) {
  run(0, PlaneState::erasing, us(100), us(1900)); // into the second interval
  change(hw::ArrayChange::suspended, PlaneState::erasing, us(400), kNever);
  EXPECT_EQ(busy(Lane::planes_erasing), us(300));
  run(0, PlaneState::reading, us(500), us(550));
  change(hw::ArrayChange::resumed, PlaneState::erasing, us(600), us(2100));
  EXPECT_EQ(busy(Lane::planes_erasing), us(300) + us(400));
  EXPECT_EQ(busy(Lane::planes_reading), us(50));
  EXPECT_EQ(observer_.plane_busy(), us(1800) + us(50));
  bins_.advance(1);
  EXPECT_EQ(busy(Lane::planes_erasing), us(1000));
  bins_.advance(1);
  EXPECT_EQ(busy(Lane::planes_erasing), us(100)) << "its real end";
}

TEST_F(ActivityTest, AnAbortedOperationEndsThere) {
  run(0, PlaneState::programming, us(100), us(700));
  run(0, PlaneState::programming, us(700), us(1300)); // behind it in a run of cache programs
  change(hw::ArrayChange::aborted, PlaneState::programming, us(300), us(300));
  change(hw::ArrayChange::aborted, PlaneState::programming, us(300), us(300));
  EXPECT_EQ(busy(Lane::planes_programming), us(200));
  EXPECT_EQ(observer_.plane_busy(), us(200));
}

TEST_F(ActivityTest, BusesHaveTheirOwnLane) {
  observer_.on_tenure(0, 0, hw::OnfiTenure(), us(1), us(26));
  EXPECT_EQ(busy(Lane::buses), us(25));
  EXPECT_EQ(observer_.plane_busy(), 0u);
}

} // namespace
} // namespace twinplane::platform::waves_activity_test
