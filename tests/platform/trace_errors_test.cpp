// What a person is told about a trace that cannot be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "tests/support/temp_folder.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_errors_test {
namespace {

using testing::complaint_about;
using ::testing::HasSubstr;
using testing::read_text;

TraceOptions format(const std::string& name) {
  TraceOptions options;
  options.format = name;
  return options;
}

std::string many_lines(int lines = 200000) {
  std::string text;
  for (int i = 0; i < lines; ++i)
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
using Bzip2 = boost::iostreams::bzip2_compressor;
using Xz = boost::iostreams::lzma_compressor;

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
  const std::string text = many_lines(20000);
  const std::vector<IoRecord> plain = read_text(text);
  for (const std::string& packed :
       {compressed<Gzip>(text), compressed<Zstd>(text), compressed<Bzip2>(text), compressed<Xz>(text)}) {
    const std::vector<IoRecord> records = read_text(packed);
    ASSERT_EQ(records.size(), plain.size());
    EXPECT_EQ(records.back().arrival_ns, plain.back().arrival_ns);
    EXPECT_EQ(records.back().offset, plain.back().offset);
  }
}

TEST(TraceCompression, SeveralMembersOrFramesAreOneStream) {
  const std::string text = many_lines(20000);
  EXPECT_EQ(read_text(compressed<Zstd>(text) + compressed<Zstd>(text)).size(), 40000u);
  EXPECT_EQ(read_text(compressed<Gzip>(text) + compressed<Gzip>(text)).size(), 40000u);
  EXPECT_EQ(read_text(compressed<Bzip2>(text) + compressed<Bzip2>(text)).size(), 40000u);
  EXPECT_EQ(read_text(compressed<Xz>(text) + compressed<Xz>(text)).size(), 40000u);
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

TEST(TraceCompression, TruncatedAndDamagedBzip2AndXzAreErrors) {
  for (const std::string& packed :
       {compressed<Bzip2>(many_lines(20000)), compressed<Xz>(many_lines(20000))}) {
    for (const std::size_t missing : {packed.size() / 2, std::size_t{5}, std::size_t{1}}) {
      EXPECT_THAT(complaint_about(packed.substr(0, packed.size() - missing), format("ssdsim")),
                  HasSubstr("FILE: the compressed data ends early or is damaged after line "))
          << missing;
    }
    std::string damaged = packed;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x40);
    EXPECT_NE(complaint_about(damaged, format("ssdsim")), "");
  }
}

TEST(TraceCompression, ErrorsAreInWordsOfThisProgram) {
  const std::string gzip = compressed<Gzip>(many_lines());
  EXPECT_THAT(complaint_about(gzip.substr(0, gzip.size() / 2), format("ssdsim")),
              ::testing::EndsWith("bytes decompressed)"));
}

TEST(TraceFiles, PipesAndDevicesAreRefused) {
  const test::TempFolder folder;
  TraceOptions options;
  options.path = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(options.path.c_str(), 0600), 0);
  try {
    open_trace(options);
    ADD_FAILURE() << "opened";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              options.path + ": expected a file, got a pipe or a device: a trace is read more than once");
  }
}

/// The good lines of a short file say what it is.
TEST(TraceFiles, OneBadLineOfAFewIsTheOneComplainedAbout) {
  const std::string good = "128166372003061629,usr,0,Read,7014609920,24576,41286\n";
  EXPECT_THAT(complaint_about(good + "128166372003061630,usr,0,Read,x,24576,41286\n"),
              HasSubstr("FILE:2: expected"));
  EXPECT_THAT(complaint_about(good + "rubbish\n" + good), HasSubstr("FILE:2: expected"));
  TraceOptions skips;
  skips.skip_bad_lines = true;
  EXPECT_EQ(read_text(good + "rubbish\n" + good, skips).size(), 2u);
  EXPECT_THAT(complaint_about("rubbish\nmore of it\n"), HasSubstr("of no known format"));
}

TEST(TraceFiles, ArchivesAndOtherPackingsAreNamed) {
  using namespace std::string_literals;
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_THAT(complaint_about("PK\3\4abc"), HasSubstr("expected lines of text, got a zip archive: unzip it"));
  EXPECT_THAT(complaint_about(tar), HasSubstr("a tar archive: unpack it"));
  EXPECT_THAT(complaint_about(compressed<Gzip>(tar)), HasSubstr("a tar archive: unpack it"));
  EXPECT_THAT(complaint_about("7z\xBC\xAF\x27\x1C"), HasSubstr("a 7z archive"));
  EXPECT_THAT(complaint_about("\xFF\xFE"
                              "1\0,\0"s),
              HasSubstr("UTF-16 text"));
  EXPECT_THAT(complaint_about("0 0 8\0 8 1\n"s), HasSubstr("binary data"));
}

TEST(TraceFiles, AByteOrderMarkIsTakenOff) {
  EXPECT_EQ(read_text("\xEF\xBB\xBF"
                      "0 0 8 8 1\n")
                .size(),
            1u);
  EXPECT_EQ(read_text(compressed<Gzip>("\xEF\xBB\xBF"
                                       "0 0 8 8 1\n"))
                .size(),
            1u);
}

TEST(TraceFiles, FilesOfOtherProgramsAreNamed) {
  EXPECT_THAT(complaint_about("[global]\nrw=randread\nbs=4k\n"), HasSubstr("this is a fio job file"));
  EXPECT_THAT(complaint_about("<?xml version=\"1.0\"?>\n<Execution_Parameter_Set>\n"),
              HasSubstr("this is an XML file of MQSim"));
  EXPECT_THAT(complaint_about("chip number = 8;\ntemp = 0; #C\n"),
              HasSubstr("page.parameters file of SSDSim"));
  EXPECT_THAT(complaint_about("[cpu]\nClockSpeed = 400m\n"), HasSubstr("this is an ini file"));
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
} // namespace twinplane::platform::trace_errors_test
