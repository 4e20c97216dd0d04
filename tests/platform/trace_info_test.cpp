// Statistics of a trace against numbers worked out by hand, and files written against files read.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/config/error.h"
#include "platform/trace/trace_info.h"
#include "platform/trace/trace_writer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_info_test {
namespace {

using testing::all_records;
using ::testing::HasSubstr;

/// Records given by the test.
class ListSource final : public IoSource {
 public:
  explicit ListSource(std::vector<IoRecord> records) : records_(std::move(records)) {}
  bool next(IoRecord& record) override {
    if (at_ == records_.size()) return false;
    record = records_[at_++];
    return true;
  }
  void rewind() override { at_ = 0; }
  std::uint64_t size_hint() const override { return records_.size(); }

 private:
  std::vector<IoRecord> records_;
  std::size_t at_ = 0;
};

IoRecord io(std::uint64_t arrival_ns, IoOp op, std::uint64_t offset, std::uint32_t length) {
  IoRecord record;
  record.arrival_ns = arrival_ns;
  record.op = op;
  record.offset = offset;
  record.length = length;
  return record;
}

constexpr std::uint64_t kMs = 1'000'000;

std::vector<IoRecord> small_trace() {
  return {io(0, IoOp::write, 0, 4096),
          io(1 * kMs, IoOp::write, 4096, 16384),
          io(2 * kMs, IoOp::read, 2048, 4096),
          io(3 * kMs, IoOp::read, 6144, 512),
          io(4 * kMs, IoOp::write, 0, 512),
          io(5 * kMs, IoOp::write, 1048576, 8192),
          io(1000 * kMs, IoOp::trim, 0, 1 << 30),
          io(1000 * kMs, IoOp::flush, 0, 0)};
}

TEST(TraceInfo, CountsMixSizesAndSpan) {
  ListSource source(small_trace());
  const TraceInfo info = collect_info(source);
  EXPECT_EQ(info.requests, 8u);
  EXPECT_EQ(info.trims, 1u);
  EXPECT_EQ(info.flushes, 1u);
  EXPECT_EQ(info.span_ns, 1000 * kMs);
  EXPECT_EQ(info.writes.requests, 4u);
  EXPECT_EQ(info.writes.bytes, 4096u + 16384 + 512 + 8192);
  EXPECT_EQ(info.writes.p50_bytes, 4096u);
  EXPECT_EQ(info.writes.p90_bytes, 16384u);
  EXPECT_EQ(info.reads.mean_bytes, 2304.0);
  EXPECT_EQ(info.write_ratio, 0.5);
  EXPECT_EQ(info.large_write_ratio, 0.25); // 8 KiB is not above 8 KiB
  EXPECT_EQ(info.requests_per_s, 8.0);
  EXPECT_EQ(info.peak_requests_per_s, 60.0);
}

TEST(TraceInfo, CountsFootprintUpdatesAndSkewInPages) {
  ListSource source(small_trace());
  const TraceInfo info = collect_info(source);
  EXPECT_EQ(info.written_pages, 7u); // 0, 1-4, 256-257
  EXPECT_EQ(info.read_pages, 2u);
  EXPECT_EQ(info.footprint_pages, 7u);
  EXPECT_DOUBLE_EQ(info.update_ratio, 1.0 / 8);     // page 0 again
  EXPECT_DOUBLE_EQ(info.sequential_ratio, 2.0 / 6); // write at 4096, read at 6144
  EXPECT_DOUBLE_EQ(info.hottest_share[0], 2.0 / 8); // one page
  EXPECT_DOUBLE_EQ(info.hottest_share[2], 3.0 / 8); // two pages
}

TEST(TraceInfo, CountsWritesThatStartWhereAnotherDid) {
  ListSource source({io(0, IoOp::write, 0, 4096), io(1, IoOp::write, 4096, 8192), io(2, IoOp::write, 0, 512),
                     io(3, IoOp::write, 8192, 4096), io(4, IoOp::write, 0, 8192), io(5, IoOp::read, 0, 4096),
                     io(6, IoOp::write, 0, 16384), io(7, IoOp::read, 64, 8192)});
  const TraceInfo info = collect_info(source);
  EXPECT_EQ(info.write_addresses, 3u); // 0, 4096, 8192
  EXPECT_DOUBLE_EQ(info.rewrite_ratio, 3.0 / 6);
  EXPECT_THAT(info.rewrite_size_share, ::testing::ElementsAre(1.0 / 3, 1.0 / 3, 1.0 / 3));
  EXPECT_DOUBLE_EQ(info.hot_write_ratio, 1.0 / 3); // address 0, four writes
  EXPECT_DOUBLE_EQ(info.hottest_address_share[2], 4.0 / 6);
  EXPECT_DOUBLE_EQ(info.small_ratio, 4.0 / 8);
  EXPECT_DOUBLE_EQ(info.mean_bytes, (4096 + 8192 + 512 + 4096 + 8192 + 4096 + 16384 + 8192) / 8.0);
}

TEST(TraceInfo, IsAllZeroForATraceOfNothing) {
  ListSource source({});
  const TraceInfo info = collect_info(source);
  EXPECT_EQ(info.requests, 0u);
  EXPECT_EQ(info.requests_per_s, 0.0);
  EXPECT_EQ(info.update_ratio, 0.0);
  std::ostringstream table;
  print(info, table);
  EXPECT_THAT(table.str(), HasSubstr("requests"));
}

TEST(TraceInfo, RegularArrivalsHaveNoVariation) {
  std::vector<IoRecord> records;
  for (std::uint64_t i = 0; i < 100; ++i) records.push_back(io(i * kMs, IoOp::read, 0, 512));
  ListSource source(records);
  EXPECT_NEAR(collect_info(source).interarrival_cv2, 0.0, 1e-12);
}

TEST(TraceWriter, ColumnsKeepForceUnitAccess) {
  std::vector<IoRecord> written = small_trace();
  written[1].fua = written[5].fua = true;
  const testing::TempFile file("out", "");
  ListSource source(written);
  write_trace(source, {file.path(), "columns", false});
  TraceOptions options;
  options.path = file.path();
  const auto records = all_records(*open_trace(options));
  ASSERT_EQ(records.size(), written.size());
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].fua, written[i].fua) << i;
}

