// What a person is told about a trace that cannot be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "tests/support/trace_files.h"

namespace twinplane::platform {
namespace {

using testing::complaint_about;
using ::testing::HasSubstr;
using testing::read_text;

TraceOptions format(const std::string& name) {
  TraceOptions options;
  options.format = name;
  return options;
}

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 200000; ++i)
    text += std::to_string(i * 37) + " 0 " + std::to_string(i * 8 % 7777) + " 8 1\n";
  return text;
}

template <typename Filter>
std::string compressed(const std::string& text) {
  std::string bytes;
  {
    boost::iostreams::filtering_ostream out;
    out.push(Filter());
    out.push(boost::iostreams::back_inserter(bytes));
    out << text;
  }
  return bytes;
}

using Gzip = boost::iostreams::gzip_compressor;
using Zstd = boost::iostreams::zstd_compressor;

TEST(TraceErrors, NameFileLineExpectationAndFinding) {
  EXPECT_EQ(complaint_about("0 0 8 8 1\n10 0 8 x 1\n", format("ssdsim")),
            "FILE:2: expected a whole, non-negative size in column 3, got 'x'");
  EXPECT_EQ(complaint_about("0 0 8 8 1\n10 0 8 8 2\n", format("ssdsim")),
            "FILE:2: expected one of 1, 0 in column 4, got '2'");
  EXPECT_EQ(complaint_about("1,hm,0,Read,0,4096,1\n2,hm,0,Raed,0,4096,1\n", format("msr")),
            "FILE:2: expected one of Read, R, Write, W in column 3, got 'Raed'");
  EXPECT_EQ(complaint_about("0,1,512,R,0.0\n0,1,512\n", format("spc")),
            "FILE:2: expected at least 5 columns, got '0,1,512'");
  EXPECT_EQ(complaint_about("0,1,512,R,-1.0\n", format("spc")),
            "FILE:1: expected a time in s in column 4, got '-1.0'");
}

TEST(TraceErrors, FormatsWithTheirOwnGrammarNameItToo) {
  EXPECT_THAT(complaint_about("hello\n", format("fio")), HasSubstr("FILE:1: expected 'fio version 2 iolog'"));
  EXPECT_THAT(complaint_about("fio version 2 iolog\nf jump 0 1\n"),
              HasSubstr("FILE:2: expected read, write"));
  EXPECT_THAT(complaint_about("fio version 2 iolog\nf read 0\n"),
              HasSubstr("FILE:2: expected OFFSET LENGTH"));
  EXPECT_THAT(complaint_about("8,0 0 1 0.0 4 D R x + 8 [a]\n", format("blkparse")),
              HasSubstr("FILE:1: expected SECTOR + SECTORS"));
  EXPECT_THAT(complaint_about("DiskRead, 1, 2\n", format("xperf")), HasSubstr("named between BeginHeader"));
}

TEST(TraceErrors, SkippedLinesAreCounted) {
  const testing::TempFile file("trace", "0 0 8 8 1\nrubbish\n10 0 8 8 7\n20 0 8 0 1\n30 0 8 8 0\n");
  TraceOptions options = format("ssdsim");
  options.path = file.path();
  options.skip_bad_lines = true;
  const auto trace = open_trace(options);
  EXPECT_EQ(testing::all_records(*trace).size(), 2u);
  EXPECT_EQ(trace->status().bad_lines, 2u);
  EXPECT_EQ(trace->status().zero_length, 1u);
}

TEST(TraceErrors, AnUnknownFormatListsTheKnownOnes) {
  EXPECT_THAT(complaint_about("0 0 8 8 1\n", format("ssdsum")), HasSubstr("ssdsim"));
  EXPECT_THAT(complaint_about("dear diary\n"), HasSubstr("FILE: the first lines are of no known format"));
}

TEST(TraceErrors, AMissingFileAndAFolderAreNamed) {
  TraceOptions options;
  options.path = "/nonexistent/trace.csv";
  EXPECT_THROW(open_trace(options), InputError);
  options.path = "/";
  EXPECT_THROW(open_trace(options), InputError);
}

