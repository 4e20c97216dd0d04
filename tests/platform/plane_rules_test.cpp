// Multi-plane commands: do twins leave together, and is firmware that pairs wrongly told so?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/waves/wave_recorder.h"
#include "tests/platform/model_bench.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"
#include "tests/support/rogue_firmware.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test::plane_rules_test {
namespace {

using platform::HostCommand;
using platform::IoOp;
using ::testing::HasSubstr;

// --- the drive's own firmware ---

constexpr const char* kTwoPlanes = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 16
page_size = "4KiB"
[nand]
cell = "slc"
[host]
queue_size = 64
)";

constexpr std::uint64_t kProgramming = 2; // code of the signal `state`

/// Spans of a VCD signal at a value.
std::vector<std::pair<std::uint64_t, std::uint64_t>> spans(const VcdFile& vcd, const std::string& signal,
                                                           std::uint64_t value) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  bool inside = false;
  for (const auto& [time, text] : vcd.of(signal)) {
    const bool now = text != "x" && std::stoull(text, nullptr, 2) == value;
    if (now && !inside) found.emplace_back(time, vcd.end());
    if (!now && inside) found.back().second = time;
    inside = now;
  }
  return found;
}

/// Without PAC a command may begin in one stripe of a twin block and end in the next. This load comes to a
/// die that has room for the rest of a stripe alone.
TEST(TwinWrites, FindRoomForTwoStripesWhereDiesAskForNoEqualPages) {
  constexpr const char* kFull = R"(
[geometry]
channels = 1
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 6
pages_per_block = 9
[nand]
cell = "slc"
pac = false
[ftl]
policy = "f2+tbm"
over_provisioning = "40%"
[host]
mode = "closed"
[workload]
rw = "randwrite"
bssplit = "4k/50:16k/30:64k/20"
number_ios = 400
seed = 38
)";
  const platform::Summary s = run_workload(configure(kFull, {}));
  EXPECT_FALSE(s.ftl.counters.read_only);
  EXPECT_EQ(s.workload.failed, 0u);
}

TEST(TwinWrites, LeaveAsOneMultiPlaneProgramInCountersAndWaves) {
  const TempFolder folder;
  const platform::Config config = configure(kTwoPlanes);
  ModelBench bench("bench", config);
  platform::WaveRecorder::Options options;
  options.folder = folder.path();
  platform::WaveRecorder waves(config.geometry, options);
  bench.ssd.attach(static_cast<hw::NandObserver&>(waves));
  bench.ssd.attach(static_cast<hw::BusObserver&>(waves));
  bench.start();
  ASSERT_TRUE(bench.ready);
  HostCommand first;
  first.op = IoOp::write;
  first.sectors = 1;
  HostCommand second = first;
  second.lba = 1;
  ASSERT_EQ(bench.run({first, second}).size(), 2u);
  waves.finish(hw::kernel_now());

  const hw::NandStatistics& s = bench.ssd.packages()[0]->statistics();
  EXPECT_EQ(s.multiplane_program.commands, 1u);
  EXPECT_EQ(s.multiplane_program.units, 2u);
  EXPECT_EQ(s.programs[0], 2u);

  const VcdFile vcd(folder.path() / "waves.vcd");
  EXPECT_THAT(vcd.complaints(), ::testing::IsEmpty());
  const auto plane0 = spans(vcd, "ssd.ch0.chip0.die0.plane0.state", kProgramming);
  const auto plane1 = spans(vcd, "ssd.ch0.chip0.die0.plane1.state", kProgramming);
  ASSERT_EQ(plane0.size(), 1u);
  EXPECT_EQ(plane0, plane1);
  EXPECT_EQ(plane0[0].second - plane0[0].first, config.nand.tPROG.at[0]);
  EXPECT_EQ(spans(vcd, "ssd.ch0.chip0.die0.group", 2), plane0);
  const auto busy = spans(vcd, "ssd.ch0.chip0.die0.rb_n", 0);
  ASSERT_EQ(busy.size(), 4u + 2u); // FFh, ECh, EFh, EEh at boot; tDBSY after 11h, then the program
  EXPECT_EQ(busy[4].second - busy[4].first, config.nand.tDBSY);
  EXPECT_EQ(busy[5], plane0[0]);
  EXPECT_EQ(vcd.at("ssd.ch0.chip0.die0.plane0.page", plane0[0].first),
            vcd.at("ssd.ch0.chip0.die0.plane1.page", plane0[0].first));
}

