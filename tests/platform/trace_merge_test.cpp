// Several traces as one: in which order, where on the drive, and with which words?
#include <gtest/gtest.h>

#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_merge_test {
namespace {

using testing::all_records;
using testing::TempFile;

constexpr const char* kSrv =
    "128166372001000000,srv,0,Read,0,32768,1300\n"
    "128166372011000000,srv,0,Write,65536,16384,1000\n";
constexpr const char* kMail =
    "128166372002000000,mail,0,Write,0,4096,900\n"
    "128166372012000000,mail,0,Read,0,4096,700\n";
constexpr std::uint64_t kMiB = 1u << 20;

TraceOptions both(const TempFile& a, const TempFile& b) {
  TraceOptions options;
  options.path = a.path();
  options.others = {b.path()};
  return options;
}

class TraceMerge : public ::testing::Test {
 protected:
  const TempFile srv_{"srv", kSrv};
  const TempFile mail_{"mail", kMail};
  TraceOptions options_ = both(srv_, mail_);
};

TEST_F(TraceMerge, IsByTimeOnPartsOfTheirOwn) {
  const auto trace = open_trace(options_);
  EXPECT_EQ(trace->size_hint(), 4u);
  for (int round = 0; round < 2; ++round) {
    const auto records = all_records(*trace);
    ASSERT_EQ(records.size(), 4u);
    const std::uint64_t arrivals[] = {0, 100'000'000, 1'000'000'000, 1'100'000'000};
    const std::uint64_t offsets[] = {0, kMiB, 65536, kMiB};
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(records[i].arrival_ns, arrivals[i]) << i;
      EXPECT_EQ(records[i].offset, offsets[i]) << i;
      EXPECT_EQ(records[i].trace, i % 2) << i;
      EXPECT_EQ(records[i].device, i % 2) << i;
    }
    EXPECT_TRUE(trace->notes().empty());
    trace->rewind();
  }
  EXPECT_EQ(trace->status().extent_bytes, kMiB + 4096);
}

TEST_F(TraceMerge, BeginsWithAllWhenEachHasAClockOfItsOwn) {
  options_.clock = TraceClock::own;
  const auto records = all_records(*open_trace(options_));
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1].arrival_ns, 0u);
  EXPECT_EQ(records[1].trace, 1u);
}

TEST_F(TraceMerge, OverlapsWhenDevicesAreKept) {
  options_.devices = DeviceLayout::keep;
  const auto records = all_records(*open_trace(options_));
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[1].offset, 0u);
}

TEST(TraceMergeByName, TakesDevicesOfOneNameForOne) {
  const TempFile first("first", "1.0,0.1,R,2,0,512\n2.0,0.1,W,3,4096,512\n");
  const TempFile second("second", "3.0,0.1,R,1,512,512\n4.0,0.1,W,2,1048576,512\n");
  TraceOptions options = both(first, second);
  options.devices = DeviceLayout::by_name;
  const auto trace = open_trace(options);
  const auto records = all_records(*trace);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(trace->status().devices, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(records[0].offset, kMiB) << "2 behind 1";
  EXPECT_EQ(records[1].offset, 3 * kMiB + 4096) << "3 behind 2, which the second file makes longer";
  EXPECT_EQ(records[2].offset, 512u);
  EXPECT_EQ(records[3].offset, 2 * kMiB);
  EXPECT_EQ(records[0].device, records[3].device);
}

TEST(TraceMergeClocks, SaysThatAFileHasAnotherOne) {
  const TempFile first("first", kSrv);
  const TempFile second("second", "1.0,0.1,R,0,0,512\n2.0,0.1,W,0,0,512\n");
  const auto trace = open_trace(both(first, second));
  const auto records = all_records(*trace);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].arrival_ns, 0u);
  EXPECT_EQ(records[1].arrival_ns, 0u);
  ASSERT_EQ(trace->notes().size(), 1u);
  EXPECT_EQ(
      trace->notes()[0],
      first.path() + ": begins so long after the others that it has another clock: it begins with them");
}

TEST(TraceMergeErrors, NameTheFile) {
  const TempFile first("first", kSrv);
  const TempFile second("second", std::string(kMail) + "128166372012000000,mail,0,Read,x,4096,700\n");
  TraceOptions options = both(first, second);
  options.format = "msr";
  try {
    all_records(*open_trace(options));
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(second.path() + ":3: expected"), std::string::npos)
        << error.what();
  }
}

TEST(TraceDevices, ThatEndBeyondAllAddressesAreRefused) {
  std::string text;
  for (const char* device : {"1", "2", "3"})
    text += std::string("1.0,0.1,R,") + device + ",9223372036854775000,512\n";
  EXPECT_NE(testing::complaint_about(text).find("expected to end below 2^63 bytes"), std::string::npos);
}

} // namespace
} // namespace twinplane::platform::trace_merge_test