TEST(TraceErrors, AFileWithoutRequestsIsRefusedAndSaysWhatItHolds) {
  for (const DeviceLayout layout : {DeviceLayout::concatenate, DeviceLayout::keep}) {
    TraceOptions options = format("msr");
    options.devices = layout;
    EXPECT_EQ(complaint_about("", options),
              "FILE: expected requests to replay, got none in 0 lines of format msr");
    options = {};
    options.devices = layout;
    EXPECT_EQ(
        complaint_about("8,32 0 1 0.5 910 Q WS 4096 + 8 [dd]\n8,32 0 2 0.6 910 G WS 4096 + 8 [dd]\n"
                        "8,32 0 3 0.7 910 Q R 4104 + 8 [dd]\n",
                        options),
        "FILE: expected requests to replay, got none in 3 lines of format blkparse: lines by action: 1 G, "
        "2 Q; replayed are those of D (--block-action, D or Q)");
    options.only_device = "7";
    EXPECT_EQ(
        complaint_about("0,100,4096,W,0.1\n1,200,4096,R,0.2\n2,300,4096,W,0.3\n", options),
        "FILE: expected requests to replay, got none in 3 lines of format spc: 3 requests of other devices "
        "left out (0, 1, 2)");
  }
  EXPECT_THAT(complaint_about("fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n"),
              HasSubstr("got none in 3 lines of format fio"));
  EXPECT_THAT(complaint_about(""), HasSubstr("FILE: expected a trace, got no lines"));
}

TEST(TraceErrors, RequestsBeyondTheRecordAreRefused) {
  EXPECT_THAT(complaint_about("0 0 8 8388608 1\n", format("ssdsim")), HasSubstr("below 4 GiB"));
  EXPECT_THAT(complaint_about("0 0 18446744073709551615 8 1\n", format("ssdsim")), HasSubstr("offset"));
}

TEST(TraceCompression, IsRecognisedByContentAndReadsTheSameRecords) {
  const std::string text = many_lines();
  const std::vector<IoRecord> plain = read_text(text);
  for (const std::string& packed : {compressed<Gzip>(text), compressed<Zstd>(text)}) {
    const std::vector<IoRecord> records = read_text(packed);
    ASSERT_EQ(records.size(), plain.size());
    EXPECT_EQ(records.back().arrival_ns, plain.back().arrival_ns);
    EXPECT_EQ(records.back().offset, plain.back().offset);
  }
}

TEST(TraceCompression, SeveralMembersOrFramesAreOneStream) {
  const std::string text = many_lines();
  EXPECT_EQ(read_text(compressed<Zstd>(text) + compressed<Zstd>(text)).size(), 400000u);
  EXPECT_EQ(read_text(compressed<Gzip>(text) + compressed<Gzip>(text)).size(), 400000u);
}

TEST(TraceCompression, TruncatedDataIsAnErrorThatSaysHowFarItGot) {
  const std::string zstd = compressed<Zstd>(many_lines());
  const std::string gzip = compressed<Gzip>(many_lines());
  for (const double part : {0.05, 0.5, 0.9}) {
    const auto zstd_bytes = static_cast<std::size_t>(part * static_cast<double>(zstd.size()));
    EXPECT_THAT(
        complaint_about(zstd.substr(0, zstd_bytes), format("ssdsim")),
        HasSubstr("FILE: the zstd data ends early or is damaged: 0 of " + std::to_string(zstd_bytes)));
    const auto gzip_bytes = static_cast<std::size_t>(part * static_cast<double>(gzip.size()));
    EXPECT_THAT(complaint_about(gzip.substr(0, gzip_bytes), format("ssdsim")),
                HasSubstr("FILE: the compressed data ends early or is damaged after line "));
  }
  EXPECT_NE(complaint_about(zstd.substr(0, zstd.size() - 1), format("ssdsim")), "");
  EXPECT_NE(complaint_about(gzip.substr(0, gzip.size() - 1), format("ssdsim")), "");
}

TEST(TraceCompression, FlippedBitsAreAnError) {
  std::string zstd = compressed<Zstd>(many_lines());
  zstd[zstd.size() / 2] = static_cast<char>(zstd[zstd.size() / 2] ^ 0x40);
  EXPECT_NE(complaint_about(zstd, format("ssdsim")), "");
  std::string gzip = compressed<Gzip>(many_lines());
  gzip[gzip.size() / 2] = static_cast<char>(gzip[gzip.size() / 2] ^ 0x40);
  EXPECT_NE(complaint_about(gzip, format("ssdsim")), "");
}

TEST(TraceLines, CarriageReturnsCommentsAndBlankLinesAreNoRecords) {
  EXPECT_EQ(read_text("# made by hand\r\n\r\n0 0 8 8 1\r\n  \n1 0 8 8 0").size(), 2u);
}

TEST(TraceLines, ALineWithoutEndIsRefusedAtOneMebibyte) {
  EXPECT_THAT(complaint_about(std::string(3u << 20, '7'), format("ssdsim")),
              HasSubstr("FILE:1: expected a text line"));
}

} // namespace
} // namespace twinplane::platform
