// Do the waves show how the SLC-mode cache uses each block? The VCD of a small drive is held against the
// firmware's own table as each operation begins, against the times of the cells, and against the count of
// blocks at the end.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firmware/ftl/features/journal/journal.h"
#include "platform/session/run_files.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test::waves_block_use_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 2
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 12
page_size = "16KiB"
subpages_per_page = 4
[nand]
cell = "tlc"
[ftl]
over_provisioning = "45%"
[slc_cache]
share = "25%"
[waves]
vcd = true
perfetto = true
[workload]
rw = "randrw"
bssplit = "4k/70:8k/20:16k/10"
size = "2MiB"
number_ios = 6000
[host]
mode = "closed"
iodepth = 16
)";

/// What the firmware's table says of the block of each operation, by plane, as it is announced.
class TableWatch final : public hw::NandObserver {
 public:
  struct Entry {
    TimePs start, end;
    hw::PlaneState state;
    std::uint32_t block, level;
    PageType type;
    std::uint32_t transaction;
  };
  explicit TableWatch(const platform::Ssd& ssd) : ssd_(ssd) {}

  void on_array(std::uint32_t channel, const hw::ArrayOperation& o) override {
    const Geometry& g = ssd_.config().geometry;
    const std::uint32_t die = (channel * g.chips_per_channel + o.chip) * g.dies_per_chip + o.lun;
    const std::uint32_t level =
        ssd_.firmware().window().cache_level(die * g.planes_per_die + o.plane, o.block);
    by_plane[{channel, o.lun, o.plane}].push_back(
        {o.start, o.end, o.state, o.block, level, o.page_type, o.request_tag});
  }
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  void on_violation(std::uint32_t, const hw::Violation&) override { ++violations; }

  static std::string name(const std::array<std::uint32_t, 3>& plane) {
    return "ssd.ch" + std::to_string(plane[0]) + ".chip0.die" + std::to_string(plane[1]) + ".plane" +
           std::to_string(plane[2]) + ".";
  }
  std::map<std::array<std::uint32_t, 3>, std::vector<Entry>> by_plane;
  std::uint32_t violations = 0;

 private:
  const platform::Ssd& ssd_;
};

/// The drive, its run and the files of that.
struct RecordedRun {
  explicit RecordedRun(const std::vector<std::string>& settings) {
    options.config = configure(kDrive, settings);
    options.out = folder.path() / "out";
    simulation = std::make_unique<platform::Simulation>(options.config);
    platform::RunFiles files(options, *simulation);
    table = std::make_unique<TableWatch>(simulation->ssd());
    simulation->ssd().attach(static_cast<hw::NandObserver&>(*table));
    files.finish(run_workload(*simulation, options.config));
    vcd = std::make_unique<VcdFile>(options.out / "waves.vcd");
    EXPECT_TRUE(vcd->complaints().empty());
  }
  TempFolder folder;
  platform::RunOptions options;
  std::unique_ptr<platform::Simulation> simulation;
  std::unique_ptr<TableWatch> table;
  std::unique_ptr<VcdFile> vcd;
};

/// A signal's value as the file goes on.
class Cursor {
 public:
  explicit Cursor(const VcdFile::Changes& changes) : changes_(changes) {}
  std::uint64_t at(std::uint64_t time) {
    while (next_ < changes_.size() && changes_[next_].first <= time) ++next_;
    return std::stoull(changes_[next_ - 1].second, nullptr, 2);
  }

 private:
  const VcdFile::Changes& changes_;
  std::size_t next_ = 0;
};

/// Mode and level of every operation; returns how many there were of each level.
std::array<std::uint32_t, 4> compare_with_table(const RecordedRun& run) {
  const platform::NandKeys& nand = run.options.config.nand;
  std::array<std::uint32_t, 4> operations{};
  for (const auto& [plane, entries] : run.table->by_plane) {
    const std::string name = TableWatch::name(plane);
    Cursor block(run.vcd->of(name + "block"));
    Cursor mode(run.vcd->of(name + "mode"));
    Cursor level(run.vcd->of(name + "level"));
    for (const TableWatch::Entry& e : entries) {
      EXPECT_EQ(block.at(e.start), e.block) << name << " at " << e.start;
      EXPECT_EQ(level.at(e.start), e.level) << name << " at " << e.start;
      const bool slc = mode.at(e.start) == 1;
      EXPECT_EQ(slc, e.level != 0) << name << " at " << e.start;
      if (e.state == hw::PlaneState::programming) {
        EXPECT_EQ(e.end - e.start, slc ? nand.slc.tPROG : nand.tPROG.at[e.type]) << name << " at " << e.start;
      }
      ++operations[e.level];
    }
  }
  return operations;
}

