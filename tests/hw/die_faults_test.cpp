// Do blocks and pages fail as often as they should, always the same ones, and as parts show it?
#include <gtest/gtest.h>

#include <cmath>

#include "hw/nand/fault_model.h"
#include "hw/nand/rules.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::die_faults_test {
namespace {

using hw::FaultModel;
using hw::PhaseKind;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFail = 0xE1;

hw::NandConfig many_blocks(const hw::NandFaults& faults) {
  hw::NandConfig c = small_part();
  c.geometry.blocks_per_plane = 1024;
  c.geometry.dies_per_chip = 1;
  c.faults = faults;
  return c;
}

/// Data out of the page that was read last.
hw::OnfiPhase data_out(FlashBench& bench, std::uint64_t& word) {
  bench.cycles.clear().command(0x00).page_data(PhaseKind::data_out, bench.full_mask(), nullptr, &word);
  bench.now = bench.send(bench.now);
  return bench.cycles.tenure().phases[1];
}

TEST(DieFaults, MarksFactoryBadBlocksInTheirSpareBytes) {
  hw::NandFaults faults;
  faults.factory_bad = 0.05;
  FlashBench bench(many_blocks(faults));
  std::uint32_t marked = 0;
  for (std::uint32_t block = 0; block < 1024; ++block) {
    const bool bad = bench.package().die(0).cells().faults().factory_bad(0, block);
    for (const std::uint32_t page : {0u, 47u}) {
      ASSERT_EQ(bench.read({0, 0, block, page}), kIdle);
      std::uint64_t word = 0;
      data_out(bench, word);
      EXPECT_EQ((word & 0xFF) != 0xFF, bad) << "block " << block << " page " << page;
    }
    if (bad) ++marked;
  }
  EXPECT_FALSE(bench.package().die(0).cells().faults().factory_bad(0, 0)) << "the first block is guaranteed";
  EXPECT_NEAR(marked, 51, 4 * std::sqrt(51)); // binomial, four sigma
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieFaults, FailsProgramsAndErasesOfBadBlocks) {
  hw::NandFaults faults;
  faults.factory_bad = 0.2;
  FlashBench bench(many_blocks(faults));
  std::uint32_t block = 0;
  while (!bench.package().die(0).cells().faults().factory_bad(0, block)) ++block;
  EXPECT_EQ(bench.program({0, 0, block, 0}), kFail);
  EXPECT_EQ(bench.erase({0, 0, block, 0}), kFail);
  EXPECT_EQ(bench.all_violations(), 0u) << "a failure of the cells is no broken rule";
}

TEST(DieFaults, FailsAsOftenAsConfigured) {
  hw::NandFaults faults;
  faults.program = 0.02;
  faults.erase = 0.1;
  FlashBench bench(many_blocks(faults));
  std::uint32_t failed_programs = 0;
  std::uint32_t failed_erases = 0;
  for (std::uint32_t block = 0; block < 1024; ++block) {
    for (std::uint32_t page = 0; page < 4; ++page) {
      if (bench.program({0, 0, block, page}) == kFail) ++failed_programs;
    }
    if (bench.erase({0, 0, block, 0}) == kFail) ++failed_erases;
  }
  EXPECT_NEAR(failed_programs, 4096 * 0.02, 4 * std::sqrt(4096 * 0.02));
  EXPECT_NEAR(failed_erases, 1024 * 0.1, 4 * std::sqrt(1024 * 0.1));
  EXPECT_EQ(bench.package().statistics().failed_programs, failed_programs);
  EXPECT_EQ(bench.package().statistics().failed_erases, failed_erases);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieFaults, LosesTheDataOfAFailedProgram) {
  hw::NandFaults faults;
  faults.program = 1;
  FlashBench bench(many_blocks(faults));
  EXPECT_EQ(bench.program({0, 0, 3, 0}), kFail);
  ASSERT_EQ(bench.read({0, 0, 3, 0}), kIdle);
  std::uint64_t word = 0;
  EXPECT_TRUE(data_out(bench, word).corrupt);
}

TEST(DieFaults, ShowsFailuresOfAStreamInFailcToo) {
  hw::NandFaults faults;
  faults.program = 0.5;
  FlashBench bench(many_blocks(faults));
  const FaultModel& model = bench.package().die(0).cells().faults();
  for (std::uint32_t page = 0; page < 20; ++page) {
    bench.cycles.clear();
    bench.start_program({0, 0, 3, page}, 0x15);
    bench.now = bench.send(bench.now);
    bench.now = std::max(bench.now, bench.ready());
    const bool before = page != 0 && model.program_fails(0, 3, page - 1, 0);
    EXPECT_EQ(bench.status({}, 0x70) & 0x42, before ? 0x42 : 0x40) << "page " << page;
  }
}

TEST(DieFaults, WearsOutBeyondTheRatedCycles) {
  hw::NandConfig config = small_part();
  config.faults.endurance = 1000;
  const FaultModel model(config, 0);
  std::uint32_t lived = 0;
  std::uint32_t gone = 0;
  for (std::uint32_t block = 0; block < 1000; ++block) {
    std::uint32_t erases = 0;
    while (!model.erase_fails(0, block, erases)) ++erases;
    EXPECT_GT(erases, 1000u) << "no failure within the rated cycles";
    EXPECT_LE(erases, 2000u);
    lived += erases;
    if (erases <= 1229) ++gone; // closed form: 1000 (x^4 / 4) = ln 2 at x = 0.229
  }
  EXPECT_NEAR(gone, 500, 70);
}

TEST(DieFaults, NeedsARetryForPagesThatDoNotRead) {
  hw::NandFaults faults;
  faults.read = 0.3;
  const hw::NandConfig config = many_blocks(faults);
  FlashBench bench(config);
  std::uint32_t retried = 0;
  for (std::uint32_t block = 0; block < 200; ++block) {
    const Place page{0, 0, block, 0};
    ASSERT_EQ(bench.program(page, 5), kIdle);
    const std::uint32_t level = bench.package().die(0).cells().faults().read_level(0, block, 0, 0);
    if (level != 0) ++retried;
    ASSERT_EQ(bench.read(page), kIdle);
    std::uint64_t word = 0;
    EXPECT_EQ(data_out(bench, word).corrupt, level != 0);
    if (level == 0) continue;
    std::uint8_t parameters[8] = {static_cast<std::uint8_t>(level), static_cast<std::uint8_t>(level)};
    bench.cycles.clear().command(0xEF).short_address(0x89).bytes(PhaseKind::data_in, parameters, 8);
    bench.now = bench.send(bench.now);
    bench.now = std::max(bench.now, bench.ready());
    ASSERT_EQ(bench.read(page), kIdle);
    EXPECT_EQ(bench.arrays.back().end - bench.arrays.back().start, config.array.tR_level[level - 1]);
    EXPECT_FALSE(data_out(bench, word).corrupt);
    EXPECT_EQ(word, 5u);
    parameters[0] = parameters[1] = 0;
    bench.cycles.clear().command(0xEF).short_address(0x89).bytes(PhaseKind::data_in, parameters, 8);
    bench.now = bench.send(bench.now);
    bench.now = std::max(bench.now, bench.ready());
  }
  EXPECT_NEAR(retried, 60, 4 * std::sqrt(200 * 0.3 * 0.7));
}

TEST(DieFaults, AnswersTheSameForTheSameSeedOnly) {
  hw::NandConfig a = many_blocks({});
  a.faults.factory_bad = 0.5;
  hw::NandConfig b = a;
  b.faults.seed = 2;
  hw::NandConfig c = a;
  c.chip = 1;
  const FaultModel first(a, 0), again(a, 0), other_seed(b, 0), other_chip(c, 0), other_lun(a, 1);
  std::uint32_t differs[3] = {};
  for (std::uint32_t block = 1; block < 1024; ++block) {
    EXPECT_EQ(first.factory_bad(0, block), again.factory_bad(0, block));
    if (first.factory_bad(0, block) != other_seed.factory_bad(0, block)) ++differs[0];
    if (first.factory_bad(0, block) != other_chip.factory_bad(0, block)) ++differs[1];
    if (first.factory_bad(0, block) != other_lun.factory_bad(0, block)) ++differs[2];
  }
  for (const std::uint32_t d : differs) EXPECT_NEAR(d, 512, 64);
}

} // namespace
} // namespace twinplane::test::die_faults_test
