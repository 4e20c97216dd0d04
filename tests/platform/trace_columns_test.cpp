// Column maps given on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/trace/column_map.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_columns_test {
namespace {

using testing::complaint_about;
using ::testing::HasSubstr;
using testing::read_text;

TraceOptions columns(const std::string& map) {
  TraceOptions options;
  options.columns = map;
  return options;
}

TEST(ColumnMap, ReadsTheLayoutItDescribes) {
  const auto records =
      read_text("when,where,lba,sectors,what\n1.5,7,8,16,R\n2.5,7,24,8,W\n",
                columns("time=0:ms,op=4:R|W,offset=2:sectors,size=3:bytes,device=1,sep=comma,skip=1"));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].arrival_ns, 1'000'000u);
  EXPECT_EQ(records[0].offset, 4096u);
  EXPECT_EQ(records[0].length, 16u);
  EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::read));
  EXPECT_EQ(static_cast<int>(records[1].op), static_cast<int>(IoOp::write));
}

TEST(ColumnMap, SkipsAHeaderOfWordsWithoutBeingTold) {
  const std::string map = "time=0:us,op=1:rd|wr/write|unmap,offset=2:KiB,size=3:pages,sep=semicolon";
  const auto records = read_text("time;op;offset;size\n5;unmap;4;2\n6;WRITE;0x10;1\n", columns(map));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::trim));
  EXPECT_EQ(records[0].length, 8192u);
  EXPECT_EQ(static_cast<int>(records[1].op), static_cast<int>(IoOp::write));
  EXPECT_EQ(records[1].offset, 16384u);
}

TEST(ColumnMap, AnyWhitespaceAnyByteUnitAndConstantOps) {
  const auto records =
      read_text("  1 \t 3   2\n", columns("time=0:s,op=write,offset=1:8192,size=2:1,sep=blanks"));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].offset, 3u * 8192);
  EXPECT_EQ(records[0].length, 2u);
  EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::write));
}

TEST(ColumnMap, ParityReadsTheLowestBitOfFlags) {
  const std::string map = "time=0:ns,op=1:even|odd,offset=2:bytes,size=3:bytes,sep=bar";
  const auto records = read_text("0|4|0|512\n1|0x5|0|512\n", columns(map));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::read));
  EXPECT_EQ(static_cast<int>(records[1].op), static_cast<int>(IoOp::write));
}

TEST(ColumnMap, AFifthWordIsAWriteWithForceUnitAccess) {
  for (const char* words : {"read|write|trim|flush|write_fua", "r|w|t|f|u"}) {
    const std::string map = "time=0:ns,op=1:" + std::string(words) + ",offset=2:bytes,size=3:bytes";
    const bool letters = words[1] == '|';
    const auto records =
        read_text(letters ? "0,u,0,512\n1,w,0,512\n" : "0,write_fua,0,512\n1,write,0,512\n", columns(map));
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(static_cast<int>(records[0].op), static_cast<int>(IoOp::write));
    EXPECT_TRUE(records[0].fua);
    EXPECT_EQ(static_cast<int>(records[1].op), static_cast<int>(IoOp::write));
    EXPECT_FALSE(records[1].fua);
  }
}

TEST(ColumnMap, DevicesMaySpanNeighbouringColumns) {
  const testing::TempFile file("trace", "0,hm,1,R,0,512\n1,hm,0,R,0,512\n2,hm,1,R,0,512\n");
  TraceOptions options = columns("time=0:ns,device=1+2,op=3:R|W,offset=4:bytes,size=5:bytes");
  options.path = file.path();
  const auto trace = open_trace(options);
  EXPECT_EQ(trace->status().devices, (std::vector<std::string>{"hm,0", "hm,1"}));
}

const char* const kIssueAndCompletion =
    "7 D read 40960 4096 0.0 0\n7 C read 40960 4096 0.1 1\n7 D write 8192 12288 0.3 1\n7 C write 8192 12288 "
    "0.4 1\n";

TEST(ColumnMap, ChoosesLinesByTheirWords) {
  const std::string map = "time=5:s,op=2:read|write,offset=3:bytes,size=4:bytes,sep=blanks";
  const testing::TempFile file("trace", kIssueAndCompletion);
  TraceOptions options = columns(map);
  options.path = file.path();
  const auto twice = open_trace(options);
  EXPECT_EQ(testing::all_records(*twice).size(), 4u);
  ASSERT_EQ(notes_of(twice->status()).size(), 1u);
  EXPECT_THAT(notes_of(twice->status())[0], HasSubstr("2 of 4 requests equal one of those just before them"));
  options.columns = map + ",where=1:d/q,where=0:7";
  const auto once = open_trace(options);
  EXPECT_EQ(testing::all_records(*once).size(), 2u);
  EXPECT_EQ(notes_of(once->status()),
            (std::vector<std::string>{"not chosen by where=: 2 lines with C in column 1"}));
  EXPECT_THAT(complaint_about(kIssueAndCompletion, columns(map + ",where=1:X")),
              HasSubstr("got none in 4 lines of format columns: not chosen by where=: 2 lines with C"));
}

