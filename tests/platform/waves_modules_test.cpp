// Do two drives of one simulation keep their waves apart? Scopes bear the hierarchical names of their
// modules.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "hw/core/kernel_time.h"
#include "platform/config/error.h"
#include "platform/observe/waves/perfetto_recorder.h"
#include "platform/observe/waves/wave_file.h"
#include "platform/observe/waves/wave_recorder.h"
#include "tests/support/guest_host.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test::waves_modules_test {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Board : sc_core::sc_module {
  explicit Board(const sc_core::sc_module_name& name) : sc_module(name) {}
  GuestBench left{"", "_left"};
  GuestBench right{"", "_right"};
};

struct Recorded {
  Recorded(platform::Ssd& ssd, const std::string& scope) {
    platform::WaveRecorder::Options o;
    o.folder = folder.path();
    o.scope = scope;
    o.module = ssd.name();
    waves = std::make_unique<platform::WaveRecorder>(ssd.config().geometry, o);
    ssd.attach(static_cast<hw::NandObserver&>(*waves));
    ssd.attach(static_cast<hw::BusObserver&>(*waves));
  }
  VcdFile finish() {
    waves->finish(sc_core::sc_time_stamp().value());
    return VcdFile(folder.path() / "waves.vcd");
  }
  TempFolder folder;
  std::unique_ptr<platform::WaveRecorder> waves;
};

void write(GuestHost& h, std::uint32_t sectors) {
  h.start();
  for (std::uint32_t i = 0; i < sectors; ++i) EXPECT_EQ(h.write_sector(8 * i, 1), 0);
}

std::size_t programs(const VcdFile& file, const std::string& module) {
  std::size_t n = 0;
  for (const auto& [name, changes] : file.signals()) {
    EXPECT_EQ(name.rfind(module + ".", 0), 0u) << name;
    if (name.size() < 6 || name.substr(name.size() - 6) != ".state") continue;
    for (const auto& change : changes) n += change.second == "10" ? 1 : 0; // programming
  }
  return n;
}

TEST(WaveModules, TwoDrivesHaveScopesOfTheirOwnNames) {
  Board board("board");
  const std::string left_name = board.left.ssd.name();
  const std::string right_name = board.right.ssd.name();
  ASSERT_EQ(left_name, "board.ssd_left");
  Recorded left(board.left.ssd, "");
  Recorded right(board.right.ssd, "*.state," + right_name + ".ch1.bus,ch0.bus"); // with the name and without
  board.left.host.script = [&] { write(board.left.host, 3); };
  board.right.host.script = [&] { write(board.right.host, 5); };
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
  const VcdFile a = left.finish();
  const VcdFile b = right.finish();
  EXPECT_TRUE(a.complaints().empty() && b.complaints().empty());
  EXPECT_EQ(programs(a, left_name), 3u);
  EXPECT_EQ(programs(b, right_name), 5u);
  EXPECT_EQ(a.signals().count("board.ssd_left.planes_busy"), 1u);
  EXPECT_EQ(b.signals().size(), 4u + 2 * 3) << "a state per plane, two buses";
}

TEST(WaveModules, TheSaveFileOpensTheDrivesScopeAndGroupsItsSignals) {
  TempFolder folder;
  platform::WaveRecorder::Options o;
  o.folder = folder.path();
  o.module = "board.bus.die.ssd"; // like the names of groups
  platform::WaveRecorder waves(guest_config().geometry, o);
  waves.finish(1);
  const std::string save = read_text(folder.path() / "waves.gtkw");
  EXPECT_NE(save.find("[treeopen] board.\n[treeopen] board.bus.\n[treeopen] board.bus.die.\n"
                      "[treeopen] board.bus.die.ssd.\n"),
            std::string::npos);
  EXPECT_NE(save.find("-board.bus.die.ssd.ch0.bus\n"), std::string::npos);
  EXPECT_NE(save.find("-board.bus.die.ssd.ch1.chip0.die0\n"), std::string::npos);
  EXPECT_NE(save.find("+{plane1 state} board.bus.die.ssd.ch0.chip0.die0.plane1.state"), std::string::npos);
}

platform::WaveRecorder::Drive drive_named(const std::string& module) {
  platform::WaveRecorder::Drive drive;
  drive.module = module;
  return drive;
}

platform::WaveFile::Options in_order(const TempFolder& folder) {
  platform::WaveFile::Options o;
  o.folder = folder.path();
  o.now = [] { return hw::kernel_now(); };
  return o;
}

