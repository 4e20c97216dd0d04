// Is the cost of a page write in a drive of two partitions what BROMS's equations make it?
//
// Oracles: numbers computed apart from this code, the library's logarithm, the law of write amplification
// under FIFO, limits with a formula of their own, equation 11 as it should have been printed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/parameter_names.h"
#include "tests/support/write_cost_drives.h"

namespace twinplane::fw::write_cost_test {
namespace {

// --- the numbers ---

struct Row {
  double hot, cold, hot_victim, cold_victim, hot_write, cold_write, overall, overall_whole;
};
std::string name_of(const Row& row) {
  return "hot_" + std::to_string(static_cast<int>(row.hot * 100 + .5)) + "_percent";
}
void PrintTo(const Row& parameter, std::ostream* out) {
  *out << test::parameter_names::text_of(parameter);
}

class CheckValues : public testing::TestWithParam<Row> {};
TEST_P(CheckValues, AreMetToTheLastDigit) {
  const Row row = GetParam();
  const Division d = at(kExample, row.hot);
  EXPECT_NEAR(d.hot_utilisation, row.hot, 1e-12);
  EXPECT_NEAR(d.cold_utilisation, row.cold, 5e-5);
  const WriteCosts c = cost_of(d);
  EXPECT_NEAR(c.victims.hot, row.hot_victim, 5e-5);
  EXPECT_NEAR(c.victims.cold, row.cold_victim, 5e-5);
  EXPECT_NEAR(c.hot_page_write, row.hot_write, 0.05);
  EXPECT_NEAR(c.cold_page_write, row.cold_write, 0.05);
  EXPECT_NEAR(c.overall, row.overall, 0.05);
  EXPECT_NEAR(cost_of(d, PageCount::whole).overall, row.overall_whole, 0.05);
}
INSTANTIATE_TEST_SUITE_P(WriteCost, CheckValues,
                         testing::Values(Row{.66, .9778, .4075, .9559, 861.2, 31431.6, 22355.0, 22947.9},
                                         Row{.68, .9426, .4369, .8874, 910.0, 12267.1, 8897.0, 9154.0},
                                         Row{.70, .9116, .4670, .8286, 965.7, 8034.8, 5938.4, 6055.2},
                                         Row{.75, .8485, .5456, .7131, 1145.7, 4769.5, 3696.9, 3718.6},
                                         Row{.80, .8000, .6286, .6286, 1418.6, 3667.5, 3004.0, 3011.1},
                                         Row{.85, .7616, .7158, .5645, 1876.8, 3116.3, 2754.0, 2770.1},
                                         Row{.87, .7484, .7518, .5430, 2159.7, 2966.2, 2733.4, 2768.4},
                                         Row{.90, .7304, .8069, .5143, 2797.5, 2786.5, 2798.4, 2829.7},
                                         Row{.96, .7000, .9211, .4670, 6953.6, 2532.6, 3866.7, 3894.2},
                                         Row{.98, .6912, .9603, .4536, 13885.9, 2468.7, 5901.5, 5984.5}),
                         twinplane::test::parameter_name);

TEST(VictimUtilisation, IsThatOfTheTable) {
  const std::array<std::array<double, 2>, 7> table{
      {{.5, .2032}, {.6, .3242}, {.7, .4670}, {.8, .6286}, {.85, .7158}, {.9, .8069}, {.95, .9017}}};
  for (const auto& [average, victim] : table) EXPECT_NEAR(victim_utilisation(average), victim, 5e-5);
}

TEST(VictimUtilisation, GivesTheWriteAmplificationOfFifo) {
  const std::array<std::array<double, 2>, 9> law{{{.5, 1.2550},
                                                  {.6, 1.4798},
                                                  {.7, 1.8762},
                                                  {.75, 2.2007},
                                                  {.8, 2.6927},
                                                  {.85, 3.5187},
                                                  {.9, 5.1787},
                                                  {.93, 7.3177},
                                                  {.95, 10.1724}}};
  for (const auto& [average, waf] : law)
    EXPECT_NEAR(1.0 / (1.0 - victim_utilisation(average)), waf, 5.1e-5) << average;
}

TEST(VictimUtilisation, SolvesItsEquationFromAlmostEmptyToFull) {
  for (int i = 1000; i < 10000; ++i) {
    const double average = i / 10000.0;
    const double victim = victim_utilisation(average);
    ASSERT_NEAR((victim - 1.0) / std::log(victim), average, 1e-11) << average;
  }
}

TEST(VictimUtilisation, HasTheRightLimits) {
  for (const double free : {1e-3, 1e-6, 1e-9, 1e-12}) { // 1 - v = 2 free - 2/3 free^2 + ...
    const double average = 1.0 - free;
    const double left = 1.0 - average; // what the double says
    EXPECT_NEAR(1.0 - victim_utilisation(average), 2.0 * left - 2.0 / 3.0 * left * left,
                1e-14 + left * left * left)
        << free;
  }
  for (const double average : {1e-300, 1e-3, 0.02, 0.05, 0.1}) { // v = e^(-1 / mu)
    const double victim = std::exp(-1.0 / average);
    EXPECT_NEAR(victim_utilisation(average), victim, 1e-14 + 0.01 * victim);
  }
}

TEST(WriteCost, IsAProgramPlusWhatTheLawOfWriteAmplificationMovesAndErases) {
  for (const double average : {.5, .8, .95}) {
    const double victim = victim_utilisation(average);
    const double waf = 1.0 / (1.0 - victim);
    EXPECT_NEAR(page_write_cost(kPart, Partition::hot, victim, PageCount::real),
                450.0 + (waf - 1.0) * 525.0 + waf * 3800.0 / 128.0, 1e-6);
    EXPECT_NEAR(page_write_cost(kPart, Partition::cold, victim, PageCount::real),
                1300.0 + (waf - 1.0) * 1375.0 + waf * 3800.0 / 256.0, 1e-6);
  }
}

// --- how blocks change sides ---

TEST(Resizing, FollowsTheCorrectedEquationEleven) {
  for (const Division& d : drives()) {
    const double beta = d.hot_capacity;
    for (int i = 1; i < 20; ++i) {
      const double least = lowest_hot_utilisation(d);
      const double hot = least + (1.0 - least) * i / 20.0;
      const double cold = (1 - beta) * d.cold_utilisation * hot /
                          ((1 - beta) * hot - 2 * beta * d.hot_utilisation + 2 * beta * hot);
      ASSERT_NEAR(at(d, hot).cold_utilisation, cold, 1e-12);
    }
  }
}

void expect_same_blocks_and_data(const Division& d, double growth, double bits) {
  const Division r = resized(d, growth, bits);
  const double total = 1.0 - (bits - 1.0) * growth; // in capacities before
  const double blocks = (bits * r.hot_capacity + 1.0 - r.hot_capacity) * total;
  ASSERT_NEAR(blocks, 1.0 + (bits - 1.0) * d.hot_capacity, 1e-12);
  if (r.hot_utilisation == 1.0 || r.cold_utilisation == 1.0) return; // no room: data are more than that
  ASSERT_NEAR(r.hot_capacity * r.hot_utilisation * total, d.hot_capacity * d.hot_utilisation, 1e-12);
  ASSERT_NEAR((1.0 - r.hot_capacity) * r.cold_utilisation * total,
              (1.0 - d.hot_capacity) * d.cold_utilisation, 1e-12);
}

TEST(Resizing, CreatesNeitherBlocksNorData) {
  for (const Division& d : drives()) {
    for (const double bits : {2.0, 3.0, 4.0}) {
      for (const double growth : {-0.02, 0.0, 0.001, 0.05})
        ASSERT_NO_FATAL_FAILURE(expect_same_blocks_and_data(d, growth, bits));
    }
  }
}

TEST(Resizing, HasTheBoundsOfTlcAndQlcAsWell) {
  for (const Division& d : drives()) {
    for (const double bits : {3.0, 4.0}) {
      const double least = lowest_hot_utilisation(d, bits);
      const auto cold = [&](double hot) {
        return resized(d, growth_to(d, hot, bits), bits).cold_utilisation;
      };
      ASSERT_NEAR(cold(least), 1.0, 1e-9);
      ASSERT_LT(cold(least + 1e-3), 1.0);
    }
  }
}

/// A hot page of QLC costs room for four cold ones: the same writes are served best by fewer hot blocks.
TEST(Resizing, MakesFewerBlocksHotTheLessTheyHold) {
  FlashCosts part = kPart;
  double fewer = 1.0;
  for (const double bits : {2.0, 3.0, 4.0}) {
    part.bits = bits;
    const double blocks = blocks_of_capacity(cheapest(part, kExample).hot_capacity, bits);
    Division d = kExample;
    d.hot_capacity = capacity_of_blocks(blocks_of_capacity(kExample.hot_capacity), bits);
    const double capacity = cheapest(part, d).hot_capacity;
    EXPECT_LT(capacity, fewer) << bits << " bits, " << blocks;
    fewer = capacity;
  }
}

TEST(Resizing, CanBeTakenBack) {
  for (const Division& d : drives()) {
    const Division there = resized(d, 0.004);
    if (there.cold_utilisation == 1.0) continue;
    const Division back = resized(there, -0.004 / (1.0 - 0.004)); // capacity is less than before
    ASSERT_NEAR(back.hot_capacity, d.hot_capacity, 1e-12);
    ASSERT_NEAR(back.hot_utilisation, d.hot_utilisation, 1e-12);
    ASSERT_NEAR(back.cold_utilisation, d.cold_utilisation, 1e-12);
  }
}

TEST(Resizing, HasTheBoundsOfEquationTwelve) {
  EXPECT_NEAR(lowest_hot_utilisation(kExample), 0.6486, 5e-5);
  for (const Division& d : drives()) {
    const double least = lowest_hot_utilisation(d);
    ASSERT_NEAR(at(d, least).cold_utilisation, 1.0, 1e-9);
    ASSERT_LT(at(d, least + 1e-3).cold_utilisation, 1.0);
    ASSERT_EQ(cost_of(at(d, least * 0.99)).overall, kImpossible);
    ASSERT_EQ(cost_of(at(d, 1.0)).overall, kImpossible);
  }
}

TEST(Readings, OfAShareAreBlocksOrCapacity) {
  EXPECT_NEAR(capacity_of_blocks(0.3), 0.3 / 1.7, 1e-12); // 3 hot blocks of 10 hold 1.5 of 8.5
  EXPECT_NEAR(blocks_of_capacity(0.3), 0.4615, 5e-5);
  for (int i = 0; i <= 100; ++i)
    EXPECT_NEAR(blocks_of_capacity(capacity_of_blocks(i / 100.0)), i / 100.0, 1e-12);
  EXPECT_NEAR(capacity_of_blocks(0.3, 3.0), 1.0 / 8.0, 1e-12); // of TLC they hold 1 of 8
  EXPECT_NEAR(blocks_of_capacity(1.0 / 8.0, 3.0), 0.3, 1e-12);
}

TEST(WriteCost, TakesMeasuredVictimsAtTheirWord) {
  const WriteCosts c = write_costs(kPart, kExample, {0.0, 0.25}, PageCount::whole);
  EXPECT_DOUBLE_EQ(c.hot_page_write, 3800.0 / 128.0 + 450.0);
  EXPECT_DOUBLE_EQ(c.cold_page_write, (64.0 * 1375.0 + 3800.0) / 192.0 + 1300.0);
  EXPECT_DOUBLE_EQ(c.migration, 75.0 + c.cold_page_write);
  EXPECT_DOUBLE_EQ(c.overall, 0.3 * c.hot_page_write + 0.7 * c.cold_page_write + 0.003 * c.migration);
}

// --- odd input ---

TEST(WholePages, OfAVictimThatWasCountedAreExact) {
  for (std::uint32_t pages = 2; pages <= 400; ++pages) {
    const FlashCosts flash{pages, 0.0, 0.0, 1.0, 0.0}; // a collection costs the pages that it moves
    for (std::uint32_t valid = 0; valid < pages; ++valid) {
      const double victim = static_cast<double>(valid) / pages;
      ASSERT_EQ(collection_cost(flash, Partition::cold, victim, PageCount::whole), valid);
      ASSERT_EQ(page_write_cost(flash, Partition::cold, victim, PageCount::whole),
                static_cast<double>(valid) / (pages - valid) + 1.0);
    }
  }
}

TEST(OddInput, GivesFiniteCosts) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::array<double, 9> values{-inf, -1.0, 0.0, 1e-300, 0.5, 1.0 - 1e-16, 1.0, 7.0, nan};
  for (const double theta : values) {
    for (const double beta : values) {
      for (const double hot : values) {
        for (const double cold : values) {
          const Division d{theta, theta, beta, hot, cold};
          const Division best = cheapest(kPart, d);
          const double least = lowest_hot_utilisation(d);
          ASSERT_TRUE(least >= 0.0 && least <= 1.0);
          for (const Division& each : {d, best, at(d, hot), resized(d, cold), resized(d, -beta)}) {
            for (const PageCount count : {PageCount::real, PageCount::whole}) {
              const WriteCosts c = cost_of(each, count);
              for (const double cost : {c.hot_page_write, c.cold_page_write, c.migration, c.overall})
                ASSERT_TRUE(cost >= 0.0 && cost <= kImpossible);
            }
          }
          for (const double part : {best.hot_capacity, best.hot_utilisation, best.cold_utilisation})
            ASSERT_TRUE(part >= 0.0 && part <= 1.0);
        }
      }
    }
  }
}

TEST(OddInput, AFullPartitionCostsNothingWhereNobodyWrites) {
  EXPECT_LT(cost_of({0.0, 0.0, 0.3, 1.0, 0.5}).overall, 2000.0);
  EXPECT_LT(cost_of({1.0, 0.0, 0.3, 0.5, 1.0}).overall, 1000.0);
  EXPECT_EQ(cost_of({1.0, 0.1, 0.3, 0.5, 1.0}).overall, kImpossible); // what is misplaced has to go there
  EXPECT_EQ(cost_of({0.5, 0.0, 0.3, 1.0, 0.5}).overall, kImpossible);
}

TEST(OddInput, WhatIsNoNumberIsFull) {
  const double nan = std::numeric_limits<double>::quiet_NaN(); // no data in no blocks
  EXPECT_EQ(victim_utilisation(nan), 1.0);
  EXPECT_EQ(cost_of({0.5, 0.0, 0.3, nan, 0.5}).overall, kImpossible);
  EXPECT_EQ(cost_of({0.5, 0.0, 0.3, 0.5, nan}).overall, kImpossible);
}

TEST(OddInput, BlocksWithoutFastPagesCannotBeHot) {
  const FlashCosts flash{1, 75.0, 450.0, 1300.0, 3800.0};
  EXPECT_EQ(page_write_cost(flash, Partition::hot, 0.0, PageCount::real), kImpossible);
  EXPECT_EQ(page_write_cost(flash, Partition::cold, 0.0, PageCount::whole), 5100.0);
}

} // namespace
} // namespace twinplane::fw::write_cost_test
