// Does the FTL work in whatever order flash commands complete? Every drive is healthy, so nothing may fail.
#include "tests/support/ftl_random.h"

namespace twinplane::test::ftl_completion_order_test {
namespace {

enum class Order { first_come, newest_first, shuffled };

struct Drive {
  const char* name;
  void (*change)(fw::FtlConfig& ftl);
};

void PrintTo(Order order, std::ostream* out) {
  *out << static_cast<int>(order);
}
void PrintTo(const Drive& d, std::ostream* out) {
  *out << d.name;
}

void twins(fw::FtlConfig& f, fw::TbmGc gc, fw::GcMoves moves) {
  f.block_allocation = "twin";
  f.tbm_gc = gc;
  f.gc_moves = moves;
}

const Drive kDrives[] = {
    {"conventional", [](fw::FtlConfig&) {}},
    {"bound", [](fw::FtlConfig& f) { f.plane_allocation = "CWDP"; }},
    {"multi_plane_moves", [](fw::FtlConfig& f) { f.gc_moves = fw::GcMoves::multi; }},
    {"twin_paper", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::paper, fw::GcMoves::single); }},
    {"twin_paper_multi", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::paper, fw::GcMoves::multi); }},
    {"twin_simulator", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::simulator, fw::GcMoves::single); }},
    {"twin_simulator_multi", [](fw::FtlConfig& f) { twins(f, fw::TbmGc::simulator, fw::GcMoves::multi); }},
    {"twin_shared_frontier",
     [](fw::FtlConfig& f) {
       twins(f, fw::TbmGc::paper, fw::GcMoves::single);
       f.frontier = fw::Frontier::shared;
     }},
    {"page_types",
     [](fw::FtlConfig& f) {
       f.block_allocation = "pa";
       f.program_order = ProgramOrder::relaxed;
     }},
    {"page_type_twins",
     [](fw::FtlConfig& f) {
       f.block_allocation = "pa-twin";
       f.program_order = ProgramOrder::relaxed;
     }},
};

using Case = std::tuple<Drive, bool, Order>; // independent plane reads

class CompletionOrder : public ::testing::TestWithParam<Case> {};

TEST_P(CompletionOrder, NeverMakesAHealthyDriveRefuseAWriteOrStop) {
  for (const std::uint32_t planes : {2u, 4u}) {
    for (const std::uint32_t depth : {1u, 4u}) {
      FtlBenchConfig c = small_drive();
      c.ftl.geometry.channels = 1;
      c.ftl.geometry.planes_per_die = planes;
      c.ftl.geometry.pages_per_block = 15; // whole wordlines of a TLC block
      c.ftl.over_provisioning = 0.4;
      std::get<0>(GetParam()).change(c.ftl);
      c.ftl.independent_reads = std::get<1>(GetParam());
      c.ftl.die_queue_depth = depth;
      c.newest_first = std::get<2>(GetParam()) == Order::newest_first;
      c.shuffle = std::get<2>(GetParam()) == Order::shuffled;
      FtlBench bench(c);
      Mix mix;
      mix.operations = 3000;
      mix.write_percent = 70;
      ASSERT_NO_FATAL_FAILURE(run_random(bench, mix, planes * 10 + depth)) << planes << " planes, " << depth;
      EXPECT_FALSE(bench.statistics().read_only) << planes << " planes, depth " << depth;
      EXPECT_GT(bench.statistics().gc_pages_moved, 100u);
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const char* const orders[] = {"first_come", "newest_first", "shuffled"};
  return std::string(std::get<0>(info.param).name) + (std::get<1>(info.param) ? "_plane_reads_" : "_") +
         orders[static_cast<int>(std::get<2>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Drives, CompletionOrder,
                         ::testing::Combine(::testing::ValuesIn(kDrives), ::testing::Bool(),
                                            ::testing::Values(Order::first_come, Order::newest_first,
                                                              Order::shuffled)),
                         name_of);

} // namespace
} // namespace twinplane::test::ftl_completion_order_test
