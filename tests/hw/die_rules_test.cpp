// Does a die refuse what a real die refuses, and accept the rest? One rule per test, both ways.
#include <gtest/gtest.h>

#include "hw/nand/rules.h"
#include "tests/support/flash_bench.h"

namespace twinplane::test::die_rules_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr std::uint8_t kOk = 0xE0;
constexpr std::uint8_t kFail = 0xE1;

/// Programs pages 0 .. count-1 of a block.
void fill(FlashBench& bench, Place place, std::uint32_t count) {
  for (place.page = 0; place.page < count; ++place.page) ASSERT_EQ(bench.program(place), kOk);
}

TEST(DieRules, AcceptsAMultiPlaneProgramOfTwinPages) {
  FlashBench bench;
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 3, 0}), kOk);
  EXPECT_EQ(bench.all_violations(), 0u);
  EXPECT_EQ(bench.package().statistics().multiplane_program.commands, 1u);
  EXPECT_EQ(bench.package().statistics().multiplane_program.units, 2u);
  EXPECT_EQ(bench.package().statistics().programs[0], 2u);
}

TEST(DieRules, RefusesAMultiPlaneProgramOfDifferentPages) {
  FlashBench bench;
  fill(bench, {0, 0, 0, 0}, 1);
  EXPECT_EQ(bench.program_pair({0, 0, 0, 1}, {0, 1, 0, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::pac), 1u);
  EXPECT_EQ(bench.all_violations(), 1u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(1, 0).programmed, 0u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(0, 0).programmed, 1u);
  ASSERT_EQ(bench.seen_violations.size(), 1u);
  EXPECT_STREQ(bench.seen_violations[0].rule, "pac");
}

TEST(DieRules, AcceptsDifferentPagesWithoutPac) {
  hw::NandConfig config = small_part();
  config.pac = false;
  FlashBench bench(config);
  fill(bench, {0, 0, 0, 0}, 1);
  EXPECT_EQ(bench.program_pair({0, 0, 0, 1}, {0, 1, 0, 0}), kOk);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, RefusesAMultiPlaneReadOfDifferentPages) {
  FlashBench bench;
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0})).command(0x32);
  bench.cycles.command(0x00).page_address(bench.row({0, 1, 0, 1})).command(0x30);
  EXPECT_EQ(bench.finish(0), kFail);
  EXPECT_EQ(bench.violations(Rule::pac), 1u);
}

TEST(DieRules, AcceptsDifferentBlocksWithoutBac) {
  FlashBench bench;
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 4, 0}), kOk);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, RefusesDifferentBlocksWithBac) {
  hw::NandConfig config = small_part();
  config.bac = true;
  FlashBench bench(config);
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 4, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::bac), 1u);
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 3, 0}), kOk);
}

TEST(DieRules, AppliesBacToMultiPlaneErase) {
  hw::NandConfig config = small_part();
  config.bac = true;
  FlashBench bench(config);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 3, 0})).command(0xD1);
  bench.cycles.command(0x60).row_address(bench.row({0, 1, 4, 0})).command(0xD0);
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 3, 0})).command(0xD1);
  bench.cycles.command(0x60).row_address(bench.row({0, 1, 3, 0})).command(0xD0);
  EXPECT_EQ(bench.finish(0), kOk);
  EXPECT_EQ(bench.violations(Rule::bac), 1u);
  EXPECT_EQ(bench.package().statistics().native_erases, 2u);
}

TEST(DieRules, RefusesTheSamePlaneTwice) {
  FlashBench bench;
  EXPECT_EQ(bench.program_pair({0, 1, 3, 0}, {0, 1, 4, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::distinct_planes), 1u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(1, 3).programmed, 0u);
}

TEST(DieRules, RefusesAGroupAcrossLuns) {
  FlashBench bench;
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {1, 1, 3, 0}), kFail);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::same_lun), 1u);
  EXPECT_EQ(bench.all_violations(), 1u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(0, 3).programmed, 0u);
  EXPECT_EQ(bench.package().die(1).cells().store().block(1, 3).programmed, 0u);
  EXPECT_EQ(bench.program({0, 0, 3, 0}), kOk) << "the dropped queue must not come back";
}

