// Can the map of subpages be found again by the flash alone? Every so often the drive comes to rest, all of
// its cells are read, and what their out-of-band words say is held against the firmware's tables: the place
// of every logical subpage, and of every page of the cache what it was used for. What the host has trimmed,
// or was told is lost, may come back: words say where data are, not that they are gone.
#include <iterator>

#include "tests/support/ftl_cached.h"
#include "tests/support/parameter_names.h"
#include "tests/support/subpage_scan.h"

namespace twinplane::test::subpage_words_test {
namespace {

class SubpageWords : public ::testing::TestWithParam<const char*> {
 protected:
  /// Reads all cells as hardware would, in the mode that they are in. `unreadable`: programs have failed, and
  /// with them the words of their pages.
  void compare(FtlBench& b, bool unreadable) {
    const fw::FtlState& state = b.ftl().state;
    const fw::SlcCache& cache = *state.policy.cache;
    SubpageScan scan(cache, state.exported_pages);
    const Geometry& g = state.blocks.geometry();
    for (std::uint32_t plane = 0; plane < g.planes(); ++plane) {
      for (std::uint32_t block = 0; block < g.blocks_per_plane; ++block) {
        ASSERT_NO_FATAL_FAILURE(scan_block(b, scan, plane, block));
      }
    }
    for (std::uint32_t lpn = 0; lpn < state.exported_pages; ++lpn) {
      for (std::uint32_t s = 0; s < cache.units->map.units(); ++s) {
        const fw::Pun pun = cache.units->map.at(lpn, s);
        if (pun == fw::kNoPun) continue;
        if (unreadable && b.hal().flash().page(place(b, cache.units->map.page_of(pun))).failed) {
          ++not_readable_;
          continue;
        }
        ASSERT_EQ(scan.at(lpn, s), pun) << "LPN " << lpn << " subpage " << s;
        ++found_;
      }
    }
  }

  std::uint64_t found_ = 0; // by words, as mapped
  std::uint64_t not_readable_ = 0;
  std::uint64_t pages_of_level_[fw::kCacheLevels + 1] = {};

 private:
  static Ppa place(FtlBench& b, Ppn ppn) {
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    const std::uint32_t planes = blocks.geometry().planes_per_die;
    const std::uint32_t plane = blocks.plane_of(ppn);
    return Ppa{plane / planes, plane % planes, blocks.block_of(ppn), blocks.page_of(ppn)};
  }

  void scan_block(FtlBench& b, SubpageScan& scan, std::uint32_t plane, std::uint32_t block) {
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    if (blocks.block(plane, block).state == fw::BlockState::metadata) return; // words of its own
    for (std::uint32_t page = 0; page < blocks.pages_per_block(); ++page) {
      const Ppn ppn = blocks.ppn(plane, block, page);
      const Ppa at = place(b, ppn);
      const SimFlash::Page& cells = b.hal().flash().page(at);
      if (cells.programs == 0) continue; // erased: its read would say blank
      const SubpageScan::Page found = scan.add(ppn, read_words(b, at).data());
      ASSERT_EQ(found.strangers, 0u);
      if (cells.failed || blocks.block(plane, block).state == fw::BlockState::free) continue;
      check_page(b, ppn, found);
    }
  }

  SimFlash::Words read_words(FtlBench& b, const Ppa& at) {
    const Geometry& g = b.ftl().state.blocks.geometry();
    const RowLayout rows(g);
    SimFlash::Words words;
    FlashDescriptor d;
    d.op = static_cast<std::uint8_t>(FlashOp::read);
    d.flags = flash_flag::oob_words;
    if (b.hal().flash().slc_mode(at)) d.flags |= flash_flag::slc_mode;
    const std::uint32_t channel = at.die / g.dies_per_channel();
    d.chip = static_cast<std::uint8_t>(at.die % g.dies_per_channel() / g.dies_per_chip);
    d.row = rows.row(at.die % g.dies_per_chip, at.plane, at.block, at.page);
    b.hal().flash().run_functional(channel, d, nullptr, reinterpret_cast<std::uint8_t*>(words.data()));
    return words;
  }

