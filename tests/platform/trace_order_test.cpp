// Order of arrival, the layout of several devices, clock jumps and rounds.
#include <gtest/gtest.h>

#include <algorithm>

#include "platform/trace/arrival_window.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_order_test {
namespace {

using testing::all_records;
using testing::read_text;

IoRecord at(std::uint64_t arrival_ns, std::uint64_t offset) {
  IoRecord record;
  record.arrival_ns = arrival_ns;
  record.offset = offset;
  return record;
}

TEST(ArrivalWindow, AgreesWithAStableSortOfEverythingItHolds) {
  constexpr std::size_t kCapacity = 64;
  std::uint64_t state = 7;
  std::vector<IoRecord> records;
  for (std::uint64_t i = 0; i < kCapacity; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    records.push_back(at(state >> 60, i));
  }
  ArrivalWindow window(kCapacity);
  for (const IoRecord& record : records) window.push(record);
  EXPECT_TRUE(window.full());
  std::stable_sort(records.begin(), records.end(),
                   [](const IoRecord& a, const IoRecord& b) { return a.arrival_ns < b.arrival_ns; });
  for (const IoRecord& expected : records) EXPECT_EQ(window.pop().offset, expected.offset);
  EXPECT_TRUE(window.empty());
}

TEST(TraceOrder, RecordsDisplacedByLessThanTheWindowAreSorted) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += std::to_string(1000 + (i ^ 7)) + " 0 " + std::to_string(i ^ 7) + " 1 1\n";
  TraceOptions options;
  options.sort_window = 8;
  const auto records = read_text(text, options);
  ASSERT_EQ(records.size(), 1000u);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].arrival_ns, i);
    EXPECT_EQ(records[i].offset, i * 512);
  }
}

TEST(TraceOrder, RecordsBeyondTheWindowAreCountedAndMovedForward) {
  const testing::TempFile file("trace", "10 0 0 1 1\n20 0 1 1 1\n30 0 2 1 1\n5 0 3 1 1\n");
  TraceOptions options;
  options.path = file.path();
  options.sort_window = 2;
  const auto trace = open_trace(options);
  const auto records = all_records(*trace);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(trace->status().out_of_window, 1u);
  EXPECT_TRUE(std::is_sorted(records.begin(), records.end(), [](const IoRecord& a, const IoRecord& b) {
    return a.arrival_ns < b.arrival_ns;
  }));
}

TEST(TraceOrder, EqualTimesKeepTheOrderOfTheFile) {
  const auto records = read_text("5 0 1 1 1\n5 0 2 1 1\n4 0 3 1 1\n5 0 4 1 1\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].offset, 3u * 512);
  EXPECT_EQ(records[1].offset, 1u * 512);
  EXPECT_EQ(records[2].offset, 2u * 512);
  EXPECT_EQ(records[3].offset, 4u * 512);
}

TEST(TraceOrder, AClockJumpIsTakenOut) {
  const std::string text =
      "0\t8\t4096\t0\t1.0\t1.0\t1.0\t1.0\n8\t8\t4096\t0\t2.0\t1.0\t1.0\t1.0\n"
      "16\t8\t4096\t0\t1398396860.0\t1.0\t1.0\t1.0\n24\t8\t4096\t0\t1398396860.5\t1.0\t1.0\t1.0\n";
  const auto records = read_text(text);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[2].arrival_ns, 1'000'000'000u);
  EXPECT_EQ(records[3].arrival_ns, 1'500'000'000u);
}

TEST(TraceDevices, AreLaidOneAfterTheOtherInTheOrderOfTheirNumbers) {
  const testing::TempFile file("trace", "0 10 0 8 1\n1 2 2048 8 1\n2 10 8 8 0\n");
  TraceOptions options;
  options.path = file.path();
  const auto trace = open_trace(options);
  EXPECT_EQ(trace->status().devices, (std::vector<std::string>{"2", "10"}));
  const auto records = all_records(*trace);
  ASSERT_EQ(records.size(), 3u);
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  EXPECT_EQ(records[0].offset, 2 * kMiB); // device 2 ends at 1 MiB + 4 KiB
  EXPECT_EQ(records[0].device, 1u);
  EXPECT_EQ(records[1].offset, kMiB);
  EXPECT_EQ(records[1].device, 0u);
  EXPECT_EQ(records[2].offset, 2 * kMiB + 4096);
  EXPECT_EQ(trace->status().extent_bytes, 2 * kMiB + 8192);
  EXPECT_EQ(trace->size_hint(), 3u);
}

TEST(TraceDevices, MayBeKeptOverlappingOrReducedToOne) {
  const std::string text = "0 10 0 8 1\n1 2 2048 8 1\n2 10 8 8 0\n";
  TraceOptions options;
  options.devices = DeviceLayout::keep;
  EXPECT_EQ(read_text(text, options)[0].offset, 0u);
  EXPECT_EQ(read_text(text, options)[1].offset, std::uint64_t{1} << 20);
  options.only_device = "10";
  EXPECT_EQ(read_text(text, options).size(), 2u);
}

TEST(TraceRounds, RewindGivesTheSameRecordsAgain) {
  const std::string text = "fio version 2 iolog\nf add\nf write 0 4096\nf wait 100\nf read 4096 4096\n";
  const testing::TempFile file("trace", text);
  TraceOptions options;
  options.path = file.path();
  const auto trace = open_trace(options);
  const auto first = all_records(*trace);
  trace->rewind();
  const auto second = all_records(*trace);
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(first[1].arrival_ns, 100'000u);
  EXPECT_EQ(second[1].arrival_ns, 100'000u);
  EXPECT_EQ(trace->status().records, 2u);
}

TEST(TraceRounds, ATraceTooLongToKeepInMemoryIsStreamedWithTheSameLayout) {
  constexpr std::uint64_t kLines = (std::uint64_t{1} << 20) + 3;
  std::string text;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    text += std::to_string(i) + (i % 2 == 0 ? " 1 " : " 0 ") + std::to_string(i % 1000) + " 1 1\n";
  }
  const testing::TempFile file("trace", text);
  TraceOptions options;
  options.path = file.path();
  const auto trace = open_trace(options);
  EXPECT_EQ(trace->size_hint(), kLines);
  for (int round = 0; round < 2; ++round) {
    IoRecord record;
    std::uint64_t i = 0;
    for (; trace->next(record); ++i) {
      const std::uint64_t base = i % 2 == 0 ? std::uint64_t{1} << 20 : 0; // device 0 comes first
      ASSERT_EQ(record.arrival_ns, i);
      ASSERT_EQ(record.offset, base + i % 1000 * 512);
    }
    EXPECT_EQ(i, kLines);
    trace->rewind();
  }
}

TEST(TraceRounds, OnlyTheFirstRecordsWhenAskedFor) {
  TraceOptions options;
  options.max_records = 2;
  EXPECT_EQ(read_text("0 0 0 1 1\n1 0 1 1 1\n2 0 2 1 1\n", options).size(), 2u);
}

} // namespace
} // namespace twinplane::platform::trace_order_test
