// Does the cache hold what a set-associative one with least recently used lines holds?
#include "hw/cpu/cache_model.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>

namespace twinplane::test::cache_model_test {
namespace {

/// A list for each set, the newest first, with whether it has been written to.
class Shadow {
 public:
  Shadow(std::uint64_t sets, std::uint32_t ways) : sets_(sets), ways_(ways) {}
  hw::CacheModel::Access access(std::uint64_t line, bool write) {
    std::list<std::pair<std::uint64_t, bool>>& set = lines_[line % sets_];
    hw::CacheModel::Access result{false, false};
    bool dirty = write;
    for (auto i = set.begin(); i != set.end(); ++i) {
      if (i->first != line) continue;
      result.hit = true;
      dirty = dirty || i->second;
      set.erase(i);
      break;
    }
    if (set.size() == ways_) {
      result.writes_back = set.back().second;
      set.pop_back();
    }
    set.emplace_front(line, dirty);
    return result;
  }

 private:
  std::uint64_t sets_;
  std::uint32_t ways_;
  std::map<std::uint64_t, std::list<std::pair<std::uint64_t, bool>>> lines_;
};

TEST(CacheModel, HoldsWhatWasUsedLast) {
  for (const std::uint32_t ways : {1u, 2u, 4u, 16u}) {
    hw::CacheModel cache({16 * 64, 64, ways});
    Shadow shadow(16 / ways, ways);
    std::mt19937 random(ways);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t address = random() % (40 * 64);
      const bool write = random() % 4 == 0;
      const auto expected = shadow.access(address / 64, write);
      const auto got = cache.access(address, write);
      ASSERT_EQ(got.hit, expected.hit) << ways << " ways, access " << i;
      ASSERT_EQ(got.writes_back, expected.writes_back) << ways << " ways, access " << i;
    }
    EXPECT_EQ(cache.statistics().hits + cache.statistics().misses, 20'000u);
  }
}

TEST(CacheModel, OfNoSizeIsNotThere) {
  EXPECT_FALSE(hw::CacheModel({}).modelled());
}

} // namespace
} // namespace twinplane::test::cache_model_test
