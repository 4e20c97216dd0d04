// Do the schemes of an SLC-mode cache keep every promise before native blocks of three and four bits per
// cell? All data are held against the shadow, and the accounts of both regions against a recount in every
// step.
#include <string>
#include <tuple>

#include "tests/support/ftl_cached.h"

namespace twinplane::test::ftl_cached_cells_test {
namespace {

using Case = std::tuple<const char*, CellType>;

class CachedCells : public ::testing::TestWithParam<Case> {
 protected:
  static FtlBenchConfig drive() {
    const auto [scheme, cell] = GetParam();
    FtlBenchConfig c = cached_drive(scheme);
    c.ftl.geometry.cell = cell;
    c.ftl.geometry.pages_per_block = 24; // 8 or 6 of them in SLC mode
    c.shuffle = true;
    return c;
  }
};

TEST_P(CachedCells, KeepTheShadowThroughManySmallUpdates) {
  FtlBench b(drive());
  Mix mix;
  mix.operations = at_depth(200'000, 4);
  mix.check_every = 50'000;
  mix.max_sectors = 6;
  mix.write_percent = 80;
  mix.trim_percent = mix.zero_percent = 1;
  mix.flush_percent = 0;
  run_random(b, mix, 5);
  const fw::FtlStatistics& s = b.statistics();
  EXPECT_GT(s.cache.evicted_pages, at_depth(1000, 4));
  EXPECT_GT(s.regions[fw::kNative].erases, at_depth(100, 4));
  EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
  EXPECT_FALSE(s.read_only);
  EXPECT_LE(b.hal().flash().most_programs(), 4u);
}

// A block in SLC mode has a page per wordline, of the first type; native blocks have all types alike.
TEST_P(CachedCells, UseAPageOfEachWordlineInTheCacheAndAllInNativeBlocks) {
  FtlBench b(drive());
  const std::uint32_t bits = static_cast<std::uint32_t>(std::get<1>(GetParam()));
  for (std::uint64_t lba = 0; lba + 8 <= b.sectors(); lba += 8) {
    b.write(lba, 8);
    b.settle();
  }
  const fw::BlockTable& blocks = b.ftl().state.blocks;
  EXPECT_EQ(blocks.region_pages(fw::kCache), 24 / bits);
  EXPECT_EQ(blocks.region_pages(fw::kNative), 24u);
  const fw::FtlStatistics& s = b.statistics();
  const std::uint64_t native = s.regions[fw::kNative].host_pages + s.regions[fw::kNative].moved_pages;
  const std::uint64_t cache = s.regions[fw::kCache].host_pages + s.regions[fw::kCache].moved_pages;
  EXPECT_GT(native, 1000u);
  std::uint64_t upper = 0;
  for (std::uint32_t t = 1; t < bits; ++t) upper += s.programs_by_type[t];
  EXPECT_EQ(s.programs_by_type[0] + upper, native + cache);
  // filled blocks have as many of each type; open ones, two per plane, differ by less than a block
  EXPECT_NEAR(static_cast<double>(upper), static_cast<double>(native) * (bits - 1) / bits,
              8.0 * 2 * 24 / bits);
}

TEST_P(CachedCells, ReportWhatCannotBeReadAndNeverWrongData) {
  FtlBench b(drive());
  b.hal().flash().fail_reads(2, 9);
  Mix mix;
  mix.operations = 20000;
  mix.max_sectors = 16;
  run_random(b, mix, 9);
  EXPECT_GT(b.failed_reads(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Each, CachedCells,
                         ::testing::Combine(::testing::Values("slc_cache", "mga", "ipu", "packed_pslc"),
                                            ::testing::Values(CellType::tlc, CellType::qlc)),
                         [](const auto& drive) {
                           const bool tlc = std::get<1>(drive.param) == CellType::tlc;
                           return std::string(std::get<0>(drive.param)) + (tlc ? "_tlc" : "_qlc");
                         });

} // namespace
} // namespace twinplane::test::ftl_cached_cells_test
