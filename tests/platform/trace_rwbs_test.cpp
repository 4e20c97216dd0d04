// The letters of block traces, against the kernel's blk_fill_rwbs().
#include <gtest/gtest.h>

#include <map>

#include "platform/trace/rwbs.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_rwbs_test {
namespace {

using testing::all_records;

/// What a line of a request with these letters, 16 sectors from 2048 on, is replayed as.
std::string replayed(const std::string& letters, const std::string& place = "2048 + 16") {
  const testing::TempFile file(
      "trace", "8,0 0 1 0.0 4 D R 0 + 8 [a]\n8,0 0 2 0.1 4 D " + letters + " " + place + " [a]\n");
  TraceOptions options;
  options.path = file.path();
  const auto trace = open_trace(options);
  constexpr const char* kNames[] = {"read", "write", "trim", "flush"};
  std::string text;
  const auto records = all_records(*trace);
  for (std::size_t i = 1; i < records.size(); ++i) {
    text += (text.empty() ? "" : " ") + std::string(kNames[static_cast<int>(records[i].op)]);
    if (records[i].fua) text += "_fua";
    if (records[i].op != IoOp::flush && (records[i].offset != 2048 * 512 || records[i].length != 8192)) {
      text += " elsewhere";
    }
  }
  const auto& left_out = trace->status().lines.left_out.all();
  if (!left_out.empty()) text += "left out: " + left_out.begin()->first;
  return text;
}

TEST(Rwbs, IsReadByItsGrammar) {
  const std::map<std::string, std::string> expected{{"R", "read"},
                                                    {"RA", "read"},
                                                    {"RSM", "read"},
                                                    {"RAM", "read"},
                                                    {"W", "write"},
                                                    {"WS", "write"},
                                                    {"WFS", "write_fua"},
                                                    {"WFSM", "write_fua"},
                                                    {"FW", "flush write"},
                                                    {"FWS", "flush write"},
                                                    {"FWFS", "flush write_fua"},
                                                    {"FWFSM", "flush write_fua"},
                                                    {"WB", "flush write_fua"},
                                                    {"WBS", "flush write_fua"},
                                                    {"D", "trim"},
                                                    {"DS", "trim"},
                                                    {"DE", "trim"},
                                                    {"WZ", "trim"},
                                                    {"WZS", "trim"},
                                                    {"FF", "flush"},
                                                    {"F", "flush"},
                                                    {"FR", "flush read"},
                                                    {"WSU", "write"},
                                                    {"FN", "flush"}};
  for (const auto& [letters, records] : expected) EXPECT_EQ(replayed(letters), records) << letters;
}

TEST(Rwbs, AFlushWithoutSectorsIsAFlush) {
  for (const char* letters : {"F", "FN", "FS", "FF", "FWS", "FWFS"})
    EXPECT_EQ(replayed(letters, ""), "flush");
  EXPECT_EQ(replayed("FWS", "0 + 0"), "flush");
}

TEST(Rwbs, WhatIsNotReplayedIsNamed) {
  for (const char* letters : {"ZA", "ZR", "ZRA", "ZO", "ZCS", "ZF"}) {
    EXPECT_EQ(replayed(letters),
              std::string("left out: zone operations, the drive has no zones (") + letters + ")");
  }
  for (const char* letters : {"X", "WQ", "RZ", "FX", "Z"}) {
    EXPECT_EQ(replayed(letters), std::string("left out: RWBS letters of no known meaning (") + letters + ")");
  }
  EXPECT_EQ(replayed("N"), "left out: no operation on data (N)");
  EXPECT_EQ(replayed("R", ""), "left out: no sectors: a pass-through command or a note (R)");
}

TEST(Rwbs, NotesSayWhatAFileHeldAndWhatBecameOfIt) {
  const testing::TempFile file("trace",
                               "8,0 0 1 0.0 4 Q FWFS 0 + 8 [a b]\n8,0 0 2 0.1 4 D FN [a b]\n"
                               "8,0 0 3 0.2 4 D WZ 0 + 8 [a b]\n8,0 0 4 0.3 4 D ZR 0 + 8 [a]\n"
                               "8,0 0 5 0.4 4 C WZ 0 + 8 [0]\nCPU0 (8,0):\n Reads Queued: 1\n");
  TraceOptions options;
  options.path = file.path();
  const auto trace = open_trace(options);
  EXPECT_EQ(all_records(*trace).size(), 2u);
  EXPECT_EQ(notes_of(trace->status()),
            (std::vector<std::string>{
                "lines by action: 1 C, 3 D, 1 Q; replayed are those of D (--block-action, D or Q)",
                "1 requests left out: zone operations, the drive has no zones (ZR)",
                "1 requests changed: write zeroes as trim (WZ)"}));
}

TEST(Rwbs, ALimitOfRequestsCountsTheFlushOfAPreflush) {
  TraceOptions options;
  options.max_records = 1;
  EXPECT_EQ(testing::read_text("8,0 0 1 0.0 4 D FW 0 + 8 [a]\n", options).size(), 1u);
  options.max_records = 2;
  EXPECT_EQ(testing::read_text("8,0 0 1 0.0 4 D FW 0 + 8 [a]\n", options).size(), 2u);
}

} // namespace
} // namespace twinplane::platform::trace_rwbs_test
