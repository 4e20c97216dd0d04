// Would the monitor catch a flash controller with a bug in it? A scripted controller drives a die through the
// sequences of a drive, once without and once with each of its seeded bugs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::monitor_mutation_test {
namespace {

enum class Bug {
  none,
  // waits
  no_tCS,
  no_tADL,
  no_tWHR,
  no_tRHW,
  no_tWB,
  no_tRR,
  no_tCCS_reading,
  no_tCCS_writing,
  no_tWPST,
  fast_addresses,
  fast_burst,
  no_tDBSY,
  // addresses
  same_plane_twice,
  other_page_in_group,
  other_block_in_group,
  other_lun_in_group,
  four_address_cycles,
  odd_column,
  page_beyond_block,
  page_out_of_order,
  page_again,
  other_plane_read_out,
  // commands
  queue_instead_of_start,
  start_instead_of_queue,
  wrong_confirm,
  no_data,
  no_erase,
  no_status,
  no_wait_for_ready,
  data_before_ready,
  command_during_erase,
  summary_status_of_two_luns,
  no_lun_selected,
  no_plane_selected,
  no_column_confirm,
  target_command_during_erase,
  feature_half_written,
  cache_end_without_stream,
  cache_read_of_nothing,
  program_into_suspended_block,
  resume_twice,
  slc_prefix_forgotten,
  // read levels
  level_of_busy_lun,
  level_beyond_the_part,
  level_half_written,
  level_without_tADL,
  read_before_the_level_is_set,
  copy_of_a_copy,
};
constexpr int kBugs = static_cast<int>(Bug::copy_of_a_copy);

hw::NandConfig part() {
  hw::NandConfig c = small_part();
  c.bac = true;
  c.copybacks = 1;
  return c;
}

class ScriptedController {
 public:
  explicit ScriptedController(Bug bug) : bus(part(), HandBus::Part::die), bug_(bug) {}

  void run() {
    identify();
    if (!has(Bug::no_erase)) erase_group();
    program_group();
    read_group();
    interleave_luns();
    cache_operations();
    suspend_an_erase();
    slc_block();
    retry_a_read();
    move_a_page();
    bus.flush();
    bus.monitor().finish(bus.now());
  }

  HandBus bus;

 private:
  bool has(Bug bug) const { return bug == bug_; }
  const BusTiming& t() const { return bus.bus(); }
  TimePs preamble() const { return t().tRPRE + t().tDQSRE; }
  TimePs loaded() const { return t().tWPST + t().tWPSTH + t().tCALS; }

  ScriptedController& begin() {
    has(Bug::no_tCS) ? bus.begin() : bus.select();
    return *this;
  }
  void address(const Place& p, std::uint32_t column = 0) {
    bus.page(p, column, has(Bug::fast_addresses) ? 4 * t().tWC : 0);
  }
  /// The tenure ends; the next one comes when R/B# is high.
  void wait_ready() { bus.wait(t().tWB).flush().until(bus.ready_at()); }
  void status(const Place& p, bool summary = false) {
    begin();
    bus.command(summary ? 0x70 : 0x78);
    if (!summary) bus.row(p);
    bus.wait(has(Bug::no_tWHR) ? preamble() : t().tWHR + preamble()).register_out(2).wait(t().tRHW);
  }
  void load(const Place& p, std::uint8_t confirm, std::uint32_t column = 0) {
    bus.command(0x80);
    address(p, column);
    bus.wait(has(Bug::no_tADL) ? 0 : t().tADL);
    if (!has(Bug::no_data)) {
      bus.data_in(4096, 1, has(Bug::fast_burst) ? t().data_in.of(4095) : 0);
      bus.wait(has(Bug::no_tWPST) ? 0 : loaded());
    }
    bus.command(0x85).address({0x00, 0x10}).wait(has(Bug::no_tCCS_writing) ? 0 : t().tCCS);
    if (!has(Bug::no_data)) bus.data_in(4096, 2).wait(loaded());
    bus.command(confirm);
  }
  void program(const Place& p, std::uint8_t confirm = 0x10) {
    begin();
    load(p, confirm);
    wait_ready();
    status(p);
  }
  void erase(const Place& p) {
    begin();
    bus.command(0x60).row(p).command(0xD0);
  }
  void read(const Place& p, std::uint8_t confirm = 0x30) {
    begin();
    bus.command(0x00);
    address(p);
    bus.command(confirm);
  }
  void data_out() {
    bus.wait(has(Bug::no_tRR) ? 0 : t().tRR + preamble()).page_out(4096);
    bus.wait(has(Bug::no_tRHW) ? 0 : t().tRHW);
  }
  void select_and_read_out(const Place& p) {
    begin();
    bus.command(0x06).page(p);
    if (!has(Bug::no_column_confirm)) bus.command(0xE0);
    bus.wait((has(Bug::no_tCCS_reading) ? 0 : t().tCCS) + preamble()).page_out(4096).wait(t().tRHW);
  }

