// Does a die program a wordline in one pass as the sequence 80h-1Ah ... 80h-10h says, does it refuse what is
// no such pass, and does the monitor, which knows the sequence by itself, see the same?
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::die_wordline_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr TimePs kPass = us(2100);
constexpr TimePs kLoad = us(7);

hw::NandConfig one_pass_part(CellType cell = CellType::tlc) {
  hw::NandConfig c = small_part();
  c.geometry.cell = cell;
  c.page_table = PageTable::wordline;
  c.one_pass = true;
  c.partial_programs = 2; // of pages in SLC mode
  c.array.tR[3] = us(120);
  c.array.tPROG_wordline = kPass;
  c.array.tDCBSYW = kLoad;
  return c;
}

class DieWordline : public ::testing::Test {
 protected:
  explicit DieWordline(const hw::NandConfig& part = one_pass_part()) : config(part), flash(part) {}

  FlashBench& bench() { return flash.bench; }
  /// 80h address data and a confirm; waits until the LUN is ready. Returns how long it was busy.
  TimePs page(const Place& p, std::uint8_t confirm, std::uint64_t word = 1) {
    bench().oob = word;
    bench().cycles.clear();
    bench().start_program(p, confirm);
    return send();
  }
  TimePs pair(const Place& p, std::uint8_t confirm) {
    bench().cycles.clear();
    bench().start_program(p, 0x11);
    bench().start_program({p.lun, 1 - p.plane, p.block, p.page}, confirm);
    return send();
  }
  TimePs send() {
    const TimePs end = bench().send(bench().now);
    bench().now = std::max(end, bench().ready());
    return bench().now - end;
  }
  /// A whole wordline of a TLC block.
  std::uint8_t pass(const Place& first, std::uint64_t word = 1) {
    for (std::uint32_t i = 0; i < 3; ++i)
      page({first.lun, first.plane, first.block, first.page + i}, i < 2 ? 0x1A : 0x10, word + i);
    return bench().status(first);
  }
  std::uint64_t stored(const Place& p) {
    bench().read(p);
    std::uint64_t word = 0;
    bench().cycles.clear().command(0x06).page_address(bench().row(p)).command(0xE0);
    bench().cycles.page_data(PhaseKind::data_out, bench().full_mask(), nullptr, &word);
    send();
    return word;
  }
  bool blank(const Place& p) { return stored(p) == hw::kBlankOob; }
  const hw::NandStatistics& counted() { return bench().package().statistics(); }
  /// The die has refused by this rule once, and the monitor has found the same.
  void expect_refused(Rule rule) {
    EXPECT_EQ(bench().violations(rule), 1u);
    EXPECT_EQ(bench().all_violations(), 1u);
    EXPECT_EQ(flash.findings.text(), hw::rule_name(rule));
  }

  hw::NandConfig config;
  WatchedFlash flash;
};

