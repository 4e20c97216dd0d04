// Does every policy that the tables name work on a whole drive, in time? tests/firmware/every_policy_test.cpp
// crosses the decisions with more, on flash without time; here a name meets dies that judge, buses, suspends
// and a monitor. Names are taken from the tables.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "firmware/ftl/policies.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::every_policy_drive_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 12
pages_per_block = 12
page_size = "8KiB"
spare_size = "448B"
[nand]
tBERS = "300us"
[bus]
monitor = true
[ftl]
over_provisioning = "35%"
[precondition]
mode = "fill"
fill = "100%"
[workload]
rw = "randrw"
number_ios = 300
)";

struct Name {
  std::uint32_t decision = 0;
  std::uint32_t index = 0;
};

void PrintTo(const Name& n, std::ostream* out) {
  *out << fw::policy_names(n.decision).decision << " " << fw::policy_names(n.decision).name(n.index);
}

std::vector<Name> all_names() {
  std::vector<Name> names;
  for (std::uint32_t d = 0; d < fw::kDecisions; ++d) {
    for (std::uint32_t i = 0; i < fw::policy_names(d).count; ++i) names.push_back({d, i});
  }
  return names;
}

/// What the drive has besides, in turn.
const std::vector<std::vector<std::string>> kBesides = {
    {"nand.suspend=true", "controller.suspend_gain=0us"},
    {"ftl.write_buffer=16", "ftl.write_ack=buffered", "workload.size=256KiB"},
    {"nand.independent_plane_reads=true"},
    {"nand.factory_bad=3%", "workload.fsync=9"},
    {"nand.bac=false", "ftl.die_queue_depth=2"},
};

class EveryPolicyOnADrive : public ::testing::TestWithParam<Name> {};

TEST_P(EveryPolicyOnADrive, KeepsItsPromises) {
  const fw::PolicyNames names = fw::policy_names(GetParam().decision);
  const std::string name = names.name(GetParam().index);
  std::vector<std::string> settings = kBesides[(GetParam().decision + GetParam().index) % kBesides.size()];
  settings.push_back("ftl." + std::string(names.decision) + "=" + name);
  const std::string decision = names.decision;
  // page types are a matter of the relaxed order and of the allocations that have them
  if (decision == "classifier" || decision == "relocation") settings.emplace_back("ftl.block_allocation=pa");
  if (name.rfind("pa", 0) == 0 || decision == "classifier" || decision == "relocation")
    settings.emplace_back("nand.program_order=relaxed");
  fw::FtlConfig regions;
  if (decision == "regions") regions.regions = name.c_str();
  const bool cache = fw::region_modes(regions).cache;
  if (cache) {
    for (const char* needed : {"nand.cell=mlc", "geometry.sector_size=512B", "geometry.subpages_per_page=4",
                               "nand.partial_programs=4", "slc_cache.share=20%", "slc_cache.wear_gap=3",
                               "workload.bssplit=4k/60:8k/40", "workload.number_ios=900"}) {
      settings.emplace_back(needed);
    }
  }
  if (decision == "regions" && name != "one" && !cache) {
    for (const char* needed :
         {"nand.cell=mlc", "nand.program_order=ascending", "ftl.classifier=hot_size",
          "workload.bssplit=4k/60:32k/40", "workload.number_ios=900", "ftl.cold_age=1"}) {
      settings.emplace_back(needed);
    }
  }
  const platform::Summary s = run_workload(configure(kDrive, settings));
  expect_consistent(s);
  EXPECT_EQ(s.workload.failed, 0u);
  EXPECT_FALSE(s.ftl.counters.read_only);
  EXPECT_EQ(s.nand.violations.monitor.value().total(), 0u);
  EXPECT_EQ(s.nand.violations.total(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryPolicyOnADrive, ::testing::ValuesIn(all_names()),
                         [](const auto& param) {
                           return std::string(fw::policy_names(param.param.decision).decision) + "_" +
                                  std::to_string(param.param.index);
                         });

} // namespace
} // namespace twinplane::test::every_policy_drive_test
