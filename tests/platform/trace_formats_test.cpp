// One small text per format against the internal record: units, polarity of read and write, column order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/trace/fields.h"
#include "platform/trace/formats.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_formats_test {
namespace {

using testing::read_text;

struct Sample {
  const char* format;
  const char* text; // a first line to rebase to, then the line under test
  bool detectable;
  IoRecord expected; // of the second request
};

IoRecord io(std::uint64_t arrival_ns, IoOp op, std::uint64_t offset, std::uint32_t length) {
  IoRecord record;
  record.arrival_ns = arrival_ns;
  record.op = op;
  record.offset = offset;
  record.length = length;
  return record;
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"twinplane", "time_ns,op,offset,size,device\n5,write,0,512,0\n12,trim,4096,8192,0\n", true,
       io(7, IoOp::trim, 4096, 8192)},
      {"msr", "128166372003061629,hm,0,Read,0,4096,26\n128166372003061639,hm,0,Write,7014912,8192,26\n", true,
       io(1000, IoOp::write, 7014912, 8192)},
      {"spc", "0,1,512,R,0.000000\n0,20941264,8192,W,0.551706\n", true,
       io(551'706'000, IoOp::write, 20941264ull * 512, 8192)},
      {"systor17",
       "Timestamp,Response,IOType,LUN,Offset,Size\n1456135200.013118000,0.000246,W,0,0,512\n"
       "1456135200.013120000,0.000246,R,0,1048576,4096\n",
       true, io(2000, IoOp::read, 1048576, 4096)},
      {"alibaba", "419,W,0,4096,1577808000000046\n419,R,15859195904,16384,1577808000000049\n", true,
       io(3000, IoOp::read, 15859195904, 16384)},
      {"tencent", "1538323200,0,8,1,1058\n1538323201,4247200,128,0,1058\n", true,
       io(1'000'000'000, IoOp::read, 4247200ull * 512, 65536)},
      {"flashnet", "0.000,120,0,512,0,0.091,512\n1.500,120,1,4096,4923392,1.591,4096\n", true,
       io(1'500'000, IoOp::read, 4923392, 4096)},
      {"biotracer",
       "8\t8\t4096\t4\t1.740000000\t1.7\t1.8\t1.9\n16\t24\t12288\t5\t1.740000123\t1.7\t1.8\t1.9\n", true,
       io(123, IoOp::write, 8192, 12288)},
      {"fiu", "89966527950584 42 nfsd 8 8 R 6 0 aa\n89966527950600 42 nfsd 508516672 16 W 6 0 bb\n", true,
       io(16, IoOp::write, 508516672ull * 512, 8192)},
      {"heimdall", "0.000 0 4096 4096 0\n0.250 0 11562803200 4096 1\n", true,
       io(250'000, IoOp::read, 11562803200, 4096)},
      {"flashsim4k", "26.214000\t0\t303574\t1\t0\n78.643000\t0\t55596\t2\t1\n", true,
       io(52'429'000, IoOp::read, 55596ull * 512, 8192)},
      {"disksim", "0.000000 0 0 8 1\n0.001500 0 6357144 64 2\n", true,
       io(1500, IoOp::write, 6357144ull * 512, 32768)},
      {"ssdsim", "0 0 303567 7 1\n26214000 0 303574 7 0\n", true,
       io(26'214'000, IoOp::write, 303574ull * 512, 3584)},
      {"mqsim", "0 0 8 8 0\n950 0 16 8 1\n", false, io(950, IoOp::read, 8192, 4096)},
      {"fio",
       "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda write 0 4096\n/dev/sda wait 250 0\n"
       "/dev/sda read 65536 8192\n/dev/sda close\n",
       true, io(250'000, IoOp::read, 65536, 8192)},
      {"fio", "fio version 3 iolog\n10 f add\n10 f open\n12 f write 0 4096\n37 f trim 65536 8192\n", true,
       io(25'000, IoOp::trim, 65536, 8192)},
      {"blkparse",
       "259,2  0  1  0.000000000  4020  Q   W 8 + 8 [java]\n259,2  0  2  0.000001000  4020  D  WS 8 + 8 "
       "[java]\n"
       "259,2  0  3  0.000002000  4020  U   N [java] 1\n259,2  0  4  0.000003500  4020  D  RA 282624 + 16 "
       "[java]\n"
       "CPU0 (259,2):\n Reads Queued:  1, 4KiB\n",
       true, io(2500, IoOp::read, 282624ull * 512, 8192)},
      {"ftrace",
       "java-9 [000] d..1. 7.000001: block_rq_issue: 259,2 WS 4096 () 8 + 8 [java]\n"
       "java-9 [000] d..1. 7.000004: block_rq_issue: 259,2 RA 8192 () 282624 + 16 [java]\n",
       true, io(3000, IoOp::read, 282624ull * 512, 8192)},
      {"xperf",
       "BeginHeader\n"
       "DiskRead, TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, "
       "DiskNum, "
       "IrpFlags, DiskSvcTime, I/O Pri\n"
       "DiskWrite, TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, "
       "DiskNum, "
       "IrpFlags, DiskSvcTime, I/O Pri\n"
       "EndHeader\n"
       "OS Version: 5.2.3790, Trace Size: 1KB\n"
       "DiskWrite, 900, System (4), 72, 0, 0xfffffa80, 0x0000010000, 0x00001000, 400, 0, 0x43, 350, 0\n"
       "DiskReadInit, 950, System (4), 72, 0xfffffa80\n"
       "DiskRead, 1000, System (4), 72, 0, 0xfffffa80, 0x0000020000, 0x00002000, 300, 0, 0x43, 250, 0\n",
       true, io(200'000, IoOp::read, 0x20000, 0x2000)},
  };
  return all;
}

void expect_same(const IoRecord& got, const IoRecord& expected, const std::string& format) {
  EXPECT_EQ(got.arrival_ns, expected.arrival_ns) << format;
  EXPECT_EQ(static_cast<int>(got.op), static_cast<int>(expected.op)) << format;
  EXPECT_EQ(got.offset, expected.offset) << format;
  EXPECT_EQ(got.length, expected.length) << format;
}

TEST(TraceFormats, EachReadsItsUnitsAndPolarity) {
  for (const Sample& sample : samples()) {
    TraceOptions options;
    options.format = sample.format;
    const std::vector<IoRecord> records = read_text(sample.text, options);
    ASSERT_EQ(records.size(), 2u) << sample.format;
    EXPECT_EQ(records[0].arrival_ns, 0u) << sample.format;
    expect_same(records[1], sample.expected, sample.format);
  }
}

TEST(TraceFormats, EachIsRecognisedByItsContent) {
  for (const Sample& sample : samples()) {
    if (!sample.detectable) continue;
    const testing::TempFile file("trace", sample.text);
    EXPECT_EQ(detect_trace_format(file.path()).name, sample.format);
  }
}

TEST(TraceFormats, EveryNamedFormatHasASampleHere) {
  for (const TraceFormat& format : trace_formats()) {
    bool found = false;
    for (const Sample& sample : samples()) found = found || format.name == sample.format;
    EXPECT_TRUE(found) << format.name;
  }
}

// 128166372003061629 is 2007-02-22 17:00:00.3061629 UTC: the MSR collection's first time stamp.
TEST(TraceFormats, FiletimeCountsHundredNanosecondsSince1601) {
  std::uint64_t ns = 0;
  ASSERT_TRUE(parse_time("128166372003061629", *find_time_unit("filetime"), ns));
  constexpr std::uint64_t kUnixEpochInFiletimeNs = 11'644'473'600ull * 1'000'000'000;
  EXPECT_EQ((ns - kUnixEpochInFiletimeNs) / 1'000'000, 1'172'163'600'306u);
}

TEST(TraceFormats, FractionsOfSecondsAreExactToTheNanosecond) {
  std::uint64_t ns = 0;
  ASSERT_TRUE(parse_time("1456135200.013118001", *find_time_unit("s"), ns));
  EXPECT_EQ(ns, 1'456'135'200'013'118'001u);
  ASSERT_TRUE(parse_time("0.000001", *find_time_unit("ms"), ns));
  EXPECT_EQ(ns, 1u);
  ASSERT_TRUE(parse_time("2500", *find_time_unit("ps"), ns));
  EXPECT_EQ(ns, 2u);
  for (const char* bad : {"", "-1", "1.", "1e3", "1.5x", "99999999999999999999"}) {
    EXPECT_FALSE(parse_time(bad, *find_time_unit("s"), ns)) << bad;
  }
}

TEST(TraceFormats, IntegersOfEveryLengthAreReadAndABadDigitAnywhereIsSeen) {
  const std::string digits = "18446744073709551615";
  for (std::size_t length = 1; length <= digits.size(); ++length) {
    const std::string text = digits.substr(0, length);
    std::uint64_t value = 0;
    ASSERT_TRUE(parse_integer(text, value)) << text;
    EXPECT_EQ(value, std::stoull(text));
    for (std::size_t i = 0; i < length; ++i) {
      for (const char bad : {'/', ':', ' ', '-', '\x80', '\xB5', '\0'}) {
        std::string broken = text;
        broken[i] = bad;
        EXPECT_FALSE(parse_integer(broken, value)) << length << " " << i << " " << static_cast<int>(bad);
      }
    }
  }
  std::uint64_t value = 0;
  EXPECT_FALSE(parse_integer("18446744073709551616", value));
  EXPECT_FALSE(parse_integer("", value));
  EXPECT_TRUE(parse_integer("0x1fF", value));
  EXPECT_EQ(value, 0x1FFu);
}

TEST(TraceFormats, FieldsAreCutAtEverySeparatorWhateverTheirLength) {
  std::string line;
  for (std::size_t length = 0; length < 20; ++length) line += std::string(length, 'x') + ",";
  Fields fields;
  split(line, Separator::comma, fields);
  ASSERT_EQ(fields.count, 21u);
  for (std::size_t length = 0; length < 20; ++length) EXPECT_EQ(fields.at[length].size(), length);
}

TEST(TraceFormats, AUnitOfTimeCanBeReplaced) {
  TraceOptions options;
  options.format = "ssdsim";
  options.time_unit = "us";
  EXPECT_EQ(read_text("0 0 8 8 1\n979 0 8 8 1\n", options)[1].arrival_ns, 979'000u);
}

TEST(TraceFormats, BlkparseCanFollowTheQueueingInstead) {
  TraceOptions options;
  options.block_action = 'Q';
  const std::vector<IoRecord> records =
      read_text("259,2 0 1 0.000000000 4 Q W 8 + 8 [a]\n259,2 0 2 0.5 4 D W 8 + 8 [a]\n", options);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::write));
}

TEST(TraceFormats, BlkparseKnowsDiscardsAndFlushes) {
  const std::vector<IoRecord> records =
      read_text("8,0 0 1 0.0 4 D D 8 + 8 [a]\n8,0 0 2 0.1 4 D FN [a]\n8,0 0 3 0.2 4 D FWS 16 + 8 [a]\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::trim));
  EXPECT_EQ(static_cast<int>(records[1].op), static_cast<int>(IoOp::flush));
  EXPECT_EQ(static_cast<int>(records[2].op), static_cast<int>(IoOp::flush)); // before the write
  EXPECT_EQ(static_cast<int>(records[3].op), static_cast<int>(IoOp::write));
}

TEST(TraceFormats, SystorRequestsWithoutAResponseAreLeftOut) {
  TraceOptions options;
  options.format = "systor17";
  const std::vector<IoRecord> records =
      read_text("1456135200.1,,,0,0,512\n1456135200.2,0.1,W,0,512,512\n", options);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].offset, 512u);
}

/// What is left out is told.
std::vector<std::string> notes_on(const std::string& text, const std::string& format) {
  const testing::TempFile file("trace", text);
  TraceOptions options;
  options.path = file.path();
  options.format = format;
  const auto trace = open_trace(options);
  testing::all_records(*trace);
  return trace->notes();
}

TEST(TraceFormats, LinesThatAreNoRequestsToReplayAreCounted) {
  using ::testing::ElementsAre;
  EXPECT_THAT(notes_on("1456135200.1,,,0,0,512\n1456135200.2,0.1,W,0,512,512\n", "systor17"),
              ElementsAre("1 requests left out: no operation in column 2 (blank-op=ignore)"));
  const std::string columns = " TimeStamp, ByteOffset, IOSize, ElapsedTime, DiskNum\n";
  EXPECT_THAT(notes_on("BeginHeader\nDiskRead," + columns + "DiskFlush, TimeStamp, ElapsedTime\nEndHeader\n" +
                           "DiskFlush, 900, 4\nDiskRead, 1000, 0x1000, 0x1000, 3, 0\nDiskFlush, 1100, 4\n",
                       "xperf"),
              ElementsAre("2 requests left out: DiskFlush, which is logged when the drive has done it"));
}

} // namespace
} // namespace twinplane::platform::trace_formats_test
