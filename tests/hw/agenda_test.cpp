// In which order does the agenda call its workers, and when does it wake its server?
#include "hw/core/agenda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace twinplane::hw {
namespace {

struct Server final : Agenda::Server {
  void wake_at(TimePs at) override { woken.push_back(at); }
  std::vector<TimePs> woken;
};

struct Diary final : Agenda::Worker {
  explicit Diary(std::string n, std::vector<std::string>& s) : name(std::move(n)), story(s) {}
  void on_due(TimePs at) override { story.push_back(name + "@" + std::to_string(at)); }
  std::string name;
  std::vector<std::string>& story;
};

class AgendaTest : public ::testing::Test {
 protected:
  void serve_all() {
    while (agenda.earliest() != kNever) agenda.serve();
  }

  AgendaTest() { agenda.serve_by(server); }
  Server server;
  Agenda agenda;
  std::vector<std::string> story;
  Diary a{"a", story};
  Diary b{"b", story};
  Diary c{"c", story};
};

TEST_F(AgendaTest, CallsInTheOrderOfTime) {
  const auto first = agenda.enroll(a);
  const auto second = agenda.enroll(b);
  const auto third = agenda.enroll(c);
  EXPECT_EQ(agenda.earliest(), kNever);
  agenda.bring_forward(first, 30);
  agenda.bring_forward(second, 10);
  agenda.bring_forward(third, 20);
  EXPECT_EQ(agenda.earliest(), 10u);
  serve_all();
  EXPECT_EQ(story, (std::vector<std::string>{"b@10", "c@20", "a@30"}));
}

TEST_F(AgendaTest, KeepsTheEarlierOfTwoTimesOfAWorker) {
  const auto first = agenda.enroll(a);
  agenda.bring_forward(agenda.enroll(b), 20);
  agenda.bring_forward(first, 30);
  agenda.bring_forward(first, 10);
  agenda.bring_forward(first, 40);
  serve_all();
  EXPECT_EQ(story, (std::vector<std::string>{"a@10", "b@20"}));
}

TEST_F(AgendaTest, WakesItsServerOnlyForWhatComesBeforeItsAlarm) {
  const auto first = agenda.enroll(a);
  const auto second = agenda.enroll(b);
  agenda.bring_forward(first, 50);
  EXPECT_TRUE(server.woken.empty()) << "awake: it looks itself";
  agenda.sleep_until(50);
  agenda.bring_forward(second, 60);
  EXPECT_TRUE(server.woken.empty()) << "later than its alarm";
  agenda.bring_forward(second, 40);
  EXPECT_EQ(server.woken, std::vector<TimePs>{40});
}

TEST_F(AgendaTest, CallsAWorkerThatGoesAheadBeforeAllOthersOfItsTime) {
  const auto first = agenda.enroll(a);
  const auto ahead = agenda.enroll(b, true);
  const auto next = agenda.enroll(c, true);
  agenda.bring_forward(first, 10);
  agenda.bring_forward(next, 10);
  agenda.bring_forward(ahead, 20);
  agenda.bring_forward(ahead, 10);
  serve_all();
  EXPECT_EQ(story, (std::vector<std::string>{"b@10", "c@10", "a@10"})) << "in the order of enrolment";
}

// Oracle: a plain vector of times that is searched from end to end.
TEST_F(AgendaTest, AgreesWithASearchOfAllTimes) {
  struct Ticker final : Agenda::Worker {
    void on_due(TimePs at) override { served = at; }
    TimePs served = 0;
  };
  std::vector<Ticker> tickers(Agenda::kMaxWorkers);
  std::vector<TimePs> times(tickers.size(), kNever);
  for (Ticker& ticker : tickers) agenda.enroll(ticker);
  std::mt19937 random(1);
  TimePs now = 0;
  for (int step = 0; step < 100'000; ++step) {
    const std::size_t worker = random() % tickers.size();
    const TimePs at = now + random() % 1000;
    agenda.bring_forward(static_cast<std::uint32_t>(worker), at);
    times[worker] = std::min(times[worker], at);
    if (random() % 3 != 0) continue;
    now = *std::min_element(times.begin(), times.end());
    ASSERT_EQ(agenda.earliest(), now);
    agenda.serve();
    std::size_t served = 0;
    while (times[served] != now || tickers[served].served != now) ASSERT_LT(++served, tickers.size());
    times[served] = kNever;
  }
}

} // namespace
} // namespace twinplane::hw
