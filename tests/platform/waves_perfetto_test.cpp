// Is the trace valid JSON whatever happens, are its tracks well nested, and does it hold every operation?
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "platform/config/error.h"
#include "platform/waves/perfetto_recorder.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform {
namespace {

using hw::PlaneState;
using nlohmann::json;

struct Slice {
  std::string name;
  std::uint64_t start = 0; // ns
  std::uint64_t end = 0;
};

bool is_whole(const json& value) {
  return value.is_number_integer() && value >= 0;
}

/// Members that the Trace Event Format asks for, of the types that it says, and no others; `args` of
/// metadata by their names. Times are microseconds of three decimals, so that a reader rounds nothing.
std::string complaint_about(const json& e) {
  static const std::map<std::string, std::set<std::string>> kMembers = {
      {"M", {"ph", "pid", "tid", "name", "args"}},
      {"X", {"ph", "pid", "tid", "name", "ts", "dur", "args"}},
      {"i", {"ph", "pid", "tid", "name", "ts", "s", "args"}},
      {"C", {"ph", "pid", "tid", "name", "ts", "args"}},
      {"s", {"ph", "pid", "tid", "name", "ts", "cat", "id"}},
      {"f", {"ph", "pid", "tid", "name", "ts", "cat", "id", "bp"}}};
  if (!e.is_object() || !e.contains("ph") || !e["ph"].is_string()) return "no event";
  const auto members = kMembers.find(e["ph"]);
  if (members == kMembers.end()) return "phase";
  for (const auto& member : e.items()) {
    if (members->second.count(member.key()) == 0) return "member " + member.key();
  }
  for (const std::string& member : members->second) {
    if (member != "args" && !e.contains(member)) return "no " + member;
  }
  if (!is_whole(e["pid"]) || !is_whole(e["tid"])) return "track";
  if (!e["name"].is_string() || e["name"].get<std::string>().empty()) return "name";
  if (e.contains("args") && !e["args"].is_object()) return "args";
  for (const char* time : {"ts", "dur"}) {
    if (e.contains(time) && (!e[time].is_number() || e[time] < 0)) return time;
  }
  if (e["ph"] == "i" && e["s"] != "t") return "scope of a mark";
  if (e["ph"] == "C") {
    return e.contains("args") && e["args"].size() == 1 && e["args"].value("value", json()).is_number()
               ? ""
               : "value";
  }
  if (e["ph"] != "M") return "";
  const bool named = e["name"] == "process_name" || e["name"] == "thread_name";
  if (!e.contains("args") || e["args"].size() != 1) return "metadata";
  const json value = e["args"].value(named ? "name" : "sort_index", json());
  return (named ? value.is_string() : is_whole(value)) ? "" : "metadata";
}

/// What the file holds, by "process/track".
struct Trace {
  std::map<std::string, std::vector<Slice>> tracks;
  std::size_t marks = 0;
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters; // ns, value
  struct Arrow {
    std::string from, to; // tracks
    std::uint64_t start = 0, end = 0;
  };
  std::map<int, Arrow> flows;

  explicit Trace(const std::filesystem::path& path) {
    std::ifstream in(path);
    const json events = json::parse(in); // throws on anything that is no JSON
    std::map<int, std::string> processes;
    std::map<std::pair<int, int>, std::string> threads;
    EXPECT_TRUE(events.is_array());
    const auto ns_of = [](double us) { return static_cast<std::uint64_t>(us * 1000 + 0.5); };
    for (const json& e : events) {
      const std::string complaint = complaint_about(e);
      if (!complaint.empty()) {
        ADD_FAILURE() << complaint << " of " << e.dump();
        return;
      }
      const int pid = e.at("pid");
      const int tid = e.at("tid");
      if (e.at("name") == "process_name") {
        EXPECT_TRUE(processes.emplace(pid, e.at("args").at("name")).second) << "named twice: " << pid;
      }
      if (e.at("name") == "thread_name") {
        EXPECT_TRUE(threads.emplace(std::pair(pid, tid), e.at("args").at("name")).second)
            << "named twice: " << pid << " " << tid;
      }
      marks += e.at("ph") == "i" ? 1 : 0;
      if (e.at("ph") == "C") counters[e.at("name")].emplace_back(ns_of(e.at("ts")), e.at("args").at("value"));
      if (e.at("ph") == "s" || e.at("ph") == "f") {
        Arrow& arrow = flows[e.at("id")];
        const bool begins = e.at("ph") == "s";
        std::string& track = begins ? arrow.from : arrow.to;
        EXPECT_EQ(track, "") << "drawn twice: " << e.dump();
        track = processes.at(pid) + "/" + threads.at({pid, tid});
        (begins ? arrow.start : arrow.end) = ns_of(e.at("ts"));
      }
      if (e.at("ph") != "X") continue;
      const std::uint64_t start = ns_of(e.at("ts"));
      tracks[processes.at(pid) + "/" + threads.at({pid, tid})].push_back(
          {e.at("name"), start, start + ns_of(e.at("dur"))});
    }
  }