TEST(WaveModules, AFileOfTwoDrivesSaysOfEachWhatItsOwnFileSays) {
  Board board("board");
  TempFolder folder;
  platform::WaveFile both(in_order(folder));
  std::vector<std::unique_ptr<platform::WaveRecorder>> of_both;
  for (platform::Ssd* ssd : {&board.left.ssd, &board.right.ssd}) {
    of_both.push_back(
        std::make_unique<platform::WaveRecorder>(ssd->config().geometry, drive_named(ssd->name()), both));
    ssd->attach(static_cast<hw::NandObserver&>(*of_both.back()));
    ssd->attach(static_cast<hw::BusObserver&>(*of_both.back()));
  }
  both.start();
  Recorded left(board.left.ssd, "");
  Recorded right(board.right.ssd, "");
  board.left.host.script = [&] { write(board.left.host, 300); };
  board.right.host.script = [&] { write(board.right.host, 200); };
  sc_core::sc_start(sc_core::sc_time(400, sc_core::SC_MS));
  of_both[0]->finish(sc_core::sc_time_stamp().value());
  of_both[1]->finish(sc_core::sc_time_stamp().value()); // the file has ended
  EXPECT_EQ(both.late_changes(), 0u);
  const VcdFile shared(folder.path() / "waves.vcd");
  EXPECT_TRUE(shared.complaints().empty());
  std::size_t signals = 0, changes = 0;
  for (const VcdFile& own : {left.finish(), right.finish()}) {
    signals += own.signals().size();
    for (const auto& [name, expected] : own.signals()) {
      ASSERT_EQ(shared.signals().count(name), 1u) << name;
      EXPECT_EQ(shared.of(name), expected) << name;
      changes += expected.size();
    }
  }
  EXPECT_EQ(shared.signals().size(), signals);
  EXPECT_GT(changes, 5000u);
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const platform::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(WaveModules, AFileTakesNoTwoDrivesOfOneNameAndNoneOnceItIsStarted) {
  TempFolder folder;
  const Geometry geometry = guest_config().geometry;
  platform::WaveFile file(in_order(folder));
  const platform::WaveRecorder left(geometry, drive_named("board.left"), file);
  const std::string twice =
      refusal([&] { platform::WaveRecorder again(geometry, drive_named("board.left"), file); });
  EXPECT_NE(twice.find("two drives named \"board.left\""), std::string::npos) << twice;
  file.start();
  const std::string late =
      refusal([&] { platform::WaveRecorder right(geometry, drive_named("board.right"), file); });
  EXPECT_NE(late.find("\"board.right\" comes too late"), std::string::npos) << late;
}

TEST(WaveModules, SeveralDrivesNeedAClockThatPutsThemInOrder) {
  TempFolder folder;
  platform::WaveFile::Options o = in_order(folder);
  o.now = nullptr;
  platform::WaveFile file(o);
  const platform::WaveRecorder left(guest_config().geometry, drive_named("left"), file);
  const std::string text =
      refusal([&] { platform::WaveRecorder right(guest_config().geometry, drive_named("right"), file); });
  EXPECT_NE(text.find("expected the kernel's time"), std::string::npos) << text;
}

TEST(WaveModules, TwoFilesInOneFolderAreRefusedUntilTheFirstIsGone) {
  TempFolder folder;
  platform::WaveRecorder::Options o;
  o.folder = folder.path();
  for (const platform::WaveFormat format : {platform::WaveFormat::vcd, platform::WaveFormat::fst}) {
    o.format = format;
    auto first = std::make_unique<platform::WaveRecorder>(guest_config().geometry, o);
    const std::string text = refusal([&] { platform::WaveRecorder second(guest_config().geometry, o); });
    EXPECT_NE(text.find("is being written by another recorder"), std::string::npos) << text;
    first->finish(1);
    first.reset();
    EXPECT_EQ(refusal([&] { platform::WaveRecorder(guest_config().geometry, o).finish(1); }), "");
  }
}

TEST(WaveModules, DrivesOfOtherCellsHaveTheirOwnNamesOfPageTypes) {
  TempFolder folder;
  Geometry tlc = guest_config().geometry;
  tlc.cell = CellType::tlc;
  Geometry mlc = tlc;
  mlc.cell = CellType::mlc;
  platform::WaveFile file(in_order(folder));
  const platform::WaveRecorder a(tlc, drive_named("a"), file), b(mlc, drive_named("b"), file),
      c(tlc, drive_named("c"), file);
  file.start();
  file.finish(1);
  const std::string save = read_text(folder.path() / "waves.gtkw");
  const auto names = [&save](const std::string& drive) {
    const std::size_t row = save.find("} " + drive + ".ch0.chip0.die0.plane0.page_type[");
    const std::size_t flags = save.rfind("@2022\n^", row);
    return save.substr(flags + 7, save.find('\n', flags + 7) - flags - 7);
  };
  EXPECT_EQ(names("a").substr(2), "waves_page_type.txt");
  EXPECT_EQ(names("b").substr(2), "waves_page_type_2.txt");
  EXPECT_EQ(names("c"), names("a")) << "the same texts, the same file";
  EXPECT_NE(names("b")[0], names("a")[0]) << "a translation of its own number";
  EXPECT_NE(read_text(folder.path() / "waves_page_type.txt").find("csb"), std::string::npos);
  EXPECT_EQ(read_text(folder.path() / "waves_page_type_2.txt").find("csb"), std::string::npos);
  EXPECT_NE(save.find("+{b ch1 chip0 die0 plane1} b.ch1.chip0.die0.plane1.operation"), std::string::npos)
      << "the overview names the drive";
}

TEST(WaveModules, PerfettoNamesItsProcessesByThem) {
  TempFolder folder;
  platform::PerfettoRecorder::Options o;
  o.file = folder.path() / "waves.json";
  o.module = "board.ssd_left";
  platform::PerfettoRecorder trace(guest_config().geometry, o);
  trace.finish(1);
  EXPECT_NE(read_text(o.file).find("\"board.ssd_left.ch1\""), std::string::npos);
}

} // namespace
} // namespace twinplane::test::waves_modules_test