  void identify() {
    begin();
    bus.command(0x90).address({0x00}).wait(t().tWHR + preamble()).register_out(8).wait(t().tRHW);
    begin();
    bus.command(0xEF).address({0x02}).wait(t().tADL).register_in(has(Bug::feature_half_written) ? 4 : 8);
    wait_ready();
  }
  void erase_group() {
    begin();
    bus.command(0x60).row({0, 0, 0, 0}).command(0xD1).wait(t().tWB + bus.array().tDBSY);
    bus.command(0x60).row({0, 1, 0, 0}).command(0xD0);
    wait_ready();
    for (const std::uint32_t plane : {0u, 1u}) status({0, plane, 0, 0});
  }
  void program_group() {
    for (std::uint32_t page = 0; page < 3; ++page) {
      const std::uint32_t skipped = has(Bug::page_out_of_order) && page != 0 ? 1 : 0;
      const Place first{0, 0, 0, has(Bug::page_again) ? 0 : page + skipped};
      Place second{0, 1, 0, first.page};
      if (has(Bug::same_plane_twice)) second.plane = 0;
      if (has(Bug::other_page_in_group)) second.page = page + 1;
      if (has(Bug::other_block_in_group)) second.block = 1;
      if (has(Bug::other_lun_in_group)) second.lun = 1;
      if (has(Bug::page_beyond_block)) second.page = 50;
      begin();
      load(first, has(Bug::start_instead_of_queue) ? 0x10 : 0x11);
      bus.wait(t().tWB + (has(Bug::no_tDBSY) ? 0 : bus.array().tDBSY));
      load(second,
           has(Bug::queue_instead_of_start) ? 0x11
           : has(Bug::wrong_confirm)        ? 0xD0
                                            : 0x10,
           has(Bug::odd_column) ? 1 : 0);
      if (has(Bug::no_tWB)) {
        bus.command(0x70).wait(t().tWHR + preamble()).register_out(2).wait(t().tRHW);
      }
      has(Bug::no_wait_for_ready) ? bus.wait(t().tWB).flush() : (wait_ready(), bus);
      if (has(Bug::no_status)) continue;
      for (const std::uint32_t plane : {0u, 1u}) status({0, plane, 0, 0});
    }
    // Once more from an erased block: without its erase the pages are still programmed.
    if (!has(Bug::no_erase)) erase_group();
    program({0, 0, 0, 0});
    program({0, 1, 0, 0});
  }
  void read_group() {
    begin();
    bus.command(0x00);
    if (has(Bug::four_address_cycles)) {
      bus.address({0, 0, 0, 0});
    } else {
      address({0, 0, 0, 0});
    }
    bus.command(0x32).wait(t().tWB + bus.array().tDBSY).command(0x00);
    address({0, 1, 0, 0});
    bus.command(0x30);
    has(Bug::data_before_ready) ? bus.wait(t().tWB).flush() : (wait_ready(), bus);
    if (has(Bug::no_plane_selected)) {
      begin();
      data_out();
    }
    for (const std::uint32_t plane : {0u, 1u}) select_and_read_out({0, plane, 0, 0});
    read({0, 0, 0, 0});
    wait_ready();
    begin();
    data_out();
  }
  void interleave_luns() {
    erase({0, 0, 1, 0});
    const TimePs first = (wait_for_bus(), bus.ready_at());
    if (has(Bug::command_during_erase)) {
      read({0, 1, 1, 0});
      wait_for_bus();
    }
    if (has(Bug::target_command_during_erase)) {
      begin();
      bus.command(0xEE).address({0x01}).wait(t().tWB);
    }
    erase({1, 0, 1, 0});
    wait_for_bus();
    bus.until(std::max(first, bus.ready_at()));
    status({0, 0, 1, 0}, has(Bug::summary_status_of_two_luns));
    status({1, 0, 1, 0});
    read({0, 0, 2, 0});
    wait_for_bus();
    read({1, 0, 2, 0});
    wait_ready();
    if (has(Bug::no_lun_selected)) {
      begin();
      data_out();
    }
    select_and_read_out({0, 0, 2, 0});
    select_and_read_out({1, has(Bug::other_plane_read_out) ? 1u : 0u, 2, 0});
  }
  void wait_for_bus() { bus.wait(t().tWB).flush(); }

