// Are pages that cannot be corrected read again, level by level, as commands on the bus that no monitor
// objects to, and does nothing else of the controller's work go wrong by it? Oracles: the sequence of
// commands, and sums of data sheet times on a bus where only data take time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/hw/retry_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::controller_retry_test {
namespace {

TEST_F(ControllerRetry, GoesFromLevelToLevelAndBackToTheFirst) {
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0})});
  finish(1);
  EXPECT_EQ(commands.text, "30 out D5:1 30 out D5:2 30 out D5:0");
  const TimePs first = us(65 + 25) + kDecoding;
  const TimePs set = data_only_bus().data_in.of(4) + array.tFEAT;
  const TimePs again = 2 * (set + us(25) + kDecoding) + us(11) + us(22);
  const FlashCompletion& c = done(0).completion;
  EXPECT_EQ(done(0).visible_at, first + again);
  EXPECT_EQ(c.retry_ps, again);
  EXPECT_EQ(total(c), done(0).visible_at);
  EXPECT_EQ(c.result, 0);
  EXPECT_EQ(c.corrected_bits, 160u) << "40 in each of four codewords";
  EXPECT_EQ(counted().pages, 1u);
  EXPECT_EQ(counted().retried, 1u);
  EXPECT_EQ(counted().corrected, 1u);
  EXPECT_EQ(counted().uncorrectable, 0u);
  EXPECT_DOUBLE_EQ(counted().bit_errors, 400) << "of the first read only";
}

TEST_F(ControllerRetry, GivesUpBehindTheLastLevel) {
  config.read_retries = 1;
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0})});
  finish(1);
  EXPECT_EQ(commands.text, "30 out D5:1 30 out D5:0");
  EXPECT_EQ(done(0).completion.result, flash_result::uncorrectable);
  EXPECT_EQ(done(0).completion.failed_sectors, 1u);
  EXPECT_EQ(counted().uncorrectable, 1u);
  EXPECT_EQ(counted().corrected, 0u);
}

TEST_F(ControllerRetry, DoesNothingWhenItIsOff) {
  config.read_retries = 0;
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0})});
  finish(1);
  EXPECT_EQ(commands.text, "30 out");
  EXPECT_EQ(done(0).completion.result, flash_result::uncorrectable);
  EXPECT_EQ(done(0).completion.retry_ps, 0u);
}

TEST_F(ControllerRetry, TakesSensesForSoftDecisionsBehindTheRetries) {
  config.ecc.code = EccCode::ldpc;
  config.ecc.soft_corrects = 55; // of the hundred: at level 1 by the third of three senses
  config.ecc.soft_senses = 3;
  config.read_retries = 1;
  part = noisy(100, {1, 0.5, 0.5, 0.5, 0.5, 0, 0, 0});
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0})});
  finish(1);
  // 40 + 15 n / 3: 45 with the first sense, 50 with the second.
  EXPECT_EQ(commands.text, "30 out D5:1 30 out D5:2 30 out D5:3 30 out D5:0");
  EXPECT_EQ(done(0).completion.result, 0);
  EXPECT_EQ(counted().soft, 1u);
}

TEST_F(ControllerRetry, WorksWithStatusPolling) {
  config.poll_status = true;
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0})});
  finish(1);
  EXPECT_EQ(commands.text, "30 out D5:1 30 out D5:2 30 out D5:0");
  EXPECT_EQ(done(0).completion.result, 0);
}

TEST_F(ControllerRetry, LeavesTheBusToOtherDies) {
  config.read_retries = 3;
  part = noisy(0.5, {});
  part.faults.read = 0;
  boot(small_geometry(2));
  submit({read({0, 0, 0, 0}), read({1, 0, 0, 0})});
  finish(2);
  EXPECT_EQ(commands.text, "30 30 out out");
}

TEST_F(ControllerRetry, LetsWhatWaitedGoOnUntilTheDecodingHasFailed) {
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0}), read({0, 0, 0, 1})});
  finish(2);
  EXPECT_EQ(commands.text, "30 out 30 out D5:1 30 out D5:2 30 out D5:0 D5:1 30 out D5:2 30 out D5:0");
}

TEST_F(ControllerRetry, ReadsTogetherWhatWasReadTogether) {
  boot(small_geometry(1, 2));
  submit({read({0, 0, 0, 0}, flash_flag::more), read({0, 1, 0, 0})});
  finish(2);
  EXPECT_EQ(commands.text, "32 30 out out D5:1 32 30 out out D5:2 32 30 out out D5:0");
  EXPECT_EQ(bench->packages[0]->statistics().level_reads[0][0], 2u);
  for (const Done& d : bench->done) EXPECT_EQ(total(d.completion), d.visible_at);
}

TEST_F(ControllerRetry, LeavesOutPlanesThatCouldBeCorrected) {
  boot(small_geometry(1, 2));
  submit({read({0, 0, 1, 0}, flash_flag::more), read({0, 1, 0, 0})}); // the first one is blank
  finish(2);
  EXPECT_EQ(commands.text, "32 30 out out D5:1 30 out D5:2 30 out D5:0");
  EXPECT_EQ(done(0).completion.result, flash_result::blank);
  EXPECT_EQ(done(1).completion.result, 0);
}

TEST_F(ControllerRetry, FindsTheLevelThatAPageNeeds) {
  part = {};
  part.faults.read = 1;
  config.ecc.code = EccCode::fixed;
  config.read_retries = 7;
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0})});
  finish(1);
  const std::uint32_t level = bench->packages[0]->die(0).cells().faults().read_level(0, 0, 0, 0);
  EXPECT_NE(commands.text.find("D5:" + std::to_string(level) + " 30 out D5:0"), std::string::npos)
      << commands.text;
  EXPECT_EQ(done(0).completion.result, 0);
}

