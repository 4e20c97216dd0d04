// Would the monitor catch a flash controller with a bug in its one-pass programs? Two wordlines of a pair of
// planes, once without and once with each of the seeded bugs.
#include <gtest/gtest.h>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::monitor_pass_mutation_test {
namespace {

enum class Bug {
  none,
  last_page_loaded,  // 1Ah behind the last page
  started_too_early, // 10h behind a page before
  page_left_out,     // of the wordline
  pages_exchanged,   // second and third
  page_twice,
  other_block,           // from the second page on
  other_plane,           // from the second page on
  plane_lost,            // the pair loses one on its way
  page_of_next_wordline, // instead of the last one
  confirmed_for_cache,   // 15h
  slc_prefix,
  no_wait_for_load, // no tDCBSYW
  no_wait_for_pass, // status only
  read_between,     // 1Ah and 10h
  erase_between,
  program_between, // of a block of its own
  no_tADL,
  no_data_time, // tWPST and what follows the burst
  no_tWB,
  wordline_again, // without an erase
  wordline_skipped,
  pages_by_themselves, // 80h-10h as on a part without passes
};
constexpr int kBugs = static_cast<int>(Bug::pages_by_themselves);

hw::NandConfig part() {
  hw::NandConfig c = small_part();
  c.page_table = PageTable::wordline;
  c.one_pass = true;
  c.array.tPROG_wordline = us(2100);
  c.array.tDCBSYW = us(7);
  return c;
}

class PassController {
 public:
  explicit PassController(Bug bug) : bus(part(), HandBus::Part::die), bug_(bug) {}

  void run() {
    for (const std::uint32_t plane : {0u, 1u}) erase({0, plane, 0, 0});
    wordline(0);
    wordline(has(Bug::wordline_again) ? 0 : has(Bug::wordline_skipped) ? 6 : 3);
    bus.flush();
    bus.monitor().finish(bus.now());
  }

  HandBus bus;

 private:
  bool has(Bug bug) const { return bug == bug_; }
  const BusTiming& t() const { return bus.bus(); }
  void wait_ready() { bus.wait(t().tWB).flush().until(bus.ready_at()); }
  void erase(const Place& p) {
    bus.select().command(0x60).row(p).command(0xD0);
    wait_ready();
    status(p);
  }
  void status(const Place& p) {
    bus.select().command(0x78).row(p).wait(t().tWHR + t().tRPRE + t().tDQSRE).register_out(2).wait(t().tRHW);
  }
  void load(const Place& p, std::uint8_t confirm) {
    bus.command(0x80).page(p).wait(has(Bug::no_tADL) ? 0 : t().tADL).data_in(8192, 3);
    if (!has(Bug::no_data_time)) bus.wait(t().tWPST + t().tWPSTH + t().tCALS);
    bus.command(confirm);
  }
  std::uint32_t page_of(std::uint32_t step) const {
    if (has(Bug::page_left_out) && step == 1) return 2;
    if (has(Bug::pages_exchanged) && step != 0) return 3 - step;
    if (has(Bug::page_twice) && step == 1) return 0;
    if (has(Bug::page_of_next_wordline) && step == 2) return 5;
    return step;
  }
  std::uint8_t confirm_of(std::uint32_t step) const {
    if (has(Bug::pages_by_themselves) || (has(Bug::started_too_early) && step == 1)) return 0x10;
    if (step != 2 || has(Bug::last_page_loaded)) return 0x1A;
    return has(Bug::confirmed_for_cache) ? 0x15 : 0x10;
  }
  void between() {
    if (has(Bug::read_between)) {
      bus.select().command(0x00).page({0, 0, 0, 0}).command(0x30);
      wait_ready();
    }
    if (has(Bug::erase_between)) erase({0, 0, 5, 0});
    if (has(Bug::program_between)) {
      bus.select();
      load({0, 0, 6, 0}, 0x10);
      wait_ready();
    }
  }
  void wordline(std::uint32_t first) {
    for (std::uint32_t step = 0; step < 3; ++step) {
      if (step == 2) between();
      Place p{0, 0, 0, first + page_of(step)};
      if (step != 0 && has(Bug::other_block)) p.block = 1;
      bus.select();
      if (has(Bug::slc_prefix) && step == 0) bus.command(onfi::opcode::slc_enter);
      if (step == 0 || !(has(Bug::plane_lost) || has(Bug::other_plane))) {
        load(p, 0x11);
        bus.wait(t().tWB + bus.array().tDBSY);
      }
      p.plane = step != 0 && has(Bug::plane_lost) ? 0 : 1;
      if (has(Bug::other_plane)) p.plane = step == 0 ? 1 : 0;
      load(p, confirm_of(step));
      finish(step);
    }
    for (const std::uint32_t plane : {0u, 1u}) status({0, plane, 0, first});
  }
  void finish(std::uint32_t step) {
    if (has(Bug::no_tWB)) {
      bus.command(0x70).wait(t().tWHR + t().tRPRE + t().tDQSRE).register_out(2).wait(t().tRHW);
    }
    if (has(step == 2 ? Bug::no_wait_for_pass : Bug::no_wait_for_load)) {
      bus.wait(t().tWB).flush();
    } else {
      wait_ready();
    }
  }

  Bug bug_;
};

TEST(MonitorPassMutation, IsSilentAboutTheControllerWithoutABug) {
  PassController controller(Bug::none);
  controller.run();
  EXPECT_EQ(controller.bus.findings.text(), "");
}

class MonitorPassMutations : public testing::TestWithParam<int> {};

TEST_P(MonitorPassMutations, AreCaught) {
  PassController controller(static_cast<Bug>(GetParam()));
  controller.run();
  EXPECT_GT(controller.bus.monitor().statistics().total(), 0u);
  RecordProperty("findings", controller.bus.findings.text());
}

INSTANTIATE_TEST_SUITE_P(Bugs, MonitorPassMutations, testing::Range(1, kBugs + 1), parameter_name);

} // namespace
} // namespace twinplane::test::monitor_pass_mutation_test