TEST(DieRules, LetsTwoLunsWorkAtTheSameTime) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0});
  const TimePs end = bench.send();
  const TimePs first_ready = bench.ready();
  bench.cycles.clear();
  bench.start_program({1, 0, 0, 0});
  bench.send(end);
  EXPECT_LT(end, first_ready);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, EnforcesTheStrictTlcOrder) {
  FlashBench bench;
  EXPECT_EQ(bench.program({0, 0, 0, 1}), kFail) << "page 0 comes first";
  fill(bench, {0, 0, 0, 0}, 48);
  EXPECT_EQ(bench.violations(Rule::order), 1u);
  EXPECT_EQ(bench.all_violations(), 1u);
  const auto& programs = bench.package().statistics().programs;
  EXPECT_EQ(programs[0], 16u);
  EXPECT_EQ(programs[1], 16u);
  EXPECT_EQ(programs[2], 16u);
}

TEST(DieRules, EnforcesTheRelaxedTlcOrder) {
  hw::NandConfig config = small_part();
  config.program_order = ProgramOrder::relaxed;
  FlashBench bench(config);
  const PageOrderTable table(CellType::tlc, 48);
  const auto page = [&](std::uint32_t wordline, PageType type) {
    return Place{0, 0, 0, table.page(wordline, type)};
  };
  EXPECT_EQ(bench.program(page(0, 0)), kOk);
  EXPECT_EQ(bench.program(page(0, 1)), kFail) << "LSB of wordline 1 is missing";
  EXPECT_EQ(bench.program(page(2, 0)), kFail) << "LSB pages ascend";
  EXPECT_EQ(bench.program(page(1, 0)), kOk);
  EXPECT_EQ(bench.program(page(2, 0)), kOk) << "out of the strict order: CSB of wordline 0 may wait";
  EXPECT_EQ(bench.program(page(0, 1)), kOk);
  EXPECT_EQ(bench.program(page(0, 2)), kFail) << "CSB of wordline 1 is missing";
  EXPECT_EQ(bench.program(page(1, 1)), kOk);
  EXPECT_EQ(bench.program(page(0, 2)), kOk);
  EXPECT_EQ(bench.violations(Rule::order), 3u);
}

TEST(DieRules, FindsTheStrictOrderLegalUnderTheRelaxedOne) {
  hw::NandConfig config = small_part();
  config.program_order = ProgramOrder::relaxed;
  FlashBench bench(config);
  fill(bench, {0, 0, 0, 0}, 48);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, FindsTheStrictEvenOddOrderLegalUnderTheRelaxedOne) {
  hw::NandConfig config = small_part();
  config.geometry.cell = CellType::mlc;
  config.page_table = PageTable::even_odd;
  config.program_order = ProgramOrder::relaxed;
  FlashBench bench(config);
  fill(bench, {0, 0, 0, 0}, 48);
  EXPECT_EQ(bench.all_violations(), 0u);
}

