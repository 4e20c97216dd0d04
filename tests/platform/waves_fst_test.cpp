// Does an FST say the same as the VCD of the same run, with the names of its values, in far less space?
#include <fstapi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/observe/waves/wave_recorder.h"
#include "platform/observe/waves/wave_writer.h"
#include "platform/session/run_files.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test::waves_fst_test {
namespace {

namespace fs = std::filesystem;

/// What the library's own reader makes of the file.
void to_vcd(const fs::path& fst, const fs::path& vcd) {
  void* const reader = fstReaderOpen(fst.c_str());
  ASSERT_NE(reader, nullptr) << fst;
  std::FILE* const out = std::fopen(vcd.c_str(), "w");
  ASSERT_NE(out, nullptr);
  ASSERT_NE(fstReaderProcessHier(reader, out), 0);
  fstReaderSetFacProcessMaskAll(reader);
  ASSERT_NE(fstReaderIterBlocks(reader, nullptr, nullptr, out), 0);
  std::fclose(out);
  fstReaderClose(reader);
}

std::string without_leading(std::string value) {
  while (value.size() > 1 && (value[0] == '0' || (value[0] == value[1] && value[0] != '1')))
    value.erase(0, 1);
  return value;
}

VcdFile::Changes plain(const VcdFile::Changes& changes) {
  VcdFile::Changes out;
  for (const auto& [time, value] : changes) {
    const std::string v = without_leading(value);
    if (out.empty() || out.back().second != v) out.emplace_back(time, v);
  }
  return out;
}

void expect_equal(const fs::path& vcd_file, const fs::path& fst_as_vcd) {
  const VcdFile vcd(vcd_file);
  const VcdFile fst(fst_as_vcd);
  EXPECT_EQ(fst.end(), vcd.end());
  ASSERT_EQ(fst.signals().size(), vcd.signals().size());
  for (const auto& [name, changes] : vcd.signals()) {
    ASSERT_EQ(fst.signals().count(name), 1u) << name;
    EXPECT_EQ(plain(fst.of(name)), plain(changes)) << name;
  }
}

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 24
page_size = "16KiB"
[nand]
cell = "tlc"
suspend = true
[waves]
vcd = true
fst = true
[workload]
rw = "randrw"
bssplit = "4k/40:16k/40:64k/20"
number_ios = 1500
[host]
mode = "closed"
iodepth = 16
)";

class Fst : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Fst, SaysWhatTheVcdSays) {
  const TempFolder folder;
  platform::RunOptions options;
  options.config = configure(kDrive, GetParam());
  options.out = folder.path().string();
  platform::Simulation simulation(options.config);
  platform::RunFiles files(options, simulation);
  const platform::Summary s = run_workload(simulation, options.config);
  files.finish(s);
  to_vcd(folder.path() / "waves.fst", folder.path() / "converted.vcd");
  expect_equal(folder.path() / "waves.vcd", folder.path() / "converted.vcd");
  const std::uintmax_t vcd = fs::file_size(folder.path() / "waves.vcd");
  if (vcd < 1'000'000) return; // names and scopes are most of it
  EXPECT_LT(10 * fs::file_size(folder.path() / "waves.fst"), vcd);
}
INSTANTIATE_TEST_SUITE_P(Runs, Fst,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"waves.from=5ms", "waves.to=30ms"},
                                         std::vector<std::string>{"waves.scope=ssd.ch1"}),
                         parameter_name);

/// Names of the values of each enumerated signal.
std::set<std::string> names_in(const fs::path& path) {
  void* const reader = fstReaderOpen(path.c_str());
  std::set<std::string> names;
  while (const fstHier* h = fstReaderIterateHier(reader)) {
    if (h->htyp != FST_HT_ATTRBEGIN || h->u.attr.subtype != FST_MT_ENUMTABLE || h->u.attr.name[0] == 0)
      continue;
    fstETab* const table = fstUtilityExtractEnumTableFromString(h->u.attr.name);
    if (table == nullptr) continue; // of opcodes: this reader cuts tables off after 512 characters
    for (std::uint32_t i = 0; i < table->elem_count; ++i)
      names.insert(std::string(table->name) + " " + table->val_arr[i] + " " + table->literal_arr[i]);
    fstUtilityFreeEnumTable(table);
  }
  fstReaderClose(reader);
  return names;
}