TEST_F(DieWordline, TakesALoadTimePerPageAndOneProgramTime) {
  EXPECT_EQ(page({0, 0, 0, 0}, 0x1A), kLoad) << "behind tWB";
  EXPECT_EQ(page({0, 0, 0, 1}, 0x1A), kLoad);
  EXPECT_EQ(page({0, 0, 0, 2}, 0x10), kPass);
  EXPECT_EQ(bench().status({}), onfi::status::idle);
  EXPECT_EQ(counted().passes, 1u);
  for (const std::uint32_t type : {0u, 1u, 2u}) EXPECT_EQ(counted().programs[type], 1u);
  ASSERT_EQ(bench().arrays.size(), 1u) << "one program";
  EXPECT_EQ(bench().arrays[0].pages, 3u);
  EXPECT_EQ(bench().arrays[0].page, 2u);
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(DieWordline, StoresEachPageWithItsOwnData) {
  EXPECT_EQ(pass({0, 1, 3, 0}, 7), onfi::status::idle);
  EXPECT_EQ(pass({0, 1, 3, 3}, 20), onfi::status::idle);
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    EXPECT_EQ(stored({0, 1, 3, i}), 7u + i);
    EXPECT_EQ(stored({0, 1, 3, 3 + i}), 20u + i);
  }
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(DieWordline, ChangesNoCellsBeforeTheLastPage) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 1}, 0x1A);
  bench().cycles.clear().command(0xFF);
  send();
  for (const std::uint32_t i : {0u, 1u, 2u}) EXPECT_TRUE(blank({0, 0, 0, i}));
  EXPECT_EQ(pass({0, 0, 0, 0}), onfi::status::idle) << "a reset has ended the pass";
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(DieWordline, ProgramsTheWordlinesOfSeveralPlanes) {
  for (std::uint32_t i = 0; i < 3; ++i) pair({0, 0, 2, i}, i < 2 ? 0x1A : 0x10);
  for (const std::uint32_t plane : {0u, 1u}) EXPECT_EQ(bench().status({0, plane, 2, 2}), onfi::status::idle);
  EXPECT_EQ(counted().passes, 2u);
  EXPECT_EQ(counted().multiplane_program.commands, 1u);
  for (const std::uint32_t plane : {0u, 1u}) EXPECT_FALSE(blank({0, plane, 2, 2}));
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(DieWordline, TakesSlcPagesOneByOne) {
  for (const std::uint32_t i : {0u, 1u}) {
    bench().cycles.clear().command(onfi::opcode::slc_enter);
    bench().start_program({0, 0, 5, i});
    send();
    EXPECT_EQ(bench().status({}), onfi::status::idle);
  }
  EXPECT_EQ(counted().slc_programs, 2u);
  EXPECT_EQ(flash.findings.text(), "");
}

TEST_F(DieWordline, LosesTheWholeWordlineToAReset) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 1}, 0x1A);
  bench().cycles.clear();
  bench().start_program({0, 0, 0, 2});
  const TimePs end = bench().send(bench().now);
  bench().cycles.clear().command(0xFF);
  bench().now = end + us(50);
  send();
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    bench().read({0, 0, 0, i});
    bench().cycles.clear().page_data(PhaseKind::data_out, bench().full_mask(), nullptr, nullptr);
    bench().cycles.clear().command(0x00).page_data(PhaseKind::data_out, bench().full_mask(), nullptr,
                                                   nullptr);
    send();
    EXPECT_TRUE(bench().cycles.tenure().phases[1].corrupt) << i;
  }
}

// --- what is no pass ---

TEST_F(DieWordline, RefusesASinglePage) {
  page({0, 0, 0, 0}, 0x10);
  EXPECT_EQ(bench().status({}), onfi::status::idle | onfi::status::fail);
  expect_refused(Rule::wordline);
  EXPECT_TRUE(blank({0, 0, 0, 0}));
}

TEST_F(DieWordline, RefusesASkippedPage) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 2}, 0x10);
  EXPECT_EQ(bench().status({}), onfi::status::idle | onfi::status::fail);
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesTypesInAnotherOrder) {
  page({0, 0, 0, 1}, 0x1A);
  page({0, 0, 0, 0}, 0x1A);
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesThePageOfAnotherWordlineAndForgetsThePass) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 4}, 0x1A);
  expect_refused(Rule::wordline);
  EXPECT_TRUE(blank({0, 0, 0, 0})) << "reads are taken again";
}

TEST_F(DieWordline, RefusesAnotherBlock) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 1, 1}, 0x1A);
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesPlanesThatChange) {
  pair({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 1}, 0x1A);
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesToLoadBehindTheLastPage) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 1}, 0x1A);
  page({0, 0, 0, 2}, 0x1A);
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesAReadInBetweenAndGoesOn) {
  page({0, 0, 0, 0}, 0x1A);
  bench().cycles.clear().command(0x00).page_address(bench().row({0, 1, 0, 0})).command(0x30);
  send();
  expect_refused(Rule::wordline);
  page({0, 0, 0, 1}, 0x1A);
  page({0, 0, 0, 2}, 0x10);
  EXPECT_EQ(bench().status({}), onfi::status::idle);
  EXPECT_FALSE(blank({0, 0, 0, 2}));
}

