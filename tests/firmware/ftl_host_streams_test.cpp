// Are data that the host writes often kept apart from others (ftl.host_streams), does that save programs as a simple model
// says it should, and does the classifier that counts writes call the right data hot?
#include <deque>
#include <string>

#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_host_streams_test {
namespace {

void part_hot_data(FtlBenchConfig& c) {
  c.ftl.host_streams = 2;
  c.ftl.classifier = "hot_size";
  c.ftl.region.hot_bytes = 4 * c.ftl.geometry.sector_size;
}

/// 2 channels x 2 dies x 2 planes x 16 blocks x 16 pages of 4 sectors.
FtlBenchConfig parted_drive() {
  FtlBenchConfig c = small_drive();
  c.ftl.over_provisioning = 0.45; // two units of each plane more are set aside
  c.shuffle = true;
  part_hot_data(c);
  return c;
}

const Setting kDrives[] = {
    {"Pages", [](FtlBenchConfig&) {}},
    {"PagesByFrequency", [](FtlBenchConfig& c) { c.ftl.classifier = "hot_frequency"; }},
    {"Units", [](FtlBenchConfig& c) { c.ftl = mapped_by_unit(c.ftl); }},
    {"UnitsByFrequency",
     [](FtlBenchConfig& c) {
       c.ftl = mapped_by_unit(c.ftl);
       c.ftl.classifier = "hot_frequency";
     }},
    {"WordlinesCompleted",
     [](FtlBenchConfig& c) {
       c.ftl.geometry.cell = CellType::mlc;
       c.ftl.geometry.pages_per_block = 24;
       c.ftl.lower_pages = fw::LowerPageProtection::wordline;
       c.ftl.over_provisioning = 0.6;
     }},
    {"CopiesOfLowerPages",
     [](FtlBenchConfig& c) {
       c.ftl = tlc_with_copies().ftl;
       part_hot_data(c);
     }},
    {"OnePassTlc", [](FtlBenchConfig& c) { in_one_pass(c, CellType::tlc); }},
    {"OnePassQlcUnits",
     [](FtlBenchConfig& c) {
       in_one_pass(c, CellType::qlc);
       c.ftl = mapped_by_unit(c.ftl);
     }},
    {"Superblocks", [](FtlBenchConfig& c) { c.ftl.erase_unit = fw::EraseUnit::die; }},
    {"SuperblocksOfAllDies", [](FtlBenchConfig& c) { c.ftl.erase_unit = fw::EraseUnit::drive; }},
    {"SuperblocksOfOnePassUnits",
     [](FtlBenchConfig& c) {
       in_one_pass(c, CellType::tlc);
       c.ftl = mapped_by_unit(c.ftl);
       c.ftl.erase_unit = fw::EraseUnit::die;
       c.ftl.gc_moves = fw::GcMoves::multi;
     }},
};

const Setting kSettings[] = {
    settings::nothing_else,
    settings::dies_first,
    settings::static_dies,
    settings::static_channels,
    settings::shared_frontier,
    settings::unequal_blocks_pair,
    settings::write_buffer,
    settings::no_patience,
    settings::deep_queues_programs_last,
    settings::first_in_first_out,
    {"paced", [](FtlBenchConfig& c) { c.ftl.scheduling = "paced"; }},
    settings::any_victim,
    settings::wear_levelling,
    settings::checkpoints,
    settings::newest_first,
    settings::late_data,
    settings::hold_up_energy,
    settings::no_spare_capacity,
    settings::no_spare_capacity_shared_frontier,
    {"hardly any space, static dies",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0;
       c.ftl.plane_allocation = "CWD";
     }},
};

class HostStreams : public ::testing::TestWithParam<Setting> {
 protected:
  HostStreams() : c(parted_drive()) { GetParam().change(c); }

  FtlBenchConfig c;
};

TEST_P(HostStreams, KeepTheShadowThroughManyOperations) {
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  Mix mix;
  mix.operations = 60'000;
  mix.check_every = 5000;
  mix.max_sectors = 8;
  ASSERT_NO_FATAL_FAILURE(run_random(b, mix, 3));
  EXPECT_EQ(b.failed_reads() + b.failed_writes(), 0u);
  const fw::FtlStatistics& s = b.statistics();
  EXPECT_FALSE(s.read_only);
  EXPECT_GT(s.gc_blocks_erased, 0u);
  if (std::string(c.ftl.classifier) == "hot_size") {
    EXPECT_GT(s.hot_host_pages, 0u);
  }
}