TEST(FstNames, AreThoseOfTheValuesWithoutColours) {
  const TempFolder folder;
  const fs::path path = folder.path() / "waves.fst";
  platform::WaveWriter writer(path, {}, platform::WaveFormat::fst);
  const auto state = writer.add_wire("drive.die.state", 2, 0);
  writer.add_wire("drive.other", 1, platform::kUnknown);
  writer.start({{"drive", {}, {{"state", "", {{0, "idle"}, {1, "?SeaGreen?reading"}, {2, "data in"}}}}}});
  writer.change(state, ns(10), 1);
  writer.close(ns(20));
  ASSERT_TRUE(writer.ok()) << writer.error();
  EXPECT_EQ(names_in(path), (std::set<std::string>{"state 00 idle", "state 01 reading", "state 10 data in"}));
}

/// Two drives of other cells, each with a program that tells of its page type.
void record_two(const fs::path& folder, platform::WaveFormat format) {
  platform::WaveFile::Options o;
  o.folder = folder;
  o.now = [] { return TimePs{0}; };
  o.format = format;
  platform::WaveFile file(o);
  std::vector<std::unique_ptr<platform::WaveRecorder>> drives;
  for (const CellType cell : {CellType::tlc, CellType::mlc}) {
    Geometry g;
    g.cell = cell;
    platform::WaveRecorder::Drive drive;
    drive.module = cell == CellType::tlc ? "board.tlc" : "board.mlc";
    drives.push_back(std::make_unique<platform::WaveRecorder>(g, drive, file));
  }
  file.start();
  hw::ArrayOperation program;
  program.state = hw::PlaneState::programming;
  program.page_type = 1;
  program.start = us(5);
  program.end = us(500);
  for (const auto& drive : drives) drive->on_array(0, program);
  file.finish(ms(1));
}

TEST(FstNames, AreEachDrivesOwnInAFileOfSeveral) {
  const TempFolder folder;
  for (const char* name : {"fst", "vcd"}) fs::create_directory(folder.path() / name);
  record_two(folder.path() / "fst", platform::WaveFormat::fst);
  record_two(folder.path() / "vcd", platform::WaveFormat::vcd);
  to_vcd(folder.path() / "fst" / "waves.fst", folder.path() / "converted.vcd");
  expect_equal(folder.path() / "vcd" / "waves.vcd", folder.path() / "converted.vcd");
  std::set<std::string> types;
  for (const std::string& name : names_in(folder.path() / "fst" / "waves.fst")) {
    if (name.rfind("page_type", 0) == 0) types.insert(name);
  }
  EXPECT_EQ(types, (std::set<std::string>{"page_type 00 lsb", "page_type 01 csb", "page_type 01 msb",
                                          "page_type 10 msb"}));
}

TEST(FstFile, ThatCannotBeCreatedIsAnError) {
  platform::WaveWriter writer("/nonexistent/waves.fst", {}, platform::WaveFormat::fst);
  EXPECT_THROW(writer.start(), platform::InputError);
}

TEST(FstFile, ThatIsNotFinishedIsNotLeft) {
  const TempFolder folder;
  const auto file = std::filesystem::path(folder.path()) / "waves.fst";
  {
    platform::WaveWriter writer(file, {}, platform::WaveFormat::fst);
    writer.add_wire("a.b", 1, 0);
    writer.start();
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(FstFile, ThatIsTheSameRunHasTheSameBytes) {
  const TempFolder folder;
  std::vector<std::string> bytes;
  for (const char* name : {"a", "b"}) {
    fs::create_directory(folder.path() / name);
    platform::WaveWriter writer(folder.path() / name / "waves.fst", {}, platform::WaveFormat::fst);
    const auto wire = writer.add_wire("drive.wire", 9, 0);
    writer.start();
    for (std::uint32_t i = 1; i < 2000; ++i) writer.change(wire, ns(i), i % 500);
    writer.close(us(3));
    ASSERT_TRUE(writer.ok()) << writer.error();
    std::ifstream file(folder.path() / name / "waves.fst", std::ios::binary);
    bytes.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

} // namespace
} // namespace twinplane::test::waves_fst_test
