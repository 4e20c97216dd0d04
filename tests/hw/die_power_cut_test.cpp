// Does a power cut leave in the cells what docs/power_loss.md says, to the picosecond, for each kind of
// operation and cell type; is all else as after power-on; and does the monitor agree with the die afterwards?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/hw/tenure_side.h"
#include "tests/support/monitor_bench.h"

namespace twinplane::test::die_power_cut_test {
namespace {

using hw::PhaseKind;
using hw::Rule;

constexpr std::uint8_t kIdle = 0xE0;
constexpr std::uint8_t kFail = 0xE1;
constexpr TimePs kPass = us(2100);

hw::NandConfig part_of(CellType cell) {
  hw::NandConfig c = small_part();
  c.geometry.cell = cell;
  c.array.tR[3] = us(120);
  c.array.tPROG[3] = us(9000);
  c.partial_programs = 4;
  return c;
}

class PowerCut : public ::testing::Test {
 protected:
  explicit PowerCut(const hw::NandConfig& part = part_of(CellType::tlc)) : config(part), flash(part) {}

  FlashBench& bench() { return flash.bench; }
  TimePs send() { return bench().now = bench().send(bench().now); }
  void announce(TimePs at) {
    bench().package().announce_power_cut(at);
    flash.monitor.announce_power_cut(at);
  }
  /// The supply fails at the time announced and is back at once.
  void cut(TimePs at) {
    announce(at);
    bench().package().cut_power();
    flash.monitor.cut_power();
    bench().now = std::max(bench().now, at + us(1));
  }
  void start_program(const Place& p, std::uint8_t confirm = 0x10) {
    bench().cycles.clear();
    bench().start_program(p, confirm);
    send();
  }
  void start_slc_program(const Place& p, std::uint32_t mask) {
    static std::uint8_t zeros[16384] = {};
    bench().cycles.clear().command(config.slc_enter).command(0x80).page_address(bench().row(p));
    bench().cycles.page_data(PhaseKind::data_in, mask, zeros, &bench().oob).command(0x10);
    send();
  }
  void start_erase(const Place& p) {
    bench().cycles.clear().command(0x60).row_address(bench().row(p)).command(0xD0);
    send();
  }
  void wait() { bench().now = std::max(bench().now, bench().ready()); }

  const hw::PageStore& store(std::uint32_t lun = 0) { return bench().package().die(lun).cells().store(); }
  bool lost(const Place& p) { return store(p.lun).corrupt(store(p.lun).block(p.plane, p.block), p.page); }
  bool blank(const Place& p) {
    return store(p.lun).program_count(store(p.lun).block(p.plane, p.block), p.page) == 0;
  }
  /// What the bus sees of a page.
  hw::OnfiPhase seen(const Place& p) {
    bench().read(p);
    bench().cycles.clear().command(0x06).page_address(bench().row(p)).command(0xE0);
    bench().cycles.page_data(PhaseKind::data_out, bench().full_mask(), nullptr, &word_);
    send();
    return bench().cycles.tenure().phases[3];
  }
  std::uint64_t refused() { return bench().all_violations(); }
  std::string found() const { return flash.findings.text(); }
  /// From the begin of a tenure that programs one page to that of its array time.
  TimePs program_lead() {
    const TimePs begin = std::max(bench().now, bench().channel.free_at());
    start_program({1, 1, 7, 0});
    finish({1, 1, 7, 0});
    return end_ - config.array.tPROG[0] - begin;
  }
  /// Waits for the operation that was just sent and reads its status.
  void finish(const Place& p) {
    end_ = bench().ready();
    wait();
    bench().status(p);
  }