TEST_P(HostStreams, KeepTheShadowInEverySetting) {
  run_in_every_setting(c, kSettings, 900);
}

TEST_P(HostStreams, ReportWhatCannotBeReadAndNeverWrongData) {
  run_while_reads_fail(c, {51, 52});
}

TEST_P(HostStreams, KeepTheShadowWhileProgramsFail) {
  run_while_programs_fail(c);
}

TEST_P(HostStreams, GoOnWhereUntimedWritesHaveStopped) {
  run_behind_untimed_writes(c);
}

INSTANTIATE_TEST_SUITE_P(Drives, HostStreams, ::testing::ValuesIn(kDrives), parameter_name);

// --- where pages go ---

/// Blocks whose valid pages are all of the first half of the address space, all of the second half, or of both.
struct Kept {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t both = 0;
};

Kept kept_apart(FtlBench& b) {
  const fw::FtlState& s = b.ftl().state;
  const Geometry& g = s.config.geometry;
  std::vector<std::uint8_t> holds(g.blocks());
  for (std::uint32_t lpn = 0; lpn < s.exported_pages; ++lpn) {
    const Ppn page = s.policy.mapping->lookup(lpn);
    if (!fw::is_page(page)) continue;
    const std::uint32_t block = s.blocks.plane_of(page) * g.blocks_per_plane + s.blocks.block_of(page);
    holds[block] = static_cast<std::uint8_t>(holds[block] | (lpn < s.exported_pages / 2 ? 1 : 2));
  }
  Kept kept;
  for (const std::uint8_t halves : holds) {
    kept.first += halves == 1 ? 1 : 0;
    kept.second += halves == 2 ? 1 : 0;
    kept.both += halves == 3 ? 1 : 0;
  }
  return kept;
}

TEST(HotData, LieInBlocksOfTheirOwn) {
  for (const std::uint32_t streams : {1u, 2u}) {
    FtlBenchConfig c = parted_drive();
    c.ftl.host_streams = streams;
    c.ftl.region.hot_bytes = c.ftl.geometry.page_size;
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    const std::uint32_t sectors = c.ftl.geometry.sectors_per_page();
    const std::uint32_t half = b.ftl().state.exported_pages / 2;
    for (std::uint32_t n = 0; n + 2 <= half; n += 2) { // a hot page for every two cold ones
      while (b.free_slots() < 2) b.run_until_interrupt();
      b.write(std::uint64_t{n} * sectors, sectors);
      b.write(std::uint64_t{half + n} * sectors, 2 * sectors);
    }
    b.settle();
    ASSERT_EQ(b.statistics().gc_pages_moved, 0u);
    const Kept kept = kept_apart(b);
    if (streams == 1) {
      EXPECT_GT(kept.both, 10u);
    } else {
      EXPECT_GT(kept.first, 4u);
      EXPECT_GT(kept.second, 10u);
      EXPECT_EQ(kept.both, 0u);
      EXPECT_EQ(b.statistics().hot_host_pages, half / 2);
    }
  }
}

// --- what that saves ---

constexpr std::uint32_t kBlocks = 256;
constexpr std::uint32_t kPages = 64; // of a block
constexpr double kHotShare = 0.2;    // of the addresses
constexpr std::uint32_t kHotWrites =
    8; // of ten: one page of them; the others write two pages that belong together

/// A page, or the first one of two.
std::uint32_t draw_lpn(fw::Random& random, std::uint32_t pages, bool hot) {
  const auto of_hot = static_cast<std::uint32_t>(pages * kHotShare) & ~1u;
  return hot ? random.below(of_hot) : of_hot + 2 * random.below((pages - of_hot) / 2);
}

/// A drive of one plane that does one thing at a time: frontiers of the host and one of moves; while fewer than three
/// blocks are erased the one with the fewest valid pages is emptied, to the frontier of hot pages if it holds those.
class OneAtATime {
 public:
  OneAtATime(std::uint32_t pages, std::uint32_t streams)
      : pages_(pages), streams_(streams), at_(pages, -1), lpn_(kBlocks * kPages, -1), valid_(kBlocks) {
    for (std::uint32_t b = 0; b < kBlocks; ++b) erased_.push_back(b);
  }
  void write(std::uint32_t lpn, bool hot) {
    program(lpn, hot && streams_ == 2 ? 1 : 0);
    while (erased_.size() < 3) collect();
  }
  std::uint64_t programs = 0;