TEST_F(DieWordline, RefusesAnSlcProgramInBetween) {
  page({0, 0, 0, 0}, 0x1A);
  bench().cycles.clear().command(onfi::opcode::slc_enter);
  bench().start_program({0, 0, 5, 0});
  send();
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesACacheProgramOfIts) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 1}, 0x15);
  expect_refused(Rule::wordline);
}

TEST_F(DieWordline, RefusesALoadWhileBusy) {
  page({0, 0, 0, 0}, 0x1A);
  bench().cycles.clear();
  bench().start_program({0, 0, 0, 1}, 0x1A);
  const TimePs end = bench().send(bench().now);
  bench().now = end + us(1);
  page({0, 0, 0, 2}, 0x10);
  expect_refused(Rule::busy);
}

TEST_F(DieWordline, RefusesWordlinesOutOfOrder) {
  pass({0, 0, 0, 3});
  expect_refused(Rule::order);
}

TEST_F(DieWordline, RefusesAWordlineThatIsProgrammed) {
  pass({0, 0, 0, 0});
  pass({0, 0, 0, 0});
  expect_refused(Rule::erase_before_program);
}

TEST_F(DieWordline, RefusesABlockInSlcMode) {
  bench().cycles.clear().command(onfi::opcode::slc_enter);
  bench().start_program({0, 0, 5, 0});
  send();
  bench().status({});
  pass({0, 0, 5, 0});
  expect_refused(Rule::slc_mode);
}

TEST(DieWordlinePages, RefusesOneAhInAPartThatProgramsPages) {
  WatchedFlash flash;
  flash.bench.cycles.clear();
  flash.bench.start_program({0, 0, 0, 0}, 0x1A);
  flash.bench.send();
  EXPECT_EQ(flash.bench.violations(Rule::protocol), 1u);
  EXPECT_EQ(flash.findings.text(), "sequence");
}

TEST_F(DieWordline, SuspendsAndResumesThePass) {
  page({0, 0, 0, 0}, 0x1A);
  page({0, 0, 0, 1}, 0x1A);
  bench().cycles.clear();
  bench().start_program({0, 0, 0, 2});
  const TimePs start = bench().send(bench().now);
  bench().now = start + us(100);
  bench().cycles.clear().command(0x84).page_address(bench().row({0, 0, 0, 2}));
  const TimePs suspended = bench().send(bench().now) + config.array.tPSPD;
  bench().now = bench().ready();
  EXPECT_EQ(bench().now, suspended);
  bench().cycles.clear().command(0x13).page_address(bench().row({0, 0, 0, 2}));
  const TimePs resumed = bench().send(bench().now);
  EXPECT_EQ(bench().ready() - resumed, start + kPass - suspended);
  bench().now = bench().ready();
  EXPECT_EQ(bench().status({}), onfi::status::idle);
  EXPECT_EQ(flash.findings.text(), "");
}

class DieWordlineFaults : public DieWordline {
 protected:
  static hw::NandConfig failing() {
    hw::NandConfig c = one_pass_part();
    c.faults.program = 0.3;
    return c;
  }
  DieWordlineFaults() : DieWordline(failing()) {}
};

TEST_F(DieWordlineFaults, LoseAllPagesOfThePassOrNone) {
  std::uint32_t failed = 0;
  for (std::uint32_t w = 0; w < 16; ++w) {
    const bool fail = (pass({0, 0, 0, 3 * w}) & onfi::status::fail) != 0;
    failed += fail ? 1 : 0;
    for (std::uint32_t i = 0; i < 3; ++i) {
      bench().read({0, 0, 0, 3 * w + i});
      bench().cycles.clear().command(0x00).page_data(PhaseKind::data_out, bench().full_mask(), nullptr,
                                                     nullptr);
      send();
      EXPECT_EQ(bench().cycles.tenure().phases[1].corrupt, fail);
    }
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, 16u);
  EXPECT_EQ(counted().failed_programs, 3 * failed);
}

// --- passes with something wrong in them: die and monitor judge alike ---

class WordlineAgreement : public testing::TestWithParam<std::uint32_t> {};

