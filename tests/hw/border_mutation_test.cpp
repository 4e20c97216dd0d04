// Would die and monitor catch firmware that moves the border between fast and full blocks wrongly? A script
// fills twin blocks with their fast pages, moves the border in one plane and then in both, and fills blocks
// again; once as it should be, and once with each of its seeded bugs. Both MLC pairings.
//
// Neither die nor monitor knows what a block is meant to be: a slow page behind the last one programmed is
// legal there, and only the firmware's own tests (ftl_invariants.cpp) can tell. What the rules of the part
// forbid they must find, in the words named here, and both of them.
#include <gtest/gtest.h>

#include <tuple>

#include "hw/nand/rules.h"
#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::border_mutation_test {
namespace {

using hw::Rule;

enum class Bug {
  none,
  slow_page_after_all,         // a page that was left out, although later ones are programmed
  fast_page_again,             // the same fast page twice
  no_erase_at_the_border,      // a fast block is used fully without the erase between
  no_erase_to_fast,            // a full block is used fast without the erase between
  left_out_under_strict_order, // fast pages alone on a part that wants all
  twin_of_another_mode,        // a fast block's page beside the page of equal count in a full one
  twin_of_another_number,      // after the border has moved the planes' first hot blocks differ
  twin_in_the_same_plane,
};

struct Script {
  const char* name;
  Bug bug;
  const char* found; // by the monitor, in the order of first appearance
};
void PrintTo(const Script& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

const Script kScripts[] = {
    {"no_bug", Bug::none, ""},
    {"slow_page_after_all", Bug::slow_page_after_all, "order"},
    {"fast_page_again", Bug::fast_page_again, "erase_before_program"},
    {"no_erase_at_the_border", Bug::no_erase_at_the_border, "erase_before_program order"},
    {"no_erase_to_fast", Bug::no_erase_to_fast, "erase_before_program"},
    {"left_out_under_strict_order", Bug::left_out_under_strict_order, "order"},
    {"twin_of_another_mode", Bug::twin_of_another_mode, "pac"},
    {"twin_of_another_number", Bug::twin_of_another_number, "bac"},
    {"twin_in_the_same_plane", Bug::twin_in_the_same_plane, "distinct_planes"},
};

hw::NandConfig mlc(Bug bug, PageTable table) {
  hw::NandConfig c = small_part();
  c.geometry.cell = CellType::mlc;
  c.array.tPROG = {us(450), us(2150)};
  c.program_order = bug == Bug::left_out_under_strict_order ? ProgramOrder::strict : ProgramOrder::ascending;
  c.page_table = table;
  c.pac = c.bac = true;
  return c;
}

class Border {
 public:
  Border(Bug bug, PageTable table)
      : flash(mlc(bug, table)),
        table_(CellType::mlc, small_part().geometry.pages_per_block, table),
        bug_(bug) {}

  void run() {
    for (std::uint32_t w = 0; w < table_.wordlines(); ++w) fast_pair(w);
    if (has(Bug::slow_page_after_all)) program(0, 0, table_.page(0, 1));
    if (has(Bug::fast_page_again)) program(0, 0, table_.page(3, 0));
    // plane 0 gives the block to its full ones; its next hot block is 1, the other plane's still 0
    if (!has(Bug::no_erase_at_the_border)) erase(0, 0);
    for (std::uint32_t page = 0; page < table_.pages(); ++page) program(0, 0, page);
    erase(1, 0);
    if (has(Bug::twin_of_another_number)) pair({0, 0, 1, table_.page(0, 0)}, {0, 1, 0, table_.page(0, 0)});
    full_beside_fast();
    // and takes it back
    if (!has(Bug::no_erase_to_fast)) erase(0, 0);
    erase(1, 0);
    for (std::uint32_t w = 0; w < table_.wordlines(); ++w) fast_pair(w);
  }

  WatchedFlash flash;

 private:
  bool has(Bug bug) const { return bug == bug_; }
  void program(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
    flash.bench.program({0, plane, block, page});
  }
  void erase(std::uint32_t plane, std::uint32_t block) { flash.bench.erase({0, plane, block, 0}); }
  void pair(const Place& a, const Place& b) { flash.bench.program_pair(a, b); }
  void fast_pair(std::uint32_t wordline) {
    const std::uint32_t page = table_.page(wordline, 0);
    pair({0, 0, 0, page}, {0, has(Bug::twin_in_the_same_plane) ? 0u : 1u, 0, page});
  }
  /// Block 2 is full in plane 0 and fast in plane 1: they may pair where their next pages are equal, which
  /// are those of the first wordline, and then not.
  void full_beside_fast() {
    pair({0, 0, 2, 0}, {0, 1, 2, table_.page(0, 0)});
    std::uint32_t w = 1;
    while (table_.page(w, 0) == w) ++w; // n-th page of either
    for (std::uint32_t page = 1; page < w; ++page) pair({0, 0, 2, page}, {0, 1, 2, page});
    if (has(Bug::twin_of_another_mode)) {
      pair({0, 0, 2, w}, {0, 1, 2, table_.page(w, 0)});
    } else {
      program(0, 2, w);
      program(1, 2, table_.page(w, 0));
    }
  }

  PageOrderTable table_;
  Bug bug_;
};

class BorderMutations : public testing::TestWithParam<std::tuple<Script, PageTable>> {};

/// The words in order of their first appearance.
std::string kinds_of(const Findings& findings) {
  std::string kinds;
  for (const hw::Finding& f : findings.all) {
    const std::string name = hw::row_of(f.rule).name;
    if ((" " + kinds + " ").find(" " + name + " ") == std::string::npos)
      kinds += (kinds.empty() ? "" : " ") + name;
  }
  return kinds;
}

TEST_P(BorderMutations, AreFoundByTheMonitorAndRefusedByTheDie) {
  const auto& [script, table] = GetParam();
  Border border(script.bug, table);
  border.run();
  const std::string found = kinds_of(border.flash.findings);
  EXPECT_EQ(border.flash.bench.all_violations() != 0, script.bug != Bug::none) << "the die refuses";
  EXPECT_EQ(found, script.found);
}

INSTANTIATE_TEST_SUITE_P(Of, BorderMutations,
                         testing::Combine(testing::ValuesIn(kScripts),
                                          testing::Values(PageTable::diagonal, PageTable::even_odd)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param).name) +
                                  (std::get<1>(p.param) == PageTable::diagonal ? "_diagonal" : "_even_odd");
                         });

} // namespace
} // namespace twinplane::test::border_mutation_test
