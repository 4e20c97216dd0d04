// The models behind a workload profile against closed forms and counting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "platform/config/error.h"
#include "platform/trace/burst_meter.h"
#include "platform/workload/address/address_model.h"
#include "platform/workload/arrival/arrival_model.h"
#include "platform/workload/profile_source.h"
#include "platform/workload/shuffled_bag.h"
#include "platform/workload/size/size_model.h"

namespace twinplane::platform::profile_models_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(ShuffledBag, GivesEachColourExactlyItsShare) {
  ShuffledBag bag({70.0, 20.0, 10.0}, 1000);
  Random random(3);
  std::array<int, 3> count{};
  for (int i = 0; i < 1000; ++i) ++count[bag.draw(random)];
  EXPECT_THAT(count, testing::ElementsAre(700, 200, 100));
}

TEST(ShuffledBag, SharesOutWhatDoesNotDivideByLargestRemainders) {
  ShuffledBag bag({1.0, 1.0, 1.0}, 100);
  EXPECT_EQ(bag.planned(0) + bag.planned(1) + bag.planned(2), 100u);
  EXPECT_GE(bag.planned(2), 33u);
}

TEST(SizeModel, UniformDrawsEverySectorCountAlike) {
  SizeSpec spec;
  spec.model = "uniform";
  spec.smallest = 1024;
  spec.largest = 2560;
  const auto model = make_size_model(spec, 0);
  Random random(1);
  std::map<std::uint32_t, int> count;
  for (int i = 0; i < 40000; ++i) ++count[model->draw(random)];
  ASSERT_EQ(count.size(), 4u);
  for (const auto& [bytes, n] : count) EXPECT_NEAR(n, 10000, 5 * std::sqrt(10000 * 0.75)) << bytes;
}

// --- addresses -----------------------------------------------------------------------------------------

std::vector<std::uint64_t> counts_of(const AddressSpec& spec, const AddressRange& range) {
  const auto model = make_address_model(spec, range);
  Random random(9);
  std::vector<std::uint64_t> counts(range.addresses);
  for (std::uint64_t i = 0; i < range.requests; ++i) ++counts.at(model->draw(random));
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

AddressSpec curve(std::vector<HistogramPoint> points) {
  AddressSpec spec;
  spec.model = "histogram";
  spec.histogram = std::move(points);
  return spec;
}

// 1 address with 60 requests, 3 with 10 each, 10 with 1 each.
TEST(HistogramAddress, ReplaysTheCurveExactly) {
  const auto counts = counts_of(curve({{1, 60}, {4, 90}, {14, 100}}), {14, 100, 7});
  EXPECT_THAT(counts, testing::ElementsAre(60, 10, 10, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(HistogramAddress, KeepsTheCountsWhenAddressesAndRequestsGrowAlike) {
  const auto counts = counts_of(curve({{1, 60}, {4, 90}, {14, 100}}), {1400, 10000, 7});
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 60u), 100);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 10u), 300);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 1u), 1000);
}

TEST(HistogramAddress, HoldsAllRequestsOnFewerAddressesThanPoints) {
  const auto counts = counts_of(curve({{1, 60}, {4, 90}, {14, 100}}), {2, 50, 7});
  EXPECT_EQ(counts[0] + counts[1], 50u);
  EXPECT_GE(counts[0], 30u); // the hottest keeps at least its share
}

TEST(HistogramAddress, OrderHasNoDrift) {
  const AddressSpec spec = curve({{1, 500}, {501, 1000}});
  const auto model = make_address_model(spec, {501, 1000, 7});
  Random random(1);
  std::map<std::uint64_t, int> first_half;
  for (int i = 0; i < 500; ++i) ++first_half[model->draw(random)];
  int hottest = 0;
  for (const auto& [address, n] : first_half) hottest = std::max(hottest, n);
  EXPECT_NEAR(hottest, 250, 5 * std::sqrt(500 * 0.25));
}

TEST(UpdateAddress, HasExactlyTheNewAddressesAskedFor) {
  AddressSpec spec;
  spec.model = "update";
  spec.updates = 0.8;
  EXPECT_EQ(distinct_addresses(spec, 10000, 1 << 20), 2000u);
  const auto counts = counts_of(spec, {2000, 10000, 7});
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0u), 0);
}

// A request is new with the same probability throughout, so the expected number of uses of the j-th new
// address is 1 + sum over later updates of 1/k: early ones collect more.
TEST(UpdateAddress, ChoosesEvenlyAmongTheAddressesUsedBefore) {
  AddressSpec spec;
  spec.model = "update";
  spec.updates = 0.5;
  constexpr std::uint64_t kNew = 1000;
  double first = 0.0;
  constexpr int kRuns = 200;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto model = make_address_model(spec, {kNew, 2 * kNew, seed});
    Random random(seed + 50);
    const std::uint64_t oldest = model->draw(random);
    int uses = 1;
    for (std::uint64_t i = 1; i < 2 * kNew; ++i) uses += model->draw(random) == oldest ? 1 : 0;
    first += static_cast<double>(uses) / kRuns;
  }
  double harmonic = 0.0;
  for (std::uint64_t k = 1; k <= kNew; ++k) harmonic += 1.0 / static_cast<double>(k);
  EXPECT_NEAR(first, 1.0 + harmonic, 0.15 * harmonic); // one update for each new address on average
}

