// Is the VCD well-formed and in order of time, however the changes were announced?
#include "platform/observe/waves/wave_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/random/mersenne_twister.hpp>
#include <csignal>
#include <map>
#include <sstream>

#include "platform/config/error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/vcd_file.h"

namespace twinplane::platform::waves_writer_test {
namespace {

using Changes = test::VcdFile::Changes;

class WaveWriterTest : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "waves.vcd";

  test::VcdFile read() const {
    const test::VcdFile vcd(path_);
    EXPECT_TRUE(vcd.complaints().empty()) << vcd.complaints().front();
    return vcd;
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
};

TEST_F(WaveWriterTest, NestsScopesAndDumpsInitialValues) {
  WaveWriter vcd(path_, {});
  vcd.add_wire("top.a.x", 1, 1);
  vcd.add_wire("top.a.y", 8, kUnknown);
  vcd.add_wire("top.b.x", 4, 0);
  vcd.start();
  vcd.close(ns(5));
  const test::VcdFile file = read();
  EXPECT_EQ(file.signals().size(), 3u);
  EXPECT_EQ(file.of("top.a.x"), (Changes{{0, "1"}}));
  EXPECT_EQ(file.of("top.a.y"), (Changes{{0, "x"}}));
  EXPECT_EQ(file.of("top.b.x"), (Changes{{0, "0"}}));
  EXPECT_EQ(file.end(), ns(5));
}

TEST_F(WaveWriterTest, SortsChangesAnnouncedForTheFuture) {
  WaveWriter vcd(path_, {});
  const auto a = vcd.add_wire("top.a", 8, 0);
  const auto b = vcd.add_wire("top.b", 8, 0);
  vcd.start();
  vcd.change(a, 100, 1);
  vcd.change(a, 900, 2); // ahead of all that follows
  vcd.change(b, 50, 5);
  vcd.change(b, 500, 6);
  vcd.advance(200);
  vcd.change(b, 700, 7);
  vcd.close(1000);
  const test::VcdFile file = read();
  EXPECT_EQ(file.of("top.a"), (Changes{{0, "0"}, {100, "1"}, {900, "10"}}));
  EXPECT_EQ(file.of("top.b"), (Changes{{0, "0"}, {50, "101"}, {500, "110"}, {700, "111"}}));
}

TEST_F(WaveWriterTest, ALaterAnnouncementReplacesWhatWasAnnouncedBehindIt) {
  WaveWriter vcd(path_, {});
  const auto state = vcd.add_wire("top.state", 3, 0);
  vcd.start();
  vcd.change(state, 100, 3); // an erase
  vcd.change(state, 900, 0); // and its end
  vcd.change(state, 400, 4); // cut short by a reset
  vcd.change(state, 500, 0);
  vcd.close(1000);
  EXPECT_EQ(read().of("top.state"), (Changes{{0, "0"}, {100, "11"}, {400, "100"}, {500, "0"}}));
}

// What has been replaced by a change that is in the file already stays so, however often others are replaced.
TEST_F(WaveWriterTest, WhatHasBeenReplacedDoesNotComeBack) {
  constexpr std::uint32_t kLast = WaveChange::kLastEpoch;
  for (const std::uint32_t times : {0u, 1u, kLast - 1, kLast, kLast + 1, 2 * kLast, 2 * kLast + 1}) {
    WaveWriter vcd(path_, {});
    const auto state = vcd.add_wire("top.state", 3, 0);
    vcd.start();
    vcd.change(state, 100, 3);
    vcd.change(state, 900, 0); // replaced ...
    vcd.change(state, 400, 4); // ... by this one, which is written at once
    vcd.advance(500);
    vcd.change(state, 2000, 5);
    for (std::uint64_t i = 0; i < times; ++i) vcd.change(state, 1999 - i, i % 2 == 0 ? 6 : 5);
    vcd.close(3000);
    ASSERT_EQ(read().number_at("top.state", 950), 4u) << times << " replacements";
  }
}

TEST_F(WaveWriterTest, ShowsOneChangePerSignalAndTimeAndNoneThatChangesNothing) {
  WaveWriter vcd(path_, {});
  const auto a = vcd.add_wire("top.a", 2, 0);
  vcd.start();
  vcd.change(a, 100, 1);
  vcd.change(a, 200, 0); // end of one operation ...
  vcd.change(a, 200, 1); // ... and start of the next
  vcd.change(a, 300, 1);
  vcd.close(400);
  EXPECT_EQ(read().of("top.a"), (Changes{{0, "0"}, {100, "1"}}));
}

TEST_F(WaveWriterTest, CountersAddUpInOrderOfTime) {
  WaveWriter vcd(path_, {});
  const auto busy = vcd.add_wire("top.busy", 4, 0);
  vcd.start();
  vcd.adjust(busy, 100, 1);
  vcd.adjust(busy, 500, -1);
  vcd.adjust(busy, 200, 1);
  vcd.adjust(busy, 300, -1);
  vcd.close(600);
  EXPECT_EQ(read().of("top.busy"), (Changes{{0, "0"}, {100, "1"}, {200, "10"}, {300, "1"}, {500, "0"}}));
}

TEST_F(WaveWriterTest, RecordsOnlyTheWindowButStartsItWithTheRightValues) {
  WaveWriter vcd(path_, {1000, 2000});
  const auto a = vcd.add_wire("top.a", 4, 0);
  const auto n = vcd.add_wire("top.n", 4, 0);
  vcd.start();
  vcd.change(a, 100, 7);
  vcd.adjust(n, 100, 1);
  vcd.advance(500);
  vcd.change(a, 1500, 8);
  vcd.adjust(n, 1600, 1);
  vcd.change(a, 2500, 9);
  vcd.close(5000);
  const test::VcdFile file = read();
  EXPECT_EQ(file.of("top.a"), (Changes{{1000, "111"}, {1500, "1000"}}));
  EXPECT_EQ(file.of("top.n"), (Changes{{1000, "1"}, {1600, "10"}}));
  EXPECT_EQ(file.end(), 2000u);
}

TEST_F(WaveWriterTest, AChangeBehindThePromiseMovesUpAndIsCounted) {
  WaveWriter vcd(path_, {});
  const auto a = vcd.add_wire("top.a", 4, 0);
  vcd.start();
  vcd.change(a, 100, 1);
  vcd.advance(1000);
  vcd.change(a, 500, 2);
  vcd.close(2000);
  EXPECT_EQ(vcd.late_changes(), 1u);
  EXPECT_EQ(read().of("top.a"), (Changes{{0, "0"}, {100, "1"}, {1000, "10"}}));
}

// The oracle keeps, for each signal, announced changes in a map: inserting at t erases all from t on.
TEST_F(WaveWriterTest, AgreesWithASimpleModelOnRandomAnnouncements) {
  constexpr std::uint32_t kSignals = 100; // identifier codes of one and two characters; each replaced often
  boost::random::mt19937 random(11);
  WaveWriter vcd(path_, {});
  std::vector<WaveWriter::Signal> signals;
  std::vector<std::map<std::uint64_t, std::uint64_t>> model(kSignals);
  for (std::uint32_t i = 0; i < kSignals; ++i) {
    signals.push_back(vcd.add_wire("top.s" + std::to_string(i), 16, 0));
  }
  vcd.start();
  std::uint64_t now = 1;
  for (std::uint32_t step = 0; step < 50'000; ++step) {
    now += random() % 3;
    const std::uint32_t i = random() % kSignals;
    const std::uint64_t at = now + random() % 2000;
    const std::uint32_t value = random() % 65536;
    vcd.change(signals[i], at, value);
    model[i].erase(model[i].lower_bound(at), model[i].end());
    model[i][at] = value;
    if (step % 1000 == 0) vcd.advance(now);
  }
  vcd.close(now + 3000);
  EXPECT_EQ(vcd.late_changes(), 0u);
  const test::VcdFile file = read();
  for (std::uint32_t i = 0; i < kSignals; ++i) {
    const std::string name = "top.s" + std::to_string(i);
    std::uint64_t value = 0;
    std::size_t changes = 1;
    for (const auto& [at, next] : model[i]) {
      changes += next != value ? 1 : 0;
      value = next;
      ASSERT_EQ(file.number_at(name, at), next) << name << " at " << at;
    }
    EXPECT_EQ(file.of(name).size(), changes) << name;
  }
}

TEST_F(WaveWriterTest, AFullDiskLeavesAReadableFileAndAReason) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{3'000'001, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  WaveWriter vcd(path_, {});
  const auto a = vcd.add_wire("top.a", 31, 0);
  vcd.start();
  for (std::uint64_t t = 1; t < 300'000; ++t) {
    vcd.change(a, t * 1000, static_cast<WaveValue>(t * 2654435761u % 2147483647u));
    if (t % 1000 == 0) vcd.advance(t * 1000);
  }
  vcd.close(us(1000));
  EXPECT_FALSE(vcd.ok());
  EXPECT_NE(vcd.error().find("waves.vcd"), std::string::npos) << vcd.error();
  const test::VcdFile file = read(); // complains about a cut line or a cut time step
  EXPECT_GT(std::filesystem::file_size(path_), 2'900'000u);
  EXPECT_GT(file.of("top.a").size(), 10'000u);
}

TEST(WaveWriter, ReportsADeviceThatIsFull) {
  WaveWriter vcd("/dev/full", {});
  vcd.add_wire("top.a", 1, 0);
  vcd.start();
  vcd.close(10);
  EXPECT_FALSE(vcd.ok());
  EXPECT_NE(vcd.error().find("No space left"), std::string::npos) << vcd.error();
}

TEST(WaveWriter, RefusesAPlaceItCannotWriteTo) {
  WaveWriter vcd("/proc/waves.vcd", {});
  EXPECT_THROW(vcd.start(), InputError);
}

TEST_F(WaveWriterTest, ContainsNothingButTheCalls) {
  const auto record = [this] {
    WaveWriter vcd(path_, {});
    const auto a = vcd.add_wire("top.a", 4, 0);
    vcd.start();
    vcd.change(a, 10, 3);
    vcd.close(20);
    return bytes();
  };
  const std::string first = record();
  EXPECT_EQ(first, record());
  EXPECT_EQ(first.find("$date"), std::string::npos);
}

} // namespace
} // namespace twinplane::platform::waves_writer_test