/// Looks at the planes of each multi-plane program and erase.
class GroupWatch final : public hw::NandObserver {
 public:
  void on_array(std::uint32_t channel, const hw::ArrayOperation& o) override {
    if (o.planes_in_group < 2 || o.state == hw::PlaneState::reading) return;
    const auto [group, fresh] = groups_.try_emplace({channel, o.chip, o.lun, o.start}, o);
    if (fresh) return;
    const hw::ArrayOperation& other = group->second;
    different_pages += o.state == hw::PlaneState::programming && o.page != other.page ? 1 : 0;
    different_blocks += o.block != other.block ? 1 : 0;
    ++pairs;
  }
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  void on_violation(std::uint32_t, const hw::Violation&) override { ++violations; }

  std::uint64_t pairs = 0, different_pages = 0, different_blocks = 0, violations = 0;

 private:
  std::map<std::array<std::uint64_t, 4>, hw::ArrayOperation> groups_;
};

/// Random writes under garbage collection, where the planes of a die drift apart.
void run_worn(bool bac, GroupWatch& watch) {
  const platform::Config config = configure(
      "[geometry]\nchannels = 1\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 4\n"
      "blocks_per_plane = 32\npages_per_block = 48\n",
      {std::string("nand.bac=") + (bac ? "true" : "false"), "ftl.over_provisioning=25%",
       "precondition.mode=fill", "precondition.fill=100%", "precondition.overwrite=100%",
       "workload.rw=randwrite", "workload.bs=8KiB", "workload.number_ios=5000"});
  platform::Simulation simulation(config);
  simulation.ssd().attach(watch);
  expect_consistent(run_workload(simulation, config));
  EXPECT_EQ(watch.violations, 0u);
  EXPECT_EQ(watch.different_pages, 0u);
}

TEST(PairsOfTheFirmware, AreOfEqualPagesAndBlocksWhereBacHolds) {
  GroupWatch watch;
  run_worn(true, watch);
  EXPECT_GT(watch.pairs, 50u);
  EXPECT_EQ(watch.different_blocks, 0u);
}

TEST(PairsOfTheFirmware, AreOfEqualPagesInDifferentBlocksWhereBacDoesNotHold) {
  GroupWatch watch;
  run_worn(false, watch);
  EXPECT_GT(watch.pairs, 50u);
  EXPECT_GT(watch.different_blocks, 50u);
}

// --- firmware that pairs what it likes ---

std::vector<std::string>& messages() {
  static std::vector<std::string> texts;
  return texts;
}

void keep_message(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  if (std::string(report.get_msg_type()) == "twinplane.nand") messages().push_back(report.get_msg());
}

hw::NandConfig part(bool pac, bool bac) {
  hw::NandConfig n;
  n.geometry.planes_per_die = 2;
  n.geometry.blocks_per_plane = 8;
  n.geometry.pages_per_block = 16;
  n.bus = timing::nv_ddr(10);
  n.pac = pac;
  n.bac = bac;
  return n;
}

Ppa at(std::uint32_t plane, std::uint32_t block, std::uint32_t page) {
  Ppa p;
  p.plane = plane;
  p.block = block;
  p.page = page;
  return p;
}

struct Pair {
  const char* name;
  FlashOp op;
  Ppa first, second;
  bool pac, bac;
  const char* rule; // broken, "" = none
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.name;
}