/// Closed enumeration of the relaxed order: 49 reachable states of a six-wordline block.
TEST(DieRules, ReachesThe49StatesOfTheRelaxedOrder) {
  hw::NandConfig config = small_part();
  config.geometry.pages_per_block = 18;
  config.geometry.blocks_per_plane = 64;
  config.program_order = ProgramOrder::relaxed;
  FlashBench bench(config);
  const PageOrderTable table(CellType::tlc, 18);
  std::uint32_t reachable = 0;
  std::uint32_t block = 0;
  for (std::uint32_t nl = 0; nl <= 6; ++nl) {
    for (std::uint32_t nc = 0; nc <= 6; ++nc) {
      for (std::uint32_t nm = 0; nm <= 6; ++nm) {
        const std::uint64_t before = bench.violations(Rule::order);
        const std::uint32_t counts[3] = {nl, nc, nm};
        for (std::uint32_t t = 0; t < 3; ++t) {
          for (std::uint32_t w = 0; w < counts[t]; ++w) {
            bench.program({0, 0, block, table.page(w, static_cast<PageType>(t))});
          }
        }
        if (bench.violations(Rule::order) == before) ++reachable;
        bench.erase({0, 0, block, 0});
        block = (block + 1) % 64;
      }
    }
  }
  EXPECT_EQ(reachable, 49u);
}

TEST(DieRules, AllowsOnlyFastPagesInSlcOrder) {
  hw::NandConfig config = small_part();
  config.program_order = ProgramOrder::slc;
  FlashBench bench(config);
  const PageOrderTable table(CellType::tlc, 48);
  for (std::uint32_t w = 0; w < 16; ++w) EXPECT_EQ(bench.program({0, 0, 0, table.page(w, 0)}), kOk);
  EXPECT_EQ(bench.program({0, 0, 0, table.page(0, 1)}), kFail);
  EXPECT_EQ(bench.violations(Rule::order), 1u);
}

TEST(DieRules, RefusesToProgramAPageTwice) {
  FlashBench bench;
  fill(bench, {0, 0, 0, 0}, 2);
  EXPECT_EQ(bench.program({0, 0, 0, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::erase_before_program), 1u);
  EXPECT_EQ(bench.erase({0, 0, 0, 0}), kOk);
  EXPECT_EQ(bench.program({0, 0, 0, 0}), kOk);
  EXPECT_EQ(bench.package().erase_count(0, 0, 0), 1u);
}

TEST(DieRules, CountsPartialProgramsOfAPage) {
  hw::NandConfig config = small_part();
  config.geometry.sector_size = 2048; // four sectors
  config.partial_programs = 2;
  FlashBench bench(config);
  std::vector<std::uint8_t> tags(4 * kTagBytes, 7);
  const auto part = [&](std::uint32_t mask) {
    bench.cycles.clear().command(0x80).page_address(bench.row({0, 0, 0, 0}));
    bench.cycles.page_data(PhaseKind::data_in, mask, tags.data(), nullptr).command(0x10);
    return bench.finish(0);
  };
  EXPECT_EQ(part(0x1), kOk);
  EXPECT_EQ(part(0x3), kFail) << "sector 0 is programmed";
  EXPECT_EQ(part(0x2), kOk);
  EXPECT_EQ(part(0x4), kFail) << "NOP is 2";
  EXPECT_EQ(bench.violations(Rule::erase_before_program), 1u);
  EXPECT_EQ(bench.violations(Rule::partial_limit), 1u);
  EXPECT_EQ(bench.package().statistics().partial_programs, 2u);
  EXPECT_EQ(bench.program({0, 0, 0, 1}), kOk) << "a partly programmed page keeps its place in the order";
}

TEST(DieRules, RefusesAddressesThatDoNotExist) {
  hw::NandConfig config = small_part();
  config.geometry.planes_per_die = 3;   // two plane bits: plane 3 does not exist
  config.geometry.blocks_per_plane = 6; // three block bits: 6 and 7 do not exist
  config.geometry.dies_per_chip = 3;
  FlashBench bench(config);
  EXPECT_EQ(bench.program({0, 0, 6, 0}), kFail);
  EXPECT_EQ(bench.read({0, 0, 0, 48}), kFail); // six page bits: 48 .. 63 do not exist
  EXPECT_EQ(bench.erase({0, 0, 7, 0}), kFail);
  EXPECT_EQ(bench.read({0, 3, 0, 0}), kFail);
  EXPECT_EQ(bench.erase({3, 0, 0, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::bad_address), 5u);
  EXPECT_EQ(bench.all_violations(), 5u);
  EXPECT_EQ(bench.program({2, 2, 5, 0}), kOk);
  EXPECT_EQ(bench.read({2, 2, 5, 47}), kOk);
  EXPECT_EQ(bench.erase({2, 2, 5, 0}), kOk);
}

TEST(DieRules, RefusesAnOddColumnOnADdrInterface) {
  FlashBench bench;
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0}), 1).command(0x30);
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0}), 8192 + 256).command(0x30);
  EXPECT_EQ(bench.finish(0), kFail);
  EXPECT_EQ(bench.violations(Rule::bad_address), 2u);
}

