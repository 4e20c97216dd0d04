// Does decoding take the time that its code, the wrong bits and the data before it account for?
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "hw/controller/ecc.h"

namespace twinplane::test::ecc_test {
namespace {

using hw::EccConfig;
using hw::EccInput;
using hw::EccResult;

constexpr std::uint32_t kPage = 16384;

EccConfig bch() {
  EccConfig c;
  c.code = EccCode::bch;
  return c;
}

EccInput page(double worst, TimePs at = 0) {
  EccInput input;
  input.bytes = kPage;
  input.errors = {worst, worst * 16, 16, 0};
  input.at = at;
  return input;
}

TimePs latency(const EccConfig& config, double worst) {
  return hw::make_ecc(config)->decode(page(worst)).latency;
}

TEST(Ecc, TakesTheTimesOfThePaper) {
  EXPECT_EQ(latency(bch(), 0), us(1) / 2);
  EXPECT_EQ(latency(bch(), 40), us(968) / 10);
  EXPECT_EQ(latency(bch(), 20), us(1) / 2 + (us(968) / 10 - us(1) / 2) / 2);
  EXPECT_EQ(latency(bch(), 1000), us(968) / 10) << "finding out that it fails takes no longer";
}

TEST(Ecc, TakesLongerTheMoreBitsAreWrongAndNeverLeavesItsBounds) {
  TimePs before = 0;
  for (double worst = 0; worst < 40; worst += 0.25) {
    const TimePs now = latency(bch(), worst);
    EXPECT_GT(now, before);
    EXPECT_LE(now, us(968) / 10);
    before = now;
  }
}

TEST(Ecc, AlwaysTakesTheSlowestTimeWithoutEarlyTermination) {
  EccConfig c = bch();
  c.early_termination = false;
  for (const double worst : {0.0, 3.3, 40.0}) EXPECT_EQ(latency(c, worst), c.slowest);
}

TEST(Ecc, CorrectsAsManyBitsAsItCan) {
  const auto ecc = hw::make_ecc(bch());
  const EccResult most = ecc->decode(page(40));
  EXPECT_FALSE(most.uncorrectable);
  EXPECT_EQ(most.corrected_bits, 640u) << "in all codewords";
  const EccResult more = ecc->decode(page(41));
  EXPECT_TRUE(more.uncorrectable);
  EXPECT_EQ(more.corrected_bits, 0u);
  EXPECT_TRUE(ecc->decode(page(40.01)).uncorrectable) << "expected ones, too";
}

TEST(Ecc, WithAFixedLatencyCorrectsEverythingInIt) {
  EccConfig c;
  c.fixed_latency = us(2);
  const auto ecc = hw::make_ecc(c);
  EXPECT_TRUE(ecc->constant_latency());
  EXPECT_FALSE(hw::make_ecc(bch())->constant_latency());
  const EccResult r = ecc->decode(page(5000));
  EXPECT_EQ(r.latency, us(2));
  EXPECT_FALSE(r.uncorrectable);
}

EccConfig ldpc() {
  EccConfig c = bch();
  c.code = EccCode::ldpc;
  c.corrects = 30;
  c.soft_corrects = 90;
  c.soft_senses = 3; // 50, 70, 90
  c.fastest = us(1);
  c.slowest = us(21);
  return c;
}

TEST(Ecc, CorrectsMoreWithEachFurtherSense) {
  const auto ecc = hw::make_ecc(ldpc());
  const auto decode = [&ecc](double worst, std::uint32_t soft) {
    EccInput input = page(worst);
    input.soft = soft;
    return ecc->decode(input);
  };
  EXPECT_EQ(ecc->soft_senses(), 3u);
  EXPECT_EQ(decode(15, 0).latency, us(11));
  EXPECT_FALSE(decode(30, 0).uncorrectable);
  EXPECT_TRUE(decode(45, 0).uncorrectable);
  EXPECT_EQ(decode(45, 0).latency, us(21));
  EXPECT_EQ(decode(45, 1).latency, us(1) + us(18)) << "45 of 50";
  EXPECT_TRUE(decode(56, 1).uncorrectable);
  EXPECT_EQ(decode(56, 2).latency, us(17)) << "56 of 70";
  EXPECT_FALSE(decode(90, 3).uncorrectable);
  EXPECT_TRUE(decode(91, 3).uncorrectable);
}

TEST(Ecc, NeverLeavesItsBoundsWithSoftDecisionsEither) {
  const auto ecc = hw::make_ecc(ldpc());
  for (std::uint32_t soft = 0; soft <= 3; ++soft) {
    TimePs before = us(1); // nothing is wrong
    for (double worst = 0.25; worst < 120; worst += 0.25) {
      EccInput input = page(worst);
      input.soft = soft;
      const TimePs now = ecc->decode(input).latency;
      EXPECT_GE(now, before) << soft << " " << worst;
      EXPECT_LE(now, us(21)) << soft << " " << worst;
      before = now;
    }
    EXPECT_EQ(before, us(21)) << "beyond what it corrects";
  }
}

TEST(Ecc, UsesNoFurtherSensesWithHardDecisionsOnly) {
  EXPECT_EQ(hw::make_ecc(bch())->soft_senses(), 0u);
  EccConfig c = ldpc();
  c.soft_senses = 0;
  EXPECT_EQ(hw::make_ecc(c)->soft_senses(), 0u);
  EXPECT_TRUE(hw::make_ecc(c)->decode(page(31)).uncorrectable);
}

TEST(Ecc, TellsWhichSectorsItCannotCorrect) {
  const double by_sector[] = {41, 3, 40, 900};
  EccInput input = page(900);
  input.errors.by_sector = by_sector;
  input.sectors = 0xF;
  EXPECT_EQ(hw::make_ecc(bch())->decode(input).failed, 0x9u);
  input.sectors = 0x6;
  input.errors.worst = 40;
  EXPECT_EQ(hw::make_ecc(bch())->decode(input).failed, 0u);
  input.errors = page(41).errors;
  EXPECT_EQ(hw::make_ecc(bch())->decode(input).failed, 0x6u) << "all, where they are not told apart";
}

TEST(Ecc, DecodesSideBySideWhenTheEngineTakesInAnything) {
  const auto ecc = hw::make_ecc(bch());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ecc->decode(page(0)).latency, us(1) / 2);
}

/// Lindley's recursion: what comes waits for what the engine has not taken in yet.
TEST(Ecc, LetsDataWaitForTheEngine) {
  EccConfig c = bch();
  c.throughput = 400'000'000; // 40.96 us per page
  const auto ecc = hw::make_ecc(c);
  constexpr TimePs kIntake = 40'960'000;
  TimePs free = 0;
  std::mt19937 random(1);
  TimePs at = 0;
  for (int i = 0; i < 1000; ++i) {
    at += us(random() % 100);
    const double worst = static_cast<double>(random() % 41);
    free = std::max(at, free) + kIntake;
    const TimePs decoding = us(1) / 2 + static_cast<TimePs>(96.3e6 * (worst / 40));
    EXPECT_EQ(ecc->decode(page(worst, at)).latency, free - at + decoding) << i;
  }
}

// Poisson arrivals at a server of constant time: the mean wait is rho S / (2 (1 - rho)).
TEST(Ecc, WaitsAsLongAsAnMD1QueueWithEitherCode) {
  for (const auto& [code, rho] : {std::pair(bch(), 0.5), {bch(), 0.8}, {ldpc(), 0.5}, {ldpc(), 0.8}}) {
    EccConfig c = code;
    c.throughput = 400'000'000;
    const auto ecc = hw::make_ecc(c);
    constexpr double kIntake = 40'960'000;
    std::mt19937_64 random(7);
    std::exponential_distribution<double> gap(rho / kIntake);
    double at = 0;
    double wait = 0;
    constexpr int kPages = 400'000;
    for (int i = 0; i < kPages; ++i) {
      at += gap(random);
      wait += static_cast<double>(ecc->decode(page(0, static_cast<TimePs>(at))).latency) - kIntake -
              static_cast<double>(c.fastest);
    }
    EXPECT_NEAR(wait / kPages / kIntake, rho / (2 * (1 - rho)), 0.03 * rho / (2 * (1 - rho))) << rho;
  }
}

} // namespace
} // namespace twinplane::test::ecc_test