const Pair kPairs[] = {
    {"equal_pages", FlashOp::program, at(0, 2, 1), at(1, 2, 1), true, true, ""},
    {"other_page", FlashOp::program, at(0, 2, 1), at(1, 2, 0), true, true, "pac"},
    {"other_page_without_pac", FlashOp::program, at(0, 2, 1), at(1, 2, 0), false, true, ""},
    {"other_block", FlashOp::program, at(0, 2, 1), at(1, 5, 1), true, true, "bac"},
    {"other_block_without_bac", FlashOp::program, at(0, 2, 1), at(1, 5, 1), true, false, ""},
    {"other_page_and_block_without_bac", FlashOp::program, at(0, 2, 1), at(1, 5, 0), true, false, "pac"},
    {"same_plane", FlashOp::program, at(0, 2, 1), at(0, 5, 1), true, false, "distinct_planes"},
    {"read", FlashOp::read, at(0, 2, 0), at(1, 2, 0), true, true, ""},
    {"read_of_other_page", FlashOp::read, at(0, 2, 1), at(1, 2, 0), true, true, "pac"},
    {"read_of_other_block", FlashOp::read, at(0, 2, 0), at(1, 5, 0), true, true, "bac"},
    {"read_of_other_block_without_bac", FlashOp::read, at(0, 2, 0), at(1, 5, 0), true, false, ""},
    {"erase", FlashOp::erase, at(0, 2, 0), at(1, 2, 0), true, true, ""},
    {"erase_of_other_block", FlashOp::erase, at(0, 2, 0), at(1, 5, 0), true, true, "bac"},
    {"erase_of_other_block_without_bac", FlashOp::erase, at(0, 2, 0), at(1, 5, 0), true, false, ""},
    {"erase_of_same_plane", FlashOp::erase, at(0, 2, 0), at(0, 5, 0), true, false, "distinct_planes"},
};

class Pairing : public ::testing::TestWithParam<Pair> {
 protected:
  void SetUp() override { sc_core::sc_report_handler::set_handler(keep_message); }

  /// Pages to be programmed are the next of their blocks, pages to be read are programmed: nothing but
  /// their pairing can be wrong.
  void prepare(RogueFirmware& firmware) {
    for (const Ppa& place : {GetParam().first, GetParam().second}) {
      const std::uint32_t programmed = place.page + (GetParam().op == FlashOp::read ? 1 : 0);
      for (std::uint32_t page = 0; page < programmed; ++page) {
        ASSERT_EQ(firmware.run(FlashOp::program, {at(place.plane, place.block, page)})[0].result, 0);
      }
    }
    ASSERT_TRUE(messages().empty());
  }
};

TEST_P(Pairing, IsJudgedByTheDie) {
  const Pair& pair = GetParam();
  RogueFirmware firmware("firmware", part(pair.pac, pair.bac));
  firmware.boot();
  prepare(firmware);
  const TimePs before = hw::kernel_now();
  const auto done = firmware.run(pair.op, {pair.first, pair.second});

  const bool refused = *pair.rule != '\0';
  const bool reads = pair.op == FlashOp::read; // their status is not read: they bring no data
  for (const FlashCompletion& c : done) {
    EXPECT_EQ(c.result, refused ? (reads ? flash_result::uncorrectable : flash_result::fail) : 0);
    EXPECT_EQ((c.status & onfi::status::fail) != 0, refused && !reads);
  }
  const hw::NandStatistics& s = firmware.package.statistics();
  for (std::size_t rule = 0; rule < hw::kRules; ++rule) {
    EXPECT_EQ(s.violations[rule], std::string(hw::kRuleNames[rule]) == pair.rule ? 1u : 0u)
        << hw::kRuleNames[rule];
  }
  const hw::MultiplaneStatistics& multiplane = reads                       ? s.multiplane_read
                                               : pair.op == FlashOp::erase ? s.multiplane_erase
                                                                           : s.multiplane_program;
  EXPECT_EQ(multiplane.units, refused ? 0u : 2u);

  ASSERT_EQ(messages().size(), refused ? 1u : 0u);
  if (!refused) return;
  const std::string& text = messages()[0];
  EXPECT_THAT(text, HasSubstr("rule '" + std::string(pair.rule) + "'"));
  EXPECT_THAT(text, HasSubstr("channel 0 chip 0 lun 0 plane " + std::to_string(pair.second.plane) +
                              " block " + std::to_string(pair.second.block)));
  const std::size_t time = text.find(" at ") + 4;
  EXPECT_GE(std::stod(text.substr(time)), static_cast<double>(before) / 1e3) << text;
  EXPECT_LE(std::stod(text.substr(time)), static_cast<double>(hw::kernel_now()) / 1e3) << text;
}

INSTANTIATE_TEST_SUITE_P(Rules, Pairing, ::testing::ValuesIn(kPairs), parameter_name);

} // namespace
} // namespace twinplane::test::plane_rules_test