TEST(DieRules, RefusesACommandToABusyLunUntilItIsReady) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0});
  bench.send();
  const TimePs ready = bench.ready();
  const TimePs tCS = ns(20);
  // The command cycle begins tCS after the tenure: one picosecond early ...
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0})).command(0x30);
  bench.send(ready - tCS - 1);
  EXPECT_EQ(bench.violations(Rule::busy), 1u);
  EXPECT_EQ(bench.ready(), ready) << "the running program goes on";
  EXPECT_EQ(bench.status({0, 0, 0, 0}, 0x70, ready), kFail);
}

TEST(DieRules, AcceptsACommandAtTheMomentTheLunIsReady) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0});
  bench.send();
  const TimePs ready = bench.ready();
  bench.cycles.clear().command(0x00).page_address(bench.row({0, 0, 0, 0})).command(0x30);
  bench.send(ready - ns(20));
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, AnswersStatusOfABusyLunAndOfItsIdleSibling) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 1, 0, 0});
  bench.send();
  const TimePs ready = bench.ready();
  EXPECT_EQ(bench.status({0, 1, 0, 0}), 0x80);
  EXPECT_EQ(bench.status({1, 0, 0, 0}), 0xE0);
  EXPECT_EQ(bench.status({0, 1, 0, 0}, 0x78, ready), 0xE0);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, RefusesTargetCommandsWhileALunIsBusy) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({1, 0, 0, 0});
  bench.send();
  std::uint8_t id[2] = {};
  bench.cycles.clear().command(0x90).short_address(0x20).bytes(PhaseKind::data_out, id, 2);
  bench.send();
  EXPECT_GE(bench.violations(Rule::busy), 1u);
  EXPECT_EQ(id[0], 0);
}

TEST(DieRules, ShowsFailPerPlane) {
  FlashBench bench;
  fill(bench, {0, 1, 3, 0}, 1);
  // Plane 0 accepts page 0, plane 1 has it already.
  EXPECT_EQ(bench.program_pair({0, 0, 3, 0}, {0, 1, 3, 0}), kFail);
  EXPECT_EQ(bench.status({0, 0, 0, 0}), kOk);
  EXPECT_EQ(bench.status({0, 1, 0, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::erase_before_program), 1u);
  EXPECT_EQ(bench.package().die(0).cells().store().block(0, 3).programmed, 1u);
  EXPECT_EQ(bench.read({0, 0, 3, 0}), kOk) << "the next operation clears FAIL";
}

TEST(DieRules, KeepsFailOfAnEarlierPlaneOfTheGroup) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 7, 0}, 0x11);                             // good
  bench.cycles.command(0x80).page_address(bench.row({0, 1, 7, 0}), 1); // odd column: refused
  bench.cycles.page_data(PhaseKind::data_in, 3, nullptr, nullptr).command(0x11);
  EXPECT_EQ(bench.finish(0), kFail);
}

