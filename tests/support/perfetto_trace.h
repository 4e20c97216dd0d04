// A strict reader of the Trace Event Format for tests: all that a file of waves for Perfetto holds, by track.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace twinplane::test {

struct TraceSlice {
  std::string name;
  std::uint64_t start = 0; // ns
  std::uint64_t end = 0;
};

inline bool is_whole(const nlohmann::json& value) {
  return value.is_number_integer() && value >= 0;
}

/// Members that the Trace Event Format asks for, of the types that it says, and no others; `args` of
/// metadata by their names. Times are microseconds of three decimals, so that a reader rounds nothing.
inline std::string complaint_about(const nlohmann::json& e) {
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
    return e.contains("args") && e["args"].size() == 1 &&
                   e["args"].value("value", nlohmann::json()).is_number()
               ? ""
               : "value";
  }
  if (e["ph"] != "M") return "";
  const bool named = e["name"] == "process_name" || e["name"] == "thread_name";
  if (!e.contains("args") || e["args"].size() != 1) return "metadata";
  const nlohmann::json value = e["args"].value(named ? "name" : "sort_index", nlohmann::json());
  return (named ? value.is_string() : is_whole(value)) ? "" : "metadata";
}

/// What the file holds, by "process/track".
struct PerfettoTrace {
  std::map<std::string, std::vector<TraceSlice>> tracks;
  std::size_t marks = 0;
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters; // ns, value
  struct Arrow {
    std::string from, to; // tracks
    std::uint64_t start = 0, end = 0;
  };
  std::map<int, Arrow> flows;

  explicit PerfettoTrace(const std::filesystem::path& path) {
    std::ifstream in(path);
    const nlohmann::json events = nlohmann::json::parse(in); // throws on anything that is no JSON
    std::map<int, std::string> processes;
    std::map<std::pair<int, int>, std::string> threads;
    EXPECT_TRUE(events.is_array());
    const auto ns_of = [](double us) { return static_cast<std::uint64_t>(us * 1000 + 0.5); };
    for (const nlohmann::json& e : events) {
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
      std::vector<TraceSlice> open;
      std::uint64_t last = 0;
      for (const TraceSlice& s : slices) {
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
    return std::any_of(found->second.begin(), found->second.end(), [&](const TraceSlice& s) {
      return s.name.rfind(name_begin, 0) == 0 && s.start <= at && at <= s.end;
    });
  }
  std::size_t count(const std::string& track_part, const std::string& name_begin) const {
    std::size_t n = 0;
    for (const auto& [name, slices] : tracks) {
      if (name.find(track_part) == std::string::npos) continue;
      for (const TraceSlice& s : slices) n += s.name.rfind(name_begin, 0) == 0 ? 1 : 0;
    }
    return n;
  }
};

} // namespace twinplane::test
