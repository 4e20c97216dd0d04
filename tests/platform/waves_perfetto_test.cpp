// Is the trace valid JSON whatever happens, and does it show operations, marks and counters where they are?
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/config/error.h"
#include "platform/observe/waves/perfetto_recorder.h"
#include "tests/support/perfetto_trace.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform::waves_perfetto_test {
namespace {

using hw::PlaneState;
using nlohmann::json;
using test::complaint_about;
using Slice = test::TraceSlice;
using Trace = test::PerfettoTrace;

class PerfettoTest : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "waves.json";
  Geometry geometry_{2, 1, 1, 2, 64, 48, 8192, 448, 4096, 1, CellType::tlc};

  PerfettoRecorder::Options options(std::string scope = "", WaveWindow window = {}) const {
    return {path_, std::move(scope), window, nullptr};
  }
  static hw::ArrayOperation operation(std::uint32_t plane, PlaneState state, TimePs start, TimePs end) {
    hw::ArrayOperation o;
    o.plane = plane;
    o.state = state;
    o.page_type = 2;
    o.planes_in_group = 2;
    o.start = start;
    o.end = end;
    return o;
  }
};

TEST_F(PerfettoTest, PutsEachOperationOnItsPlaneAndEachCommandOnItsDie) {
  PerfettoRecorder trace(geometry_, options());
  for (const std::uint32_t plane : {0u, 1u}) {
    trace.on_array(1, operation(plane, PlaneState::programming, us(10), us(510)));
  }
  trace.on_violation(1, {"pac", 0, 0, us(600)});
  trace.finish(ms(1));
  const Trace file(path_);
  ASSERT_EQ(file.tracks.size(), 3u);
  EXPECT_EQ(file.tracks.at("ssd.ch1/chip0.die0").at(0).name, "program x2");
  const Slice& slice = file.tracks.at("ssd.ch1/chip0.die0.plane1").at(0);
  EXPECT_EQ(slice.name, "program msb");
  EXPECT_EQ(slice.start, 10'000u);
  EXPECT_EQ(slice.end, 510'000u);
  EXPECT_EQ(file.marks, 1u);
}

TEST(TraceFormat, TheReaderOfTheseTestsRefusesWhatTheFormatForbids) {
  const json slice = {{"ph", "X"}, {"pid", 1}, {"tid", 2}, {"name", "read"}, {"ts", 1.5}, {"dur", 0.025}};
  EXPECT_EQ(complaint_about(slice), "");
  for (const char* member : {"ph", "pid", "tid", "name", "ts", "dur"}) {
    json without = slice;
    without.erase(member);
    EXPECT_NE(complaint_about(without), "") << member;
  }
  const std::map<std::string, json> wrong = {{"ph", "B"},   {"pid", "1"},  {"tid", -1},   {"name", ""},
                                             {"ts", "1.5"}, {"dur", -0.5}, {"cat", "bus"}};
  for (const auto& [member, value] : wrong) {
    json changed = slice;
    changed[member] = value;
    EXPECT_NE(complaint_about(changed), "") << member;
  }
}

TEST_F(PerfettoTest, ASuspendedEraseIsTwoSlicesAroundTheRead) {
  PerfettoRecorder trace(geometry_, options("ch0.chip0.die0.plane0"));
  trace.on_array(0, operation(0, PlaneState::erasing, us(100), us(5000)));
  trace.on_array_change(0, hw::ArrayChange::suspended, operation(0, PlaneState::erasing, us(300), kNever));
  trace.on_array(0, operation(0, PlaneState::reading, us(400), us(460)));
  trace.on_array_change(0, hw::ArrayChange::resumed, operation(0, PlaneState::erasing, us(600), us(5300)));
  trace.finish(ms(6));
  const Trace file(path_);
  const std::vector<Slice>& slices = file.tracks.at("ssd.ch0/chip0.die0.plane0");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].end, 300'000u);
  EXPECT_EQ(slices[1].name, "read msb");
  EXPECT_EQ(slices[2].name, "erase resumed");
  EXPECT_EQ(slices[2].end, 5'300'000u);
  EXPECT_EQ(file.tracks.size(), 1u);
}

TEST_F(PerfettoTest, ReadsBesideEachOtherOnADieKeepTheirTimes) {
  Geometry wide = geometry_;
  wide.planes_per_die = 4;
  PerfettoRecorder trace(wide, options());
  const auto read = [&trace](std::uint32_t plane, TimePs start, TimePs end) {
    hw::ArrayOperation o = operation(plane, PlaneState::reading, start, end);
    o.planes_in_group = 1;
    trace.on_array(0, o);
  };
  read(0, us(10), us(90));
  read(1, us(15), us(75));
  read(2, us(20), us(100));
  read(1, us(80), us(140));
  trace.on_array(0, operation(0, PlaneState::erasing, us(150), us(900)));
  trace.finish(ms(1));
  const Trace file(path_);
  file.expect_nesting();
  using Times = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const auto times = [&file](const std::string& track) {
    Times out;
    for (const Slice& s : file.tracks.at("ssd.ch0/chip0.die0" + track)) out.emplace_back(s.start, s.end);
    return out;
  };
  EXPECT_EQ(times(""), (Times{{10'000, 90'000}, {150'000, 900'000}}));
  EXPECT_EQ(times(" (2)"), (Times{{15'000, 75'000}, {80'000, 140'000}}));
  EXPECT_EQ(times(" (3)"), (Times{{20'000, 100'000}}));
  EXPECT_EQ(times(".plane1"), (Times{{15'000, 75'000}, {80'000, 140'000}}));
  EXPECT_EQ(times(".plane2"), (Times{{20'000, 100'000}}));
}

TEST_F(PerfettoTest, AResetEndsAllReadsBesideEachOther) {
  PerfettoRecorder trace(geometry_, options());
  for (const std::uint32_t plane : {0u, 1u}) {
    hw::ArrayOperation o = operation(plane, PlaneState::reading, us(10 + plane), us(90 + plane));
    o.planes_in_group = 1;
    trace.on_array(0, o);
  }
  for (const std::uint32_t plane : {0u, 1u})
    trace.on_array_change(0, hw::ArrayChange::aborted, operation(plane, PlaneState::reading, us(40), us(40)));
  trace.finish(ms(1));
  const Trace file(path_);
  EXPECT_EQ(file.tracks.at("ssd.ch0/chip0.die0").at(0).end, 40'000u);
  EXPECT_EQ(file.tracks.at("ssd.ch0/chip0.die0 (2)").at(0).end, 40'000u);
}

TEST_F(PerfettoTest, APassIsOneOperationOfSeveralPages) {
  PerfettoRecorder trace(geometry_, options());
  hw::ArrayOperation pass = operation(1, PlaneState::programming, us(10), us(510));
  pass.page = 5;
  pass.pages = 3;
  trace.on_array(0, pass);
  trace.finish(ms(1));
  EXPECT_EQ(Trace(path_).tracks.at("ssd.ch0/chip0.die0.plane1").at(0).name, "program lsb-msb");
  std::ifstream in(path_);
  const json events = json::parse(in);
  const auto slice = std::find_if(events.begin(), events.end(),
                                  [](const json& e) { return e.at("name") == "program lsb-msb"; });
  ASSERT_NE(slice, events.end());
  EXPECT_EQ(slice->at("args").at("first_page"), 3);
  EXPECT_EQ(slice->at("args").at("page"), 5);
  EXPECT_EQ(slice->at("args").at("page_type"), "lsb-msb");
}

/// ... of a module that is not called ssd, and of one whose name looks like a pattern.
TEST_F(PerfettoTest, AScopeMayLeaveOutTheDrivesName) {
  for (const char* module : {"board.left", "ssd[0]"}) {
    for (const std::string& scope : {std::string("ch1"), module + std::string(".ch1")}) {
      PerfettoRecorder::Options named = options(scope);
      named.module = module;
      PerfettoRecorder trace(geometry_, named);
      trace.on_array(0, operation(0, PlaneState::reading, us(10), us(60)));
      trace.on_array(1, operation(0, PlaneState::reading, us(10), us(60)));
      trace.finish(ms(1));
      EXPECT_EQ(Trace(path_).tracks.size(), 2u) << module << " " << scope;
    }
  }
}

using Values = std::vector<std::pair<std::uint64_t, double>>;

TEST_F(PerfettoTest, CountsThePlanesThatAreBusyAlsoWhereAnOperationIsCutShort) {
  PerfettoRecorder trace(geometry_, options());
  for (const std::uint32_t plane : {0u, 1u}) {
    trace.on_array(1, operation(plane, PlaneState::programming, us(10), us(510)));
  }
  trace.on_array(0, operation(0, PlaneState::erasing, us(100), us(5000)));
  trace.on_array_change(0, hw::ArrayChange::suspended, operation(0, PlaneState::erasing, us(300), kNever));
  trace.on_array_change(0, hw::ArrayChange::resumed, operation(0, PlaneState::erasing, us(600), us(5300)));
  trace.finish(ms(6));
  const Values expected = {{0, 0},       {10'000, 2},  {100'000, 3},  {300'000, 2},
                           {510'000, 0}, {600'000, 1}, {5'300'000, 0}};
  EXPECT_EQ(Trace(path_).counters.at("planes busy"), expected);
}

RequestTrace request(std::uint32_t command, TimePs arrival, TimePs completed) {
  RequestTrace r;
  r.op = "write";
  r.bytes = 16384;
  r.arrival = arrival;
  r.doorbell = arrival + us(1);
  r.taken = arrival + us(3);
  r.done = completed - us(2);
  r.completed = completed;
  r.command = command;
  return r;
}

TEST_F(PerfettoTest, LeadsFromARequestToThePlaneThatWorksForIt) {
  PerfettoRecorder trace(geometry_, options());
  PerfettoRequests& host = *trace.requests();
  for (const TimePs at : {us(0), us(4)}) host.arrived(at);
  host.issued(7, 31, us(9)); // of the first request
  host.issued(8, 32, us(9)); // of the second one; the flash never begins it
  hw::ArrayOperation program = operation(1, PlaneState::programming, us(20), us(520));
  program.request_tag = 31;
  trace.on_array(1, program);
  host.finished(request(8, us(4), us(400)));
  host.finished(request(7, us(0), us(530)));
  trace.finish(ms(1));
  const Trace file(path_);
  file.expect_nesting();
  EXPECT_EQ(file.tracks.at("ssd/requests 2").at(0).name,
            "write 16 KiB"); // the other is still on the first track
  EXPECT_EQ(file.tracks.at("ssd/requests 2").at(3).name, "firmware");
  EXPECT_EQ(file.tracks.at("ssd/requests 2").at(3).end, 528'000u);
  ASSERT_EQ(file.flows.size(), 1u);
  const Trace::Arrow& arrow = file.flows.begin()->second;
  EXPECT_EQ(arrow.from, "ssd/requests 2");
  EXPECT_EQ(arrow.start, 9'000u);
  EXPECT_EQ(arrow.to, "ssd.ch1/chip0.die0.plane1");
  EXPECT_EQ(arrow.end, 20'000u);
  EXPECT_EQ(file.counters.at("queue depth"), (Values{{0, 1}, {4'000, 2}, {400'000, 1}, {530'000, 0}}));
}

/// Two queues of a host that numbers the commands of each by itself.
TEST_F(PerfettoTest, ACommandOfAnotherQueueWithTheSameIdentifierIsAnotherOne) {
  PerfettoRecorder trace(geometry_, options());
  PerfettoRequests& host = *trace.requests();
  for (const TimePs at : {us(0), us(4)}) host.arrived(at);
  host.issued(command_key(1, 7), 31, us(9));
  host.issued(command_key(2, 7), 32, us(10));
  for (const std::uint32_t i : {0u, 1u}) {
    hw::ArrayOperation program = operation(i, PlaneState::programming, us(20), us(520));
    program.request_tag = 31 + i;
    trace.on_array(1, program);
  }
  host.finished(request(command_key(2, 7), us(4), us(528)));
  host.finished(request(command_key(1, 7), us(0), us(530)));
  trace.finish(ms(1));
  const Trace file(path_);
  ASSERT_EQ(file.flows.size(), 2u);
  for (const auto& flow : file.flows) {
    const bool first = flow.second.to == "ssd.ch1/chip0.die0.plane0";
    EXPECT_EQ(flow.second.start, first ? 9'000u : 10'000u);
    EXPECT_EQ(flow.second.from, first ? "ssd/requests 2" : "ssd/requests 1");
  }
}

TEST_F(PerfettoTest, ADriveOfAnotherGeometryIsAnErrorAtTheEnd) {
  PerfettoRecorder trace(geometry_, options());
  hw::ArrayOperation strange = operation(5, PlaneState::reading, us(10), us(60));
  trace.on_array(0, strange);
  trace.on_array(1000, operation(0, PlaneState::reading, us(10), us(60)));
  trace.on_array_change(0, hw::ArrayChange::suspended, strange);
  trace.on_violation(1000, {"pac", 0, 0, us(7)});
  trace.on_tenure(1000, 0, hw::OnfiTenure(), us(10), us(20));
  trace.on_timing(1000, BusTiming(), us(1));
  trace.on_array(0, operation(1, PlaneState::reading, us(100), us(160)));
  EXPECT_THROW(trace.finish(ms(1)), InputError);
  EXPECT_EQ(Trace(path_).count("plane", "read"), 1u);
}

TEST_F(PerfettoTest, ARunThatIsCutLeavesValidJson) {
  PerfettoRecorder trace(geometry_, options());
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    trace.on_array(0, operation(0, PlaneState::reading, us(i * 10), us(i * 10 + 5)));
  }
  EXPECT_GT(Trace(path_).count("plane0", "read"), 10'000u); // as a killed run would leave it
}

TEST_F(PerfettoTest, AFullDiskStopsTheRunOnceAndLeavesValidJson) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1'000'003, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  int stops = 0;
  PerfettoRecorder::Options full = options();
  full.on_failure = [&stops] { ++stops; };
  PerfettoRecorder trace(geometry_, full);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    trace.on_array(0, operation(0, PlaneState::reading, us(i * 10), us(i * 10 + 5)));
  }
  EXPECT_EQ(stops, 1);
  EXPECT_THROW(trace.finish(ms(200)), InputError);
  const Trace file(path_);
  EXPECT_GT(file.count("plane0", "read"), 2000u);
  EXPECT_GT(std::filesystem::file_size(path_), 999'000u);
}

TEST_F(PerfettoTest, AScopeThatMatchesNoTrackIsAnErrorThatListsWhatExists) {
  try {
    const PerfettoRecorder trace(geometry_, options("ch7"));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("ssd.ch1.bus"), std::string::npos) << error.what();
  }
}

} // namespace
} // namespace twinplane::platform::waves_perfetto_test
