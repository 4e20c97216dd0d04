// Does the bit error rate meet its anchors, grow with all that wears cells, and do drawn errors follow it?
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hw/nand/error_model.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::error_model_test {
namespace {

double by_sector[32]; // where models write; one test looks

using hw::CellHistory;
using hw::ErrorModel;
using hw::NandConfig;
using hw::NandErrors;
using hw::RawErrors;
using hw::ReadPlace;

NandConfig part(ErrorReading reading, std::uint32_t cycles = 4000) {
  NandConfig c = small_part();
  c.errors.reading = reading;
  c.errors.cycles = cycles;
  return c;
}

double rate(const NandConfig& config, const CellHistory& history = {}) {
  return ErrorModel(config, 0).rate(history);
}

TEST(ErrorModel, MeetsTheAnchorsOfThePaper) {
  const NandConfig worn = part(ErrorReading::expected);
  EXPECT_NEAR(rate(worn), 2.8e-4, 1e-12);
  CellHistory partial;
  partial.disturbs = 3;
  EXPECT_NEAR(rate(worn, partial), 3.8e-4, 1e-12);
  EXPECT_NEAR(rate(part(ErrorReading::expected, 0)), 1e-5, 1e-15);
}

TEST(ErrorModel, IsTheClosedFormBetweenAndBeyondTheAnchors) {
  const double tau = 4000 / std::log(28.0);
  for (const std::uint32_t cycles : {1u, 1000u, 2500u, 3999u, 6000u}) {
    const double expected = 1e-5 * std::exp(cycles / tau);
    EXPECT_NEAR(rate(part(ErrorReading::expected, cycles)) / expected, 1, 1e-9) << cycles;
    CellHistory h;
    h.disturbs = 1.25; // one in the page, one next door
    const double growth = 1 + (3.8 / 2.8 - 1) * 1.25 / 3 * cycles / 4000;
    EXPECT_NEAR(rate(part(ErrorReading::expected, cycles), h) / expected, growth, 1e-9) << cycles;
  }
}

TEST(ErrorModel, CountsErasesOfTheRunOnTopOfThoseBeforeIt) {
  CellHistory h;
  h.erases = 500;
  EXPECT_DOUBLE_EQ(rate(part(ErrorReading::expected, 1000), h), rate(part(ErrorReading::expected, 1500)));
}

TEST(ErrorModel, FollowsATableOfAnyPoints) {
  NandConfig c = part(ErrorReading::expected, 0);
  c.errors.rates = {{0, 1e-6}, {1000, 1e-4}, {2000, 2e-4}};
  const auto at = [&c](std::uint32_t cycles) {
    c.errors.cycles = cycles;
    return rate(c);
  };
  EXPECT_NEAR(at(500), 1e-5, 1e-12);
  EXPECT_NEAR(at(1000), 1e-4, 1e-12);
  EXPECT_NEAR(at(1500), std::sqrt(2.0) * 1e-4, 1e-12);
  EXPECT_NEAR(at(3000), 4e-4, 1e-12);
  EXPECT_EQ(at(60000), 0.5) << "never more than chance";
}

TEST(ErrorModel, GrowsWithEveryTerm) {
  NandConfig c = part(ErrorReading::expected, 0);
  c.errors.retention = 3;
  c.errors.read_disturb = 0.01;
  double before = 0;
  for (std::uint32_t cycles = 0; cycles <= 8000; cycles += 250) {
    c.errors.cycles = cycles;
    EXPECT_GT(rate(c), before);
    before = rate(c);
  }
  c.errors.cycles = 2000;
  const double plain = rate(c);
  EXPECT_NEAR(rate(c, {0, 2, 0, 0, 0, 0}) / plain, 4, 1e-9) << "an MSB page: four thresholds";
  EXPECT_NEAR(rate(c, {0, 0, 0, 30, 0, 0}) / plain, 4, 1e-9);
  EXPECT_NEAR(rate(c, {0, 0, 0, 7.5, 0, 0}) / plain, 2.5, 1e-9) << "by the root of the time";
  EXPECT_NEAR(rate(c, {0, 0, 0, 0, 100'000, 0}) / plain, 2, 1e-9);
  EXPECT_NEAR(rate(c, {0, 0, 0, 0, 0, 2}) / plain, 0.25, 1e-9) << "read levels halve it";
  EXPECT_GT(rate(c, {0, 0, 1, 0, 0, 0}), plain);
}

TEST(ErrorModel, ExpectsTheMeanOfACodewordsBits) {
  const ErrorModel model(part(ErrorReading::expected), 0);
  EXPECT_EQ(model.codeword_bits(), 8192u + 560u);
  EXPECT_NEAR(model.codeword_errors(2.8e-4, 0, 0), 2.4506, 1e-4);
  EXPECT_NEAR(model.codeword_errors(3.8e-4, 0, 0), 3.3258, 1e-4);
}

/// P(k wrong of n), from the gamma function instead of the recursion.
double binomial(std::uint32_t n, std::uint32_t k, double p) {
  const double choose = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
  return std::exp(choose + k * std::log(p) + (n - k) * std::log1p(-p));
}

// Chi-square over bins that expect at least ten; its mean is the degrees of freedom f, its deviation
// sqrt(2f).
TEST(ErrorModel, DrawsFromTheBinomialDistribution) {
  const ErrorModel model(part(ErrorReading::drawn), 0);
  constexpr std::uint32_t kDraws = 100'000;
  for (const double rate : {1e-5, 2.8e-4, 3e-3, 0.02, 0.15, 0.45}) {
    std::vector<std::uint32_t> seen(model.codeword_bits() + 1);
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const std::uint64_t key = model.key({0, 3, i / 8, 0, 0});
      ++seen[static_cast<std::size_t>(model.codeword_errors(rate, key, i % 8))];
    }
    double chi = 0, rest = kDraws, unseen = kDraws;
    std::uint32_t bins = 0;
    for (std::uint32_t k = 0; k < seen.size(); ++k) {
      const double expected = kDraws * binomial(model.codeword_bits(), k, rate);
      if (expected < 10) continue;
      chi += (seen[k] - expected) * (seen[k] - expected) / expected;
      rest -= expected;
      unseen -= seen[k];
      ++bins;
    }
    if (rest > 10) chi += (unseen - rest) * (unseen - rest) / rest;
    EXPECT_GT(bins, 1u);
    EXPECT_LT(std::abs(chi - bins), 4 * std::sqrt(2.0 * bins) + 2) << "rate " << rate;
  }
}

TEST(ErrorModel, DrawsAnyNumberUpToHalfOfTheBits) {
  const ErrorModel model(part(ErrorReading::drawn), 0);
  double sum = 0;
  for (std::uint64_t read = 0; read < 200; ++read)
    sum += model.codeword_errors(0.5, model.key({0, 0, 0, 0, read}), 0);
  EXPECT_NEAR(sum / 200, 4376, 4 * std::sqrt(8752 * 0.25 / 200));
}

TEST(ErrorModel, AnswersTheSameInAnyOrder) {
  const ErrorModel first(part(ErrorReading::drawn), 0);
  const ErrorModel second(part(ErrorReading::drawn), 0);
  const std::vector<double> rates(2, 2e-3);
  const auto ask = [&rates](const ErrorModel& model, std::uint32_t page) {
    return model.errors(rates.data(), 3, model.key({1, 2, page, 7, page * 3}), by_sector).total;
  };
  std::vector<double> forward;
  for (std::uint32_t page = 0; page < 64; ++page) forward.push_back(ask(first, page));
  for (std::uint32_t page = 64; page-- > 0;) EXPECT_EQ(ask(second, page), forward[page]) << page;
}

TEST(ErrorModel, DrawsAnewForEachPlaceGenerationReadAndSeed) {
  NandConfig other_seed = part(ErrorReading::drawn);
  other_seed.errors.seed = 2;
  NandConfig other_chip = part(ErrorReading::drawn);
  other_chip.chip = 1;
  const ErrorModel model(part(ErrorReading::drawn), 0);
  const std::uint64_t key = model.key({1, 2, 3, 4, 5});
  for (const ReadPlace& place : {ReadPlace{0, 2, 3, 4, 5}, ReadPlace{1, 1, 3, 4, 5}, ReadPlace{1, 2, 0, 4, 5},
                                 ReadPlace{1, 2, 3, 0, 5}, ReadPlace{1, 2, 3, 4, 6}}) {
    EXPECT_NE(model.key(place), key);
  }
  EXPECT_NE(ErrorModel(other_seed, 0).key({1, 2, 3, 4, 5}), key);
  EXPECT_NE(ErrorModel(other_chip, 0).key({1, 2, 3, 4, 5}), key);
  EXPECT_NE(ErrorModel(part(ErrorReading::drawn), 1).key({1, 2, 3, 4, 5}), key);
}

TEST(ErrorModel, CountsTheCodewordsThatATransferTouches) {
  NandConfig c = part(ErrorReading::expected);
  const ErrorModel small(c, 0);
  const std::vector<double> rates{1e-3, 4e-3};
  const RawErrors one = small.errors(rates.data(), 1, 0, by_sector);
  EXPECT_EQ(one.codewords, 4u);
  EXPECT_NEAR(one.worst, 8.752, 1e-9);
  const RawErrors both = small.errors(rates.data(), 3, 0, by_sector);
  EXPECT_EQ(both.codewords, 8u);
  EXPECT_NEAR(both.worst, 4 * 8.752, 1e-9);
  EXPECT_NEAR(both.total, 4 * 5 * 8.752, 1e-9);

  c.errors.codeword_bytes = 8192; // over two sectors
  c.errors.parity_bytes = 0;
  const RawErrors wide = ErrorModel(c, 0).errors(rates.data(), 2, 0, by_sector);
  EXPECT_EQ(wide.codewords, 1u);
  EXPECT_NEAR(wide.worst, 2.5e-3 * 65536, 1e-9);
}

TEST(ErrorModel, RefusesTablesWithoutSense) {
  NandConfig c = part(ErrorReading::drawn);
  EXPECT_EQ(hw::check(c), "");
  c.errors.codeword_bytes = 3000;
  EXPECT_NE(hw::check(c), "");
  c = part(ErrorReading::drawn);
  c.errors.rates = {{0, 1e-5}};
  EXPECT_NE(hw::check(c), "");
  c.errors.rates = {{0, 1e-5}, {0, 1e-4}};
  EXPECT_NE(hw::check(c), "");
  c.errors.rates = {{0, 1e-5}, {10, 0.7}};
  EXPECT_NE(hw::check(c), "");
}

} // namespace
} // namespace twinplane::test::error_model_test