  hw::NandConfig config;
  WatchedFlash flash;
  std::uint64_t word_ = 0;
  TimePs end_ = 0;
};

// --- programs ---

class CellTypes : public PowerCut, public ::testing::WithParamInterface<CellType> {
 protected:
  CellTypes() : PowerCut(part_of(GetParam())) {}
};

/// In each block another page of wordline 1 is the one that is interrupted, 1 ps before its end, 300 us
/// before, or not at all.
TEST_P(CellTypes, LoseTheInterruptedPageAndTheLowerPagesOfItsWordline) {
  const PageOrderTable order(config.geometry.cell, config.geometry.pages_per_block);
  for (const TimePs early : {TimePs{1}, us(300), TimePs{0}}) {
    for (std::uint32_t type = 0; type < order.types(); ++type) {
      const std::uint32_t last = order.page(1, static_cast<PageType>(type));
      Place at{early == 0 ? 1u : 0u, early == 1 ? 1u : 0u, type, 0};
      for (; at.page < last; ++at.page) ASSERT_EQ(bench().program(at), kIdle);
      start_program(at);
      cut(bench().ready() - early);
      for (at.page = 0; at.page <= last; ++at.page) {
        const bool paired = order.wordline(at.page) == 1;
        EXPECT_EQ(lost(at), early != 0 && paired) << type << ' ' << at.page;
      }
      EXPECT_EQ(bench().program(at), kIdle) << "the next page of the block";
      EXPECT_FALSE(lost(at));
    }
  }
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
}

INSTANTIATE_TEST_SUITE_P(PowerCut, CellTypes,
                         ::testing::Values(CellType::slc, CellType::mlc, CellType::tlc, CellType::qlc),
                         [](const auto& cell) {
                           return std::to_string(static_cast<unsigned>(cell.param)) + "_bits";
                         });

TEST_F(PowerCut, IsAfterTheProgramThatEndsWithItAndBeforeOneThatBegins) {
  const TimePs lead = program_lead();
  // By how much later the cut comes than the program's array time begins, and its page then.
  const struct {
    std::int64_t later;
    bool lost, blank;
  } cases[] = {{-1, false, true}, {0, false, true}, {1, true, false}};
  std::uint32_t block = 0;
  for (const auto& c : cases) {
    const Place page{0, 0, block++, 0};
    const TimePs begin = bench().now + us(10);
    const TimePs at = begin + lead + static_cast<TimePs>(c.later);
    announce(at);
    bench().now = begin;
    start_program(page);
    cut(at);
    EXPECT_EQ(lost(page), c.lost) << c.later;
    EXPECT_EQ(blank(page), c.blank) << c.later;
    if (!c.blank) continue;
    EXPECT_EQ(bench().program(page), kIdle) << "its cells are still erased";
  }
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
}

TEST_F(PowerCut, ShowsTheBusAPageThatNoEccCorrectsAndRefusesToProgramItAgain) {
  const Place page{0, 0, 2, 0};
  start_program(page);
  cut(bench().ready() - 1);
  const hw::OnfiPhase data = seen(page);
  EXPECT_TRUE(data.corrupt);
  EXPECT_FALSE(data.blank);
  EXPECT_EQ(bench().program(page), kFail);
  EXPECT_EQ(refused(), 1u);
  EXPECT_EQ(found(), "erase_before_program");
  EXPECT_EQ(bench().erase(page), kIdle);
  EXPECT_EQ(bench().program(page), kIdle);
  EXPECT_FALSE(lost(page));
}

TEST_F(PowerCut, InterruptsAllPlanesOfAGroup) {
  ASSERT_EQ(bench().program_pair({0, 0, 1, 0}, {0, 1, 1, 0}), kIdle);
  bench().cycles.clear();
  bench().start_program({0, 0, 1, 1}, 0x11);
  bench().start_program({0, 1, 1, 1});
  send();
  cut(bench().ready() - 1);
  for (const std::uint32_t plane : {0u, 1u}) {
    EXPECT_TRUE(lost({0, plane, 1, 1}));
    EXPECT_FALSE(lost({0, plane, 1, 0})) << "of another wordline";
  }
}

TEST_F(PowerCut, LosesAWholePageInSlcModeButNoOther) {
  start_slc_program({0, 0, 3, 0}, 3);
  finish({0, 0, 3, 0});
  start_slc_program({0, 0, 3, 1}, 1); // a part of the page
  finish({0, 0, 3, 1});
  start_slc_program({0, 0, 3, 1}, 2); // the rest of it
  cut(bench().ready() - 1);
  EXPECT_FALSE(lost({0, 0, 3, 0}));
  EXPECT_TRUE(lost({0, 0, 3, 1})) << "with the subpage that was complete";
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
}

class PairedPages : public PowerCut {
 protected:
  PairedPages() : PowerCut(table()) {}
  static hw::NandConfig table() {
    hw::NandConfig c = part_of(CellType::mlc);
    c.page_table = PageTable::even_odd;
    return c;
  }
};

/// The first pairs of that table are 0-4, 1-5, 2-8, 3-9: page 8 is the upper page of page 2.
TEST_F(PairedPages, AreThoseOfThePartsTable) {
  for (std::uint32_t page = 0; page < 8; ++page) ASSERT_EQ(bench().program({0, 0, 0, page}), kIdle);
  start_program({0, 0, 0, 8});
  cut(bench().ready() - 1);
  for (std::uint32_t page = 0; page <= 8; ++page)
    EXPECT_EQ(lost({0, 0, 0, page}), page == 2 || page == 8) << page;
}

class OnePass : public PowerCut {
 protected:
  OnePass() : PowerCut(pass_part()) {}
  static hw::NandConfig pass_part() {
    hw::NandConfig c = part_of(CellType::tlc);
    c.page_table = PageTable::wordline;
    c.one_pass = true;
    c.array.tPROG_wordline = kPass;
    c.array.tDCBSYW = us(7);
    return c;
  }
  void pass(const Place& first) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      wait();
      start_program({first.lun, first.plane, first.block, first.page + i}, i < 2 ? 0x1A : 0x10);
    }
  }
};