  /// Slices of a track begin in order, and each lies inside or behind the ones before it.
  void expect_nesting() const {
    for (const auto& [name, slices] : tracks) {
      std::vector<Slice> open;
      std::uint64_t last = 0;
      for (const Slice& s : slices) {
        EXPECT_GE(s.start, last) << name;
        last = s.start;
        while (!open.empty() && open.back().end <= s.start) open.pop_back();
        if (!open.empty()) {
          EXPECT_LE(s.end, open.back().end) << name << " " << s.name << " at " << s.start;
        }
        open.push_back(s);
      }
    }
  }
  bool has_slice(const std::string& track, const std::string& name_begin, std::uint64_t at) const {
    const auto found = tracks.find(track);
    if (found == tracks.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const Slice& s) {
      return s.name.rfind(name_begin, 0) == 0 && s.start <= at && at <= s.end;
    });
  }
  std::size_t count(const std::string& track_part, const std::string& name_begin) const {
    std::size_t n = 0;
    for (const auto& [name, slices] : tracks) {
      if (name.find(track_part) == std::string::npos) continue;
      for (const Slice& s : slices) n += s.name.rfind(name_begin, 0) == 0 ? 1 : 0;
    }
    return n;
  }
};

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

RequestTrace request(std::uint32_t cid, TimePs arrival, TimePs completed) {
  RequestTrace r;
  r.op = "write";
  r.bytes = 16384;
  r.arrival = arrival;
  r.doorbell = arrival + us(1);
  r.taken = arrival + us(3);
  r.done = completed - us(2);
  r.completed = completed;
  r.cid = cid;
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

TEST_F(PerfettoTest, AWholeRunNestsAndCountsWhatTheReportCounts) {
  const std::string command =
      std::string(TWINPLANE_PROGRAM) + " run -c " + TWINPLANE_SOURCE_DIR +
      "/platform/configs/demo.toml --perfetto --out " + folder_.path().string() +
      " --set geometry.blocks_per_plane=16 --set geometry.pages_per_block=24 --set workload.rw=randrw"
      " --set workload.number_ios=2000 --set precondition.mode=fill --set precondition.fill=90% > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Trace file(path_);
  file.expect_nesting();
  std::ifstream in(folder_.path() / "summary.json");
  const json nand = json::parse(in).at("nand");
  EXPECT_EQ(file.count(".plane", "read"), nand.at("reads").at("total").get<std::size_t>());
  EXPECT_EQ(file.count(".plane", "program"), nand.at("programs").at("total").get<std::size_t>());
  EXPECT_EQ(file.count(".plane", "erase"), nand.at("erases").at("total").get<std::size_t>());
  EXPECT_GT(file.count("/bus", "data out"), 1000u);
  EXPECT_EQ(file.count("ssd/requests", "read") + file.count("ssd/requests", "write"), 2000u);
  EXPECT_GT(file.flows.size(), 1000u);
  for (const auto& [id, arrow] : file.flows) {
    ASSERT_TRUE(file.has_slice(arrow.from, "firmware", arrow.start)) << id;
    ASSERT_TRUE(file.has_slice(arrow.to, "", arrow.end)) << id;
    ASSERT_LE(arrow.start, arrow.end) << id;
  }
  for (const auto& [name, values] : file.counters) {
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), [](auto& a, auto& b) {
      return a.first < b.first;
    })) << name;
    EXPECT_TRUE(values.back().second == 0 || name == "free blocks") << name;
  }
  EXPECT_EQ(file.counters.count("free blocks"), 1u);
}

/// Rows of a table, by the names of its columns.
std::vector<std::map<std::string, double>> rows_of(const std::filesystem::path& csv) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
    return out;
  };
  std::ifstream in(csv);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells(line);
  std::vector<std::map<std::string, double>> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i].empty()) rows.back()[names[i]] = std::stod(row[i]);
    }
  }
  return rows;
}

double value_at(const std::vector<std::pair<std::uint64_t, double>>& changes, double ns) {
  double value = 0;
  for (const auto& [at, changed] : changes) {
    if (static_cast<double>(at) <= ns) value = changed;
  }
  return value;
}

TEST_F(PerfettoTest, CountersOfCausesAreTheRowsOfTheTimeline) {
  const std::string command =
      std::string(TWINPLANE_PROGRAM) + " run -c " + TWINPLANE_SOURCE_DIR +
      "/platform/configs/demo.toml --perfetto --out " + folder_.path().string() +
      " --set geometry.blocks_per_plane=16 --set geometry.pages_per_block=24 --set workload.rw=randrw"
      " --set workload.number_ios=3000 --set precondition.mode=fill --set precondition.fill=90%"
      " --set report.plane_time=true --set report.interval=7ms > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Trace file(path_);
  const auto rows = rows_of(folder_.path() / "timeline.csv");
  ASSERT_GT(rows.size(), 10u);
  std::size_t causes = 0;
  for (const auto& row : rows) {
    const double middle = (row.at("start_us") + row.at("end_us")) * 500;
    double planes = 0;
    for (const auto& [column, expected] : row) {
      const std::string prefix = "plane_time_";
      if (column.rfind(prefix, 0) != 0) continue;
      const auto counter = file.counters.find("planes: " + column.substr(prefix.size()));
      const double shown = counter == file.counters.end() ? 0 : value_at(counter->second, middle);
      EXPECT_NEAR(shown, expected, 5.01e-5) << column << " at " << middle << " ns";
      planes += shown;
      causes += shown > 0 ? 1 : 0;
    }
    EXPECT_NEAR(planes, 64, 1e-9) << "the planes of the drive";
  }
  EXPECT_GT(causes, 8 * rows.size());
}

} // namespace
} // namespace twinplane::platform
