// Do two drives of one simulation keep their waves apart? Scopes bear the hierarchical names of their
// modules.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "platform/waves/perfetto_recorder.h"
#include "platform/waves/wave_recorder.h"
#include "tests/support/guest_host.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::test {
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
} // namespace twinplane::test
