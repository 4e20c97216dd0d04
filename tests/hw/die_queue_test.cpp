// The commands of a die in their order: what may come between them, and for how long the die has been in use.
#include "hw/controller/die_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>
#include <vector>

namespace twinplane::hw::die_queue_test {
namespace {

using ::testing::ElementsAre;

class DieQueueTest : public ::testing::Test {
 protected:
  DieQueueTest() {
    for (std::uint32_t i = 0; i < groups_.size(); ++i) groups_[i].tag = i;
  }
  void queue(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) die_.push_back(groups_[i]);
  }
  std::vector<std::uint32_t> tags() const {
    std::vector<std::uint32_t> tags;
    for (const FlashGroup* group = die_.head; group != nullptr; group = group->next)
      tags.push_back(group->tag);
    return tags;
  }

  std::array<FlashGroup, 5> groups_;
  DieQueue die_;
};

TEST_F(DieQueueTest, KeepsTheOrderOfTheRing) {
  queue(3);
  EXPECT_THAT(tags(), ElementsAre(0, 1, 2));
  EXPECT_EQ(die_.pop().tag, 0u);
  die_.push_back(groups_[3]);
  EXPECT_THAT(tags(), ElementsAre(1, 2, 3));
}

TEST_F(DieQueueTest, CanBeFilledAgainBehindTheLastGroup) {
  queue(2);
  EXPECT_EQ(die_.remove_behind(&groups_[0]).tag, 1u);
  die_.push_back(groups_[2]);
  EXPECT_THAT(tags(), ElementsAre(0, 2));
  EXPECT_EQ(die_.remove_behind(nullptr).tag, 0u);
  EXPECT_EQ(die_.remove_behind(nullptr).tag, 2u);
  die_.push_back(groups_[3]);
  EXPECT_THAT(tags(), ElementsAre(3));
}

TEST_F(DieQueueTest, LetsARetryWaitForTheGroupThatRuns) {
  queue(3);
  die_.insert_next(groups_[4]);
  EXPECT_THAT(tags(), ElementsAre(0, 4, 1, 2));
}

TEST_F(DieQueueTest, LetsARetryRunAtOnceOnAnIdleDie) {
  die_.insert_next(groups_[4]);
  die_.push_back(groups_[0]);
  EXPECT_THAT(tags(), ElementsAre(4, 0));
}

TEST_F(DieQueueTest, LetsAGroupThatTheArrayWasPromisedComeBeforeARetry) {
  queue(3);
  groups_[1].promised = true;
  die_.insert_next(groups_[4]);
  EXPECT_THAT(tags(), ElementsAre(0, 1, 4, 2));
}

TEST_F(DieQueueTest, LetsARetryJoinBehindASuspendedGroup) {
  queue(3);
  die_.suspended = &groups_[1]; // the head is a read in between
  die_.insert_next(groups_[4]);
  EXPECT_THAT(tags(), ElementsAre(0, 1, 4, 2));
}

TEST_F(DieQueueTest, LetsARetryGoFirstWherePlanesRead) {
  queue(2);
  die_.reading = 1;
  die_.insert_next(groups_[4]);
  EXPECT_THAT(tags(), ElementsAre(4, 0, 1));
}

TEST_F(DieQueueTest, IsInUseUntilAGroupThatHasBegunEnds) {
  queue(1);
  die_.in_use = us(10);
  die_.used_until = us(40); // the end of the last tenure, which began ahead of the kernel's time
  EXPECT_EQ(die_.in_use_until(us(35)), us(5));
  EXPECT_EQ(die_.in_use_until(us(50)), us(10)); // the head has not begun
  groups_[0].bus = us(1);
  EXPECT_EQ(die_.in_use_until(us(50)), us(20));
}

} // namespace
} // namespace twinplane::hw::die_queue_test