 private:
  struct Frontier {
    std::uint32_t block = 0;
    std::uint32_t next = kPages;
  };
  void program(std::uint32_t lpn, std::uint32_t frontier) {
    Frontier& f = frontiers_[frontier];
    if (f.next == kPages) {
      f = {erased_.front(), 0};
      erased_.pop_front();
      hot_[f.block] = frontier == 1;
    }
    if (at_[lpn] >= 0) {
      --valid_[static_cast<std::uint32_t>(at_[lpn]) / kPages];
      lpn_[static_cast<std::uint32_t>(at_[lpn])] = -1;
    }
    const std::uint32_t page = f.block * kPages + f.next;
    at_[lpn] = static_cast<std::int32_t>(page);
    lpn_[page] = static_cast<std::int32_t>(lpn);
    ++valid_[f.block];
    if (++f.next == kPages) closed_.push_back(f.block);
    ++programs;
  }
  void collect() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < closed_.size(); ++i) {
      if (valid_[closed_[i]] < valid_[closed_[best]]) best = i;
    }
    const std::uint32_t victim = closed_[best];
    closed_.erase(closed_.begin() + static_cast<std::ptrdiff_t>(best));
    for (std::uint32_t page = victim * kPages; page < (victim + 1) * kPages; ++page) {
      if (lpn_[page] >= 0) program(static_cast<std::uint32_t>(lpn_[page]), hot_[victim] ? 1 : 2);
    }
    erased_.push_back(victim);
  }

  std::uint32_t pages_;
  std::uint32_t streams_;
  std::vector<std::int32_t> at_;  // by LPN
  std::vector<std::int32_t> lpn_; // by page
  std::vector<std::uint32_t> valid_;
  std::vector<bool> hot_ = std::vector<bool>(kBlocks); // by block
  std::deque<std::uint32_t> erased_;
  std::vector<std::uint32_t> closed_;
  Frontier frontiers_[3];
};

template <class Write>
void write_by_turns(fw::Random& random, std::uint32_t pages, std::uint64_t count, const Write& write) {
  for (std::uint64_t n = 0; n < count;) {
    const bool hot = random.below(10) < kHotWrites;
    const std::uint32_t of_request = hot ? 1 : 2;
    write(draw_lpn(random, pages, hot), of_request, hot);
    n += of_request;
  }
}

double waf_of_model(std::uint32_t pages, std::uint32_t streams) {
  OneAtATime model(pages, streams);
  fw::Random random(21);
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) model.write(lpn, false);
  const auto writes = [&](std::uint64_t count) {
    write_by_turns(random, pages, count, [&](std::uint32_t lpn, std::uint32_t of_request, bool hot) {
      for (std::uint32_t i = 0; i < of_request; ++i) model.write(lpn + i, hot);
    });
  };
  writes(3 * pages);
  model.programs = 0;
  writes(2 * pages);
  return static_cast<double>(model.programs) / (2.0 * pages);
}

FtlBenchConfig one_plane() {
  FtlBenchConfig c;
  Geometry& g = c.ftl.geometry;
  g.channels = g.chips_per_channel = g.dies_per_chip = g.planes_per_die = 1;
  g.blocks_per_plane = kBlocks;
  g.pages_per_block = kPages;
  g.page_size = g.sector_size;
  c.ftl.over_provisioning = 0.15;
  c.ftl.max_requests = 4;
  c.slot_sectors = 2;
  c.check_data = false;
  part_hot_data(c);
  c.ftl.region.hot_bytes = g.page_size;
  return c;
}

double waf_of_drive(const FtlBenchConfig& c, std::uint32_t& pages) {
  FtlBench b(c);
  EXPECT_EQ(b.error(), nullptr) << b.error();
  pages = b.ftl().state.exported_pages;
  fw::Random random(21);
  for (std::uint32_t lpn = 0; lpn < pages; ++lpn) EXPECT_EQ(b.ftl().zero_time.write(lpn, nullptr), nullptr);
  const auto writes = [&](std::uint64_t count) {
    write_by_turns(random, pages, count, [&](std::uint32_t lpn, std::uint32_t of_request, bool) {
      while (b.free_slots() == 0) b.run_until_interrupt();
      b.write(lpn, of_request);
    });
    b.settle();
  };
  writes(3 * pages);
  const std::uint64_t programs = b.statistics().program_pages;
  const std::uint64_t written = b.statistics().host_pages_written;
  writes(2 * pages);
  b.check_all(true);
  return static_cast<double>(b.statistics().program_pages - programs) /
         static_cast<double>(b.statistics().host_pages_written - written);
}