TEST_F(ControllerRetry, EndsStreamsOfCacheReadsFirst) {
  config.cache_reads = true;
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0}), read({0, 0, 0, 1}), read({0, 0, 0, 2})});
  finish(3);
  EXPECT_EQ(commands.text.substr(0, 16), "30 31 out 31 out");
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(done(i).completion.result, 0);
    EXPECT_EQ(total(done(i).completion), done(i).visible_at);
  }
}

TEST_F(ControllerRetry, WaitsForPlanesThatReadIndependently) {
  config.independent_reads = true;
  boot(small_geometry(1, 2));
  submit({read({0, 0, 0, 0}), read({0, 1, 0, 1}), read({0, 0, 0, 2})});
  finish(3);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(done(i).completion.result, 0);
}

TEST_F(ControllerRetry, PassesASuspendedErase) {
  config.suspend.enabled = true;
  array.tBERS = ms(10);
  boot(small_geometry(1));
  submit({bench->descriptor(FlashOp::erase, {0, 0, 3, 0})});
  submit({read({0, 0, 0, 0})}, ms(1));
  finish(2);
  EXPECT_EQ(done(1).completion.result, 0);
  EXPECT_LT(done(1).visible_at, ms(3));
  EXPECT_GT(done(0).visible_at, ms(10));
  EXPECT_NE(commands.text.find("D5:2 30 out D5:0"), std::string::npos) << commands.text;
}

TEST_F(ControllerRetry, BreaksARunOfCacheProgramsAtItsSeam) {
  config.cache_programs = true;
  boot(small_geometry(1));
  submit({read({0, 0, 0, 0}), bench->descriptor(FlashOp::program, {0, 0, 2, 0}),
          bench->descriptor(FlashOp::program, {0, 0, 2, 1}),
          bench->descriptor(FlashOp::program, {0, 0, 2, 2})});
  finish(4);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(done(i).completion.result, 0) << i;
}

// Everything at once: each descriptor is answered once, its parts add up, and the monitor has no objection.
class RandomRetries : public ControllerRetry, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(RandomRetries, AnswerEveryReadAndBreakNoRule) {
  std::mt19937 generator(GetParam());
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  const auto flip = [&random] { return random() % 2 == 0; };
  config.poll_status = flip();
  config.cache_reads = flip();
  config.cache_programs = flip();
  config.suspend.enabled = flip();
  config.independent_reads = flip();
  config.ecc.slowest = us(200);
  config.ecc.throughput = flip() ? 400'000'000 : 0;
  config.read_retries = random() % 4;
  if (flip()) {
    config.ecc.code = EccCode::ldpc;
    config.ecc.soft_corrects = 60;
  }
  part = noisy(38, {1, 0.97, 0.94, 0.9, 0.9, 0.9, 0.9, 0.9});
  part.errors.reading = ErrorReading::drawn;
  part.errors.seed = GetParam();
  array.tPROG.fill(us(700));
  Geometry g = small_geometry(3, 2);
  boot(g);
  std::uint32_t put = 0;
  std::array<std::uint32_t, 3> next{}; // page to be programmed of block 2
  std::vector<int> answers;
  std::uint32_t seen = 0;
  const auto drain = [&](TimePs ahead) { // in the order of the ring, which may change until it is visible
    const std::uint32_t tail = bench->read(reg::flash::completion_tail, ahead);
    for (; seen != tail; ++seen) {
      FlashCompletion c;
      std::memcpy(&c, bench->dram.data() + 8192 + (seen & 63u) * sizeof c, sizeof c);
      ++answers[c.cookie];
    }
  };
  for (std::uint32_t round = 0; round < 60; ++round) {
    for (std::uint32_t i = 0; i < 4 && put - seen < 40; ++i) {
      const std::uint32_t die = random() % 3;
      const std::uint32_t kind = random() % 10;
      const std::uint32_t page = random() % 4;
      if (kind < 2) { // in a run of cache reads, where there are such
        const std::uint32_t plane = random() % 2;
        for (std::uint32_t p = page; p < 4; ++p, ++put) bench->put(read({die, plane, 0, p}));
      } else if (kind < 5) {
        bench->put(read({die, random() % 2, 0, page}));
        ++put;
      } else if (kind < 7) {
        bench->put(read({die, 0, 0, page}, flash_flag::more));
        bench->put(read({die, 1, 0, page}));
        put += 2;
      } else if (kind < 9 && next[die] < g.pages_per_block) {
        bench->put(bench->descriptor(FlashOp::program, {die, 0, 2, next[die]++}));
        ++put;
      } else {
        bench->put(bench->descriptor(FlashOp::erase, {die, 1, 5, 0}));
        ++put;
      }
    }
    answers.resize(put);
    bench->ring();
    sc_core::sc_start(hw::to_sc_time(us(1 + random() % 400)));
    drain(0);
  }
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  drain(0);
  EXPECT_EQ(answers, std::vector<int>(put, 1)) << "each once";
  EXPECT_EQ(bench->violations(), 0u);
  EXPECT_EQ(findings.text(), "");
  const hw::ReadErrorStatistics& s = counted();
  const bool retries = config.read_retries != 0 || config.ecc.code == EccCode::ldpc;
  EXPECT_EQ(s.retried > 10, retries);
  EXPECT_EQ(s.corrected + s.uncorrectable, s.pages);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRetries, ::testing::Range(1u, 25u), parameter_name);

} // namespace
} // namespace twinplane::test::controller_retry_test
