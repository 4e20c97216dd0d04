// What does a host request cost in the FTL, over simulated flash without any hardware model? The simulated
// flash and DMA ring (tests/support) are in these figures: compare them with themselves.
#include <benchmark/benchmark.h>

#include "tests/support/ftl_bench.h"

namespace twinplane::bench {
namespace {

constexpr std::uint32_t kDepth = 32;

/// 8 channels x 4 chips x 2 dies x 2 planes of 4 KiB pages, with few and small blocks.
test::FtlBenchConfig drive() {
  test::FtlBenchConfig c;
  Geometry& g = c.ftl.geometry;
  g.channels = 8;
  g.chips_per_channel = 4;
  g.dies_per_chip = 2;
  g.planes_per_die = 2;
  g.blocks_per_plane = 16;
  g.pages_per_block = 64;
  c.ftl.bac = false;
  c.ftl.over_provisioning = 0.3;
  c.ftl.max_requests = kDepth;
  c.slot_sectors = 32;
  c.check_data = false;
  return c;
}

class Drive {
 public:
  Drive() : bench_(drive()), random_(1) {}
  const char* error() const { return bench_.error(); }
  std::uint64_t sectors() const { return bench_.sectors(); }
  std::uint64_t random_lba() { return random_.below(static_cast<std::uint32_t>(sectors())); }

  /// Waits for a free command slot as a host at queue depth kDepth does.
  test::FtlBench& ready() {
    while (bench_.free_slots() == 0) bench_.run_until_interrupt();
    return bench_;
  }
  /// Every sector once, then as many again at random: garbage collection is at work.
  void age() {
    for (std::uint64_t lba = 0; lba + 32 <= sectors(); lba += 32) ready().write(lba, 32);
    for (std::uint64_t i = sectors(); i != 0; --i) ready().write(random_lba(), 1);
  }

 private:
  test::FtlBench bench_;
  fw::Random random_;
};

void ftl_random_read(benchmark::State& state) {
  Drive drive;
  if (drive.error() != nullptr) return state.SkipWithError(drive.error());
  for (std::uint64_t lba = 0; lba + 32 <= drive.sectors(); lba += 32) drive.ready().write(lba, 32);
  for (auto _ : state) drive.ready().read(drive.random_lba(), 1);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ftl_random_read);

void ftl_random_write(benchmark::State& state) {
  Drive drive;
  if (drive.error() != nullptr) return state.SkipWithError(drive.error());
  drive.age();
  for (auto _ : state) drive.ready().write(drive.random_lba(), 1);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ftl_random_write);

/// 128 KiB requests, counted in pages.
void ftl_sequential_write(benchmark::State& state) {
  Drive drive;
  if (drive.error() != nullptr) return state.SkipWithError(drive.error());
  std::uint64_t lba = 0;
  for (auto _ : state) {
    drive.ready().write(lba, 32);
    lba = lba + 64 <= drive.sectors() ? lba + 32 : 0;
  }
  state.SetItemsProcessed(state.iterations() * 32);
}
BENCHMARK(ftl_sequential_write);

} // namespace
} // namespace twinplane::bench
