// Does the recorder show what the observers were told, in the chosen scope and window, and nothing else?
#include "platform/observe/waves/wave_recorder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "platform/config/error.h"
#include "platform/observe/waves/wave_codes.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::platform::waves_recorder_test {
namespace {

using hw::ArrayOperation;
using hw::OnfiTenure;
using hw::PhaseKind;
using hw::PlaneState;
using Changes = test::VcdFile::Changes;

constexpr const char* kPlane = "ssd.ch0.chip1.die0.plane1.";

Geometry small_drive() {
  Geometry g;
  g.channels = 2;
  g.chips_per_channel = 2;
  g.dies_per_chip = 1;
  g.planes_per_die = 2;
  g.blocks_per_plane = 64;
  g.pages_per_block = 48;
  g.cell = CellType::tlc;
  return g;
}

ArrayOperation operation(std::uint32_t plane, PlaneState state, TimePs start, TimePs end) {
  ArrayOperation o;
  o.chip = 1;
  o.plane = plane;
  o.state = state;
  o.block = 9;
  o.page = 33;
  o.page_type = 2;
  o.planes_in_group = 2;
  o.start = start;
  o.end = end;
  return o;
}

void phase(OnfiTenure& tenure, PhaseKind kind, TimePs start, TimePs end, std::uint8_t opcode = 0) {
  hw::OnfiPhase& p = tenure.add(kind);
  p.opcode = opcode;
  p.start = start;
  p.end = end;
}

class WaveRecorderTest : public ::testing::Test {
 protected:
  test::TempFolder folder_;

