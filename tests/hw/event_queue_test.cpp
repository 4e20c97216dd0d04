// In which order does the event queue call its workers, and when does it wake its server?
#include "hw/core/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace twinplane::hw::event_queue_test {
namespace {

struct Server final : EventQueue::Server {
  void wake_at(TimePs at) override { woken.push_back(at); }
  std::vector<TimePs> woken;
};

struct Diary final : EventQueue::Worker {
  explicit Diary(std::string n, std::vector<std::string>& s) : name(std::move(n)), story(s) {}
  void on_due(TimePs at) override { story.push_back(name + "@" + std::to_string(at)); }
  std::string name;
  std::vector<std::string>& story;
};

class AgendaTest : public ::testing::Test {
 protected:
  void serve_all() {
    while (event_queue.earliest() != kNever) event_queue.serve();
  }

  AgendaTest() { event_queue.serve_by(server); }
  Server server;
  EventQueue event_queue;
  std::vector<std::string> story;
  Diary a{"a", story};
  Diary b{"b", story};
  Diary c{"c", story};
};

TEST_F(AgendaTest, CallsInTheOrderOfTime) {
  const auto first = event_queue.register_worker(a);
  const auto second = event_queue.register_worker(b);
  const auto third = event_queue.register_worker(c);
  EXPECT_EQ(event_queue.earliest(), kNever);
  event_queue.schedule_earlier(first, 30);
  event_queue.schedule_earlier(second, 10);
  event_queue.schedule_earlier(third, 20);
  EXPECT_EQ(event_queue.earliest(), 10u);
  serve_all();
  EXPECT_EQ(story, (std::vector<std::string>{"b@10", "c@20", "a@30"}));
}

TEST_F(AgendaTest, KeepsTheEarlierOfTwoTimesOfAWorker) {
  const auto first = event_queue.register_worker(a);
  event_queue.schedule_earlier(event_queue.register_worker(b), 20);
  event_queue.schedule_earlier(first, 30);
  event_queue.schedule_earlier(first, 10);
  event_queue.schedule_earlier(first, 40);
  serve_all();
  EXPECT_EQ(story, (std::vector<std::string>{"a@10", "b@20"}));
}

TEST_F(AgendaTest, WakesItsServerOnlyForWhatComesBeforeItsAlarm) {
  const auto first = event_queue.register_worker(a);
  const auto second = event_queue.register_worker(b);
  event_queue.schedule_earlier(first, 50);
  EXPECT_TRUE(server.woken.empty()) << "awake: it looks itself";
  event_queue.sleep_until(50);
  event_queue.schedule_earlier(second, 60);
  EXPECT_TRUE(server.woken.empty()) << "later than its alarm";
  event_queue.schedule_earlier(second, 40);
  EXPECT_EQ(server.woken, std::vector<TimePs>{40});
}

TEST_F(AgendaTest, CallsAWorkerThatGoesAheadBeforeAllOthersOfItsTime) {
  const auto first = event_queue.register_worker(a);
  const auto ahead = event_queue.register_worker(b, true);
  const auto next = event_queue.register_worker(c, true);
  event_queue.schedule_earlier(first, 10);
  event_queue.schedule_earlier(next, 10);
  event_queue.schedule_earlier(ahead, 20);
  event_queue.schedule_earlier(ahead, 10);
  serve_all();
  EXPECT_EQ(story, (std::vector<std::string>{"b@10", "c@10", "a@10"})) << "in the order of enrolment";
}

// Oracle: a plain vector of times that is searched from end to end.
TEST_F(AgendaTest, AgreesWithASearchOfAllTimes) {
  struct Ticker final : EventQueue::Worker {
    void on_due(TimePs at) override { served = at; }
    TimePs served = 0;
  };
  std::vector<Ticker> tickers(EventQueue::kMaxWorkers);
  std::vector<TimePs> times(tickers.size(), kNever);
  for (Ticker& ticker : tickers) event_queue.register_worker(ticker);
  std::mt19937 random(1);
  TimePs now = 0;
  for (int step = 0; step < 100'000; ++step) {
    const std::size_t worker = random() % tickers.size();
    const TimePs at = now + random() % 1000;
    event_queue.schedule_earlier(static_cast<std::uint32_t>(worker), at);
    times[worker] = std::min(times[worker], at);
    if (random() % 3 != 0) continue;
    now = *std::min_element(times.begin(), times.end());
    ASSERT_EQ(event_queue.earliest(), now);
    event_queue.serve();
    std::size_t served = 0;
    while (times[served] != now || tickers[served].served != now) ASSERT_LT(++served, tickers.size());
    times[served] = kNever;
  }
}

} // namespace
} // namespace twinplane::hw::event_queue_test
