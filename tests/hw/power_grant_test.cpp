// Who gets power, and when?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "hw/core/power_grant.h"

namespace twinplane::hw::power_grant_test {
namespace {

struct Told final : PowerGrant::Client {
  void power_from(std::uint32_t who, TimePs at) override { told.emplace_back(who, at); }
  std::vector<std::pair<std::uint32_t, TimePs>> told;
};

struct Waits final : PowerGrant::Observer {
  struct One {
    std::uint32_t channel, who;
    TimePs since, until;
  };
  void on_power_wait(std::uint32_t channel, std::uint32_t who, TimePs since, TimePs until) override {
    all.push_back({channel, who, since, until});
  }
  std::vector<One> all;
};

class Grant : public testing::Test {
 protected:
  Grant() {
    member_ = grant_.add_client(client_, 3);
    grant_.attach(waits_);
  }
  PowerGrant::Asker by(std::uint32_t who) const { return {member_, who}; }
  /// Asks, and draws until `end` when it gets it.
  TimePs start(std::uint32_t who, std::int64_t microamperes, TimePs at, TimePs end) {
    const TimePs from = grant_.ask(by(who), {0, microamperes, 0, 0}, at);
    if (from <= at) grant_.draw(by(who), at, end, microamperes);
    grant_.settle(at, at);
    return from;
  }
  PowerGrant grant_{100};
  Told client_;
  Waits waits_;
  std::uint32_t member_ = 0;
};

TEST_F(Grant, GivesWhatFits) {
  EXPECT_EQ(start(0, 60, 10, 1000), 10u);
  EXPECT_EQ(start(1, 40, 20, 1000), 20u);
  EXPECT_EQ(start(2, 1, 30, 1000), 1000u);
}

TEST_F(Grant, KnowsWhenThereIsPowerAgain) {
  start(0, 60, 0, 500);
  start(1, 40, 0, 800);
  EXPECT_EQ(start(2, 50, 100, 0), 500u);
}

// The array begins when the data are in the die, and until then others may have it.
TEST_F(Grant, LetsATransferBeginBeforeTheArrayHasPower) {
  start(0, 100, 0, 500);
  EXPECT_EQ(grant_.ask(by(1), {0, 100, 200, 0}, 10), 300u);
}

TEST_F(Grant, AsksForTheTransferAsWell) {
  start(0, 95, 0, 500);
  EXPECT_EQ(grant_.ask(by(1), {10, 100, 200, 0}, 10), 500u);
}

// A die whose array is busy with the operation in front draws for one of them at a time.
TEST_F(Grant, CountsAnOperationBehindAnotherOnce) {
  start(0, 100, 0, 500);
  EXPECT_EQ(grant_.ask(by(0), {0, 100, 0, 500}, 100), 100u);
}

TEST_F(Grant, HasRoomBehindWhatEndsAndBeforeNothing) {
  grant_.draw(by(0), 400, 900, 70);
  EXPECT_EQ(start(1, 50, 100, 200), 900u); // it is not promised that it is over before 400
}

// Small ones that would fit beside what runs do not pass a large one: it would wait for ever.
TEST_F(Grant, ServesInTheOrderOfAsking) {
  for (const bool large_first : {true, false}) {
    PowerGrant grant(100);
    Told client;
    const std::uint32_t m = grant.add_client(client, 0);
    grant.draw({m, 0}, 0, 500, 50);
    const std::uint32_t first = large_first ? 1 : 2;
    const std::int64_t need[] = {0, 90, 60};
    EXPECT_EQ(grant.ask({m, first}, {0, need[first], 0, 0}, 10), 500u);
    EXPECT_EQ(grant.ask({m, 3 - first}, {0, need[3 - first], 0, 0}, 20), kNever);
    EXPECT_EQ(grant.ask({m, 3}, {0, 10, 0, 0}, 30), kNever) << "it would fit, and is behind";
    ASSERT_EQ(grant.ask({m, first}, {0, need[first], 0, 0}, 500), 500u);
    grant.draw({m, first}, 500, 700, need[first]);
    grant.settle(500, 500);
    ASSERT_EQ(client.told.size(), 1u);
    EXPECT_EQ(client.told[0], std::make_pair(3 - first, TimePs{700}));
  }
}

// Reads that come all the time, and one erase.
TEST_F(Grant, StarvesNobody) {
  TimePs erase = 0;
  TimePs granted[8] = {};
  std::uint32_t reads_meanwhile = 0;
  for (TimePs t = 0; t < 10'000 && erase == 0; t += 5) {
    for (std::uint32_t who = 1; who < 8; ++who) {
      if (t < granted[who]) continue;
      if (start(who, 30, t, t + 50) > t) continue;
      granted[who] = t + 50;
      ++reads_meanwhile;
    }
    if (t >= 100 && start(0, 100, t, t + 400) <= t) erase = t;
  }
  EXPECT_GT(reads_meanwhile, 7u);
  EXPECT_GE(erase, 100u);
  EXPECT_LE(erase, 300u); // each of the seven has been served once more at most, three at a time
}

TEST_F(Grant, TellsWhoIsNextWhenSomethingEndsEarly) {
  start(0, 100, 0, 1000);
  EXPECT_EQ(start(1, 50, 10, 0), 1000u);
  grant_.cut(by(0), 300);
  grant_.settle(250, 250);
  ASSERT_EQ(client_.told.size(), 1u);
  EXPECT_EQ(client_.told[0], std::make_pair(1u, TimePs{300}));
}

TEST_F(Grant, WaitsForWhatNobodyKnowsTheEndOf) {
  start(0, 100, 0, kNever);
  EXPECT_EQ(start(1, 50, 10, 0), kNever);
  grant_.close(by(0), 700);
  grant_.settle(700, 700);
  ASSERT_EQ(client_.told.size(), 1u);
  EXPECT_EQ(client_.told[0], std::make_pair(1u, TimePs{700}));
}

TEST_F(Grant, GoesOnWhenTheFirstOneWantsNothingAnyMore) {
  start(0, 100, 0, 500);
  start(1, 100, 10, 0);
  EXPECT_EQ(start(2, 100, 20, 0), kNever);
  grant_.withdraw(by(1));
  grant_.settle(30, 30);
  ASSERT_EQ(client_.told.size(), 1u);
  EXPECT_EQ(client_.told[0], std::make_pair(2u, TimePs{500}));
}

TEST_F(Grant, SaysWhoHasWaitedUntilThereWasPower) {
  start(0, 100, 0, 500);
  start(1, 100, 10, 0);
  grant_.tell_waiting(200);
  start(1, 100, 540, 600); // its bus was busy until then
  ASSERT_EQ(waits_.all.size(), 2u);
  EXPECT_EQ(waits_.all[0].until, 200u);
  EXPECT_EQ(waits_.all[1].channel, 3u);
  EXPECT_EQ(waits_.all[1].who, 1u);
  EXPECT_EQ(waits_.all[1].since, 10u);
  EXPECT_EQ(waits_.all[1].until, 500u);
}

// Askers whose clocks are apart by up to 40: what was granted never adds up to more.
TEST(GrantOfMany, IsNeverExceeded) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    PowerGrant grant(100);
    Told client;
    const std::uint32_t m = grant.add_client(client, 0);
    std::vector<std::pair<TimePs, std::int64_t>> steps;
    std::uint32_t granted = 0;
    for (TimePs now = 0; now < 5000; now += draw(20)) {
      const std::uint32_t who = draw(16);
      const TimePs at = now + draw(40);
      PowerDemand demand{draw(30), draw(101), draw(60), 0};
      if (demand.none() || grant.ask({m, who}, demand, at) > at) continue;
      const TimePs sent = at + demand.lead + draw(10);
      const TimePs end = sent + 1 + draw(300);
      grant.draw({m, who}, at, sent, demand.transfer);
      grant.draw({m, who}, sent, end, demand.array);
      grant.settle(at, now);
      steps.insert(
          steps.end(),
          {{at, demand.transfer}, {sent, -demand.transfer}, {sent, demand.array}, {end, -demand.array}});
      ++granted;
    }
    std::sort(steps.begin(), steps.end());
    std::int64_t sum = 0, highest = 0;
    for (const auto& step : steps) highest = std::max(highest, sum += step.second);
    EXPECT_LE(highest, 100) << seed;
    EXPECT_GT(granted, 10u) << seed;
  }
}

} // namespace
} // namespace twinplane::hw::power_grant_test
