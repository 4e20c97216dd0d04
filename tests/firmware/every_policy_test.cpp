// Does every policy that the tables name keep every promise, whatever it is combined with? The names are
// taken from the tables: a new row is tested the day it appears.
//
// Each name runs under each block allocation and in each setting below, on a drive of a few hundred pages:
// all data are checked against the shadow, the tables after every command.
#include <string>

#include "firmware/ftl/policies.h"
#include "tests/support/ftl_random.h"

namespace twinplane::test::every_policy_test {
namespace {

/// What a policy is crossed with.
struct Setting {
  const char* name;
  void (*change)(FtlBenchConfig& c);
  std::uint32_t lbas = 0;    // hot: only these are used; 0 = all
  std::uint32_t failing = 0; // programs in a thousand that fail
  bool may_wear_out = false; // then the drive may end read-only
};

void buffered(FtlBenchConfig& c, std::uint32_t pages) {
  c.ftl.write_ack = fw::WriteAck::buffered;
  c.ftl.write_buffer_pages = pages;
}

const Setting kSettings[] = {
    {"plain", [](FtlBenchConfig&) {}},
    {"hot addresses", [](FtlBenchConfig&) {}, 24},
    {"write buffer", [](FtlBenchConfig& c) { buffered(c, 9); }},
    {"hot addresses in a write buffer", [](FtlBenchConfig& c) { buffered(c, 6); }, 48},
    {"failing programs", [](FtlBenchConfig& c) { c.ftl.over_provisioning = 0.5; }, 0, 2, true},
    {"failing programs of a write buffer",
     [](FtlBenchConfig& c) {
       c.ftl.over_provisioning = 0.5;
       buffered(c, 9);
     },
     0, 2, true},
    {"independent plane reads", [](FtlBenchConfig& c) { c.ftl.independent_reads = true; }},
    {"suspend", [](FtlBenchConfig& c) { c.ftl.suspend = true; }},
    {"deep queues, shared frontier",
     [](FtlBenchConfig& c) {
       c.ftl.die_queue_depth = 3;
       c.ftl.frontier = fw::Frontier::shared;
     }},
    {"unequal blocks, multi-plane moves, age limit",
     [](FtlBenchConfig& c) {
       c.ftl.bac = false;
       c.ftl.gc_moves = fw::GcMoves::multi;
       c.ftl.age_limit_ps = 500'000;
     }},
    {"neighbours only, collection of the simulator, interrupts only",
     [](FtlBenchConfig& c) {
       c.ftl.pair = fw::Pairing::next;
       c.ftl.tbm_gc = fw::TbmGc::simulator;
       c.sleepy = true;
     }},
};

/// 2 dies x 2 planes x 12 blocks x 12 pages of TLC, four sectors each.
FtlBenchConfig drive_for(const char* allocation) {
  FtlBenchConfig c = small_drive();
  c.ftl.geometry.dies_per_chip = 1;
  c.ftl.geometry.blocks_per_plane = 12;
  c.ftl.geometry.pages_per_block = 12;
  c.ftl.geometry.cell = CellType::tlc;
  c.ftl.over_provisioning = 0.4;
  c.ftl.block_allocation = allocation;
  if (fw::needs_relaxed_order(c.ftl)) c.ftl.program_order = ProgramOrder::relaxed;
  c.ftl.max_requests = 16;
  c.shuffle = true;
  return c;
}

/// What a drive of several regions needs.
void divide(FtlBenchConfig& c) {
  c.ftl.geometry.blocks_per_plane = 18;
  c.ftl.over_provisioning = 0.5;
  if (fw::region_modes(c.ftl).cache) {
    c.ftl.geometry.subpages_per_page = 4;
    c.ftl.slc_cache.share = 0.2;
    return;
  }
  c.ftl.geometry.cell = CellType::mlc;
  c.ftl.program_order = ProgramOrder::ascending;
  c.ftl.classifier = "hot_size";
}

void choose(fw::FtlConfig& c, std::uint32_t decision, const char* name) {
  fw::PolicyName* const choices[] = {&c.classifier, &c.plane_allocation, &c.block_allocation, &c.mapping,
                                     &c.victim,     &c.relocation,       &c.scheduling,       &c.regions};
  static_assert(sizeof choices / sizeof *choices == fw::kDecisions, "one per decision, in their order");
  *choices[decision] = name;
}

void run_one(const FtlBenchConfig& config, const Setting& setting) {
  FtlBench bench(config);
  ASSERT_EQ(bench.error(), nullptr) << bench.error();
  if (setting.failing != 0) bench.hal().flash().fail_programs(setting.failing, config.seed);
  Mix mix;
  mix.operations = 600;
  mix.max_sectors = 12;
  mix.check_every = 200;
  mix.lbas = setting.lbas;
  mix.check_tables = std::string(config.ftl.block_allocation) == "twin";
  ASSERT_NO_FATAL_FAILURE(run_random(bench, mix, config.seed));
  EXPECT_EQ(bench.statistics().read_only && !setting.may_wear_out, false) << "a healthy drive is read-only";
  if (setting.lbas == 0) {
    EXPECT_GT(bench.statistics().gc_blocks_erased, 0u);
  }
}

class EveryPolicy : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryPolicy, KeepsItsPromisesInEverySetting) {
  const fw::PolicyNames names = fw::policy_names(GetParam());
  const fw::PolicyNames allocations = fw::policy_names(2);
  ASSERT_STREQ(allocations.decision, "block_allocation");
  for (std::uint32_t n = 0; n < names.count; ++n) {
    std::uint32_t runs = 0;
    for (std::uint32_t a = 0; a < allocations.count; ++a) {
      for (const Setting& setting : kSettings) {
        FtlBenchConfig c = drive_for(GetParam() == 2 ? names.name(n) : allocations.name(a));
        choose(c.ftl, GetParam(), names.name(n));
        if (fw::region_modes(c.ftl).count != 1) divide(c);
        setting.change(c);
        c.seed = 1 + n * 31u + a * 7u + runs;
        if (fw::check_config(c.ftl) != nullptr) continue; // refused in words
        SCOPED_TRACE(std::string(names.decision) + " = " + names.name(n) +
                     ", block_allocation = " + static_cast<const char*>(c.ftl.block_allocation) + ", " +
                     setting.name + ", seed " + std::to_string(c.seed));
        ASSERT_NO_FATAL_FAILURE(run_one(c, setting));
        ++runs;
      }
      if (GetParam() == 2) break; // the name is the allocation
    }
    EXPECT_GT(runs, 0u) << names.name(n) << " has never run";
  }
}

INSTANTIATE_TEST_SUITE_P(Decisions, EveryPolicy, ::testing::Range(0u, fw::kDecisions), [](const auto& param) {
  return std::string(fw::policy_names(param.param).decision);
});

} // namespace
} // namespace twinplane::test::every_policy_test
