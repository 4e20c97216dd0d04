// Packed eviction: are native pages filled with subpages of any logical pages, wherever they come from, and
// is that worth what the digest of "IPU" says: fewer native programs than IPU's?
#include "tests/support/ftl_cached.h"

namespace twinplane::test::slc_cache_pack_test {
namespace {

constexpr std::uint32_t kSectorsPerSubpage = 2;

fw::SlcCache& cache_of(FtlBench& b) {
  return *b.ftl().state.policy.cache;
}

std::uint64_t native_programs(FtlBench& b) {
  const fw::RegionCounters& native = b.statistics().regions[fw::kNative];
  return native.host_pages + native.moved_pages;
}

/// Small updates of a drive that is full, one after the other.
std::uint64_t native_programs_of(const char* scheme, std::uint64_t seed) {
  FtlBench b(cached_drive(scheme));
  const std::uint32_t pages = b.ftl().state.exported_pages;
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) EXPECT_EQ(b.precondition(lpn), nullptr);
  const std::uint64_t before = native_programs(b);
  fw::Random random(seed);
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    while (b.free_slots() == 0) EXPECT_TRUE(b.step());
    const std::uint32_t count = 1 + random.below(2);
    const std::uint64_t subpage = random.below(pages * 4 - count);
    b.write(subpage * kSectorsPerSubpage, count * kSectorsPerSubpage);
  }
  b.settle();
  b.check_all(true);
  return native_programs(b) - before;
}

TEST(PackedEviction, TakesFewerNativeProgramsThanIpu) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::uint64_t packed = native_programs_of("packed", seed);
    EXPECT_LT(packed, native_programs_of("ipu", seed));
    EXPECT_LT(packed, native_programs_of("mga", seed));
  }
}

TEST(PackedEviction, TakesFewerNativeProgramsThanTheSameSchemeByPages) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_LT(native_programs_of("packed_slc_cache", seed), native_programs_of("slc_cache", seed));
    EXPECT_LT(native_programs_of("packed_ipu", seed), native_programs_of("ipu", seed));
  }
}

// Four subpages of four logical pages leave the cache in one program.
TEST(PackedEviction, FillsANativePageWithSubpagesOfSeveralLogicalPages) {
  FtlBenchConfig c = cached_drive("packed");
  c.ftl.geometry.channels = 1;
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.planes_per_die = 1;
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  std::uint32_t lpn = 0;
  while (b.statistics().cache.evicted_pages == 0) {
    ASSERT_LT(lpn, b.ftl().state.exported_pages);
    b.write((std::uint64_t{lpn} * 4 + lpn % 4) * kSectorsPerSubpage, kSectorsPerSubpage);
    b.settle();
    ++lpn;
  }
  const fw::CacheCounters& s = b.statistics().cache;
  EXPECT_EQ(s.evicted_subpages, 4 * s.evicted_pages);
  const fw::UnitMap& map = cache_of(b).units->map;
  const Ppn page = map.page_of(map.at(0, 0));
  ASSERT_FALSE(b.ftl().state.blocks.slc_mode(page));
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(map.page_of(map.at(i, i)), page);
    EXPECT_EQ(map.slot_of(map.at(i, i)), i);
  }
  b.check_all(true);
}

// Two pages of which one subpage each is valid: collection of native blocks packs as well.
TEST(PackedEviction, CollectsNativeBlocksWhosePagesAllAreValid) {
  FtlBench b(cached_drive("packed"));
  const std::uint32_t pages = b.ftl().state.exported_pages;
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) ASSERT_EQ(b.precondition(lpn), nullptr);
  fw::Random random(4);
  for (std::uint32_t i = 0; i < 60'000; ++i) { // subpage 0 stays, and with it each page of the first round
    while (b.free_slots() == 0) ASSERT_TRUE(b.step());
    const std::uint64_t subpage = std::uint64_t{random.below(pages)} * 4 + 1 + random.below(3);
    b.write(subpage * kSectorsPerSubpage, kSectorsPerSubpage);
  }
  b.settle();
  b.check_all(true);
  EXPECT_FALSE(b.statistics().read_only);
  EXPECT_GT(b.statistics().regions[fw::kNative].erases, 100u);
}

TEST(PackedEviction, CountsAMapOfAllSubpages) {
  fw::CacheSize size;
  size.logical_pages = 1000;
  size.cache_blocks = 5;
  size.pages_per_cache_block = 8;
  size.subpages = 4;
  FtlBench b(cached_drive("packed"));
  EXPECT_EQ(cache_of(b).scheme().footprint(size).mapping, 4000.0 + 5 * 8 * 4 * 8);
  size.native_by_subpage = true;
  EXPECT_EQ(cache_of(b).scheme().footprint(size).mapping, 16000.0);
  EXPECT_EQ(b.statistics().cached.mapping_bytes, 16.0 * b.ftl().state.exported_pages);
}

TEST(PackedEviction, CountsThatMapForEverySchemeAndNoOffsets) {
  fw::CacheSize size;
  size.logical_pages = 1000;
  size.cache_blocks = 5;
  size.pages_per_cache_block = 8;
  size.subpages = 4;
  size.native_by_subpage = true;
  for (const char* scheme : {"packed_slc_cache", "packed_ipu"}) {
    FtlBench b(cached_drive(scheme));
    EXPECT_EQ(cache_of(b).scheme().footprint(size).mapping, 16000.0) << scheme;
    EXPECT_EQ(b.statistics().cached.mapping_bytes, 16.0 * b.ftl().state.exported_pages) << scheme;
  }
}

// What stays in the cache keeps its level and is moved page by page; the rest is packed.
TEST(PackedEviction, LeavesWhatStaysInTheCacheOnItsLevel) {
  FtlBench b(cached_drive("packed_ipu"));
  Mix mix;
  mix.operations = 30'000;
  mix.max_sectors = 3;
  mix.write_percent = 90;
  run_random(b, mix, 6);
  const fw::CacheCounters& s = b.statistics().cache;
  EXPECT_GT(b.statistics().regions[fw::kCache].moved_pages, 100u) << "within the cache";
  EXPECT_GT(s.evicted_subpages, 2 * s.evicted_pages);
  EXPECT_GT(s.updates[fw::kCacheLevels], 0u);
}

} // namespace
} // namespace twinplane::test::slc_cache_pack_test
