// Does a transfer get what earlier bookings have left, from its time on and not a picosecond more?
#include "hw/core/calendar.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hw/core/bandwidth_port.h"

namespace twinplane::test::calendar_test {
namespace {

/// One bit per picosecond.
class Shadow {
 public:
  explicit Shadow(std::size_t length) : taken_(length) {}
  TimePs book(TimePs at, TimePs duration) {
    for (; duration != 0; ++at) {
      if (taken_[at]) continue;
      taken_[at] = true;
      --duration;
    }
    return at;
  }

 private:
  std::vector<bool> taken_;
};

TEST(Calendar, GivesEveryTransferWhatIsLeft) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const TimePs span = 20 + random() % 2000; // crowded and sparse
    hw::Calendar calendar;
    Shadow shadow(span + 200 * 40);
    for (int i = 0; i < 200; ++i) {
      const TimePs earliest = random() % span;
      const TimePs duration = 1 + random() % 30;
      ASSERT_EQ(calendar.book(earliest, duration), shadow.book(earliest, duration))
          << "seed " << seed << ", booking " << i;
    }
  }
}

TEST(Calendar, LeavesTheTimeBeforeALaterTransferToOthers) {
  hw::Calendar calendar;
  EXPECT_EQ(calendar.book(1000, 10), 1010u);
  EXPECT_EQ(calendar.book(2000, 10), 2010u);
  EXPECT_EQ(calendar.book(0, 10), 10u);
  EXPECT_EQ(calendar.book(990, 20), 1020u) << "around the one at 1000";
  EXPECT_EQ(calendar.book(0, 0), 0u);
}

TEST(Calendar, IsRightInFrontOfMuchThatIsAnnouncedForLater) {
  std::mt19937 random(7);
  hw::Calendar calendar;
  Shadow shadow(400'000);
  for (TimePs now = 0; now < 100'000; now += 50) { // each announces something far behind the present
    const TimePs later = 150'000 + now;
    ASSERT_EQ(calendar.book(later, 20), shadow.book(later, 20));
    for (int i = 0; i < 2; ++i) {
      const TimePs earliest = now + random() % 300;
      ASSERT_EQ(calendar.book(earliest, 10), shadow.book(earliest, 10)) << now;
    }
  }
}

TEST(Calendar, OfALongRunStaysSmallAndRight) {
  hw::Calendar calendar;
  for (TimePs i = 1; i <= 100'000; ++i) ASSERT_EQ(calendar.book(i * 100, 60), i * 100 + 60);
  EXPECT_EQ(calendar.book(99'999 * 100, 50), 100'000 * 100 + 70u) << "40 before the last one, 10 behind it";
}

TEST(BandwidthPort, CountsWhatMayPassWheneverItLikes) {
  hw::BandwidthPort port(hw::Rate::bytes_per_second(1'000'000'000), true);
  EXPECT_EQ(port.book(us(1), 1000), us(2));
  EXPECT_EQ(port.book(us(1), 1000), us(2));
  EXPECT_EQ(port.busy(), us(2));
  EXPECT_EQ(port.busy(std::uint64_t{1} << 40), us(2) + (std::uint64_t{1000} << 40));
  EXPECT_TRUE(hw::BandwidthPort().ample());
  EXPECT_FALSE(hw::BandwidthPort(hw::Rate::bytes_per_second(10'000'000'000'000)).ample());
}

} // namespace
} // namespace twinplane::test::calendar_test