TEST(HotAddress, RegionsTakeTheirShares) {
  AddressSpec spec;
  spec.model = "hot";
  spec.regions = {{90.0, 10.0}, {10.0, 90.0}};
  const auto model = make_address_model(spec, {1000, 0, 1});
  Random random(4);
  int hot = 0;
  for (int i = 0; i < 20000; ++i) hot += model->draw(random) < 100 ? 1 : 0;
  EXPECT_NEAR(hot, 18000, 5 * std::sqrt(20000 * 0.09));
}

// --- arrivals ------------------------------------------------------------------------------------------

std::vector<std::uint64_t> arrivals_of(const ArrivalSpec& spec, std::uint64_t requests) {
  const auto model = make_arrival_model(spec, requests);
  Random random(2);
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < requests; ++i) times.push_back(model->next(random));
  return times;
}

ArrivalSpec arrival(const char* model, double rate) {
  ArrivalSpec spec;
  spec.model = model;
  spec.rate = rate;
  return spec;
}

double squared_variation(const std::vector<std::uint64_t>& times) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < times.size(); ++i) gaps.push_back(static_cast<double>(times[i] - times[i - 1]));
  const double mean = std::accumulate(gaps.begin(), gaps.end(), 0.0) / static_cast<double>(gaps.size());
  double squares = 0.0;
  for (const double gap : gaps) squares += (gap - mean) * (gap - mean);
  return squares / static_cast<double>(gaps.size()) / (mean * mean);
}

double bias_of(const std::vector<std::uint64_t>& times) {
  BurstMeter meter;
  for (const std::uint64_t time : times) meter.add(time);
  return meter.bias();
}

