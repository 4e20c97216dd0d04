// Does a paced drive end no request before its simulated latency has passed on the wall clock?
#include <gtest/gtest.h>

#include "platform/session/pacer.h"

namespace twinplane::test::pacer_test {
namespace {

using platform::GuestRequest;
using platform::Pacer;

class Clock final : public platform::WallClock {
 public:
  TimePs time = ms(1000);
  TimePs now() override { return time; }
  void sleep_until(TimePs until) override { time = until; }
};

GuestRequest request(TimePs rung, TimePs completed) {
  GuestRequest r;
  r.rung = rung;
  r.completed = completed;
  return r;
}

TEST(Pacer, SimulatedTimeFollowsTheWallClock) {
  Clock clock;
  Pacer pacer(clock, us(50));
  EXPECT_EQ(pacer.due(), us(50));
  clock.time += us(7);
  EXPECT_EQ(pacer.due(), us(57));
  EXPECT_EQ(pacer.until(us(60)), us(3));
  EXPECT_EQ(pacer.until(us(57)), 0u);
}

TEST(Pacer, ARequestThatIsKnownAtOnceWaitsForItsLatency) {
  Clock clock;
  Pacer pacer(clock, 0);
  pacer.on_rung(0);
  clock.time += us(2); // computed in
  pacer.on_finished(request(0, us(100)));
  EXPECT_EQ(clock.time, ms(1000) + us(100));
  ASSERT_TRUE(pacer.summary().late_max_ns == 0);
}

TEST(Pacer, ARequestThatTakesLongerToComputeIsLate) {
  Clock clock;
  Pacer pacer(clock, 0);
  pacer.on_rung(0);
  clock.time += us(130);
  pacer.on_finished(request(0, us(100)));
  pacer.on_rung(us(130));
  clock.time += us(50);
  pacer.on_finished(request(us(130), us(180)));
  EXPECT_EQ(clock.time, ms(1000) + us(180));
  EXPECT_DOUBLE_EQ(pacer.summary().late_max_ns, 30'000);
  EXPECT_DOUBLE_EQ(pacer.summary().late_mean_ns, 15'000);
}

TEST(Pacer, AModelThatIsBehindMakesUpForItOnlyAfterTheRequestsThatBeganMeanwhile) {
  Clock clock;
  Pacer pacer(clock, 0);
  clock.time += us(500); // the model is at 100 us only
  pacer.on_rung(us(100));
  EXPECT_EQ(pacer.due(), us(100));
  clock.time += us(20);
  EXPECT_EQ(pacer.due(), us(120));
  pacer.on_finished(request(us(100), us(140)));
  EXPECT_EQ(clock.time, ms(1000) + us(540));
  EXPECT_EQ(pacer.due(), us(540));
}

TEST(Pacer, RequestsThatAreNeverAnsweredHoldNothingUp) {
  Clock clock;
  Pacer pacer(clock, 0);
  clock.time += us(500);
  pacer.on_rung(us(100));
  pacer.on_rung(us(100));
  pacer.on_given_up(us(100), us(150));
  EXPECT_EQ(pacer.due(), us(100));
  pacer.on_given_up(us(100), us(150));
  EXPECT_EQ(pacer.due(), us(500));
}

} // namespace
} // namespace twinplane::test::pacer_test
