// Is the cost over the partitions' size a bathtub, is its lowest point where the paper says, and does the
// search find it?
//
// Oracles: an exhaustive search, and what must grow with what.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/write_cost_drives.h"

namespace twinplane::fw::write_cost_shape_test {
namespace {

double optimum(const Division& d, const FlashCosts& flash = kPart) {
  return cheapest(flash, d).hot_utilisation;
}

Division with_hot_writes(double theta, double beta = 0.3) {
  return {theta, 0.01, beta, 0.8, 0.8};
}

// --- the law of victims, both ways ---

TEST(VictimLaw, IsUndoneByItsInverse) {
  for (int i = 1; i < 1000; ++i) {
    const double mu = i / 1000.0;
    const double victim = victim_utilisation(mu);
    if (victim < 1e-9) continue; // too few digits are left of it
    ASSERT_NEAR(utilisation_of_victim(victim), mu, 1e-9);
  }
  EXPECT_EQ(utilisation_of_victim(0.0), 0.0);
  EXPECT_EQ(utilisation_of_victim(1.0), 1.0);
  EXPECT_NEAR(utilisation_of_victim(0.4670), 0.7, 1e-4) << "the table of the equation";
}

// --- the shape ---

TEST(WriteCost, IsABathtubOverThePartitionsSize) {
  for (const Division& d : drives()) {
    const double least = lowest_hot_utilisation(d);
    int turns = 0;
    double before = kImpossible;
    bool falling = true;
    for (int i = 1; i < 400; ++i) {
      const double cost = cost_of(at(d, least + (1.0 - least) * i / 400.0)).overall;
      const bool falls = cost < before;
      if (falls != falling) ++turns;
      falling = falls;
      before = cost;
    }
    ASSERT_LE(turns, 1);
    const double best = cost_of(cheapest(kPart, d)).overall;
    ASSERT_GT(cost_of(at(d, least + (1.0 - least) * 1e-6)).overall, 2.0 * best);
    ASSERT_GT(cost_of(at(d, 1.0 - (1.0 - least) * 1e-6)).overall, 2.0 * best);
  }
}

TEST(WriteCost, IsConvexOverGrowth) {
  for (const Division& d : drives()) {
    const double low = growth_to(d, 1.0);
    const double high = growth_to(d, lowest_hot_utilisation(d));
    const double step = (high - low) / 200.0;
    for (int i = 2; i < 199; ++i) {
      const auto cost = [&](int n) { return cost_of(resized(d, low + n * step)).overall; };
      ASSERT_GE(cost(i - 1) + cost(i + 1), 2.0 * cost(i) * (1.0 - 1e-12));
    }
  }
}

TEST(Cheapest, IsWhatATrialOfAllDivisionsFinds) {
  for (const Division& d : drives()) {
    const double low = growth_to(d, 1.0);
    const double high = growth_to(d, lowest_hot_utilisation(d));
    double best = kImpossible;
    for (int i = 1; i < 2000; ++i)
      best = std::min(best, cost_of(resized(d, low + (high - low) * i / 2000.0)).overall);
    const double found = cost_of(cheapest(kPart, d)).overall;
    ASSERT_LE(found, best * (1.0 + 1e-12));
    ASSERT_GE(found, best * (1.0 - 1e-3));
  }
}

TEST(Cheapest, DoesNotDependOnWhereOneStarts) {
  for (const Division& d : drives()) {
    const Division elsewhere = at(d, 0.5 * (1.0 + lowest_hot_utilisation(d)));
    const Division a = cheapest(kPart, d);
    const Division b = cheapest(kPart, elsewhere);
    ASSERT_NEAR(a.hot_utilisation, b.hot_utilisation, 1e-5);
    ASSERT_NEAR(a.hot_capacity, b.hot_capacity, 1e-5);
  }
}

// --- the paper's statements ---

TEST(Cheapest, IsThePapersByCapacityAndPages) {
  EXPECT_NEAR(optimum(with_hot_writes(0.3)), 0.87, 0.005);
  EXPECT_NEAR(optimum(with_hot_writes(0.5)), 0.832, 0.002);
  EXPECT_GE(optimum(with_hot_writes(0.7)), 0.792);
  EXPECT_LE(optimum(with_hot_writes(0.7)), 0.7975);
}

TEST(Cheapest, IsElsewhereIfTheShareIsOneOfBlocks) {
  const double beta = capacity_of_blocks(0.3);
  EXPECT_NEAR(optimum(with_hot_writes(0.3, beta)), 0.845, 0.005);
  EXPECT_NEAR(optimum(with_hot_writes(0.5, beta)), 0.804, 0.005);
  EXPECT_NEAR(optimum(with_hot_writes(0.7, beta)), 0.754, 0.005);
}

TEST(Cheapest, HardlyDependsOnWhatIsMisplaced) {
  for (const double theta : {0.3, 0.5}) {
    const Division without{theta, 0.0, 0.3, 0.8, 0.8};
    for (const double lambda : {0.01, 0.05, 0.1, 0.2}) {
      Division d = without;
      d.misplaced = lambda;
      EXPECT_NEAR(optimum(d), optimum(without), 0.045 * lambda);
      const double informed = cost_of(cheapest(kPart, d)).overall;
      Division ignorant = cheapest(kPart, without);
      ignorant.misplaced = lambda;
      EXPECT_LT(cost_of(ignorant).overall, informed * 1.002);
    }
  }
}

TEST(Misplaced, DataCostMoreWhereTheColdPartitionIsFuller) {
  Division d = kExample;
  const auto effect = [&](double hot_utilisation) {
    d.misplaced = 0.0;
    const double without = cost_of(at(d, hot_utilisation)).overall;
    d.misplaced = 0.2;
    return cost_of(at(d, hot_utilisation)).overall / without - 1.0;
  };
  EXPECT_NEAR(effect(0.68) / effect(0.96), 2.06, 0.01); // the paper: 18.1 % / 4.9 %
}

TEST(Cheapest, GivesBlocksToWhatIsWrittenMore) {
  double before = 0.0;
  for (const double theta : {0.05, 0.2, 0.4, 0.6, 0.8, 0.95}) {
    const double hot = cheapest(kPart, with_hot_writes(theta)).hot_capacity;
    EXPECT_GT(hot, before);
    before = hot;
  }
}

// --- monotonicities ---

TEST(WriteCost, GrowsWithEachUtilisationCostAndMistake) {
  for (const Division& d : drives()) {
    for (const PageCount count : {PageCount::real, PageCount::whole}) {
      const double before = cost_of(d, count).overall;
      Division more = d;
      more.hot_utilisation += 0.01;
      ASSERT_GE(cost_of(more, count).overall, before);
      more = d;
      more.cold_utilisation += 0.01;
      ASSERT_GE(cost_of(more, count).overall, before);
      more = d;
      more.misplaced += 0.01;
      ASSERT_GT(cost_of(more, count).overall, before);
      for (double FlashCosts::*cost :
           {&FlashCosts::read, &FlashCosts::program_fast, &FlashCosts::program_mean, &FlashCosts::erase}) {
        FlashCosts slower = kPart;
        slower.*cost *= 1.1;
        ASSERT_GT(write_costs(slower, d, predicted_victims(d), count).overall, before);
      }
    }
  }
}

TEST(WriteCost, OfWholePagesIsNeverLess) {
  for (const Division& d : drives()) {
    const WriteCosts real = cost_of(d);
    const WriteCosts whole = cost_of(d, PageCount::whole);
    ASSERT_GE(whole.hot_page_write, real.hot_page_write);
    ASSERT_GE(whole.cold_page_write, real.cold_page_write);
    ASSERT_GE(whole.overall, real.overall);
  }
}

TEST(WriteCost, OfWholePagesApproachesThatOfRealOnesInLargeBlocks) {
  FlashCosts large = kPart;
  large.pages_per_block = 1u << 20;
  const Victims victims = predicted_victims(kExample);
  EXPECT_NEAR(write_costs(large, kExample, victims, PageCount::whole).overall /
                  write_costs(large, kExample, victims, PageCount::real).overall,
              1.0, 1e-4);
}

} // namespace
} // namespace twinplane::fw::write_cost_shape_test