  WaveRecorder::Options options(std::string scope = "", WaveWindow window = {}) const {
    WaveRecorder::Options o;
    o.folder = folder_.path();
    o.scope = std::move(scope);
    o.window = window;
    o.slack = us(10);
    return o;
  }
  test::VcdFile vcd() const {
    const test::VcdFile file(folder_.path() / "waves.vcd");
    EXPECT_TRUE(file.complaints().empty()) << file.complaints().front();
    return file;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_.path() / name);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  std::string refusal(const std::string& scope) const {
    try {
      const WaveRecorder waves(small_drive(), options(scope));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  static void two_plane_program(WaveRecorder& waves, TimePs start) {
    waves.on_ready_busy(0, 1, 0, false, start);
    waves.on_ready_busy(0, 1, 0, true, start + us(500));
    for (const std::uint32_t plane : {0u, 1u}) {
      waves.on_array(0, operation(plane, PlaneState::programming, start, start + us(500)));
    }
  }
};

TEST_F(WaveRecorderTest, ShowsATwoPlaneProgramOnBothPlanesAndAsAGroup) {
  WaveRecorder waves(small_drive(), options());
  two_plane_program(waves, us(100));
  waves.finish(ms(1));
  const test::VcdFile file = vcd();
  const std::string plane = kPlane;
  EXPECT_EQ(file.of(plane + "state"), (Changes{{0, "0"}, {us(100), "10"}, {us(600), "0"}}));
  EXPECT_EQ(file.number_at(plane + "block", us(200)), 9u);
  EXPECT_EQ(file.number_at(plane + "page", us(200)), 33u);
  EXPECT_EQ(file.number_at(plane + "page_type", us(200)), 2u);
  EXPECT_EQ(file.of("ssd.ch0.chip1.die0.rb_n"), (Changes{{0, "1"}, {us(100), "0"}, {us(600), "1"}}));
  EXPECT_EQ(file.of("ssd.ch0.chip1.die0.group"), (Changes{{0, "0"}, {us(100), "10"}, {us(600), "0"}}));
  EXPECT_EQ(file.of("ssd.planes_busy"), (Changes{{0, "0"}, {us(100), "10"}, {us(600), "0"}}));
  EXPECT_EQ(file.of("ssd.ch1.chip1.die0.plane1.state").size(), 1u);
}

TEST_F(WaveRecorderTest, SaysInOneRowWhatAPlaneDoesAndNothingWhileItIsIdle) {
  for (const char* scope : {"", "*.operation"}) { // what it follows need not be in the file
    WaveRecorder waves(small_drive(), options(scope));
    two_plane_program(waves, us(100));
    waves.on_array(0, operation(1, PlaneState::reading, us(700), us(760)));
    waves.on_array(0, operation(1, PlaneState::erasing, us(760), us(800)));
    waves.finish(ms(1));
    const Changes expected = {{0, ""},          {us(100), "P:msb:9.33"},
                              {us(600), ""},    {us(700), "R:msb:9.33"},
                              {us(760), "E:9"}, {us(800), ""}};
    EXPECT_EQ(vcd().of(std::string(kPlane) + "operation"), expected) << scope;
    EXPECT_EQ(vcd().signals().count(std::string(kPlane) + "state"), *scope == 0 ? 1u : 0u);
  }
}

TEST_F(WaveRecorderTest, APassShowsAllPagesThatItPrograms) {
  WaveRecorder waves(small_drive(), options());
  hw::ArrayOperation pass = operation(1, PlaneState::programming, us(100), us(600));
  pass.page = 35;
  pass.pages = 3;
  waves.on_array(0, pass);
  waves.on_array(0, operation(1, PlaneState::reading, us(700), us(760)));
  const hw::PlaneAddress places[] = {{0, 9, 38}, {1, 9, 38}};
  pass.page = 38;
  pass.plane = 0;
  pass.start = us(800);
  pass.end = us(1300);
  waves.on_group(0, pass, places);
  waves.finish(ms(2));
  const Changes expected = {
      {0, ""},       {us(100), "P:lsb-msb:9.33-35"}, {us(600), ""}, {us(700), "R:msb:9.33"},
      {us(760), ""}, {us(800), "P:lsb-msb:9.36-38"}, {us(1300), ""}};
  EXPECT_EQ(vcd().of(std::string(kPlane) + "operation"), expected);
}

TEST_F(WaveRecorderTest, ShowsAPageTypeOnlyWhileAPageIsReadOrProgrammed) {
  WaveRecorder waves(small_drive(), options());
  two_plane_program(waves, us(100));
  waves.on_array(0, operation(1, PlaneState::erasing, us(700), us(800)));
  waves.finish(ms(1));
  EXPECT_EQ(vcd().of(std::string(kPlane) + "page_type"),
            (Changes{{0, "z"}, {us(100), "10"}, {us(600), "z"}}));
}

TEST_F(WaveRecorderTest, TheViewersFirstGroupIsARowForEachPlane) {
  WaveRecorder waves(small_drive(), options());
  waves.finish(ms(1));
  const std::string saved = text("waves.gtkw");
  const std::size_t overview =
      saved.find("@800200\n-overview\n@22\n+{ch0 chip0 die0 plane0} ssd.ch0.chip0.die0.plane0.operation\n");
  EXPECT_NE(overview, std::string::npos);
  EXPECT_LT(overview, saved.find("planes_busy"));
  EXPECT_LT(saved.find("+{ch1 chip1 die0 plane1}"), saved.find("@1000200\n-overview\n"));
}

TEST_F(WaveRecorderTest, ShowsThePhasesOfATenureAndTheWaitsBetweenThem) {
  WaveRecorder waves(small_drive(), options("ch0.bus"));
  OnfiTenure tenure;
  tenure.kind = hw::TenureKind::status;
  phase(tenure, PhaseKind::command, ns(100), ns(110), 0x70);
  phase(tenure, PhaseKind::data_out, ns(230), ns(240)); // after tWHR
  waves.on_tenure(0, 1, tenure, ns(100), ns(250));
  OnfiTenure program;
  phase(program, PhaseKind::command, ns(250), ns(260), 0x80);
  phase(program, PhaseKind::address, ns(260), ns(310));
  phase(program, PhaseKind::data_in, ns(310), ns(900));
  phase(program, PhaseKind::command, ns(900), ns(910), 0x10);
  waves.on_tenure(0, 0, program, ns(250), ns(910));
  waves.finish(us(1));
  const test::VcdFile file = vcd();
  const Changes phases = {{0, "0"},         {ns(100), "1"}, {ns(110), "101"}, {ns(230), "110"},
                          {ns(240), "101"}, {ns(250), "1"}, {ns(260), "10"},  {ns(310), "11"},
                          {ns(900), "1"},   {ns(910), "0"}};
  EXPECT_EQ(file.of("ssd.ch0.bus.phase"), phases);
  EXPECT_EQ(file.number_at("ssd.ch0.bus.opcode", ns(200)), 0x70u);
  EXPECT_EQ(file.number_at("ssd.ch0.bus.opcode", ns(905)), 0x10u);
  EXPECT_EQ(file.number_at("ssd.ch0.bus.chip", ns(200)), 1u);
  EXPECT_EQ(file.number_at("ssd.ch0.bus.chip", ns(300)), 0u);
  EXPECT_EQ(file.signals().size(), 3u);
}

TEST_F(WaveRecorderTest, AnOperationCutShortCountsOnce) {
  WaveRecorder waves(small_drive(), options());
  waves.on_array(0, operation(0, PlaneState::erasing, us(100), us(5000)));
  waves.on_array(0, operation(0, PlaneState::resetting, us(300), us(400)));
  waves.finish(us(6000));
  const test::VcdFile file = vcd();
  EXPECT_EQ(file.of("ssd.planes_busy"), (Changes{{0, "0"}, {us(100), "1"}, {us(400), "0"}}));
  EXPECT_EQ(file.of("ssd.ch0.chip1.die0.plane0.state"),
            (Changes{{0, "0"}, {us(100), "11"}, {us(300), "100"}, {us(400), "0"}}));
}

TEST_F(WaveRecorderTest, IndependentReadsShowOnTheirPlanesAndKeepReadyBusyLow) {
  WaveRecorder waves(small_drive(), options());
  hw::ArrayOperation first = operation(0, PlaneState::reading, us(100), us(160));
  hw::ArrayOperation second = operation(1, PlaneState::reading, us(130), us(190));
  first.planes_in_group = second.planes_in_group = 1;
  waves.on_ready_busy(0, 1, 0, false, us(100));
  waves.on_ready_busy(0, 1, 0, true, us(160));
  waves.on_array(0, first);
  waves.on_ready_busy(0, 1, 0, true, us(190)); // R/B# now rises with the second one
  waves.on_array(0, second);
  waves.finish(us(300));
  const test::VcdFile file = vcd();
  const std::string die = "ssd.ch0.chip1.die0.";
  EXPECT_EQ(file.of(die + "plane0.state"), (Changes{{0, "0"}, {us(100), "1"}, {us(160), "0"}}));
  EXPECT_EQ(file.of(die + "plane1.state"), (Changes{{0, "0"}, {us(130), "1"}, {us(190), "0"}}));
  EXPECT_EQ(file.of(die + "rb_n"), (Changes{{0, "1"}, {us(100), "0"}, {us(190), "1"}}));
  EXPECT_EQ(file.of(die + "group"), (Changes{{0, "0"}, {us(100), "1"}, {us(190), "0"}}));
  EXPECT_EQ(file.of("ssd.planes_busy"),
            (Changes{{0, "0"}, {us(100), "1"}, {us(130), "10"}, {us(160), "1"}, {us(190), "0"}}));
}

TEST_F(WaveRecorderTest, TheGroupEndsWithTheLastOfReadsBesideEachOtherWhicheverBeganLast) {
  WaveRecorder waves(small_drive(), options());
  hw::ArrayOperation first = operation(0, PlaneState::reading, us(100), us(180));
  hw::ArrayOperation second = operation(1, PlaneState::reading, us(105), us(165));
  hw::ArrayOperation third = operation(1, PlaneState::reading, us(170), us(175));
  first.planes_in_group = second.planes_in_group = third.planes_in_group = 1;
  for (const hw::ArrayOperation& read : {first, second, third}) waves.on_array(0, read);
  waves.on_array(0, operation(0, PlaneState::erasing, us(200), us(300)));
  waves.finish(us(400));
  EXPECT_EQ(vcd().of("ssd.ch0.chip1.die0.group"),
            (Changes{{0, "0"}, {us(100), "1"}, {us(180), "0"}, {us(200), "10"}, {us(300), "0"}}));
}

TEST_F(WaveRecorderTest, TheGroupOfALongReadIsShownAgainBehindAShorterOneBesideIt) {
  Geometry wide = small_drive();
  wide.planes_per_die = 4;
  WaveRecorder waves(wide, options());
  for (const std::uint32_t plane : {0u, 1u})
    waves.on_array(0, operation(plane, PlaneState::reading, us(100), us(180)));
  hw::ArrayOperation beside = operation(2, PlaneState::reading, us(105), us(165));
  beside.planes_in_group = 1;
  waves.on_array(0, beside);
  waves.finish(us(400));
  EXPECT_EQ(vcd().of("ssd.ch0.chip1.die0.group"),
            (Changes{{0, "0"}, {us(100), "10"}, {us(105), "1"}, {us(165), "10"}, {us(180), "0"}}));
}

TEST_F(WaveRecorderTest, ASuspendedEraseShowsItsPauseTheReadInItAndItsEnd) {
  WaveRecorder waves(small_drive(), options());
  waves.on_array(0, operation(0, PlaneState::erasing, us(100), us(5000)));
  waves.on_array_change(0, hw::ArrayChange::suspended, operation(0, PlaneState::erasing, us(300), kNever));
  waves.on_array(0, operation(0, PlaneState::reading, us(400), us(460)));
  waves.on_array_change(0, hw::ArrayChange::resumed, operation(0, PlaneState::erasing, us(600), us(5300)));
  waves.finish(us(6000));
  const test::VcdFile file = vcd();
  EXPECT_EQ(file.of("ssd.ch0.chip1.die0.plane0.state"), (Changes{{0, "0"},
                                                                 {us(100), "11"},
                                                                 {us(300), "101"},
                                                                 {us(400), "1"},
                                                                 {us(460), "101"},
                                                                 {us(600), "11"},
                                                                 {us(5300), "0"}}));
  EXPECT_EQ(file.of("ssd.planes_busy"), (Changes{{0, "0"},
                                                 {us(100), "1"},
                                                 {us(300), "0"},
                                                 {us(400), "1"},
                                                 {us(460), "0"},
                                                 {us(600), "1"},
                                                 {us(5300), "0"}}));
}

TEST_F(WaveRecorderTest, MarksARefusedCommand) {
  WaveRecorder waves(small_drive(), options());
  waves.on_violation(1, {"pac", 0, 0, us(7)});
  waves.finish(us(20));
  const Changes expected = {{0, "0"}, {us(7), "1"}, {us(7) + ns(100), "0"}};
  EXPECT_EQ(vcd().of("ssd.ch1.chip0.die0.violation"), expected);
  EXPECT_EQ(violation_code("pac"), 1u);
  EXPECT_NE(text("waves_violation.txt").find("1 ?firebrick?pac"), std::string::npos);
}

TEST_F(WaveRecorderTest, AScopeKeepsItsSignalsOnly) {
  for (const auto& [scope, signals] :
       std::vector<std::pair<std::string, std::size_t>>{{"", 1 + 2 * 3 + 4 * 3 + 8 * 5},
                                                        {"ssd", 1 + 2 * 3 + 4 * 3 + 8 * 5},
                                                        {"ch0.chip1.die0.plane1", 5},
                                                        {"*.rb_n", 4},
                                                        {"ch*.bus.phase,planes_busy", 3},
                                                        {"ssd.ch1", 3 + 2 * 3 + 4 * 5}}) {
    WaveRecorder waves(small_drive(), options(scope));
    two_plane_program(waves, us(100));
    waves.finish(ms(1));
    EXPECT_EQ(vcd().signals().size(), signals) << scope;
  }
}

TEST_F(WaveRecorderTest, AScopeThatMatchesNothingIsAnErrorThatListsWhatExists) {
  const std::string message = refusal("ch0.bus,ch7.chip0");
  EXPECT_NE(message.find("\"ch7.chip0\""), std::string::npos) << message;
  EXPECT_NE(message.find("ssd.ch{0..1}.chip{0..1}.die0.plane{0..1}.{operation,state,page_type,block,page}"),
            std::string::npos)
      << message;
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

/// SystemC allows such names, of the elements of an array of drives.
TEST_F(WaveRecorderTest, ADrivesNameMayHoldWhatPatternsAndBitRangesAreMadeOf) {
  for (const std::string module : {"ssd[0]", "board*.ssd[1]", "rack[2].ssd?"}) {
    for (const auto& [scope, signals] :
         std::vector<std::pair<std::string, std::size_t>>{{"", 1 + 2 * 3 + 4 * 3 + 8 * 5},
                                                          {module, 1 + 2 * 3 + 4 * 3 + 8 * 5},
                                                          {"ch0.chip1.die0.plane1", 5},
                                                          {module + ".ch1", 3 + 2 * 3 + 4 * 5},
                                                          {"ch[1].bus.phase", 1}}) {
      WaveRecorder::Options named = options(scope);
      named.module = module;
      WaveRecorder waves(small_drive(), named);
      two_plane_program(waves, us(100));
      waves.finish(ms(1));
      EXPECT_EQ(vcd().signals().size(), signals) << module << " " << scope;
    }
  }
}

TEST_F(WaveRecorderTest, TheViewersGroupsOfADriveWithBracketsInItsNameAreThoseOfAnyDrive) {
  const auto saved_as = [this](const std::string& module) {
    WaveRecorder::Options named = options();
    named.module = module;
    WaveRecorder waves(small_drive(), named);
    waves.finish(ms(1));
    return text("waves.gtkw");
  };
  const std::string plain = saved_as("drive");
  std::string bracketed = saved_as("ssd[0]");
  for (std::size_t at = bracketed.find("ssd[0]"); at != std::string::npos; at = bracketed.find("ssd[0]", at))
    bracketed.replace(at, 6, "drive");
  EXPECT_EQ(bracketed, plain);
}

TEST_F(WaveRecorderTest, AWindowShowsWhatHappensInsideAndTheLevelsAtItsBegin) {
  WaveRecorder waves(small_drive(), options("", {us(200), us(2000)}));
  two_plane_program(waves, us(100));  // reaches into the window
  two_plane_program(waves, us(3000)); // after it
  waves.finish(ms(10));
  const test::VcdFile file = vcd();
  EXPECT_EQ(file.of(std::string(kPlane) + "state"), (Changes{{us(200), "10"}, {us(600), "0"}}));
  EXPECT_EQ(file.of("ssd.planes_busy"), (Changes{{us(200), "10"}, {us(600), "0"}}));
  EXPECT_EQ(file.of("ssd.ch0.chip1.die0.rb_n"), (Changes{{us(200), "0"}, {us(600), "1"}}));
  EXPECT_EQ(file.end(), us(2000));
}

TEST_F(WaveRecorderTest, ADriveOfAnotherGeometryIsAnErrorAtTheEnd) {
  hw::ArrayOperation strange = operation(0, PlaneState::reading, us(10), us(60));
  strange.planes_in_group = 1;
  for (int part = 0; part < 3; ++part) {
    WaveRecorder waves(small_drive(), options());
    hw::ArrayOperation o = strange;
    o.plane = part == 0 ? 5 : 0;
    o.lun = part == 1 ? 5 : 0;
    o.chip = part == 2 ? 5 : 1;
    const hw::PlaneAddress place{o.plane, 0, 0};
    waves.on_array(0, o);
    waves.on_array(1000, strange);
    waves.on_group(0, o, &place);
    waves.on_array_change(0, hw::ArrayChange::suspended, o);
    waves.on_ready_busy(1000, 1, 0, false, us(10));
    waves.on_violation(1000, {"pac", 0, 0, us(7)});
    waves.on_tenure(1000, 0, OnfiTenure(), us(10), us(20));
    waves.on_timing(1000, BusTiming(), us(1));
    two_plane_program(waves, us(100));
    try {
      waves.finish(ms(1));
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("which its geometry does not have"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("5"), std::string::npos) << error.what();
    }
    EXPECT_EQ(vcd().of(std::string(kPlane) + "state"), (Changes{{0, "0"}, {us(100), "10"}, {us(600), "0"}}));
  }
}

TEST_F(WaveRecorderTest, AWindowAfterTheEndOfTheRunIsAnError) {
  WaveRecorder waves(small_drive(), options("", {ms(5), ms(6)}));
  two_plane_program(waves, us(100));
  try {
    waves.finish(ms(1));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("5ms"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1ms"), std::string::npos) << error.what();
  }
}

TEST_F(WaveRecorderTest, LongRunsNeedLittleMemoryAndTheSameBytesEachTime) {
  const auto record = [this] {
    WaveRecorder waves(small_drive(), options());
    for (std::uint64_t i = 0; i < 20'000; ++i) two_plane_program(waves, us(100 + i * 600));
    waves.finish(us(600) * 20'001);
    EXPECT_EQ(waves.late_changes(), 0u);
    return text("waves.vcd");
  };
  const std::string first = record();
  EXPECT_EQ(first, record());
  EXPECT_EQ(vcd().of("ssd.ch0.chip1.die0.group").size(), 1 + 2 * 20'000u);
}

TEST_F(WaveRecorderTest, AFullDiskStopsTheRunOnceAndIsReportedAtTheEnd) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1'500'000, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  int stops = 0;
  WaveRecorder::Options full = options();
  full.on_failure = [&stops] { ++stops; };
  WaveRecorder waves(small_drive(), full);
  for (std::uint64_t i = 0; i < 50'000; ++i) two_plane_program(waves, us(100 + i * 600));
  EXPECT_EQ(stops, 1);
  EXPECT_FALSE(waves.ok());
  EXPECT_THROW(waves.finish(ms(40'000)), InputError);
  EXPECT_GT(vcd().of("ssd.planes_busy").size(), 1000u);
}

TEST_F(WaveRecorderTest, TheViewersFilesUseRelativePathsAndExist) {
  WaveRecorder waves(small_drive(), options());
  waves.finish(us(1));
  const std::string save = text("waves.gtkw");
  EXPECT_EQ(save.find(folder_.path().string()), std::string::npos);
  EXPECT_EQ(save.find(" /"), std::string::npos);
  for (const TranslationTable& table : translation_tables(CellType::tlc, false)) {
    EXPECT_NE(save.find(table.file), std::string::npos) << table.file;
    EXPECT_FALSE(text(table.file).empty()) << table.file;
  }
  EXPECT_NE(text("waves_page_type.txt").find("2 ?chocolate?msb"), std::string::npos);
  EXPECT_NE(text("waves_opcode.txt").find("80 80h program"), std::string::npos);
  EXPECT_NE(text("waves_opcode.txt").find("00 00h read"), std::string::npos);
}

TEST_F(WaveRecorderTest, EverySignalOfTheSaveFileIsInTheVcd) {
  WaveRecorder waves(small_drive(), options());
  waves.finish(us(1));
  const test::VcdFile file = vcd();
  std::istringstream save(text("waves.gtkw"));
  std::size_t found = 0;
  for (std::string line; std::getline(save, line);) {
    if (line.rfind("+{", 0) == 0) line.erase(0, line.find("} ") + 2); // alias
    if (line.rfind("ssd.", 0) != 0) continue;
    EXPECT_EQ(file.signals().count(line.substr(0, line.find('['))), 1u) << line;
    ++found;
  }
  EXPECT_EQ(found, file.signals().size());
}

TEST(WaveWindow, ReadsTimesWithUnitsAndOpenEnds) {
  const WaveWindow both = parse_wave_window("1.5ms:2ms");
  EXPECT_EQ(both.begin, us(1500));
  EXPECT_EQ(both.end, ms(2));
  EXPECT_EQ(parse_wave_window(":500us").begin, 0u);
  EXPECT_EQ(parse_wave_window("3us:").end, kNever);
}

TEST(WaveWindow, RefusesWhatIsNoWindow) {
  for (const char* text : {"", "5ms", "1:2", "a:b", "2ms:1ms", "1ms:1ms", "1ms:2ms:3ms"}) {
    EXPECT_THROW(parse_wave_window(text), InputError) << text;
  }
}

} // namespace
} // namespace twinplane::platform::waves_recorder_test
