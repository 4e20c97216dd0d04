// Does an interrupt message become visible at its time, once, and never get lost?
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "hw/cpu/interrupt_controller.h"

namespace twinplane::test::interrupt_controller_test {
namespace {

using hw::InterruptController;

TEST(InterruptController, ShowsAMessageAtItsTimeAndNotBefore) {
  InterruptController c;
  EXPECT_TRUE(c.trigger(3, 100));
  EXPECT_EQ(c.earliest(), 100u);
  EXPECT_EQ(c.cause(0, 99), 0u);
  EXPECT_EQ(c.cause(0, 100), 8u);
  EXPECT_EQ(c.cause(0, 100), 0u);
  EXPECT_EQ(c.earliest(), kNever);
}

TEST(InterruptController, KeepsALaterMessageOfTheSameSource) {
  InterruptController c;
  c.trigger(9, 100);
  c.trigger(9, 150);
  c.trigger(9, 120);
  EXPECT_EQ(c.cause(0, 110), 1u << 9);
  EXPECT_EQ(c.earliest(), 120u);
  EXPECT_EQ(c.cause(0, 200), 1u << 9); // both in one
  EXPECT_EQ(c.earliest(), kNever);
}

TEST(InterruptController, RefusesASourceThatDoesNotExist) {
  InterruptController c;
  EXPECT_FALSE(c.trigger(reg::intc::sources, 5));
  EXPECT_EQ(c.earliest(), kNever);
}

TEST(InterruptController, AgreesWithASetOfMessagesUnderRandomUse) {
  InterruptController c;
  std::multiset<std::pair<TimePs, std::uint32_t>> model;
  std::mt19937 random(7);
  TimePs now = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto source = static_cast<std::uint32_t>(random() % 80);
    if (random() % 3 != 0) {
      const TimePs at = now + random() % 50;
      c.trigger(source, at);
      model.insert({at, source});
      continue;
    }
    now += random() % 20;
    for (std::uint32_t word = 0; word < 3; ++word) {
      std::uint32_t expected = 0;
      for (auto it = model.begin(); it != model.end() && it->first <= now;) {
        if (it->second / 32 == word) {
          expected |= 1u << (it->second % 32);
          it = model.erase(it);
        } else {
          ++it;
        }
      }
      ASSERT_EQ(c.cause(word, now), expected) << i;
    }
    ASSERT_EQ(c.earliest(), model.empty() ? kNever : model.begin()->first) << i;
  }
}

} // namespace
} // namespace twinplane::test::interrupt_controller_test
