// Is the firmware's state machine of a block the relaxed program order of PA-SSD, state by state?
//
// Oracle: the three constraints spelled out over wordlines, and facts that were derived by hand for a
// block of six wordlines (49 reachable states; figure 7).
#include "firmware/ftl/features/page_types/relaxed_order.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace twinplane::fw::relaxed_order_test {
namespace {

constexpr std::uint32_t kWordlines = 6;
using State = std::array<std::uint8_t, 3>; // written LSB, CSB, MSB pages

/// The constraints as the paper words them: page `type` of wordline k may be programmed.
bool allowed(const State& s, PageType type) {
  const std::uint32_t k = s[type];
  if (k == kWordlines) return false;
  if (type == 0) return true;
  for (std::uint32_t w = k == 0 ? 0 : k - 1; w <= k + 1 && w < kWordlines; ++w) {
    if (w >= s[type - 1u]) return false; // the lower page of an adjacent wordline is missing
  }
  return true;
}

std::string candidates(const State& s) {
  std::string text;
  for (PageType t = 0; t < 3; ++t) {
    if (is_candidate(s.data(), t, kWordlines)) text += "LCM"[t];
  }
  return text;
}

std::set<State> reachable() {
  std::set<State> found{State{}};
  std::vector<State> open{State{}};
  while (!open.empty()) {
    const State s = open.back();
    open.pop_back();
    for (PageType t = 0; t < 3; ++t) {
      if (!is_candidate(s.data(), t, kWordlines)) continue;
      State next = s;
      ++next[t];
      if (found.insert(next).second) open.push_back(next);
    }
  }
  return found;
}

TEST(RelaxedOrder, Reaches49StatesOfASixWordlineBlock) {
  std::map<std::string, int> by_candidates;
  for (const State& s : reachable()) ++by_candidates[candidates(s)];
  const std::map<std::string, int> expected{{"L", 6}, {"LC", 10}, {"LM", 6}, {"LCM", 4},
                                            {"C", 6}, {"CM", 10}, {"M", 6},  {"", 1}};
  EXPECT_EQ(by_candidates, expected);
}

TEST(RelaxedOrder, AllowsWhatTheConstraintsAllowInEveryState) {
  for (const State& s : reachable()) {
    for (PageType t = 0; t < 3; ++t) {
      EXPECT_EQ(is_candidate(s.data(), t, kWordlines), allowed(s, t))
          << int(s[0]) << int(s[1]) << int(s[2]) << " type " << int(t);
    }
  }
}

TEST(RelaxedOrder, NeverLeavesABlockWithoutACandidateBeforeItIsFull) {
  for (const State& s : reachable()) {
    EXPECT_EQ(candidates(s).empty(), s[2] == kWordlines);
  }
}

TEST(RelaxedOrder, ShowsThePanelsOfFigure7) {
  const std::pair<State, const char*> panels[] = {{{0, 0, 0}, "L"},   {{1, 0, 0}, "L"},  {{2, 1, 0}, "L"},
                                                  {{2, 0, 0}, "LC"},  {{3, 1, 0}, "LC"}, {{3, 2, 0}, "LM"},
                                                  {{5, 2, 0}, "LCM"}, {{6, 3, 1}, "CM"}, {{6, 6, 3}, "M"},
                                                  {{6, 0, 0}, "C"},   {{6, 1, 0}, "C"}};
  for (const auto& [state, expected] : panels) EXPECT_EQ(candidates(state), expected);
}

TEST(RelaxedOrder, DisturbsAFullWordlineAtMostOnce) {
  for (const State& s : reachable()) {
    for (std::uint32_t k = 0; k < s[2]; ++k) { // full wordlines
      int missing = 0;                         // pages of the neighbours still to be programmed
      for (const std::uint8_t written : s) {
        if (k > 0 && k - 1 >= written) ++missing;
        if (k + 1 < kWordlines && k + 1 >= written) ++missing;
      }
      EXPECT_LE(missing, 1);
    }
  }
}

TEST(RelaxedOrder, ContainsTheStrictOrder) {
  for (const std::uint32_t wordlines : {4u, 6u, 128u}) {
    const auto table = std::make_unique<PageOrderTable>(CellType::tlc, 3 * wordlines);
    State s{};
    for (std::uint32_t page = 0; page < table->pages(); ++page) {
      ASSERT_TRUE(is_candidate(s.data(), table->type(page), wordlines)) << page << " of " << wordlines;
      ASSERT_EQ(table->wordline(page), s[table->type(page)]);
      ++s[table->type(page)];
    }
  }
}

} // namespace
} // namespace twinplane::fw::relaxed_order_test
