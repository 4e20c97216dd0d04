// Would the monitor catch firmware or a controller that handles an SLC-mode cache wrongly? A script erases,
// programs subpage by subpage in two planes, reads, retries and reads softly; each mutation breaks one rule
// of it. The monitor says which one, and the die refuses what a die can know.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::subpage_mutation_test {
namespace {

using hw::MonitorRule;
using hw::PhaseKind;

constexpr std::uint8_t kEnter = onfi::opcode::slc_enter;
constexpr std::uint8_t kLeave = onfi::opcode::slc_leave;
constexpr std::uint32_t kHardLevels = 1; // then senses of soft reads

enum class Bug {
  none,
  // the SLC prefix
  no_prefix_for_a_program,
  no_prefix_for_a_partial_program,
  no_prefix_for_a_read,
  prefix_for_a_native_read,
  prefix_for_a_native_program,
  prefix_between_planes,
  prefix_taken_back_between_planes,
  prefix_inside_a_program,
  prefix_inside_a_read,
  native_block_in_a_group,
  // partial programs
  subpage_twice,
  program_beyond_nop,
  page_beyond_the_wordlines,
  page_left_out,
  other_page_in_a_partial_group,
  other_block_in_a_partial_group,
  same_plane_in_a_partial_group,
  // read levels
  level_not_awaited,
  level_of_a_busy_lun,
  level_the_part_has_not,
  level_half_set,
  // soft reads
  sense_left_out,
  senses_out_of_order,
  sense_of_another_page,
  sense_that_nobody_took,
  soft_level_left_set,
};

struct Mutation {
  Bug bug;
  MonitorRule rule;
};
std::string name_of(const Mutation& m) {
  return std::string(hw::row_of(m.rule).name) + "_" + std::to_string(static_cast<int>(m.bug));
}
void PrintTo(const Mutation& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

const std::vector<Mutation> kMutations = {
    {Bug::no_prefix_for_a_program, MonitorRule::slc_mode},
    {Bug::no_prefix_for_a_partial_program, MonitorRule::slc_mode},
    {Bug::no_prefix_for_a_read, MonitorRule::slc_mode},
    {Bug::prefix_for_a_native_read, MonitorRule::slc_mode},
    {Bug::prefix_for_a_native_program, MonitorRule::slc_mode},
    {Bug::prefix_between_planes, MonitorRule::slc_mode},
    {Bug::prefix_taken_back_between_planes, MonitorRule::slc_mode},
    {Bug::prefix_inside_a_program, MonitorRule::slc_mode},
    {Bug::prefix_inside_a_read, MonitorRule::slc_mode},
    {Bug::native_block_in_a_group, MonitorRule::slc_mode},
    {Bug::subpage_twice, MonitorRule::erase_before_program},
    {Bug::program_beyond_nop, MonitorRule::partial_limit},
    {Bug::page_beyond_the_wordlines, MonitorRule::bad_address},
    {Bug::page_left_out, MonitorRule::order},
    {Bug::other_page_in_a_partial_group, MonitorRule::pac},
    {Bug::other_block_in_a_partial_group, MonitorRule::bac},
    {Bug::same_plane_in_a_partial_group, MonitorRule::distinct_planes},
    {Bug::level_not_awaited, MonitorRule::busy},
    {Bug::level_of_a_busy_lun, MonitorRule::busy},
    {Bug::level_the_part_has_not, MonitorRule::bad_address},
    {Bug::level_half_set, MonitorRule::sequence},
    {Bug::sense_left_out, MonitorRule::soft_read},
    {Bug::senses_out_of_order, MonitorRule::soft_read},
    {Bug::sense_of_another_page, MonitorRule::soft_read},
    {Bug::sense_that_nobody_took, MonitorRule::soft_read},
    {Bug::soft_level_left_set, MonitorRule::soft_read},
};

/// Pages of four subpages, three programs of each; cache blocks 0 and 1, native blocks from 2 on.
hw::NandConfig part() {
  hw::NandConfig c = small_part();
  c.geometry.page_size = 16384;
  c.partial_programs = 3;
  c.bac = true;
  c.array.tR_level = {us(11), us(22), us(33), us(44), us(55), us(66), us(77)};
  return c;
}

class Script {
 public:
  explicit Script(Bug bug) : flash(part(), 1, kHardLevels + 1), bug_(bug) {}

  void run() {
    erase_cache_blocks();
    native_pages();
    fill_a_page();
    update_two_pages_together();
    read_back();
    retry();
    flash.monitor.finish(flash.bench.now);
  }

  WatchedFlash flash;

 private:
  bool has(Bug bug) const { return bug == bug_; }
  FlashBench& bench() { return flash.bench; }
  Cycles& cycles() { return bench().cycles; }

  void send() {
    bench().now = bench().send(bench().now);
    cycles().clear();
  }
  /// ... and waits for R/B#, and reads the status.
  void execute() {
    bench().finish(0);
    cycles().clear();
  }
  void prefix(bool wanted) {
    if (wanted) cycles().command(kEnter);
  }
  void load(const Place& p, std::uint32_t subpages, std::uint8_t confirm) {
    cycles()
        .command(0x80)
        .page_address(bench().row(p))
        .page_data(PhaseKind::data_in, subpages, nullptr, &word_);
    if (has(Bug::prefix_inside_a_program) && confirm == 0x10) cycles().command(kEnter);
    cycles().command(confirm);
  }
  void program(const Place& p, std::uint32_t subpages, bool slc) {
    prefix(slc);
    load(p, subpages, 0x10);
    execute();
  }
  void program_both(const Place& a, const Place& b, std::uint32_t subpages) {
    prefix(!has(Bug::prefix_between_planes));
    load(a, subpages, 0x11);
    prefix(has(Bug::prefix_between_planes));
    if (has(Bug::prefix_taken_back_between_planes)) cycles().command(kLeave);
    load(b, subpages, 0x10);
    execute();
  }
  void read(const Place& p, bool slc) {
    prefix(slc);
    cycles().command(0x00).page_address(bench().row(p));
    if (has(Bug::prefix_inside_a_read)) cycles().command(kEnter);
    cycles().command(0x30);
    execute();
  }
  void data_out(const Place& p) {
    cycles().command(0x06).page_address(bench().row(p)).command(0xE0);
    cycles().page_data(PhaseKind::data_out, 1, nullptr, nullptr);
    send();
  }

  void erase_cache_blocks() {
    prefix(true);
    cycles().command(0x60).row_address(bench().row({0, 0, 0, 0})).command(0xD1);
    cycles().command(0x60).row_address(bench().row({0, 1, 0, 0})).command(0xD0);
    execute();
  }
  void native_pages() {
    for (const std::uint32_t plane : {0u, 1u}) program({0, plane, 2, 0}, 0xF, false);
    if (has(Bug::prefix_for_a_native_program)) program({0, 0, 2, 1}, 0xF, true);
    read({0, 0, 2, 0}, has(Bug::prefix_for_a_native_read));
    data_out({0, 0, 2, 0});
  }
  /// Page 0 of block 0 in plane 0: as many programs as it takes, of four subpages; then page 1.
  void fill_a_page() {
    program({0, 0, 0, 0}, 0x1, true);
    program({0, 0, 0, 0}, has(Bug::subpage_twice) ? 0x3 : 0x2, !has(Bug::no_prefix_for_a_partial_program));
    program({0, 0, 0, 0}, 0x4, true);
    if (has(Bug::program_beyond_nop)) program({0, 0, 0, 0}, 0x8, true);
    const std::uint32_t next = has(Bug::page_beyond_the_wordlines) ? 16 : has(Bug::page_left_out) ? 2 : 1;
    program({0, 0, 0, next}, 0x3, !has(Bug::no_prefix_for_a_program));
    for (const std::uint32_t page : {0u, 1u}) program({0, 1, 0, page}, 0x1, true);
  }
  void update_two_pages_together() {
    const std::uint32_t native = has(Bug::native_block_in_a_group) ? 2 : 0;
    Place other{0, 1, native, 1};
    if (has(Bug::other_page_in_a_partial_group)) other.page = 0;
    if (has(Bug::other_block_in_a_partial_group)) other.block = 1;
    if (has(Bug::same_plane_in_a_partial_group)) other.plane = 0;
    program_both({0, 0, native, native == 0 ? 1u : 0u}, native == 0 ? other : Place{0, 1, 2, 0}, 0x4);
  }
  void read_back() {
    for (const std::uint32_t page : {0u, 1u}) {
      read({0, 0, 0, page}, !has(Bug::no_prefix_for_a_read));
      data_out({0, 0, 0, page});
    }
  }

  void set_level(std::uint8_t level) {
    std::fill(std::begin(parameters_), std::end(parameters_), level);
    cycles().command(0xD5).short_address(0, 2);
    cycles().tenure().phases[cycles().tenure().phase_count - 1].address[1] = onfi::feature::read_retry;
    cycles().bytes(PhaseKind::data_in, parameters_, has(Bug::level_half_set) ? 4 : 8);
    send();
    if (!has(Bug::level_not_awaited)) bench().now = std::max(bench().now, bench().ready());
  }
  void sense(std::uint8_t level, const Place& p, bool take) {
    set_level(level);
    read(p, true);
    if (take) data_out(p);
  }
  /// A hard retry, then three senses of a soft read, then level 0 again.
  void retry() {
    if (has(Bug::level_of_a_busy_lun)) {
      cycles().command(0x60).row_address(bench().row({0, 0, 5, 0})).command(0xD0);
      send();
    }
    const Place page{0, 0, 0, 1};
    sense(has(Bug::level_the_part_has_not) ? 8 : 1, page, true);
    std::vector<std::uint8_t> senses{2, 3, 4};
    if (has(Bug::sense_left_out)) senses = {2, 4};
    if (has(Bug::senses_out_of_order)) senses = {2, 4, 3};
    for (const std::uint8_t level : senses) {
      const bool astray = has(Bug::sense_of_another_page) && level == 3;
      sense(level, astray ? Place{0, 0, 0, 0} : page, !has(Bug::sense_that_nobody_took) || level != 2);
    }
    if (!has(Bug::soft_level_left_set)) set_level(0);
    read({0, 0, 0, 0}, true);
    data_out({0, 0, 0, 0});
  }

  Bug bug_;
  std::uint64_t word_ = 1;
  std::uint8_t parameters_[8] = {};
};

TEST(SubpageMutation, IsSilentAboutTheScriptWithoutABug) {
  Script script(Bug::none);
  script.run();
  EXPECT_EQ(script.flash.findings.text(), "");
  EXPECT_EQ(script.flash.bench.all_violations(), 0u);
  const hw::NandStatistics& s = script.flash.bench.package().statistics();
  EXPECT_EQ(s.slc_programs, 8u);
  EXPECT_EQ(s.level_reads[hw::kSlcPages][0] + s.level_reads[hw::kSlcPages][3],
            2u); // the retry and the last sense
}

class SubpageMutations : public testing::TestWithParam<Mutation> {};

TEST_P(SubpageMutations, AreCaughtByTheRuleAndRefusedByTheDieThatCanKnowIt) {
  Script script(GetParam().bug);
  script.run();
  const std::vector<hw::Finding>& found = script.flash.findings.all;
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(hw::row_of(found[0].rule).name, std::string(hw::row_of(GetParam().rule).name)) << found[0].detail;
  EXPECT_EQ(script.flash.monitor.statistics().of(MonitorRule::disagreement), 0u)
      << script.flash.findings.text();
  EXPECT_EQ(script.flash.bench.all_violations() != 0, hw::row_of(GetParam().rule).die_refuses);
}

INSTANTIATE_TEST_SUITE_P(Bugs, SubpageMutations, testing::ValuesIn(kMutations), parameter_name);

TEST(SubpageMutation, TellsADieThatReadsAtAnotherLevelThanWasSet) {
  hw::NandConfig die = part();
  std::swap(die.array.tR_level[0], die.array.tR_level[1]);
  FlashBench bench(die);
  expect_reports("twinplane.monitor");
  hw::ProtocolMonitor monitor(monitor_of(part()));
  Findings findings;
  monitor.forward_to(&findings);
  bench.channel.attach(monitor);
  bench.package().attach(monitor);
  std::uint8_t parameters[8] = {1, 1};
  bench.cycles.clear().command(0xD5).short_address(0, 2);
  bench.cycles.tenure().phases[1].address[1] = onfi::feature::read_retry;
  bench.cycles.bytes(PhaseKind::data_in, parameters, 8);
  bench.now = bench.send(bench.now);
  bench.now = std::max(bench.now, bench.ready());
  EXPECT_EQ(findings.text(), "");
  bench.read({0, 0, 0, 0});
  EXPECT_EQ(findings.text(), "ready_busy");
}

} // namespace
} // namespace twinplane::test::subpage_mutation_test
