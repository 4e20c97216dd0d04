// Are results complete or absent, never half-written, and are refusals clear?
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/config/error.h"
#include "platform/report/number_text.h"
#include "platform/report/output_file.h"
#include "platform/report/progress.h"
#include "platform/report/request_log.h"
#include "tests/support/temp_folder.h"

namespace twinplane::platform::report_files_test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Writes beyond `bytes` fail as on a full disk.
void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(OutputFolder, IsCreatedWithItsParentsAndLeftEmpty) {
  const test::TempFolder temp;
  const OutputFolder out(temp.path() / "a" / "b");
  EXPECT_TRUE(fs::is_empty(temp.path() / "a" / "b"));
  EXPECT_EQ(out.file("summary.json"), temp.path() / "a" / "b" / "summary.json");
}

TEST(OutputFolder, RefusesAPlaceThatCannotHoldFiles) {
  const test::TempFolder temp;
  write_file(temp.path() / "file", "x");
  for (const fs::path& place :
       {temp.path() / "file", temp.path() / "file" / "below", fs::path("/proc/out")}) {
    const std::string message = message_of([&] { const OutputFolder out(place); });
    EXPECT_NE(message.find(place.string()), std::string::npos) << message;
  }
}

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const test::TempFolder temp;
  const fs::path path = temp.path() / "summary.json";
  {
    OutputFile file(path);
    file.write("half");
  }
  EXPECT_TRUE(fs::is_empty(temp.path()));
  OutputFile file(path);
  file.write("whole");
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(content(path), "whole");
}

TEST(OutputFile, ReplacesAnOlderResultOnlyWhenComplete) {
  const test::TempFolder temp;
  const fs::path path = temp.path() / "summary.json";
  write_file(path, "old");
  {
    OutputFile file(path);
    file.write("ne");
  }
  EXPECT_EQ(content(path), "old");
  write_file(path, "new");
  EXPECT_EQ(content(path), "new");
}