TEST(DieRules, RefusesSequencesThatAreNoCommand) {
  FlashBench bench;
  bench.cycles.clear().command(0x30); // without address
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().command(0x00).short_address(0, 3).command(0x30); // three of five cycles
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().command(0x80).page_address(bench.row({0, 0, 0, 0})).command(0x10); // no data
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0xD0); // D0h after 80h
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x10, 0x81); // 81h opens nothing
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().command(0x60).row_address(bench.row({0, 0, 0, 0})).command(0x10);
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().command(0xAB);
  EXPECT_EQ(bench.finish(0), kFail);
  bench.cycles.clear().page_address(0);
  bench.finish(0);
  EXPECT_GE(bench.violations(Rule::protocol), 7u);
  EXPECT_EQ(bench.all_violations(), bench.violations(Rule::protocol));
  EXPECT_EQ(bench.package().die(0).cells().store().block(0, 0).programmed, 0u);
  EXPECT_EQ(bench.package().erase_count(0, 0, 0), 0u);
  EXPECT_EQ(bench.program({0, 0, 0, 0}), kOk) << "and recovers";
}

TEST(DieRules, RefusesAMixedGroup) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x11);
  bench.cycles.command(0x60).row_address(bench.row({0, 1, 0, 0})).command(0xD0);
  EXPECT_EQ(bench.finish(0), kFail);
  EXPECT_EQ(bench.violations(Rule::protocol), 1u);
  EXPECT_EQ(bench.package().erase_count(0, 1, 0), 0u);
}

TEST(DieRules, AcceptsTheJedecFormOfAMultiPlaneProgram) {
  FlashBench bench;
  bench.cycles.clear();
  bench.start_program({0, 0, 0, 0}, 0x11);
  bench.start_program({0, 1, 0, 0}, 0x10, 0x81);
  EXPECT_EQ(bench.finish(0), kOk);
  EXPECT_EQ(bench.all_violations(), 0u);
}

TEST(DieRules, KeepsSlcModeBlocksApart) {
  FlashBench bench;
  const auto slc_program = [&](const Place& p) {
    bench.cycles.clear().command(0xDA);
    bench.start_program(p);
    return bench.finish(p.lun);
  };
  EXPECT_EQ(slc_program({0, 0, 0, 0}), kOk);
  EXPECT_EQ(bench.arrays.back().end - bench.arrays.back().start, small_part().array.slc_tPROG);
  EXPECT_EQ(slc_program({0, 0, 0, 1}), kOk);
  EXPECT_EQ(bench.program({0, 0, 0, 2}), kFail) << "the prefix holds for one operation";
  EXPECT_EQ(bench.read({0, 0, 0, 0}), kFail);
  EXPECT_EQ(bench.violations(Rule::slc_mode), 2u);
  EXPECT_EQ(slc_program({0, 0, 0, 16}), kFail) << "16 wordlines are 16 pages";
  EXPECT_EQ(bench.violations(Rule::bad_address), 1u);
  bench.cycles.clear().command(0xDA).command(0x60).row_address(bench.row({0, 0, 0, 0})).command(0xD0);
  EXPECT_EQ(bench.finish(0), kOk);
  EXPECT_EQ(bench.program({0, 0, 0, 0}), kOk) << "after an erase the block is free for either mode";
  EXPECT_EQ(bench.package().statistics().slc_programs, 2u);
  EXPECT_EQ(bench.package().statistics().slc_erases, 1u);
}

TEST(DieRules, EndsTheRunWhenStrict) {
  hw::NandConfig config = small_part();
  config.strict = true;
  FlashBench bench(config);
  sc_core::sc_report_handler::set_handler(nullptr); // SystemC's own: an error throws
  EXPECT_THROW(bench.program({0, 0, 0, 1}), sc_core::sc_report);
}

TEST(DieRules, LimitsMessagesButCountsAll) {
  FlashBench bench;
  for (int i = 0; i < 50; ++i) bench.program({0, 0, 0, 1});
  EXPECT_EQ(bench.violations(Rule::order), 50u);
  EXPECT_EQ(sc_core::sc_report_handler::get_count("twinplane.nand", sc_core::SC_WARNING), 10);
}

} // namespace
} // namespace twinplane::test::die_rules_test