TEST(Arrival, EveryModelKeepsTimeAndItsRate) {
  for (const ArrivalModelRow& row : arrival_models()) {
    if (std::string(row.name) == "none") continue;
    const auto times = arrivals_of(arrival(row.name, 5000.0), 200'000);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end())) << row.name;
    EXPECT_NEAR(static_cast<double>(times.back()) * 1e-9, 40.0, 0.05 * 40.0) << row.name;
  }
}

TEST(Arrival, PoissonVariesAsAnExponential) {
  EXPECT_NEAR(squared_variation(arrivals_of(arrival("poisson", 1000.0), 200'000)), 1.0, 0.02);
}

// Interrupted Poisson process (no arrivals outside bursts): c^2 = 1 + 2 r w1 / (w1 + w2)^2 with r the rate in
// bursts, w1 and w2 the rates of leaving a burst and a pause (Fischer and Meier-Hellstern, 1993).
TEST(Arrival, MmppWithSilentPausesHasTheVariationOfAnInterruptedPoissonProcess) {
  ArrivalSpec spec = arrival("mmpp", 1000.0);
  spec.burst_rate = 5.0;
  spec.burst_share = 0.2;
  spec.burst_length_ns = 2'000'000;
  const double leave_burst = 1 / 2e-3;
  const double leave_pause = 1 / 8e-3;
  const double expected = 1 + 2 * 5000.0 * leave_burst / std::pow(leave_burst + leave_pause, 2);
  EXPECT_NEAR(squared_variation(arrivals_of(spec, 500'000)), expected, 0.05 * expected);
}

TEST(Arrival, BModelSplitsEveryHalfByItsBias) {
  ArrivalSpec spec = arrival("b_model", 1000.0);
  spec.bias = 0.8;
  constexpr std::uint64_t kRequests = 1 << 16;
  const auto times = arrivals_of(spec, kRequests);
  const auto span = static_cast<std::uint64_t>(kRequests * 1e6);
  // Requests of each eighth, sorted, are the products of three factors 0.8 or 0.2.
  std::vector<double> shares(8);
  for (const std::uint64_t time : times)
    shares[std::min<std::uint64_t>(7, time * 8 / span)] += 1.0 / kRequests;
  std::sort(shares.begin(), shares.end());
  const std::vector<double> expected{0.008, 0.032, 0.032, 0.032, 0.128, 0.128, 0.128, 0.512};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(shares[i], expected[i], 1e-4) << i;
}

TEST(BurstMeter, FindsTheBiasOfABModel) {
  for (const double bias : {0.6, 0.7, 0.8}) {
    ArrivalSpec spec = arrival("b_model", 1000.0);
    spec.bias = bias;
    EXPECT_NEAR(bias_of(arrivals_of(spec, 200'000)), bias, 0.02);
  }
}

TEST(BurstMeter, CallsPoissonArrivalsUnbiased) {
  EXPECT_NEAR(bias_of(arrivals_of(arrival("poisson", 1000.0), 200'000)), 0.5, 0.03);
}

TEST(BurstMeter, SaysNothingAboutTooLittle) {
  EXPECT_EQ(bias_of({1, 2, 3}), 0.5);
  EXPECT_EQ(bias_of(std::vector<std::uint64_t>(5000, 17)), 0.5);
}

// --- the stream ----------------------------------------------------------------------------------------

Profile small_profile() {
  Profile profile;
  profile.requests = 10'000;
  profile.writes = 0.3;
  profile.footprint = 16 * kMiB;
  profile.offset = 3 * kMiB;
  profile.write.size.mix = {{4096, 60.0}, {65536, 40.0}};
  profile.write.address.model = "zipf";
  profile.read.address.sequential = 0.5;
  profile.arrival = arrival("b_model", 1000.0);
  return profile;
}

bool same(const IoRecord& a, const IoRecord& b) {
  return a.arrival_ns == b.arrival_ns && a.op == b.op && a.offset == b.offset && a.length == b.length;
}

std::vector<IoRecord> records_of(IoSource& source) {
  std::vector<IoRecord> records;
  IoRecord record;
  while (source.next(record)) records.push_back(record);
  return records;
}

TEST(ProfileSource, GivesTheExactNumbersOfReadsAndWritesAndSizes) {
  const auto source = make_profile_source(small_profile());
  const auto records = records_of(*source);
  ASSERT_EQ(records.size(), 10'000u);
  const auto count = [&](const auto& is) { return std::count_if(records.begin(), records.end(), is); };
  EXPECT_EQ(count([](const IoRecord& r) { return r.op == IoOp::write; }), 3000);
  EXPECT_EQ(count([](const IoRecord& r) { return r.op == IoOp::write && r.length == 65536; }), 1200);
}

TEST(ProfileSource, StaysInsideTheFootprintOnAlignedAddresses) {
  const auto source = make_profile_source(small_profile());
  for (const IoRecord& r : records_of(*source)) {
    EXPECT_GE(r.offset, 3 * kMiB);
    EXPECT_LE(r.offset + r.length, 19 * kMiB);
    EXPECT_EQ(r.offset % 4096, 0u);
  }
}

TEST(ProfileSource, RoundsAreAlikeAndSeedsAreNot) {
  const auto source = make_profile_source(small_profile());
  const auto first = records_of(*source);
  source->rewind();
  const auto second = records_of(*source);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end(), same));
  Profile other = small_profile();
  other.seed = 2;
  const auto changed = make_profile_source(other);
  const auto third = records_of(*changed);
  EXPECT_FALSE(std::equal(first.begin(), first.end(), third.begin(), third.end(), same));
}

TEST(ProfileSource, HalfOfTheReadsGoOn) {
  const auto source = make_profile_source(small_profile());
  std::uint64_t next = 0;
  int reads = 0;
  int sequential = 0;
  for (const IoRecord& r : records_of(*source)) {
    if (r.op != IoOp::read) continue;
    ++reads;
    sequential += r.offset == next ? 1 : 0;
    next = r.offset + r.length;
  }
  EXPECT_NEAR(sequential, 0.5 * reads, 5 * std::sqrt(reads * 0.25));
}

TEST(ProfileScale, AddressesAndFootprintGoAlongWithTheRequestsAndTheRateStays) {
  Profile profile = small_profile();
  profile.write.address.addresses = 1000;
  ProfileScale by;
  by.requests = 5000;
  by.time = 0.1;
  const Profile scaled = scale(profile, by);
  EXPECT_EQ(scaled.write.address.addresses, 500u);
  EXPECT_EQ(scaled.footprint, 8 * kMiB);
  EXPECT_DOUBLE_EQ(scaled.arrival.rate, 10 * profile.arrival.rate); // ten times as intense
}

TEST(ProfileScale, AFootprintWithoutRoomForARequestIsRefused) {
  ProfileScale by;
  by.footprint = 65536;
  EXPECT_THROW(scale(small_profile(), by), InputError);
}

TEST(ProfileScale, WhatDoesNotFit64BitsIsRefused) {
  ProfileScale by;
  by.requests = std::uint64_t{1} << 33;
  EXPECT_THROW(scale(small_profile(), by), InputError);
  by.requests = std::uint64_t{1} << 32;
  Profile slow = small_profile();
  slow.arrival.rate = 1e-3;
  EXPECT_THROW(scale(slow, by), InputError);
}

TEST(ProfileScale, OneRequestIsEnough) {
  ProfileScale by;
  by.requests = 1;
  const auto source = make_profile_source(scale(small_profile(), by));
  EXPECT_EQ(records_of(*source).size(), 1u);
}

} // namespace
} // namespace twinplane::platform::profile_models_test