TEST_F(OnePass, LosesTheWholeWordline) {
  pass({0, 0, 0, 0});
  finish({0, 0, 0, 0});
  pass({0, 0, 0, 3});
  cut(bench().ready() - 1);
  for (std::uint32_t page = 0; page < 6; ++page) EXPECT_EQ(lost({0, 0, 0, page}), page >= 3) << page;
  pass({0, 0, 0, 6});
  wait();
  EXPECT_FALSE(lost({0, 0, 0, 6}));
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
}

TEST_F(OnePass, LeavesTheCellsOfAPassAloneThatIsStillLoaded) {
  start_program({0, 0, 0, 0}, 0x1A);
  wait();
  start_program({0, 0, 0, 1}, 0x1A);
  wait();
  cut(bench().now);
  EXPECT_TRUE(blank({0, 0, 0, 0}));
  pass({0, 0, 0, 0});
  wait();
  EXPECT_FALSE(lost({0, 0, 0, 0}));
  EXPECT_EQ(refused(), 0u) << "a new pass begins";
  EXPECT_EQ(found(), "");
}

// --- modes ---

TEST_F(PowerCut, LeavesModesToBeFoundUntilTheNextErase) {
  const PageOrderTable order(config.geometry.cell, config.geometry.pages_per_block);
  const auto read_in_slc_mode = [&](const Place& p) {
    bench().cycles.clear().command(config.slc_enter).command(0x00).page_address(bench().row(p)).command(0x30);
    send();
    wait();
    bench().cycles.clear().command(0x06).page_address(bench().row(p)).command(0xE0);
    bench().cycles.page_data(PhaseKind::data_out, bench().full_mask(), nullptr, &word_);
    send();
    return bench().cycles.tenure().phases[3];
  };
  const Place slc{0, 0, 1, 0};
  Place native{0, 0, 2, 0};
  start_slc_program(slc, bench().full_mask());
  finish(slc);
  for (; native.page < 4; ++native.page) ASSERT_EQ(bench().program(native, 77), kIdle);
  native.page = 0;
  cut(bench().now + us(1));

  EXPECT_TRUE(seen(slc).corrupt) << "a page of an SLC-mode block in native mode";
  EXPECT_TRUE(read_in_slc_mode(native).corrupt);
  EXPECT_FALSE(seen(native).corrupt);
  EXPECT_EQ(word_, 77u);
  EXPECT_FALSE(read_in_slc_mode(slc).corrupt);
  EXPECT_TRUE(seen({0, 0, 1, order.page(1, 0)}).blank) << "of a wordline that is erased";
  EXPECT_TRUE(read_in_slc_mode({0, 0, 2, order.wordline(3) + 1}).blank);
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
  EXPECT_EQ(bench().program(slc), kFail) << "only reads may look";
  EXPECT_EQ(found(), "slc_mode");

  ASSERT_EQ(bench().erase({0, 0, 3, 0}), kIdle);
  EXPECT_EQ(bench().read(slc), kFail) << "the die is in use again";
  EXPECT_EQ(bench().violations(Rule::slc_mode), 2u);
  EXPECT_EQ(found(), "slc_mode slc_mode");
}

