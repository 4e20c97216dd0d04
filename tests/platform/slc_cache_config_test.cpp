// Are settings of an SLC-mode cache read, and those that contradict each other refused, by name?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "platform/config/convert.h"
#include "platform/config/derived.h"
#include "tests/support/config_text.h"

namespace twinplane::platform::slc_cache_config_test {
namespace {

using test::complaint;
using test::load;
using testing::HasSubstr;

/// A drive with the preset of the scheme, and `more` lines of the section [ftl] and behind.
std::string drive(const std::string& scheme, const std::string& more = "", const std::string& cell = "mlc") {
  const std::size_t part = more.find("[nand]\n"); // its lines join those of the cell
  const std::string cells = part == std::string::npos ? "" : more.substr(part + 7);
  return "[nand]\ncell = \"" + cell + "\"\n" + cells + "[ftl]\npolicy = \"" + scheme + "\"\n" +
         more.substr(0, part);
}

TEST(SlcCacheKeys, ReachTheFirmware) {
  const Config c =
      load(drive("mga",
                 "[slc_cache]\nshare = \"10%\"\nfit = \"less\"\nupdate = \"union\"\naccess = \"any\"\n"
                 "full_pages = \"native\"\neviction = \"packed\"\nendurance = 100\nwear_gap = 7\n"));
  const fw::SlcCacheConfig f = to_ftl_config(c).slc_cache;
  EXPECT_EQ(f.share, 0.1);
  EXPECT_EQ(f.gc_threshold, 0.05);
  EXPECT_EQ(f.partial_programs, 4u);
  EXPECT_FALSE(f.at_most);
  EXPECT_TRUE(f.union_update);
  EXPECT_TRUE(f.any_access);
  EXPECT_TRUE(f.full_to_native);
  EXPECT_TRUE(f.packed_eviction);
  EXPECT_EQ(f.endurance, 100);
  EXPECT_EQ(f.wear_gap, 7u);
}

TEST(SlcCacheKeys, PresetsAreOfThePaper) {
  for (const char* scheme : {"slc_cache", "mga", "ipu"}) {
    const Config c = load(drive(scheme));
    EXPECT_TRUE(has_slc_cache(c));
    EXPECT_FALSE(several_regions(c));
    EXPECT_EQ(c.ftl.region.regions, scheme);
    EXPECT_EQ(c.geometry.page_size, 16384u);
    EXPECT_EQ(c.geometry.subpages_per_page, 4u);
  }
}

TEST(OnePassParts, FoldWholeWordlinesInTheDataSheetsTime) {
  for (const char* cell : {"mlc", "tlc", "qlc"}) {
    const Config c = load(drive("mga", "[nand]\none_pass = true\n", cell));
    const fw::FtlConfig f = to_ftl_config(c);
    EXPECT_EQ(f.pass_pages, static_cast<std::uint32_t>(c.geometry.cell));
    EXPECT_EQ(f.page_table, PageTable::wordline);
    EXPECT_EQ(to_array_timing(c).tPROG_wordline, c.nand.tPROG.at[f.pass_pages - 1]);
  }
}

TEST(OnePassParts, TakeWhatTheHostSendsPastTheCacheAndAnyVictimAndAnyEviction) {
  for (const char* scheme : {"slc_cache", "mga", "ipu"}) {
    for (const char* victim : {"greedy", "rga", "fifo", "random", "cost_benefit"}) {
      const std::string policies = "gc_moves = \"multi\"\nvictim = \"" + std::string(victim) + "\"\n";
      const std::string cache = "[slc_cache]\neviction = \"packed\"\nfull_pages = \"native\"\n";
      EXPECT_EQ(complaint(drive(scheme, policies + cache)), "");
      EXPECT_EQ(complaint(drive(scheme, policies + cache + "[nand]\none_pass = true\n", "tlc")), "");
    }
  }
}

TEST(OnePassParts, AreRefusedWithWhatWritesSinglePages) {
  const std::string tlc = "[nand]\ncell = \"tlc\"\none_pass = true\n";
  EXPECT_EQ(complaint(tlc), "");
  EXPECT_THAT(complaint(tlc + "[ftl]\nregions = \"combo\"\n"), HasSubstr("ftl.regions: must be \"one\""));
  EXPECT_THAT(complaint(tlc + "[ftl]\nblock_allocation = \"twin\"\nplane_allocation = \"F\"\n"),
              HasSubstr("ftl.block_allocation: must be \"conventional\""));
  EXPECT_THAT(complaint(tlc + "[ftl]\nslc_mode = true\n"), HasSubstr("ftl.slc_mode: must be false"));
  EXPECT_THAT(complaint(tlc + "copybacks = 3\n[ftl]\ncopyback = \"checked\"\n"),
              HasSubstr("ftl.copyback: must be \"never\""));
  EXPECT_THAT(complaint(tlc + "[ftl]\ngc_threshold = 2\n"),
              HasSubstr("ftl.gc_threshold: must be at least 3"));
  const std::string part = "[nand]\none_pass = true\n";
  EXPECT_THAT(complaint(drive("ipu", "[geometry]\npages_per_block = 4\n" + part, "qlc")),
              HasSubstr("geometry.pages_per_block: must be at least two wordlines"));
  EXPECT_EQ(complaint(drive("ipu", "[geometry]\npages_per_block = 8\n" + part, "qlc")), "");
  EXPECT_THAT(complaint(drive("ipu", part + "wordline_buffer = 2\n")),
              HasSubstr("nand.wordline_buffer: must be left out"));
  EXPECT_THAT(complaint(drive("ipu", part + "program_order = \"ascending\"\n")),
              HasSubstr("nand.program_order: must be \"strict\""));
}

TEST(SlcCacheKeys, LeaveTheCacheOutOfTheCapacity) {
  const std::string more =
      "over_provisioning = \"5%\"\n[geometry]\nblocks_per_plane = 100\n[slc_cache]\nshare = \"30%\"\n";
  const Config c = load(drive("ipu", more));
  const Derived d = derive(c);
  const Geometry& g = c.geometry;
  EXPECT_EQ(d.exported_bytes,
            d.planes * (68ull * g.pages_per_block - 1) * g.page_size); // 70 blocks less two and a page
}

TEST(SlcCacheKeys, BoundTheSizeAndTakeTheLeastFromTheCapacity) {
  const std::string sizes =
      "[geometry]\nblocks_per_plane = 100\n[slc_cache]\nshare = \"30%\"\nleast_share = \"10%\"\nmost_share = "
      "\"60%\"\n";
  const Config c = load(drive("ipu", "over_provisioning = \"5%\"\n" + sizes));
  const fw::SlcCacheConfig f = to_ftl_config(c).slc_cache;
  EXPECT_EQ(f.least_share, 0.1);
  EXPECT_EQ(f.most_share, 0.6);
  const Geometry& g = c.geometry;
  EXPECT_EQ(derive(c).exported_bytes, derive(c).planes * (88ull * g.pages_per_block - 1) * g.page_size);
  EXPECT_THAT(complaint(drive("ipu", "[slc_cache]\nleast_share = \"6%\"\n")),
              HasSubstr("slc_cache.least_share: must be at most slc_cache.share"));
  EXPECT_THAT(complaint(drive("ipu", "[slc_cache]\nmost_share = \"4%\"\n")),
              HasSubstr("slc_cache.most_share: must be 0 or at least slc_cache.share"));
  EXPECT_THAT(
      complaint(drive("ipu", "[geometry]\nblocks_per_plane = 15\n[slc_cache]\nmost_share = \"70%\"\n")),
      HasSubstr("geometry.blocks_per_plane: must be at least 16") /* 11 + 3 + 2 */);
}

TEST(SlcCacheKeys, CountNativeBlocksOnePageShortWherePacked) {
  const std::string more =
      "over_provisioning = \"5%\"\n[geometry]\nblocks_per_plane = 100\n[slc_cache]\nshare = \"30%\"\n";
  const Derived page = derive(load(drive("mga", more)));
  const Config c = load(drive("mga", more + "eviction = \"packed\"\n"));
  EXPECT_EQ(page.exported_bytes - derive(c).exported_bytes, page.planes * 70 * c.geometry.page_size);
}

TEST(SlcCacheKeys, ThatContradictEachOtherAreRefused) {
  EXPECT_EQ(complaint(drive("ipu")), "");
  EXPECT_THAT(complaint(drive("ipu", "", "slc")), HasSubstr("nand.cell: must not be"));
  EXPECT_THAT(complaint(drive("ipu", "slc_mode = true\n")), HasSubstr("ftl.slc_mode: must be false"));
  EXPECT_THAT(complaint(drive("ipu", "[geometry]\nsubpages_per_page = 1\n")),
              HasSubstr("geometry.subpages_per_page: must be 2, 4, 8 or 16"));
  EXPECT_THAT(complaint("[nand]\ncell = \"mlc\"\npartial_programs = 1\n[ftl]\npolicy = \"mga\"\n"),
              HasSubstr("nand.partial_programs: must be at least 2"));
  EXPECT_THAT(complaint(drive("ipu", "block_allocation = \"twin\"\n")),
              HasSubstr("ftl.block_allocation: must be"));
  EXPECT_THAT(complaint(drive("mga", "relocation = \"slow\"\n")), HasSubstr("ftl.relocation: must be"));
  EXPECT_THAT(complaint(drive("mga", "classifier = \"hot_size\"\n")), HasSubstr("ftl.classifier: must be"));
  EXPECT_THAT(complaint(drive("ipu", "[geometry]\nblocks_per_plane = 10\n[slc_cache]\nshare = \"60%\"\n")),
              HasSubstr("geometry.blocks_per_plane: must be at least 11"));
}

} // namespace
} // namespace twinplane::platform::slc_cache_config_test
