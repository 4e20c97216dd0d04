// Does a read carry the wrong bits that its cells' history stands for, on every way out of the die?
#include <gtest/gtest.h>

#include <vector>

#include "hw/nand/error_model.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::die_errors_test {
namespace {

using hw::CellHistory;
using hw::ErrorModel;
using hw::PhaseKind;
using hw::RawErrors;

constexpr std::uint8_t kIdle = 0xE0;

hw::NandConfig noisy_part(ErrorReading reading = ErrorReading::expected) {
  hw::NandConfig c = small_part();
  c.geometry.dies_per_chip = 1;
  c.partial_programs = 4;
  c.errors.reading = reading;
  c.errors.cycles = 4000;
  return c;
}

/// Of sectors of the page that was read last, by cycles.
RawErrors data_out(FlashBench& bench, std::uint32_t mask) {
  std::uint64_t word = 0;
  bench.cycles.clear().command(0x00).page_data(PhaseKind::data_out, mask, nullptr, &word);
  bench.now = bench.send(bench.now);
  return bench.cycles.tenure().phases[1].errors;
}

RawErrors errors_of(FlashBench& bench, const Place& page, std::uint32_t mask) {
  EXPECT_EQ(bench.read(page), kIdle);
  return data_out(bench, mask);
}

/// One sector of a page in SLC mode.
void program_sector(FlashBench& bench, const Place& page, std::uint32_t sector) {
  std::uint64_t word = 1;
  std::vector<std::uint8_t> zeros(65536, 0);
  bench.cycles.clear()
      .command(0xDA)
      .command(0x80)
      .page_address(bench.row(page), sector * 4096)
      .page_data(PhaseKind::data_in, 1u << sector, zeros.data(), &word)
      .command(0x10);
  bench.now = bench.send(bench.now);
  bench.now = std::max(bench.now, bench.ready());
  EXPECT_EQ(bench.status({}, 0x70), kIdle);
}

RawErrors slc_errors(FlashBench& bench, const Place& page, std::uint32_t mask) {
  bench.cycles.clear().command(0xDA).command(0x00).page_address(bench.row(page)).command(0x30);
  bench.now = bench.send(bench.now);
  bench.now = std::max(bench.now, bench.ready());
  return data_out(bench, mask);
}

double mean_at(double disturbs) {
  CellHistory h;
  h.disturbs = disturbs;
  const ErrorModel model(noisy_part(), 0);
  return model.rate(h) * model.codeword_bits();
}

TEST(DieErrors, SayNothingWithoutAModel) {
  FlashBench bench(small_part());
  bench.program({0, 0, 1, 0});
  EXPECT_EQ(errors_of(bench, {0, 0, 1, 0}, 3).codewords, 0u);
}

TEST(DieErrors, CarryTheExpectedBitsByPageType) {
  FlashBench bench(noisy_part());
  for (std::uint32_t page = 0; page < 3; ++page) bench.program({0, 0, 1, page});
  const ErrorModel model(noisy_part(), 0);
  for (const std::uint32_t page : {0u, 2u}) { // LSB of wordline 0, CSB of wordline 0
    const RawErrors e = errors_of(bench, {0, 0, 1, page}, 3);
    EXPECT_EQ(e.codewords, 8u);
    EXPECT_NEAR(e.worst, mean_at(0) * (page == 0 ? 1 : 2), 1e-9);
    EXPECT_NEAR(e.total, 8 * e.worst, 1e-9);
    EXPECT_EQ(e.kind, page == 0 ? 0 : 1);
  }
  EXPECT_EQ(errors_of(bench, {0, 0, 1, 0}, 2).codewords, 4u) << "of the sectors that leave the die";
}

TEST(DieErrors, AreNoneInABlankPage) {
  FlashBench bench(noisy_part());
  EXPECT_EQ(errors_of(bench, {0, 0, 1, 0}, 3).codewords, 0u);
}

TEST(DieErrors, GrowOnlyInSectorsThatPartialProgramsDisturb) {
  FlashBench bench(noisy_part());
  program_sector(bench, {0, 0, 1, 0}, 0);
  program_sector(bench, {0, 0, 1, 1}, 0);
  EXPECT_NEAR(slc_errors(bench, {0, 0, 1, 0}, 1).worst, mean_at(0), 1e-9) << "first programs disturb no page";
  program_sector(bench, {0, 0, 1, 1}, 1);
  EXPECT_NEAR(slc_errors(bench, {0, 0, 1, 1}, 1).worst, mean_at(1), 1e-9) << "in the page";
  EXPECT_NEAR(slc_errors(bench, {0, 0, 1, 1}, 2).worst, mean_at(0), 1e-9) << "what was just programmed";
  EXPECT_NEAR(slc_errors(bench, {0, 0, 1, 0}, 1).worst, mean_at(0.25), 1e-9) << "next door";
  program_sector(bench, {0, 0, 1, 2}, 0);
  EXPECT_NEAR(slc_errors(bench, {0, 0, 1, 2}, 1).worst, mean_at(0), 1e-9) << "was not there yet";
  EXPECT_EQ(slc_errors(bench, {0, 0, 1, 2}, 1).kind, hw::kSlcPages);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieErrors, StartAgainFromAnErase) {
  FlashBench bench(noisy_part());
  program_sector(bench, {0, 0, 1, 0}, 0);
  program_sector(bench, {0, 0, 1, 0}, 1);
  bench.cycles.clear().command(0xDA).command(0x60).row_address(bench.row({0, 0, 1, 0})).command(0xD0);
  bench.now = bench.send(bench.now);
  bench.now = std::max(bench.now, bench.ready());
  program_sector(bench, {0, 0, 1, 0}, 0);
  CellHistory once;
  once.erases = 1;
  const ErrorModel model(noisy_part(), 0);
  EXPECT_NEAR(slc_errors(bench, {0, 0, 1, 0}, 1).worst, model.rate(once) * model.codeword_bits(), 1e-9);
}

TEST(DieErrors, CountReadsOfTheBlock) {
  hw::NandConfig config = noisy_part();
  config.errors.read_disturb = 1000; // a read doubles the rate
  FlashBench bench(config);
  bench.program({0, 0, 1, 0});
  bench.program({0, 0, 1, 1});
  for (std::uint32_t reads = 0; reads < 4; ++reads)
    EXPECT_NEAR(errors_of(bench, {0, 0, 1, reads % 2}, 3).worst, mean_at(0) * (1 + reads), 1e-9);
}

TEST(DieErrors, GrowWithTheAgeOfData) {
  hw::NandConfig config = noisy_part();
  config.errors.retention = 2;
  config.errors.retention_power = 1;
  FlashBench bench(config);
  bench.program({0, 0, 1, 0});
  bench.now += ms(1) * 1000 * 3600 * 24 * 30;
  EXPECT_NEAR(errors_of(bench, {0, 0, 1, 0}, 3).worst, mean_at(0) * 3, 1e-3);
}

TEST(DieErrors, AreOlderInWhatWasStoredBeforeTheRun) {
  hw::NandConfig config = noisy_part();
  config.errors.retention = 2;
  config.errors.retention_power = 1;
  config.errors.age = 30;
  FlashBench bench(config);
  bench.cycles.clear();
  bench.start_program({0, 0, 1, 0});
  bench.send_functional();
  EXPECT_NEAR(errors_of(bench, {0, 0, 1, 0}, 3).worst, mean_at(0) * 3, 1e-3);
}

TEST(DieErrors, AreDrawnByTheNumberOfThePagesReadWhateverElseIsRead) {
  const ErrorModel model(noisy_part(ErrorReading::drawn), 0);
  const std::vector<double> rates(2, model.rate({}));
  FlashBench bench(noisy_part(ErrorReading::drawn));
  bench.program({0, 0, 1, 0});
  bench.program({0, 0, 1, 1});
  std::vector<double> totals;
  double by_sector[2];
  for (std::uint32_t i = 0; i < 20; ++i) {
    for (std::uint32_t other = 0; other < i % 3; ++other) errors_of(bench, {0, 0, 1, 1}, 3);
    totals.push_back(errors_of(bench, {0, 0, 1, 0}, 3).total);
    EXPECT_EQ(totals.back(), model.errors(rates.data(), 3, model.key({0, 1, 0, 0, i}), by_sector).total) << i;
  }
  EXPECT_NE(std::vector<double>(20, totals[0]), totals) << "each read is drawn anew";
}

TEST(DieErrors, AreFewerAtAReadLevel) {
  FlashBench bench(noisy_part());
  bench.program({0, 0, 1, 0});
  std::uint8_t level[8] = {2, 2};
  bench.cycles.clear().command(0xEF).short_address(0x89).bytes(PhaseKind::data_in, level, 8);
  bench.now = bench.send(bench.now);
  bench.now = std::max(bench.now, bench.ready());
  EXPECT_NEAR(errors_of(bench, {0, 0, 1, 0}, 3).worst, mean_at(0) / 4, 1e-9);
}

TEST(DieErrors, LeaveTheDieInSequencesAsInCycles) {
  FlashBench bench(noisy_part(ErrorReading::drawn));
  bench.program({0, 0, 1, 0});
  const RawErrors by_cycles = errors_of(bench, {0, 0, 1, 0}, 1);
  hw::OnfiTenure& tenure = bench.cycles.clear().tenure();
  tenure.sequence = hw::Sequence::data_out;
  tenure.form = hw::sequence_form::addressed;
  tenure.plane_count = 1;
  tenure.planes[0] = {};
  tenure.planes[0].row = bench.row({0, 0, 1, 0});
  tenure.planes[0].bytes = 4096;
  tenure.planes[0].sector_mask = 1;
  bench.now = bench.send(bench.now);
  EXPECT_EQ(tenure.planes[0].errors.total, by_cycles.total);
  EXPECT_EQ(tenure.planes[0].errors.codewords, 4u);
  tenure.sequence = hw::Sequence::raw;
}

} // namespace
} // namespace twinplane::test::die_errors_test