// --- erases ---

TEST_F(PowerCut, LeavesAnErasedBlockGarbageUntilItIsErasedAgain) {
  const Place block{0, 1, 4, 0};
  ASSERT_EQ(bench().program(block), kIdle);
  start_erase(block);
  cut(bench().ready() - 1);
  for (const std::uint32_t page : {0u, 30u}) {
    const hw::OnfiPhase data = seen({0, 1, 4, page});
    EXPECT_TRUE(data.corrupt);
    EXPECT_FALSE(data.blank) << "not what an erased block looks like";
  }
  EXPECT_EQ(bench().program(block), kFail);
  EXPECT_EQ(bench().violations(Rule::erase_before_program), 1u);
  EXPECT_EQ(found(), "erase_before_program");
  EXPECT_EQ(bench().erase(block), kIdle);
  EXPECT_EQ(bench().program(block), kIdle);
  EXPECT_FALSE(lost(block));
}

TEST_F(PowerCut, IsAfterTheEraseThatEndsWithIt) {
  const Place block{0, 1, 4, 0};
  ASSERT_EQ(bench().program(block), kIdle);
  start_erase(block);
  cut(bench().ready());
  EXPECT_FALSE(lost(block));
  EXPECT_TRUE(seen(block).blank);
  EXPECT_EQ(bench().program(block), kIdle);
  EXPECT_EQ(found(), "");
}

TEST_F(PowerCut, KeepsTheDataOfABlockWhoseEraseHasNotBegun) {
  const Place first{0, 1, 4, 0};
  const Place second{0, 1, 5, 0};
  ASSERT_EQ(bench().program(first), kIdle);
  ASSERT_EQ(bench().program(second, 77), kIdle);
  const TimePs began = bench().now;
  start_erase(first);
  finish(first);
  const TimePs lead = end_ - config.array.tBERS - began;
  const TimePs at = bench().now + lead;
  announce(at);
  start_erase(second);
  cut(at);
  EXPECT_FALSE(lost(second));
  EXPECT_FALSE(seen(second).corrupt);
  EXPECT_EQ(word_, 77u);
  EXPECT_EQ(bench().package().erase_count(0, 1, 5), 0u);
  EXPECT_EQ(found(), "");
}

// --- streams and suspension ---

