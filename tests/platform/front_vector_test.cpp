// Vectors that lose elements at their front hold what a plain vector would.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "platform/observe/plane_time/front_vector.h"

namespace twinplane::platform::front_vector_test {
namespace {

/// Each operation on both.
class BothVectors {
 public:
  explicit BothVectors(std::uint32_t seed) : random_(seed) {}

  void push() {
    const auto value = static_cast<std::uint32_t>(random_() % 1000);
    tested_.push_back(value);
    model_.push_back(value);
  }
  void pop() {
    if (model_.empty()) return;
    tested_.pop_back();
    model_.pop_back();
  }
  void insert() {
    const std::size_t place = random_() % (model_.size() + 1);
    tested_.insert(place, 7);
    model_.insert(model_.begin() + static_cast<std::ptrdiff_t>(place), 7);
  }
  void erase() {
    const std::size_t first = random_() % (model_.size() + 1);
    const std::size_t last = first + random_() % (model_.size() - first + 1);
    tested_.erase(first, last);
    model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(first),
                 model_.begin() + static_cast<std::ptrdiff_t>(last));
  }
  void drop() {
    const std::size_t count = random_() % (model_.size() / 4 + 2);
    const std::size_t gone = std::min(count, model_.size());
    tested_.drop_front(gone);
    model_.erase(model_.begin(), model_.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  void drop_some() {
    const auto over = [](std::uint32_t value) { return value % 3 != 0; };
    const std::size_t count = random_() % (model_.size() + 1);
    tested_.drop_of_front(count, over);
    const auto end = model_.begin() + static_cast<std::ptrdiff_t>(count);
    model_.erase(std::remove_if(model_.begin(), end, over), end);
  }
  void step() {
    static constexpr void (BothVectors::*kSteps[])() = {
        &BothVectors::push,  &BothVectors::push, &BothVectors::push,
        &BothVectors::push,  &BothVectors::pop,  &BothVectors::insert,
        &BothVectors::erase, &BothVectors::drop, &BothVectors::drop_some};
    const std::size_t step = random_() % 64;
    (this->*kSteps[step < std::size(kSteps) ? step : 0])();
  }
  void expect_equal() const {
    ASSERT_EQ(tested_.size(), model_.size());
    ASSERT_EQ(tested_.empty(), model_.empty());
    ASSERT_TRUE(std::equal(tested_.begin(), tested_.end(), model_.begin(), model_.end()));
    ASSERT_TRUE(std::equal(model_.begin(), model_.end(), tested_.data()));
    if (!model_.empty()) {
      ASSERT_EQ(tested_.back(), model_.back());
    }
  }

 private:
  std::mt19937 random_;
  FrontVector<std::uint32_t> tested_;
  std::vector<std::uint32_t> model_;
};

TEST(FrontVector, HoldsWhatAVectorWouldAfterAnyOperations) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    BothVectors both(seed);
    for (int i = 0; i < 2000; ++i) {
      both.step();
      ASSERT_NO_FATAL_FAILURE(both.expect_equal()) << "seed " << seed << ", step " << i;
    }
  }
}

/// A drop moves what stays so seldom that each element is moved once for one that was dropped, at most.
TEST(FrontVector, MovesLittleWhenManyStay) {
  struct Counted {
    std::uint32_t* moves = nullptr;
    explicit Counted(std::uint32_t& count) : moves(&count) {}
    Counted(const Counted&) = default;
    Counted& operator=(const Counted& other) {
      moves = other.moves;
      ++*moves;
      return *this;
    }
  };
  std::uint32_t moves = 0;
  FrontVector<Counted> all;
  constexpr std::uint32_t kCount = 10'000;
  for (std::uint32_t i = 0; i < kCount; ++i) all.push_back(Counted(moves));
  moves = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) all.drop_front(1);
  EXPECT_TRUE(all.empty());
  EXPECT_LE(moves, kCount);
}

} // namespace
} // namespace twinplane::platform::front_vector_test