TEST(ColumnMap, CountsColumnsFromTheRight) {
  const std::string map = "time=0:s,op=-4:R|W,offset=-3:sectors,size=-2:bytes,device=-5,sep=blanks,skip=1";
  const auto records = read_text(
      "TIME COMM PID DISK T SECTOR BYTES LAT\n0.0 mysqld 30 sda W 16 4096 0.1\n0.1 Web Content 31 sda R 8 "
      "512 0.2\n",
      columns(map));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].offset, 8192u);
  EXPECT_EQ(records[1].offset, 4096u);
  EXPECT_EQ(records[1].length, 512u);
  EXPECT_THAT(
      complaint_about("0 W 1\n", columns("time=0:s,op=-4:R|W,offset=-3:sectors,size=-2:bytes,sep=blanks")),
      HasSubstr("FILE:1: expected at least 4 columns and fewer than 24"));
}

TEST(ColumnMap, DevicesLieWhereTheirBasesSay) {
  const std::string map = "time=0:ns,device=1,op=2:R|W,offset=3:bytes,size=4:bytes,base=a:4KiB/b:1048576";
  const auto records = read_text("0,b,R,512,512\n1,a,W,0,512\n", columns(map));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].offset, 1048576u + 512u);
  EXPECT_EQ(records[1].offset, 4096u);
  EXPECT_EQ(complaint_about("0,c,R,512,512\n", columns(map)),
            "FILE:1: expected a device that base= names, got 'c'");
  EXPECT_THAT(complaint_about("", columns("time=0:ns,op=read,offset=1:1,size=2:1,base=a:0")),
              HasSubstr("expected device= with it"));
}

TEST(ColumnMap, QuotesAreTakenOffAndMayHoldSeparators) {
  const std::string text =
      "\"t\",\"who\",\"op\",\"at\",\"size\"\n0,\"a, \"\"b\"\"\",\"R\",512,512\n1, \"c\" "
      ",\"W\",\"1024\",512\n";
  const auto records = read_text(text, columns("time=0:ns,device=1,op=2:R|W,offset=3:bytes,size=4:bytes"));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].length, 512u);
  EXPECT_EQ(static_cast<int>(records[1].op), static_cast<int>(IoOp::write));
  EXPECT_EQ(read_text("0,\"x,R,512,512\n", columns("time=0:ns,op=2:R|W,offset=3:bytes,size=4:bytes")).size(),
            1u)
      << "a quote that nothing closes is text";
}

TEST(ColumnMap, SkipCountsTheLinesOfTheFile) {
  const std::string map = "time=0:ns,op=1:R|W,offset=2:bytes,size=3:bytes,skip=4";
  EXPECT_EQ(read_text("# a note\n\nwords\n9,R,0,512\n0,R,0,512\n", columns(map)).size(), 1u);
  EXPECT_THAT(complaint_about("1\n2\n3\n4\nwords,R,0,512\n", columns(map)),
              HasSubstr("FILE:5: expected a time"));
}

TEST(ColumnMap, MistakesAreNamed) {
  const auto error = [](const std::string& map) { return complaint_about("0,R,0,512\n", columns(map)); };
  EXPECT_THAT(error("time=0:ns,op=1:R|W,offset=2:bytes"),
              HasSubstr("expected at least time=, op=, offset= and size="));
  EXPECT_THAT(error("time=0:weeks"), HasSubstr("columns: time: expected COLUMN:UNIT with s, ms"));
  EXPECT_THAT(error("time=x:ns"), HasSubstr("columns: time: expected a column number"));
  EXPECT_THAT(error("op=1:R"), HasSubstr("columns: op: expected COLUMN:READ|WRITE"));
  EXPECT_THAT(error("offset=2:furlongs"), HasSubstr("columns: offset: expected COLUMN:UNIT with bytes"));
  EXPECT_THAT(error("sep=dot"), HasSubstr("columns: sep: expected blanks, comma"));
  EXPECT_THAT(error("tiem=0:ns"), HasSubstr("got 'tiem=0:ns'"));
  EXPECT_THAT(error("time=-0:ns"), HasSubstr("or from the right from -1 to -23"));
  EXPECT_THAT(error("time=-24:ns"), HasSubstr("columns: time: expected a column number from 0 to 23"));
  EXPECT_THAT(error("where=1"), HasSubstr("columns: where: expected COLUMN:WORD"));
  EXPECT_THAT(error("base=a"), HasSubstr("columns: base: expected DEVICE:BYTES"));
  EXPECT_THAT(error("base=a:1/a:2"), HasSubstr("columns: base: expected each device once"));
  EXPECT_THAT(error("device=1+-1"), HasSubstr("columns: device: expected columns in ascending order"));
  EXPECT_THAT(error("device=2+1"), HasSubstr("columns: device: expected columns in ascending order"));
}

} // namespace
} // namespace twinplane::platform::trace_columns_test