TEST_F(PowerCut, LeavesThePageInTheCacheRegisterUnprogrammed) {
  // By how much later than the end of the page in the array, which is when the next one begins.
  const struct {
    std::int64_t later;
    bool first_lost, second_lost, second_blank;
  } cases[] = {{-1, true, false, true}, {0, false, false, true}, {1, false, true, false}};
  std::uint32_t block = 0;
  for (const auto& c : cases) {
    const Place first{0, 0, block, 0};
    const Place second{0, 0, block++, 1};
    start_program(first, 0x15);
    const TimePs end = bench().cycles.tenure().array_ready_at;
    const TimePs at = end + static_cast<TimePs>(c.later);
    wait();
    announce(at);
    start_program(second, 0x15);
    ASSERT_LT(bench().now, end) << "it waits in its register";
    if (c.second_blank) {
      EXPECT_GE(bench().cycles.tenure().ready_at, at) << "or the controller takes the first page for done";
    }
    cut(at);
    EXPECT_EQ(lost(first), c.first_lost) << c.later;
    EXPECT_EQ(lost(second), c.second_lost) << c.later;
    EXPECT_EQ(blank(second), c.second_blank) << c.later;
    EXPECT_EQ(bench().program({0, 0, block - 1, c.second_blank ? 1u : 2u}), kIdle);
  }
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
}

TEST_F(PowerCut, InterruptsWhatIsSuspended) {
  const Place block{0, 0, 3, 0};
  ASSERT_EQ(bench().program(block), kIdle);
  start_erase(block);
  bench().now += ms(4);
  bench().cycles.clear().command(0x61).row_address(bench().row(block));
  send();
  wait();
  ASSERT_EQ(bench().program({0, 0, 1, 0}), 0xE4) << "of a die with a suspended erase";
  cut(bench().now + ms(1));
  EXPECT_TRUE(lost(block));
  EXPECT_FALSE(lost({0, 0, 1, 0}));
  EXPECT_FALSE(bench().package().die(0).timeline().suspended());
  EXPECT_EQ(bench().program(block), kFail);
  EXPECT_EQ(found(), "erase_before_program");
}

TEST_F(PowerCut, InterruptsASuspendedProgram) {
  const Place page{0, 1, 2, 0};
  start_program(page);
  bench().now += us(50);
  bench().cycles.clear().command(0x84).page_address(bench().row(page));
  send();
  wait();
  cut(bench().now + ms(1));
  EXPECT_TRUE(lost(page));
  EXPECT_EQ(bench().program({0, 1, 2, 1}), kIdle) << "nothing is suspended";
  EXPECT_EQ(refused(), 0u);
}

TEST_F(PowerCut, InterruptsTheProgramOfACopybackAndLeavesItsSource) {
  ASSERT_EQ(bench().program({0, 0, 1, 0}, 5), kIdle);
  bench().cycles.clear().command(0x00).page_address(bench().row({0, 0, 1, 0})).command(0x35);
  bench().finish(0);
  bench().cycles.clear().command(0x85).page_address(bench().row({0, 0, 2, 0})).command(0x10);
  send();
  cut(bench().ready() - 1);
  EXPECT_FALSE(lost({0, 0, 1, 0}));
  EXPECT_TRUE(lost({0, 0, 2, 0}));
  EXPECT_EQ(refused(), 0u);
}

// --- what is forgotten ---

TEST_F(PowerCut, ForgetsRegistersFeaturesQueueAndStatus) {
  std::uint8_t level[8] = {1, 1};
  bench().cycles.clear().command(0xEF).short_address(0x89).bytes(PhaseKind::data_in, level, 8);
  send();
  wait();
  ASSERT_EQ(bench().package().die(0).cells().read_level(), 1u);
  ASSERT_EQ(bench().read({0, 0, 1, 0}), kIdle);
  bench().cycles.clear();
  bench().start_program({0, 1, 1, 0}, 0x11); // waits for another plane
  send();
  wait();
  cut(bench().now);
  EXPECT_EQ(bench().package().die(0).cells().read_level(), 0u);
  EXPECT_FALSE(bench().package().die(0).access(hw::AccessMode::bus).registers[0].readable);
  EXPECT_EQ(bench().status({}, 0x70), kIdle);
  std::uint8_t told[8] = {0xFF, 0xFF};
  bench().cycles.clear().command(0xEE).short_address(0x89);
  send();
  wait();
  bench().cycles.clear().bytes(PhaseKind::data_out, told, 8);
  send();
  EXPECT_EQ(told[0], 0u);
  EXPECT_EQ(bench().program({0, 0, 1, 0}), kIdle) << "no plane is queued any more";
  EXPECT_TRUE(blank({0, 1, 1, 0}));
  EXPECT_EQ(refused(), 0u);
}