/// Blocks by level that the VCD saw programmed and not erased since.
std::array<std::uint64_t, 4> blocks_in_use(const RecordedRun& run) {
  std::array<std::uint64_t, 4> blocks{};
  for (const auto& [plane, entries] : run.table->by_plane) {
    const std::string name = TableWatch::name(plane);
    Cursor block(run.vcd->of(name + "block"));
    Cursor level(run.vcd->of(name + "level"));
    std::map<std::uint64_t, std::uint64_t> used;
    for (const auto& [time, state] : run.vcd->of(name + "state")) {
      if (state == "10") used[block.at(time)] = level.at(time);
      if (state == "11") used.erase(block.at(time));
    }
    for (const auto& [number, of] : used) ++blocks[of];
  }
  return blocks;
}

TEST(WavesOfTheCache, ShowTheModeAndTheLevelThatTheFirmwareGaveTheBlock) {
  const RecordedRun run({"ftl.policy=ipu"});
  EXPECT_EQ(run.table->violations, 0u);
  const auto operations = compare_with_table(run);
  for (std::uint32_t level = 0; level < operations.size(); ++level) {
    EXPECT_GT(operations[level], 100u) << "level " << level;
  }
  const auto blocks = blocks_in_use(run);
  const fw::CacheGauges& g = run.simulation->ssd().firmware().firmware().ftl().statistics().cached;
  const std::uint32_t planes = run.options.config.geometry.planes();
  for (std::uint32_t level = 1; level < blocks.size(); ++level) {  // a plane's open block may still be empty
    const std::uint32_t own = level == 1 ? fw::kJournalCopies : 0; // units of metadata are of no level
    EXPECT_LE(blocks[level], g.blocks[level] + own) << "level " << level;
    EXPECT_GE(blocks[level] + planes, g.blocks[level]) << "level " << level;
    EXPECT_GT(blocks[level], planes) << "level " << level;
  }
}

TEST(WavesOfTheCache, KnowNoLevelButWorkWhereTheSchemeHasNone) {
  const RecordedRun run({"ftl.policy=mga"});
  const auto operations = compare_with_table(run);
  EXPECT_GT(operations[0], 100u);
  EXPECT_GT(operations[1], 100u);
  EXPECT_EQ(operations[2] + operations[3], 0u);
}

TEST(WavesOfTheCache, SayTheSameInTheTraceOfPerfetto) {
  const RecordedRun run({"ftl.policy=ipu", "workload.number_ios=3000"});
  std::map<std::pair<TimePs, std::uint32_t>, std::set<std::string>> levels; // by start and block
  const char* const names[] = {"none", "work", "monitor", "hot"};
  for (const auto& [plane, entries] : run.table->by_plane) {
    for (const TableWatch::Entry& e : entries) levels[{e.start, e.block}].insert(names[e.level]);
  }
  std::ifstream in(run.options.out / "waves.json");
  std::size_t slices = 0;
  for (const nlohmann::json& e : nlohmann::json::parse(in)) {
    if (!e.contains("args") || !e["args"].contains("block")) continue;
    const nlohmann::json& a = e["args"];
    if (a.contains("site")) continue; // of the firmware: a collection
    ASSERT_TRUE(a.contains("level")) << e.dump();
    EXPECT_EQ(levels.at({a["start_ps"], a["block"]}).count(a["level"]), 1u) << e.dump();
    EXPECT_EQ(a["mode"], a["level"] == "none" ? "native" : "slc") << e.dump();
    ++slices;
  }
  EXPECT_GT(slices, 3000u);
}

TEST(WavesOfTheCache, AreNotDeclaredInADriveWithoutOne) {
  const RecordedRun run({"workload.number_ios=100"});
  for (const auto& [name, changes] : run.vcd->signals()) {
    EXPECT_EQ(name.find(".mode"), std::string::npos) << name;
    EXPECT_EQ(name.find(".level"), std::string::npos) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(run.options.out / "waves_block_level.txt"));
}

} // namespace
} // namespace twinplane::test::waves_block_use_test