TEST(OutputFile, AFullDiskIsAnErrorThatNamesTheFileAndLeavesNothing) {
  const test::TempFolder temp;
  const fs::path path = temp.path() / "timeline.csv";
  limit_file_size(100'000);
  const std::string message = message_of([&] { write_file(path, std::string(1 << 20, 'x')); });
  EXPECT_NE(message.find("timeline.csv"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_empty(temp.path()));
}

TEST(OutputFile, WritesIntoAPipeAndLeavesItOne) {
  const test::TempFolder temp;
  const fs::path path = temp.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  OutputFile::try_out(path); // without a reader
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  write_file(path, "whole");
  char read[16] = "";
  EXPECT_EQ(::read(reader, read, sizeof read), 5);
  ::close(reader);
  EXPECT_STREQ(read, "whole");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_FALSE(fs::exists(temp.path() / "pipe.part"));
}

TEST(OutputFile, FollowsASymbolicLink) {
  const test::TempFolder temp;
  fs::create_directory(temp.path() / "far");
  write_file(temp.path() / "far" / "old", "old");
  fs::create_symlink("far/old", temp.path() / "link");
  fs::create_symlink(temp.path() / "far" / "new", temp.path() / "to_nothing");
  fs::create_symlink("to_nothing", temp.path() / "to_a_link");
  write_file(temp.path() / "link", "whole");
  write_file(temp.path() / "to_a_link", "whole");
  for (const char* name : {"link", "to_nothing", "to_a_link"}) {
    EXPECT_TRUE(fs::is_symlink(temp.path() / name)) << name;
    EXPECT_EQ(content(temp.path() / name), "whole") << name;
  }
  EXPECT_TRUE(fs::is_regular_file(temp.path() / "far" / "new"));
}

TEST(OutputFile, RefusesAFolderAndACircleOfLinksAtOnce) {
  const test::TempFolder temp;
  fs::create_symlink("b", temp.path() / "a");
  fs::create_symlink("a", temp.path() / "b");
  EXPECT_NE(message_of([&] { const OutputFile file(temp.path()); }).find("Is a directory"),
            std::string::npos);
  EXPECT_NE(message_of([&] { const OutputFile file(temp.path() / "a"); }).find("symbolic links"),
            std::string::npos);
}

TEST(RequestLog, CanBeReadBackLineByLine) {
  const test::TempFolder temp;
  const fs::path path = temp.path() / "requests.csv.zst";
  RequestLog log(path);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    log.add({i % 2 == 0 ? IoOp::read : IoOp::write, i * 4096, 4096, ns(i), ns(i) + ps(1500), i < 10});
  }
  log.commit();
  std::ifstream file(path, std::ios::binary);
  boost::iostreams::filtering_istream in;
  in.push(boost::iostreams::zstd_decompressor());
  in.push(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "op,offset_bytes,length_bytes,submitted_ns,completed_ns,latency_ns,of_ramp");
  std::uint64_t lines = 0;
  std::string last;
  std::uint64_t of_ramp = 0;
  for (; std::getline(in, line); ++lines) {
    last = line;
    of_ramp += line.back() == '1' ? 1 : 0;
  }
  EXPECT_EQ(lines, 10'000u);
  EXPECT_EQ(of_ramp, 10u);
  EXPECT_EQ(last, "write,40955904,4096,9999.000,10000.500,1.500,0");
}

TEST(RequestLog, LeavesNothingWhenTheRunFailed) {
  const test::TempFolder temp;
  {
    RequestLog log(temp.path() / "requests.csv.zst");
    log.add({});
  }
  EXPECT_TRUE(fs::is_empty(temp.path()));
}

TEST(RequestLog, AFullDiskIsAnErrorThatLeavesNothing) {
  const test::TempFolder temp;
  limit_file_size(10'000);
  const std::string message = message_of([&] {
    RequestLog log(temp.path() / "requests.csv.zst");
    std::uint64_t noise = 1;
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      noise = noise * 6364136223846793005u + 1442695040888963407u;
      log.add({IoOp::read, noise >> 20, 4096, noise >> 30, (noise >> 30) + (noise >> 40)});
    }
    log.commit();
  });
  EXPECT_NE(message.find("requests.csv.zst"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_empty(temp.path()));
}

// One second of wall clock per 1,000 requests.
std::string progress_text(bool terminal, std::uint64_t total) {
  std::ostringstream out;
  double wall = 0;
  Progress progress(out, {terminal, total, 1.0}, [&wall] { return wall; });
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    wall += 0.001;
    progress.tick(i, us(i));
  }
  progress.finish();
  return out.str();
}

TEST(Progress, PrintsALinePerIntervalWhenNobodyWatches) {
  const std::string text = progress_text(false, 20'000);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 7);
  EXPECT_LE(lines, 10);
  EXPECT_NE(text.find("requests_per_s=1000 "), std::string::npos) << text;
  EXPECT_NE(text.find("percent=5"), std::string::npos) << text;
  EXPECT_NE(text.find("eta_s=1"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, RedrawsOneLineOnATerminalAndClearsIt) {
  const std::string text = progress_text(true, 20'000);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  EXPECT_NE(text.find("% "), std::string::npos);
  EXPECT_NE(text.find("s left"), std::string::npos);
  EXPECT_EQ(text.back(), '\r');
}

TEST(Progress, PromisesNothingWhenTheNumberOfRequestsIsUnknown) {
  const std::string text = progress_text(false, 0);
  EXPECT_EQ(text.find("percent"), std::string::npos);
  EXPECT_EQ(text.find("eta"), std::string::npos);
  EXPECT_NE(text.find("requests="), std::string::npos);
}

TEST(NumberText, RoundsAndScalesExactly) {
  std::string text;
  append_ns(text, 1'234'567);
  EXPECT_EQ(text, "1234.567");
  text.clear();
  append_us(text, 999);
  EXPECT_EQ(text, "0.000");
  EXPECT_EQ(human_fixed(0.9995, 3), "1.000");
  EXPECT_EQ(human_fixed(2.345, 0), "2");
  EXPECT_EQ(rounded(1.0 / 3), 0.333333333);
}

TEST(NumberText, PicksAUnitThatPeopleRead) {
  EXPECT_EQ(human_time(93'180), "93.2 us");
  EXPECT_EQ(human_time(5.5e6), "5.50 ms");
  EXPECT_EQ(human_time(999'990), "1.00 ms");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_count(950), "950");
  EXPECT_EQ(human_count(47'612), "47.6 k");
  EXPECT_EQ(human_percent(0.1234), "12.3 %");
  EXPECT_EQ(human_percent(1), "100 %");
}

} // namespace
} // namespace twinplane::platform::report_files_test
