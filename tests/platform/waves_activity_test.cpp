// Is the busy time of planes and buses counted once, on the right lane?
#include <gtest/gtest.h>

#include "platform/report/timeline.h"
#include "platform/waves/activity_observer.h"

namespace twinplane::platform {
namespace {

using hw::PlaneState;

class ActivityTest : public ::testing::Test {
 protected:
  ActivityBins bins_{kLanes, ms(1)};
  ActivityObserver observer_{Geometry{}, bins_}; // one die of two planes

  void run(std::uint32_t plane, PlaneState state, TimePs start, TimePs end) {
    hw::ArrayOperation operation;
    operation.plane = plane;
    operation.state = state;
    operation.start = start;
    operation.end = end;
    observer_.on_array(0, operation);
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

TEST_F(ActivityTest, BusesHaveTheirOwnLane) {
  observer_.on_tenure(0, 0, hw::OnfiTenure(), us(1), us(26));
  EXPECT_EQ(busy(Lane::buses), us(25));
  EXPECT_EQ(observer_.plane_busy(), 0u);
}

} // namespace
} // namespace twinplane::platform