  void cache_operations() {
    for (std::uint32_t page = 0; page < 3; ++page) program({0, 0, 3, page}, page < 2 ? 0x15 : 0x10);
    if (has(Bug::cache_read_of_nothing)) {
      begin();
      bus.command(0x31);
      wait_ready();
    }
    read({0, 0, 3, 0});
    wait_ready();
    std::vector<std::uint8_t> steps{0x31, 0x31, 0x3F};
    if (has(Bug::cache_end_without_stream)) steps = {0x3F};
    for (const std::uint8_t step : steps) {
      begin();
      bus.command(step);
      wait_ready();
      begin();
      data_out();
    }
  }
  void suspend_an_erase() {
    erase({0, 1, 4, 0});
    wait_for_bus();
    begin();
    bus.command(0x61).row({0, 1, 4, 0});
    wait_ready();
    read({0, 0, 3, 0});
    wait_ready();
    select_and_read_out({0, 0, 3, 0});
    if (has(Bug::program_into_suspended_block)) program({0, 1, 4, 0});
    for (int i = 0; i < (has(Bug::resume_twice) ? 2 : 1); ++i) {
      begin();
      bus.command(0xD2);
      wait_ready();
    }
    status({0, 1, 4, 0});
  }
  void slc_block() {
    begin();
    bus.command(onfi::opcode::slc_enter);
    load({0, 0, 5, 0}, 0x10);
    wait_ready();
    status({0, 0, 5, 0});
    begin();
    if (!has(Bug::slc_prefix_forgotten)) bus.command(onfi::opcode::slc_enter);
    bus.command(0x00);
    address({0, 0, 5, 0});
    bus.command(0x30);
    wait_ready();
    select_and_read_out({0, 0, 5, 0});
  }

  void set_level(std::uint8_t level) {
    begin();
    bus.command(0xD5).address({0, 0x89}).wait(has(Bug::level_without_tADL) ? 0 : t().tADL);
    bus.register_in(has(Bug::level_half_written) ? 4 : 8, level);
  }
  void copy(const Place& from, const Place& to) {
    read(from, 0x35);
    wait_ready();
    begin();
    bus.command(0x85).page(to).command(0x10);
    wait_ready();
    status(to);
  }
  void move_a_page() {
    copy({0, 0, 3, 0}, {0, 0, 7, 0});
    copy({0, 0, has(Bug::copy_of_a_copy) ? 7u : 3u, has(Bug::copy_of_a_copy) ? 0u : 1u}, {0, 0, 7, 1});
  }
  /// Of LUN 0, while LUN 1 erases.
  void retry_a_read() {
    erase({has(Bug::level_of_busy_lun) ? 0u : 1u, 0, 6, 0});
    wait_for_bus();
    for (const std::uint8_t level : {std::uint8_t{2}, std::uint8_t{0}}) {
      set_level(has(Bug::level_beyond_the_part) ? 8 : level);
      has(Bug::read_before_the_level_is_set) ? bus.wait(t().tWB).flush() : (wait_ready(), bus);
      read({0, 0, 3, 0});
      wait_ready();
      select_and_read_out({0, 0, 3, 0});
    }
  }

  Bug bug_;
};

TEST(MonitorMutation, IsSilentAboutTheControllerWithoutABug) {
  ScriptedController controller(Bug::none);
  controller.run();
  EXPECT_EQ(controller.bus.findings.text(), "");
  EXPECT_GT(controller.bus.monitor().statistics().tenures, 50u);
}

class MonitorMutations : public testing::TestWithParam<int> {};

TEST_P(MonitorMutations, AreCaught) {
  ScriptedController controller(static_cast<Bug>(GetParam()));
  controller.run();
  EXPECT_GT(controller.bus.monitor().statistics().total(), 0u);
  RecordProperty("findings", controller.bus.findings.text());
}

INSTANTIATE_TEST_SUITE_P(Bugs, MonitorMutations, testing::Range(1, kBugs + 1), parameter_name);

} // namespace
} // namespace twinplane::test::monitor_mutation_test
