// Does the SLC-mode cache do what its three schemes say?
#include <cmath>
#include <vector>

#include "tests/support/ftl_cached.h"

namespace twinplane::test::slc_cache_test {
namespace {

constexpr std::uint32_t kSectorsPerSubpage = 2;

/// One plane of 24 blocks; six blocks of 8 SLC-mode pages are the cache.
FtlBenchConfig one_plane(const char* scheme) {
  FtlBenchConfig c = cached_drive(scheme);
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  return c;
}

fw::SlcCache& cache_of(FtlBench& b) {
  return *b.ftl().state.policy.cache;
}

/// Writes `count` subpages and waits.
void write(FtlBench& b, std::uint32_t lpn, std::uint32_t subpage, std::uint32_t count = 1) {
  b.write((std::uint64_t{lpn} * 4 + subpage) * kSectorsPerSubpage, count * kSectorsPerSubpage);
  b.settle();
}

Ppn page_of(FtlBench& b, std::uint32_t lpn, std::uint32_t subpage) {
  return cache_of(b).units->map.page_of(cache_of(b).units->map.at(lpn, subpage));
}
std::uint32_t level_of(FtlBench& b, std::uint32_t lpn, std::uint32_t subpage) {
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const Ppn ppn = page_of(b, lpn, subpage);
  return cache_of(b).units->map.sums(blocks.plane_of(ppn), blocks.block_of(ppn)).level;
}

TEST(SlcCacheBaseline, GivesEachWriteAPageOfItsOwn) {
  FtlBench b(one_plane("slc_cache"));
  ASSERT_EQ(b.error(), nullptr) << b.error();
  write(b, 0, 0);
  const Ppn first = page_of(b, 0, 0);
  write(b, 0, 0);
  write(b, 1, 2);
  EXPECT_NE(page_of(b, 0, 0), first);
  EXPECT_NE(page_of(b, 1, 2), page_of(b, 0, 0));
  EXPECT_TRUE(b.ftl().state.blocks.slc_mode(first));
  EXPECT_EQ(b.hal().flash().most_programs(), 1u);
}

TEST(SlcCacheMga, PacksSubpagesOfDifferentPagesUntilAPageIsFull) {
  FtlBench b(one_plane("mga"));
  for (const std::uint32_t lpn : {3, 5, 7, 9}) write(b, lpn, lpn % 4);
  for (const std::uint32_t lpn : {5, 7, 9}) EXPECT_EQ(page_of(b, lpn, lpn % 4), page_of(b, 3, 3));
  write(b, 11, 0, 3);
  write(b, 13, 0, 3); // one subpage fits, two go to the next page
  EXPECT_EQ(page_of(b, 13, 0), page_of(b, 11, 2));
  EXPECT_NE(page_of(b, 13, 1), page_of(b, 13, 0));
  EXPECT_EQ(page_of(b, 13, 2), page_of(b, 13, 1));
  EXPECT_EQ(b.hal().flash().most_programs(), 4u);
}

TEST(SlcCacheIpu, RewritesAPageUntilItIsFullAndThenGoesOneLevelUp) {
  FtlBench b(one_plane("ipu"));
  for (std::uint32_t level = 1; level <= 4; ++level) {
    write(b, 6, 1);
    const Ppn page = page_of(b, 6, 1);
    EXPECT_EQ(level_of(b, 6, 1), std::min(level, fw::kCacheLevels));
    for (std::uint32_t update = 0; update < 3; ++update) {
      write(b, 6, 1);
      EXPECT_EQ(page_of(b, 6, 1), page) << "update " << update << " of level " << level;
    }
  }
  const fw::CacheCounters& s = b.statistics().cache;
  EXPECT_EQ(s.new_writes, 1u);
  EXPECT_EQ(s.in_page, 12u);
  EXPECT_EQ(s.updates[1], 3u); // in page
  EXPECT_EQ(s.updates[2], 4u); // in a new page, then in page
  EXPECT_EQ(s.updates[3], 8u);
  EXPECT_EQ(s.disturbed_in_page, 0u);
}

TEST(SlcCacheIpu, CountsTheFreeSubpagesByAtMostOrByLess) {
  for (const bool at_most : {true, false}) {
    FtlBenchConfig c = one_plane("ipu");
    c.ftl.slc_cache.at_most = at_most;
    FtlBench b(c);
    write(b, 2, 0, 2);
    const Ppn page = page_of(b, 2, 0);
    write(b, 2, 0, 2);
    EXPECT_EQ(page_of(b, 2, 0) == page, at_most);
  }
}

TEST(SlcCacheIpu, TakesNoMoreProgramsThanThePageStands) {
  FtlBenchConfig c = one_plane("ipu");
  c.ftl.slc_cache.partial_programs = 2;
  FtlBench b(c);
  write(b, 2, 0);
  const Ppn page = page_of(b, 2, 0);
  write(b, 2, 0);
  EXPECT_EQ(page_of(b, 2, 0), page);
  write(b, 2, 0);
  EXPECT_NE(page_of(b, 2, 0), page);
}

// Subset: what is not rewritten stays where it is, and suffers. Union: it is written again as well.
TEST(SlcCacheIpu, DisturbsValidSubpagesWhereTheyAreNotRewritten) {
  for (const bool whole : {false, true}) {
    FtlBenchConfig c = one_plane("ipu");
    c.ftl.slc_cache.union_update = whole;
    FtlBench b(c);
    write(b, 4, 0, 2);
    write(b, 4, 1);
    EXPECT_EQ(page_of(b, 4, 0), page_of(b, 4, 1));
    EXPECT_EQ(b.statistics().cache.disturbed_in_page, whole ? 0u : 1u);
  }
}

TEST(SlcCacheUnion, NeverDisturbsAValidSubpageInItsPage) {
  for (const char* scheme : {"slc_cache", "ipu"}) {
    FtlBenchConfig c = cached_drive(scheme);
    c.ftl.slc_cache.union_update = true;
    c.shuffle = true;
    Mix mix;
    mix.operations = 60'000;
    mix.max_sectors = 6;
    FtlBench b(c);
    run_random(b, mix, 7);
    if (HasFatalFailure()) return;
    EXPECT_GT(b.statistics().cache.collections, 500u);
    EXPECT_EQ(b.statistics().cache.disturbed_in_page, 0u) << scheme;
  }
}

TEST(SlcCacheLevels, OfMovedDataStayWithAnUpdateAndFallWithoutOne) {
  FtlBench b(one_plane("ipu"));
  const fw::CacheScheme& ipu = cache_of(b).scheme();
  for (std::uint32_t level = 1; level <= fw::kCacheLevels; ++level) {
    EXPECT_EQ(ipu.level_of_move(level, true), level);
    EXPECT_EQ(ipu.level_of_move(level, false), level - 1);
  }
  EXPECT_EQ(ipu.level_of_update(0), fw::kWork);
  EXPECT_EQ(ipu.level_of_update(fw::kCacheLevels), fw::kCacheLevels);
}

// Figure 4(a): of two blocks of 16 subpages, six of which are invalid, the one with a cold valid subpage goes
// first.
TEST(InvalidSubpageRatio, WeighsColdSubpagesAsThePaperDoes) {
  const fw::ColdSubpages cold[] = {{1, std::log(10.0)}};
  EXPECT_NEAR(fw::cold_weight(cold, 1, 1.0), 0.9, 1e-12);
  EXPECT_DOUBLE_EQ(fw::invalid_subpage_ratio(6, 0, 16), 6.0 / 16);
  EXPECT_NEAR(fw::invalid_subpage_ratio(6, fw::cold_weight(cold, 1, 1.0), 16), 6.9 / 16, 1e-12);
  const fw::ColdSubpages two[] = {{2, 3.0}, {1, 1.0}};
  EXPECT_NEAR(fw::cold_weight(two, 2, 2.0), 2 * (1 - std::exp(-1.5)) + (1 - std::exp(-0.5)), 1e-12);
  EXPECT_EQ(fw::cold_weight(two, 2, 0.0), 0.0) << "nothing has happened since";
}

// The same in a drive, with 4 pages of 4 subpages per block. Block 0: six invalid, all valid ones in updated
// pages. Block 1: six invalid, one valid subpage in a page that was never updated.
TEST(InvalidSubpageRatio, ChoosesTheBlockWithAColdSubpage) {
  FtlBenchConfig c = one_plane("ipu");
  c.ftl.geometry.pages_per_block = 8;
  c.ftl.slc_cache.gc_threshold = 0;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  write(b, 10, 0); // block 0
  for (std::uint32_t lpn = 0; lpn < 3; ++lpn) write(b, lpn, 0, 2);
  for (std::uint32_t lpn = 0; lpn < 3; ++lpn) write(b, lpn, 0, 2); // six invalid, all in updated pages
  write(b, 10, 0);                                                 // updated as well: one more invalid ...
  write(b, 11, 0);                                                 // block 1, cold
  for (std::uint32_t lpn = 3; lpn < 6; ++lpn) write(b, lpn, 0, 2);
  for (std::uint32_t lpn = 3; lpn < 6; ++lpn) write(b, lpn, 0, 2);
  const fw::SlcCache& cache = cache_of(b);
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  const std::uint32_t plain = blocks.block_of(page_of(b, 10, 0));
  const std::uint32_t with_cold = blocks.block_of(page_of(b, 11, 0));
  ASSERT_NE(plain, with_cold);
  // 14 writes before the clock of now, 14: stamps of block 1 are those of the last updates, 8 for the cold
  // page
  EXPECT_NEAR(cache.scheme().victim_score(0, plain, 14), 7.0 / 16, 1e-12);
  // used 1, 4, 4, 4 subpages with stamps 9 and 13 to 15
  const double now = 20;
  const double mean = (1 * (now - 9) + 4 * (now - 13) + 4 * (now - 14) + 4 * (now - 15)) / 13;
  const double expected = (6 + 1 - std::exp(-(now - 9) / mean)) / 16;
  EXPECT_NEAR(cache.scheme().victim_score(0, with_cold, 20), expected, 1e-12);
  EXPECT_GT(expected, 6.0 / 16);
}

TEST(SlcCacheFootprint, IsThatOfThePaper) {
  fw::CacheSize size;
  size.logical_pages = 65536.0 * 128;
  size.cache_blocks = 0.05 * 65536;
  size.pages_per_cache_block = 64;
  size.subpages = 4;
  double mapping[3];
  int i = 0;
  for (const char* scheme : {"slc_cache", "mga", "ipu"}) {
    FtlBench b(one_plane(scheme));
    const fw::CacheFootprint f = cache_of(b).scheme().footprint(size);
    mapping[i++] = f.mapping;
    EXPECT_NEAR(f.labels, scheme[0] == 'i' ? 819.2 : 0, 1e-9);
    EXPECT_NEAR(f.isr, scheme[0] == 'i' ? 819.2 * 1024 : 0, 1e-6);
  }
  EXPECT_GT(mapping[1] / mapping[0], 1.1);
  EXPECT_LT(mapping[2] / mapping[0], 1.01);
}

TEST(SlcCacheUtilisation, OfPackedPagesIsNearlyAll) {
  double used[3];
  int i = 0;
  for (const char* scheme : {"slc_cache", "ipu", "mga"}) {
    FtlBench b(cached_drive(scheme));
    Mix mix;
    mix.operations = 40'000;
    mix.max_sectors = 4;
    mix.write_percent = 90;
    mix.trim_percent = mix.zero_percent = mix.flush_percent = 0;
    run_random(b, mix, 9);
    const fw::CacheCounters& s = b.statistics().cache;
    used[i++] = static_cast<double>(s.collected_used) / static_cast<double>(s.collected_subpages);
  }
  EXPECT_GE(used[2], 0.995);
  EXPECT_GT(used[1], used[0]);
}

// Functional writes are decided as timed ones: one at a time, in places that the address names, both leave
// the same map.
TEST(SlcCacheUntimed, WritesGoWhereTimedOnesGo) {
  for (const char* scheme : {"slc_cache", "mga", "ipu"}) {
    for (const bool native : {false, true}) {
      FtlBenchConfig c = cached_drive(scheme);
      c.ftl.plane_allocation = "CWDP";
      c.ftl.slc_cache.full_to_native = native;
      FtlBench timed(c);
      FtlBench untimed(c);
      fw::Random random(5);
      const std::uint32_t pages = timed.ftl().state.exported_pages;
      for (std::uint32_t i = 0; i < 3 * pages; ++i) {
        const std::uint32_t lpn = random.below(pages);
        write(timed, lpn, 0, 4);
        ASSERT_EQ(untimed.precondition(lpn), nullptr);
      }
      timed.check_all(true);
      untimed.check_all(false);
      EXPECT_EQ(timed.statistics().cache.evicted_pages == 0, native);
      std::uint32_t differ = 0;
      for (std::uint32_t lpn = 0; lpn < pages; ++lpn)
        differ += cache_of(timed).units->map.at(lpn, 0) != cache_of(untimed).units->map.at(lpn, 0) ? 1 : 0;
      EXPECT_EQ(differ, 0u) << scheme;
    }
  }
}

// Half of the data are never written again: without levelling their blocks are never erased.
TEST(SlcCacheWear, StaysLevelWhereDataLieStill) {
  double spread[2];
  std::uint64_t worn_for_level = 0;
  for (const std::uint32_t gap : {0u, 4u}) {
    FtlBenchConfig c = one_plane("slc_cache");
    c.ftl.slc_cache.wear_gap = gap;
    FtlBench b(c);
    const std::uint32_t pages = b.ftl().state.exported_pages;
    for (std::uint32_t lpn = 0; lpn < pages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
    fw::Random random(3);
    for (std::uint32_t i = 0; i < 8000; ++i) ASSERT_EQ(b.precondition(random.below(pages / 2)), nullptr);
    b.check_all(false);
    const fw::CacheGauges& g = b.statistics().cached;
    spread[gap == 0 ? 0 : 1] = g.wear_most - g.wear_least;
    worn_for_level = b.statistics().cache.wear_collections;
    EXPECT_EQ(worn_for_level == 0, gap == 0);
    EXPECT_EQ(b.statistics().pages_programmed[static_cast<int>(fw::ProgramCause::wear)] == 0, gap == 0);
  }
  EXPECT_GT(spread[0], 20.0);
  EXPECT_LE(spread[1], 8.0);
}

// Writes that pass a full cache share native pages.
TEST(SlcCachePast, CountsNativePagesOnceThatSeveralWritesFill) {
  FtlBenchConfig c = cached_drive("packed_pslc");
  c.ftl.slc_cache.direct_when_full = true;
  FtlBench b(c);
  const std::uint32_t pages = b.ftl().state.exported_pages;
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) {
    while (b.free_slots() == 0) ASSERT_TRUE(b.step());
    b.write(std::uint64_t{lpn} * 4 * kSectorsPerSubpage, kSectorsPerSubpage);
  }
  b.settle();
  const fw::FtlStatistics& s = b.statistics();
  const fw::RegionCounters& native = s.regions[fw::kNative];
  EXPECT_GT(s.cache.native_host_pages, 0u);
  EXPECT_LE(s.cache.native_host_pages, native.host_pages + native.moved_pages);
}

TEST(SlcCacheWear, IsNeverMoreThanTheErases) {
  FtlBench b(one_plane("slc_cache"));
  for (std::uint32_t i = 0; i < 100; ++i) {
    b.write(std::uint64_t{i % 3} * 4 * kSectorsPerSubpage, kSectorsPerSubpage);
    while (b.step())
      ASSERT_LE(b.statistics().cached.wear_most, b.ftl().state.blocks.most_erases()) << "write " << i;
  }
  EXPECT_GT(b.ftl().state.blocks.most_erases(), 0u);
}

TEST(SlcCacheWear, CountsSlcErasesByTheirWeight) {
  FtlBenchConfig c = one_plane("slc_cache");
  c.ftl.slc_cache.endurance = 8;
  FtlBench b(c);
  for (std::uint32_t i = 0; i < 400; ++i) write(b, i % 3, 0);
  const fw::FtlStatistics& s = b.statistics();
  ASSERT_GT(s.regions[fw::kCache].erases, 30u);
  ASSERT_EQ(s.regions[fw::kNative].erases, 0u);
  EXPECT_NEAR(s.cached.wear_mean * 24, static_cast<double>(s.regions[fw::kCache].erases) / 8, 1e-9);
}

TEST(SlcCacheRefuses, WhatItCannotWorkWithByName) {
  const auto error_of = [](void (*change)(fw::FtlConfig&), const char* scheme = "ipu") {
    FtlBenchConfig c = cached_drive(scheme);
    change(c.ftl);
    const char* const error = fw::check_config(c.ftl);
    return std::string(error == nullptr ? "" : error);
  };
  const auto names = [](const std::string& error, const char* key) { return error.find(key) == 0; };
  EXPECT_EQ(error_of([](fw::FtlConfig&) {}), "");
  EXPECT_TRUE(names(error_of([](fw::FtlConfig& f) { f.geometry.cell = CellType::slc; }), "nand.cell"));
  EXPECT_TRUE(names(error_of([](fw::FtlConfig& f) { f.geometry.subpages_per_page = 1; }),
                    "geometry.subpages_per_page"));
  const auto once = [](fw::FtlConfig& f) { f.slc_cache.partial_programs = 1; };
  EXPECT_TRUE(names(error_of(once), "nand.partial_programs"));
  EXPECT_TRUE(names(error_of(once, "mga"), "nand.partial_programs"));
  EXPECT_EQ(error_of(once, "slc_cache"), "");
  EXPECT_TRUE(names(error_of([](fw::FtlConfig& f) { f.block_allocation = "twin"; }), "ftl.block_allocation"));
  EXPECT_TRUE(names(error_of([](fw::FtlConfig& f) { f.relocation = "ubs"; }), "ftl.relocation"));
  EXPECT_TRUE(names(error_of([](fw::FtlConfig& f) { f.classifier = "hot_size"; }), "ftl.classifier"));
  EXPECT_TRUE(
      names(error_of([](fw::FtlConfig& f) { f.slc_cache.share = 0.9; }), "geometry.blocks_per_plane"));
}

} // namespace
} // namespace twinplane::test::slc_cache_test