TEST_F(PowerCut, LeavesIdleDiesAsTheyWere) {
  ASSERT_EQ(bench().program({0, 0, 1, 0}, 9), kIdle);
  cut(bench().now + us(5));
  EXPECT_FALSE(seen({0, 0, 1, 0}).corrupt);
  EXPECT_EQ(word_, 9u);
  EXPECT_EQ(bench().package().statistics().aborted, 0u);
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(found(), "");
}

/// A drive runs ahead of the kernel with tenures in their short form.
TEST(PowerCutOfSequences, HoldsForTheShortFormAndItsCyclesAlike) {
  const hw::NandConfig config = small_part();
  Side side("side", config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const RowLayout layout(config.geometry);
  const auto program = [&](std::uint32_t block, TimePs at) {
    static std::uint8_t zeros[65536] = {};
    static hw::OnfiTenure tenure;
    tenure.sequence = hw::Sequence::program;
    tenure.phase_count = 0;
    tenure.plane_count = 1;
    tenure.planes[0] = {};
    tenure.planes[0].row = layout.row(0, 0, block, 0);
    tenure.planes[0].sector_mask = 3;
    tenure.planes[0].bytes = 2 * config.geometry.sector_size;
    tenure.planes[0].sectors = zeros;
    side.send(tenure, at);
    return tenure.ready_at;
  };
  const hw::PageStore& store = side.package.die(0).cells().store();
  const TimePs lead = program(7, 0) - config.array.tPROG[0];
  TimePs begin = ms(10);
  for (const std::uint32_t later : {0u, 1u}) {
    const TimePs start = begin + lead;
    side.package.announce_power_cut(start + later);
    program(later, begin);
    side.package.cut_power();
    EXPECT_EQ(store.program_count(store.block(0, later), 0), later);
    EXPECT_EQ(store.corrupt(store.block(0, later), 0), later == 1);
    begin += ms(10);
  }
  side.package.announce_power_cut(begin + ms(100));
  program(3, begin);
  side.package.cut_power();
  EXPECT_FALSE(store.corrupt(store.block(0, 3), 0)) << "long over";
  EXPECT_EQ(store.program_count(store.block(0, 3), 0), 1u);
}

/// A package of another author that has no cells to lose.
class Foreign final : public hw::PackageBlock {
 public:
  using PackageBlock::PackageBlock;
  explicit Foreign(const sc_core::sc_module_name& name) : PackageBlock(name) {}
  void attach(hw::NandObserver&) override {}
  const hw::NandStatistics& statistics() const override { return statistics_; }
  std::uint32_t erase_count(std::uint32_t, std::uint32_t, std::uint32_t) const override { return 0; }

 private:
  hw::NandStatistics statistics_;
};

TEST(PowerCutOfForeignPackages, IsRefusedWithTheBlocksName) {
  static std::vector<std::string> told;
  sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions&) {
    told.push_back(std::string(report.get_msg_type()) + ": " + report.get_msg());
  });
  Foreign package("theirs");
  package.announce_power_cut(us(1));
  package.cut_power();
  const std::string error = "twinplane.block: theirs cannot do what it is asked for: a power cut";
  EXPECT_EQ(told, (std::vector<std::string>{error, error}));
}

TEST(PowerCutOfPackages, NeedsAnAnnouncement) {
  static std::vector<std::string> told;
  sc_core::sc_report_handler::set_handler(
      [](const sc_core::sc_report& report, const sc_core::sc_actions&) { told.push_back(report.get_msg()); });
  hw::Package package("ours", small_part());
  package.cut_power();
  EXPECT_EQ(told, (std::vector<std::string>{
                      "ours cannot do what it is asked for: a power cut that has not been announced"}));
}

} // namespace
} // namespace twinplane::test::die_power_cut_test