TEST(HotData, CostAsManyProgramsAsASimpleModelSays) {
  double found[3] = {};
  for (const std::uint32_t streams : {1u, 2u}) {
    FtlBenchConfig c = one_plane();
    c.ftl.host_streams = streams;
    std::uint32_t pages = 0;
    found[streams] = waf_of_drive(c, pages);
    const double model = waf_of_model(pages, streams);
    std::printf("%u streams: WAF %.4f, model %.4f (%+.2f %%)\n", streams, found[streams], model,
                (found[streams] / model - 1) * 100);
    EXPECT_NEAR(found[streams] / model, 1.0, 0.02);
  }
  EXPECT_LT(found[2], 0.95 * found[1]);
}

// Some cold data pass for hot ones for a while, and the other way round: a good part of the gain is left.
TEST(HotData, SaveProgramsWhereWritesAreCounted) {
  FtlBenchConfig c = one_plane();
  std::uint32_t pages = 0;
  const double told = waf_of_drive(c, pages);
  c.ftl.classifier = "hot_frequency";
  const double counted = waf_of_drive(c, pages);
  c.ftl.host_streams = 1;
  const double one = waf_of_drive(c, pages);
  std::printf("WAF %.4f, counted %.4f, one stream %.4f\n", told, counted, one);
  EXPECT_LT(one - counted, one - told);
  EXPECT_GT(one - counted, 0.3 * (one - told));
}

// --- what is hot ---

TEST(HotByFrequency, IsWhatIsWrittenMuchMoreOftenThanTheMean) {
  for (const std::uint32_t units : {1u, 4u}) {
    SCOPED_TRACE(units);
    FtlBenchConfig c = parted_drive();
    c.ftl.classifier = "hot_frequency";
    if (units != 1) c.ftl = mapped_by_unit(c.ftl, units);
    FtlBench b(c);
    ASSERT_EQ(b.error(), nullptr) << b.error();
    fw::Classifier& classifier = *b.ftl().state.policy.classifier;
    const std::uint32_t sectors = c.ftl.geometry.sectors_per_page() / units;
    const std::uint32_t count = b.ftl().state.exported_pages * units;
    const std::uint32_t fifth = count / 5;
    fw::Random random(5);
    const auto share_of_hot = [&](std::uint32_t first, std::uint32_t rounds, bool of_hot) {
      std::uint32_t hot = 0;
      std::uint32_t asked = 0;
      for (std::uint64_t n = 0; n < std::uint64_t{count} * rounds; ++n) {
        const bool often = random.below(10) < 8; // four fifths of the writes go to a fifth of the units
        std::uint32_t unit = random.below(often ? fifth : count - fifth);
        unit = often ? first + unit : unit < first ? unit : unit + fifth;
        fw::Request r;
        r.kind = fw::RequestKind::write;
        r.lba = std::uint64_t{unit} * sectors;
        r.sectors = sectors;
        const bool is_hot = classifier.classify(r, fw::DeviceState()) == fw::kHotPage;
        if (often != of_hot) continue;
        ++asked;
        hot += is_hot ? 1 : 0;
      }
      return static_cast<double>(hot) / asked;
    };
    (void)share_of_hot(0, 4, true);
    EXPECT_GT(share_of_hot(0, 2, true), 0.93);
    EXPECT_LT(share_of_hot(0, 2, false), 0.15);
    (void)share_of_hot(3 * fifth, 4, true); // others now
    EXPECT_GT(share_of_hot(3 * fifth, 2, true), 0.93);
    EXPECT_LT(share_of_hot(3 * fifth, 2, false), 0.15);
  }
}

TEST(HotByFrequency, IsARequestWhoseUnitsAllAre) {
  FtlBenchConfig c = parted_drive();
  c.ftl.classifier = "hot_frequency";
  FtlBench b(c);
  ASSERT_EQ(b.error(), nullptr) << b.error();
  const std::uint32_t sectors = c.ftl.geometry.sectors_per_page();
  const auto is_hot = [&](std::uint64_t lba, std::uint32_t count) {
    fw::Request r;
    r.kind = fw::RequestKind::write;
    r.lba = lba;
    r.sectors = count;
    return b.ftl().state.policy.classifier->classify(r, fw::DeviceState()) == fw::kHotPage;
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(is_hot(8 * sectors + 1, 1)) << i;
  EXPECT_TRUE(is_hot(8 * sectors, sectors)) << "the fifth write of the page";
  EXPECT_FALSE(is_hot(8 * sectors, sectors + 1)) << "the next page was never written before";
}

} // namespace
} // namespace twinplane::test::ftl_host_streams_test