TEST_P(WordlineAgreement, HoldsForRandomPasses) {
  const CellType cells[] = {CellType::mlc, CellType::tlc, CellType::qlc};
  const CellType cell = cells[GetParam() % 3];
  const auto types = static_cast<std::uint32_t>(cell);
  hw::NandConfig part = one_pass_part(cell);
  part.pac = GetParam() % 2 == 0;
  WatchedFlash flash(part);
  FlashBench& bench = flash.bench;
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto rarely = [&] { return below(16) == 0; };
  const auto wait = [&] {
    const TimePs end = bench.send(bench.now);
    bench.now = std::max(end, bench.ready());
  };
  std::uint32_t next[2][2] = {}; // by plane and block: the first page not programmed
  for (std::uint32_t i = 0; i < 600; ++i) {
    std::string log;
    const std::uint32_t plane = below(2), block = below(2);
    const bool two = below(3) == 0;
    const std::uint32_t first = rarely() ? below(12) * types : next[plane][block];
    const std::uint64_t before = flash.monitor.statistics().total();
    for (std::uint32_t type = 0; type < types; ++type) {
      if (rarely() && rarely()) continue;
      bench.cycles.clear();
      if (rarely() && rarely()) bench.cycles.command(onfi::opcode::slc_enter);
      const std::uint32_t page = first + (rarely() && rarely() ? below(types) : type);
      const bool last = rarely() && rarely() ? below(2) == 0 : type + 1 == types;
      const std::uint8_t confirm = rarely() && rarely() ? 0x15 : last ? 0x10 : 0x1A;
      const Place p{0, plane, block, page};
      if (two) bench.start_program(p, 0x11);
      const Place q{0, two ? 1 - plane : plane, rarely() && rarely() ? 1 - block : block, page};
      bench.start_program(two ? q : p, confirm);
      log += std::to_string(plane) + (two ? "+" : "") + "." + std::to_string(block) + "." +
             std::to_string(page) + " " + std::to_string(confirm) + " | ";
      wait();
      if (rarely() && rarely()) {
        bench.cycles.clear().command(below(2) == 0 ? 0x00 : 0x60);
        log += bench.cycles.tenure().phases[0].opcode == 0 ? "read | " : "erase | ";
        if (bench.cycles.tenure().phases[0].opcode == 0) {
          bench.cycles.page_address(bench.row(p)).command(0x30);
        } else {
          bench.cycles.row_address(bench.row({0, plane, 1 - block, 0})).command(0xD0);
        }
        wait();
        for (std::uint32_t at = 0; at < 2; ++at) bench.status({0, at, 0, 0});
      }
    }
    bool good = true;
    for (std::uint32_t at = 0; at < 2; ++at)
      good = (bench.status({0, at, 0, 0}) & onfi::status::fail) == 0 && good;
    const hw::MonitorStatistics& s = flash.monitor.statistics();
    ASSERT_EQ(s.of(hw::MonitorRule::disagreement) + s.of(hw::MonitorRule::ready_busy) +
                  s.of(hw::MonitorRule::status_value) + s.of(hw::MonitorRule::timing),
              0u)
        << i << ": " << log << flash.findings.all.back().detail << " " << flash.findings.all.back().name;
    if (s.total() != before) {
      bench.cycles.clear().command(0xFF);
      wait();
    }
    for (std::uint32_t pl = 0; pl < 2; ++pl) {
      for (std::uint32_t b = 0; b < 2; ++b)
        next[pl][b] = bench.package().die(0).cells().store().block(pl, b).programmed;
    }
    if (next[plane][block] < 12 * types) continue;
    for (std::uint32_t pl = 0; pl < 2; ++pl) {
      bench.erase({0, pl, block, 0});
      next[pl][block] = 0;
    }
  }
  EXPECT_GT(flash.monitor.statistics().total(), 50u) << "some passes are meant to be wrong";
  EXPECT_GT(flash.monitor.statistics().of(hw::MonitorRule::wordline), 10u);
  EXPECT_GT(bench.package().statistics().passes, 200u) << flash.findings.text();
}

INSTANTIATE_TEST_SUITE_P(Seeds, WordlineAgreement, testing::Range(1u, 13u), parameter_name);

} // namespace
} // namespace twinplane::test::die_wordline_test
