// Block events as ftrace, trace-cmd and perf script print them.
#include <gtest/gtest.h>

#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_ftrace_test {
namespace {

using testing::all_records;

constexpr const char* kText =
    "# tracer: nop\n"
    "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
    "             fio-4242    [003] d..1.  1234.567890: block_rq_issue: 259,0 WS 4096 () 85312 + 8 [fio]\n"
    "             fio-4242    [003] d..1.  1234.567990: block_rq_complete: 259,0 WS () 85312 + 8 [0]\n"
    " kworker/u16:2-99        [001] d..1.  1234.568890: block_rq_issue: 259,0 R 8192 () 7600 + 16 "
    "[kworker/u16:2]\n";

TEST(Ftrace, ReplaysWhatIsIssuedOnce) {
  const auto records = testing::read_text(kText);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].op, IoOp::write);
  EXPECT_EQ(records[0].offset, 85312u * 512);
  EXPECT_EQ(records[0].length, 4096u);
  EXPECT_EQ(records[1].op, IoOp::read);
  EXPECT_EQ(records[1].arrival_ns, 1'000'000u);
  EXPECT_EQ(records[1].length, 8192u);
}

TEST(Ftrace, SaysWhichEventsTheFileHas) {
  const testing::TempFile file("trace", kText);
  TraceOptions options;
  options.path = file.path();
  const auto trace = open_trace(options);
  all_records(*trace);
  ASSERT_EQ(trace->notes().size(), 1u);
  EXPECT_EQ(trace->notes()[0],
            "lines by action: 1 block_rq_complete, 2 block_rq_issue; replayed are those of block_rq_issue "
            "(--block-action, D or Q)");
}

TEST(Ftrace, TakesNamesWithBlanksFlushesAndTheWordsOfPerf) {
  const auto records = testing::read_text(
      "Web Content 77 [001] 10.000000: block:block_rq_issue: 8,0 W 512 () 8 + 1 [Web Content]\n"
      "Web Content 77 [001] 10.000001: block:block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 [a + b]\n"
      "Web Content 77 [001] 10.000002: block:block_rq_issue: 8,0 WFS 512 () 16 + 1 none,0,0 [x]\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].offset, 4096u);
  EXPECT_EQ(records[1].op, IoOp::flush);
  EXPECT_TRUE(records[2].fua);
}

TEST(Ftrace, TakesQueuedRequestsWhenAskedFor) {
  TraceOptions options;
  options.block_action = 'Q';
  const auto records = testing::read_text(
      "a-1 [000] 1.0: block_rq_issue: 8,0 W 512 () 8 + 1 [a]\n"
      "a-1 [000] 1.5: block_bio_queue: 8,0 W 16 + 2 [a]\n",
      options);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].offset, 8192u);
}

} // namespace
} // namespace twinplane::platform::trace_ftrace_test
