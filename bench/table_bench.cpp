// What do the firmware's tables cost: map, and block allocation with the life cycle of blocks?
#include <benchmark/benchmark.h>

#include "firmware/ftl/map/page_map.h"
#include "firmware/ftl/random.h"
#include "tests/support/ftl_bench.h"

namespace twinplane::bench {
namespace {

constexpr std::uint32_t kPages = 4u << 20; // a drive of 16 GiB: 16 MB of map, more than a cache

/// Some addresses, drawn before the clock runs.
std::vector<std::uint32_t> random_lpns() {
  fw::Random random(1);
  std::vector<std::uint32_t> lpns(1u << 16);
  for (std::uint32_t& lpn : lpns) lpn = random.below(kPages);
  return lpns;
}

struct Map {
  test::SimHal hal{test::SimHalConfig{}};
  fw::BootMemory memory{hal};
  fw::Mapping* pages = fw::make_page_mapping(memory, kPages, false);
};

void map_lookup(benchmark::State& state) {
  const Map map;
  const std::vector<std::uint32_t> lpns = random_lpns();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(map.pages->lookup(lpns[i++ & 0xFFFF]));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(map_lookup);

void map_exchange(benchmark::State& state) {
  Map map;
  const std::vector<std::uint32_t> lpns = random_lpns();
  std::uint32_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.pages->exchange(lpns[i & 0xFFFF], static_cast<Ppn>(i)));
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(map_exchange);

/// Frees every closed block of the plane as if its pages had been overwritten and the block erased.
void recycle(fw::BlockTable& blocks, std::uint32_t plane) {
  for (std::uint32_t b = 0; b < blocks.blocks_per_plane(); ++b) {
    if (blocks.block(plane, b).state != fw::BlockState::closed) continue;
    for (std::uint32_t p = 0; p < blocks.pages_per_block(); ++p) blocks.invalidate(blocks.ppn(plane, b, p));
    blocks.transition(plane, b, fw::BlockState::victim);
    blocks.transition(plane, b, fw::BlockState::erasing);
    blocks.transition(plane, b, fw::BlockState::free);
  }
}

/// A page's life in the tables: named, handed out, valid, invalid, its block erased.
void allocator_page_life(benchmark::State& state) {
  test::FtlBenchConfig config;
  config.ftl.geometry.blocks_per_plane = 256;
  config.ftl.geometry.pages_per_block = 128;
  config.ftl.max_requests = 32;
  config.slot_sectors = 32;
  config.check_data = false;
  test::FtlBench bench(config);
  if (bench.error() != nullptr) return state.SkipWithError(bench.error());
  fw::BlockTable& blocks = bench.ftl().state.blocks;
  fw::BlockAllocation& allocation = *bench.ftl().state.policy.allocation;
  const fw::Placement where;
  for (auto _ : state) {
    fw::PageSlot slot;
    if (!allocation.peek(where, fw::kNoBlock, slot)) {
      recycle(blocks, where.plane);
      if (!allocation.peek(where, fw::kNoBlock, slot)) {
        state.SkipWithError("no page after all blocks were erased");
        break;
      }
    }
    blocks.take_valid_page(where.plane, slot.block, slot.page);
    allocation.take(where, slot);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(allocator_page_life);

} // namespace
} // namespace twinplane::bench