TEST(TraceInfo, TableAndJsonAgree) {
  ListSource source(small_trace());
  const TraceInfo info = collect_info(source);
  const nlohmann::json json = nlohmann::json::parse(to_json(info));
  EXPECT_EQ(json["writes"]["requests"], 4);
  EXPECT_EQ(json["written_pages"], 7);
  EXPECT_EQ(json["hottest_share"]["20%"], 3.0 / 8);
  std::ostringstream table;
  print(info, table);
  EXPECT_THAT(table.str(), HasSubstr("write ratio                   50.0 %"));
}

TEST(TraceWriter, EachFormatReadsBackAsWritten) {
  for (const std::string format : {"msr", "ssdsim", "columns"}) {
    for (const std::string suffix : {"", ".gz", ".zst"}) {
      const testing::TempFile file("out" + suffix, "");
      ListSource source(small_trace());
      const WriteReport report = write_trace(source, {file.path(), format, false});
      const bool whole = format == "columns";
      EXPECT_EQ(report.written, whole ? 8u : 6u) << format;
      EXPECT_EQ(report.left_out, whole ? 0u : 2u) << format;
      TraceOptions options;
      options.path = file.path();
      const auto records = all_records(*open_trace(options));
      ASSERT_EQ(records.size(), report.written) << format << suffix;
      for (std::size_t i = 0; i < records.size(); ++i) {
        const IoRecord expected = small_trace()[i];
        EXPECT_EQ(records[i].arrival_ns, expected.arrival_ns);
        EXPECT_EQ(records[i].op, expected.op);
        EXPECT_EQ(records[i].offset, expected.offset);
        EXPECT_EQ(records[i].length, expected.length);
      }
    }
  }
}