  /// A page of the cache: its slots, its programs and its block's level. Of a native one the level.
  void check_page(FtlBench& b, Ppn ppn, const SubpageScan::Page& found) {
    const fw::BlockTable& blocks = b.ftl().state.blocks;
    const fw::UnitMap& map = b.ftl().state.units->map;
    const fw::PageRecord& record = map.page(ppn);
    const std::uint32_t level = map.sums(blocks.plane_of(ppn), blocks.block_of(ppn)).level;
    ASSERT_EQ(found.level, level);
    ++pages_of_level_[level];
    if (level == 0) return;
    ASSERT_EQ(found.used, record.used);
    if (record.programs < fw::kProgramFailed) {
      ASSERT_EQ(found.programs, record.programs);
    }
  }
};

/// `rounds` times so many operations, each followed by a scan.
Mix small_updates(std::uint64_t operations) {
  Mix mix;
  mix.operations = operations;
  mix.check_every = 50'000;
  mix.max_sectors = 6;
  mix.write_percent = 80;
  mix.trim_percent = mix.zero_percent = 1;
  mix.flush_percent = 0;
  return mix;
}

TEST_P(SubpageWords, FindEverySubpageAfterManySmallUpdates) {
  FtlBenchConfig c = cached_drive(GetParam());
  c.shuffle = true;
  FtlBench b(c);
  for (std::uint64_t round = 0; round < at_depth(8, 4); ++round) {
    ASSERT_NO_FATAL_FAILURE(run_random(b, small_updates(20'000), 70 + round));
    ASSERT_NO_FATAL_FAILURE(compare(b, false));
  }
  EXPECT_GT(b.statistics().cache.collections, at_depth(1000, 4));
  EXPECT_GT(b.statistics().regions[fw::kNative].erases, at_depth(100, 4));
  EXPECT_GT(found_, std::uint64_t{at_depth(8, 4)} * b.ftl().state.exported_pages);
  const bool levels = std::string_view(b.ftl().state.config.regions) == "ipu";
  for (std::uint32_t level = 0; level <= fw::kCacheLevels; ++level)
    EXPECT_EQ(pages_of_level_[level] != 0, level <= fw::kWork || levels) << "level " << level;
}

void fold(FtlBenchConfig& c, CellType cell) {
  c.ftl.geometry.cell = cell;
  c.ftl.geometry.pages_per_block = 24;
  c.ftl.page_table = PageTable::wordline;
  c.ftl.pass_pages = static_cast<std::uint32_t>(cell);
}

const Setting kSettings[] = {
    settings::an_update_writes_all_there_is,
    settings::whole_pages_go_past_the_cache,
    settings::two_cache_blocks,
    {"a size that follows the data",
     [](FtlBenchConfig& c) {
       c.ftl.slc_cache.least_share = 0.08;
       c.ftl.slc_cache.most_share = 0.5;
       c.ftl.over_provisioning = 0.28;
     }},
    settings::wear_levelling_of_the_cache,
    {"two subpages, two programs",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.subpages_per_page = 2;
       c.ftl.slc_cache.partial_programs = 2;
     }},
    {"eight subpages, three bits per cell",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.subpages_per_page = 8;
       c.ftl.geometry.cell = CellType::tlc;
       c.ftl.geometry.pages_per_block = 24;
     }},
    settings::sixteen_subpages,
    {"three pages of a wordline in one pass", [](FtlBenchConfig& c) { fold(c, CellType::tlc); }},
    {"four pages of a wordline in one pass", [](FtlBenchConfig& c) { fold(c, CellType::qlc); }},
    settings::write_buffer,
    settings::deep_queues_programs_last,
    settings::hardly_any_space,
};

TEST_P(SubpageWords, FindEverySubpageInEverySetting) {
  std::uint64_t seed = 80;
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    FtlBenchConfig c = cached_drive(GetParam());
    c.shuffle = true;
    c.seed = ++seed;
    setting.change(c);
    ASSERT_EQ(fw::check_config(c.ftl), nullptr);
    FtlBench b(c);
    for (std::uint64_t round = 0; round < at_depth(3, 3); ++round) {
      ASSERT_NO_FATAL_FAILURE(run_random(b, small_updates(6000), seed * 10 + round));
      ASSERT_NO_FATAL_FAILURE(compare(b, false));
    }
    EXPECT_GT(b.statistics().gc_blocks_erased, 0u);
  }
}

TEST_P(SubpageWords, FindWhatWasFilledInBeforeTheRun) {
  FtlBench b(cached_drive(GetParam()));
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t lpn = round; lpn < b.ftl().state.exported_pages; lpn += round + 1)
      ASSERT_EQ(b.precondition(lpn), nullptr);
  }
  ASSERT_NO_FATAL_FAILURE(compare(b, false));
  EXPECT_EQ(found_, std::uint64_t{b.ftl().state.exported_pages} * 4);
}

// Data of a failed program are written again, under a later number. Sectors that cannot be read have words
// that can, so what is not lost stays where it is.
TEST_P(SubpageWords, FindWhatIsLeftWhileProgramsAndReadsFail) {
  for (const std::uint64_t seed : {91, 92, 93, 94}) {
    FtlBenchConfig c = cached_drive(GetParam());
    if (seed > 92) fold(c, CellType::tlc);
    c.shuffle = true;
    c.seed = seed;
    c.ftl.over_provisioning = 0.6;
    c.ftl.die_queue_depth = seed % 2 == 0 ? 4 : 1;
    FtlBench b(c);
    b.expect_wear();
    b.hal().flash().fail_programs(1, seed);
    b.hal().flash().fail_reads(1, seed);
    for (std::uint64_t round = 0; round < at_depth(3, 3); ++round) {
      ASSERT_NO_FATAL_FAILURE(run_random(b, small_updates(6000), seed * 10 + round));
      ASSERT_NO_FATAL_FAILURE(compare(b, true));
    }
    EXPECT_GT(b.statistics().flash_failures, at_depth(10, 3));
  }
  EXPECT_LT(not_readable_, found_ / 100);
}

TEST(SubpageWord, GivesTheSequenceAllBitsThatTheDriveLeaves) {
  struct Size {
    std::uint32_t subpages;
    std::uint64_t last_sequence;
  };
  for (const Size size :
       {Size{1u << 31, (std::uint64_t{1} << 31) - 1}, Size{1u << 28, (std::uint64_t{1} << 34) - 1},
        Size{1000, (std::uint64_t{1} << 52) - 1}}) {
    const fw::UnitWords words(size.subpages);
    for (const std::uint64_t sequence : {std::uint64_t{1}, size.last_sequence}) {
      for (std::uint32_t level = 0; level <= fw::kCacheLevels; ++level) {
        for (const std::uint32_t number : {0u, 1u, size.subpages - 1}) {
          const std::uint64_t word = words.word(sequence, level, number);
          EXPECT_EQ(words.sequence(word), sequence);
          EXPECT_EQ(words.level(word), level);
          EXPECT_EQ(words.number(word), number);
        }
      }
    }
    EXPECT_GT(words.word(2, 0, 0), words.word(1, fw::kCacheLevels, size.subpages - 1)) << "words sort by age";
  }
}

INSTANTIATE_TEST_SUITE_P(Each, SubpageWords, ::testing::ValuesIn(kCacheSchemes), parameter_name);

} // namespace
} // namespace twinplane::test::subpage_words_test
