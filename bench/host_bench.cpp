// What does a request cost on the measuring side: latency histogram, shadow of the data?
#include <benchmark/benchmark.h>

#include <vector>

#include "platform/host/shadow.h"
#include "platform/report/latency_histogram.h"
#include "platform/workload/random.h"

namespace twinplane::bench {
namespace {

constexpr std::uint64_t kSectors = 4u << 20;

/// `below(limit)` for many requests, drawn before the clock runs.
std::vector<std::uint64_t> random_numbers(std::uint64_t limit) {
  platform::Random random(1);
  std::vector<std::uint64_t> numbers(1u << 16);
  for (std::uint64_t& n : numbers) n = random.below(limit);
  return numbers;
}

void latency_record(benchmark::State& state) {
  const std::vector<std::uint64_t> latencies = random_numbers(10'000'000'000);
  platform::LatencyHistogram histogram;
  std::size_t i = 0;
  for (auto _ : state) histogram.record(latencies[i++ & 0xFFFF]);
  benchmark::DoNotOptimize(histogram);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(latency_record);

void latency_percentile(benchmark::State& state) {
  platform::LatencyHistogram histogram;
  for (const std::uint64_t latency : random_numbers(10'000'000'000)) histogram.record(latency);
  for (auto _ : state) benchmark::DoNotOptimize(histogram.percentile(platform::kP99));
}
BENCHMARK(latency_percentile);

/// One sector written, then read back and checked.
void shadow_write_and_check(benchmark::State& state) {
  const std::vector<std::uint64_t> lbas = random_numbers(kSectors);
  platform::ShadowConfig config;
  config.sectors = kSectors;
  platform::Shadow shadow(config);
  std::size_t i = 0;
  for (auto _ : state) {
    const std::uint64_t lba = lbas[i++ & 0xFFFF];
    const SectorTag tag{lba, shadow.begin_write(lba)};
    shadow.end_write(lba, true);
    shadow.check(lba, shadow.snapshot(lba), tag);
  }
  state.SetItemsProcessed(state.iterations());
  if (shadow.mismatches() != 0) state.SkipWithError("the shadow disagrees with itself");
}
BENCHMARK(shadow_write_and_check);

} // namespace
} // namespace twinplane::bench