TEST(TraceWriter, ASourceThatFailsLeavesNothingBehind) {
  const testing::TempFile input("in", "0 0 8 8 1\n1 0 x 8 1\n");
  const std::string output = input.path() + ".out.zst";
  TraceOptions options;
  options.path = input.path();
  options.format = "ssdsim";
  options.devices = DeviceLayout::keep; // the malformed line shows while writing
  const auto trace = open_trace(options);
  EXPECT_THROW(write_trace(*trace, {output, "msr", false}), InputError);
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_FALSE(std::filesystem::exists(output + ".part"));
}

TEST(TraceWriter, WritesThroughALinkAndIntoAPipe) {
  const test::TempFolder folder;
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("target.csv", folder.path() / "link.csv");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  for (const std::string& path : {pipe, (folder.path() / "link.csv").string()}) {
    ListSource source(small_trace());
    EXPECT_EQ(write_trace(source, {path, "columns", false}).written, 8u);
  }
  char read[4096];
  EXPECT_EQ(static_cast<std::uintmax_t>(::read(reader, read, sizeof read)),
            std::filesystem::file_size(folder.path() / "target.csv"));
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link.csv"));
}

/// Random offsets: they cannot be packed well.
class EndlessSource final : public IoSource {
 public:
  bool next(IoRecord& record) override {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    record = io(at_ += 1000, IoOp::read, (state_ >> 20) * 512, 4096);
    return at_ < 200'000'000;
  }
  void rewind() override { at_ = 0; }
  std::uint64_t size_hint() const override { return 0; }

 private:
  std::uint64_t at_ = 0;
  std::uint64_t state_ = 1;
};

TEST(TraceWriter, AFullDiskEndsItHoweverTheFileIsPacked) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const char* name : {"out.csv", "out.csv.gz", "out.csv.zst"}) {
    const test::TempFolder folder;
    const std::string path = (folder.path() / name).string();
    EndlessSource source;
    std::string message;
    try {
      write_trace(source, {path, "msr", false});
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_THAT(message, HasSubstr("\"" + path + "\": File too large"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << name;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
}

TEST(TraceWriter, CountsForceUnitAccessThatAFormatHasNot) {
  for (const std::string format : {"msr", "ssdsim", "columns"}) {
    const testing::TempFile file("out", "");
    std::vector<IoRecord> records = {io(0, IoOp::write, 0, 4096), io(1000, IoOp::write, 0, 4096),
                                     io(2000, IoOp::flush, 0, 0)};
    records[1].fua = true;
    ListSource source(records);
    const WriteReport report = write_trace(source, {file.path(), format, false});
    EXPECT_EQ(report.fua_lost, format == "columns" ? 0u : 1u) << format;
  }
}

TEST(TraceWriter, LeavesAFileWhereNothingCanBeWritten) {
  const testing::TempFile file("out", "old");
  ListSource source({io(0, IoOp::trim, 0, 4096), io(1000, IoOp::flush, 0, 0)});
  try {
    write_trace(source, {file.path(), "msr", false});
    ADD_FAILURE() << "written";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("format msr can express none of the 2 requests"));
  }
  EXPECT_EQ(std::filesystem::file_size(file.path()), 3u);
}

TEST(TraceWriter, RefusesPackingsThatItOnlyReads) {
  const test::TempFolder folder;
  ListSource source(small_trace());
  EXPECT_THROW(write_trace(source, {(folder.path() / "out.csv.bz2").string(), "msr", false}), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TraceWriter, RefusesUnknownFormatsAndPlaces) {
  ListSource source(small_trace());
  EXPECT_THROW(write_trace(source, {"/nonexistent/folder/x", "msr", false}), InputError);
  EXPECT_THROW(write_trace(source, {"/tmp/x", "spx", false}), InputError);
}

} // namespace
} // namespace twinplane::platform::trace_info_test
