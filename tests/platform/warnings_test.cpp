// Does a report say what makes its numbers doubtful, and only then?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/report/steadiness.h"
#include "platform/report/summary.h"

namespace twinplane::platform::warnings_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <typename Latency>
std::optional<double> drift_of(std::uint64_t requests, Latency latency) {
  Steadiness s;
  for (std::uint64_t i = 0; i < requests; ++i) s.add(latency(i));
  return s.drift();
}

TEST(Steadiness, IsOneWhenNothingMoves) {
  for (const std::uint64_t n : {4096u, 5000u, 100'001u, 1'000'000u})
    EXPECT_DOUBLE_EQ(drift_of(n, [](std::uint64_t) { return us(80); }).value(), 1) << n;
}

// The mean of a ramp over its last quarter is 7/8 of its end, over the quarter before 5/8. The open bin moves
// both by up to a thirty-second of the run.
TEST(Steadiness, OfARampIsSevenFifths) {
  for (const std::uint64_t n : {4096u, 65'000u, 1'000'000u})
    EXPECT_NEAR(drift_of(n, [](std::uint64_t i) { return i + 1; }).value(), 1.4, 0.03) << n;
}

TEST(Steadiness, ForgetsATransientAtTheStart) {
  const auto transient = [](std::uint64_t i) { return i < 40'000 ? us(1) : us(500); };
  EXPECT_DOUBLE_EQ(drift_of(100'000, transient).value(), 1);
}

TEST(Steadiness, SaysNothingOfShortRuns) {
  EXPECT_FALSE(drift_of(4095, [](std::uint64_t i) { return i; }).has_value());
}

Summary sound() {
  Summary s;
  s.workload.requests = 10'000;
  s.host.latency_drift = 1.1;
  s.ftl.counters.host_pages_read = 1000;
  return s;
}

TEST(Warnings, AreSilentForASoundRun) {
  EXPECT_THAT(warnings_of(sound()), IsEmpty());
  EXPECT_THAT(warnings_of(Summary()), IsEmpty());
}

/// Written over twice, by so many victims that held so much.
Summary overwritten(std::uint64_t victims, std::uint64_t moved) {
  Summary s = sound();
  s.ftl.sizes = {16'384, 4096};
  s.ftl.exported_bytes = 4096 * 1000;
  s.ftl.counters.host_pages_written = s.ftl.counters.host_sectors_written = 2000;
  s.ftl.counters.gc_invocations = victims;
  s.ftl.counters.gc_pages_moved = moved;
  return s;
}

TEST(Warnings, NameACollectionThatHadNothingToMove) {
  EXPECT_THAT(warnings_of(overwritten(10, 0)), ElementsAre(HasSubstr("collection never moved a page")));
  EXPECT_THAT(warnings_of(overwritten(10, 1)), IsEmpty());
  EXPECT_THAT(warnings_of(overwritten(0, 0)), IsEmpty()) << "the drive has room";
  Summary in_part = overwritten(10, 0);
  in_part.ftl.exported_bytes *= 3;
  EXPECT_THAT(warnings_of(in_part), IsEmpty()) << "not written over";
}

// Write amplification is of what is programmed until the last request finishes.
TEST(Warnings, NameWritesThatTheBufferStillHolds) {
  Summary s = overwritten(10, 1);           // 2000 sectors of 4096 bytes
  s.ftl.counters.pages_programmed[0] = 475; // of 16 KiB
  s.drain.emplace();
  s.drain->written.programmed[0] = 24 * 16384;
  EXPECT_THAT(warnings_of(s), IsEmpty()) << "24 of 499 pages";
  s.drain->written.programmed[0] = 25 * 16384;
  EXPECT_THAT(warnings_of(s), ElementsAre(HasSubstr("400 KiB of the host's writes (5.0 %")));
  s.drain->host_bytes_before = 25 * 16384;
  EXPECT_THAT(warnings_of(s), IsEmpty()) << "as much may have been in the buffer at the begin";
}

TEST(Warnings, NameEachTrap) {
  Summary s = sound();
  s.ftl.counters.unmapped_reads = 250;
  EXPECT_THAT(warnings_of(s), ElementsAre(HasSubstr("25.0 % of the pages read had never been written")));
  s.workload.trims = 1;
  EXPECT_THAT(warnings_of(s),
              ElementsAre(HasSubstr("25.0 % of the pages read had been trimmed, or never been written,")));
  s = sound();
  s.workload.folded = 2500;
  EXPECT_THAT(warnings_of(s), ElementsAre(HasSubstr("2500 requests (25.0 %) lay beyond the drive's end")));
  s = sound();
  s.workload.unaligned = {1500, 1536, 30, 2048, 4};
  EXPECT_THAT(
      warnings_of(s),
      ElementsAre(HasSubstr("1500 requests (15.0 %) began or ended within a sector and were widened to whole "
                            "ones, by 1.50 KiB"),
                  HasSubstr("30 trims began or ended within a sector and were shrunk to whole ones, by 2.00 "
                            "KiB together; 4 of them had no whole sector")));
  s = sound();
  s.workload.left_at_last_arrival = 101;
  EXPECT_THAT(warnings_of(s),
              ElementsAre(HasSubstr("101 requests were not finished when the last one arrived")));
  for (const double drift : {0.7, 1.3}) {
    s = sound();
    s.host.latency_drift = drift;
    EXPECT_THAT(warnings_of(s), ElementsAre(HasSubstr("not steady")));
  }
}

// At 160 requests in flight on average, as many are left whenever the last one arrives. A queue that only grows, and is
// worked off behind that, is half as long on average.
TEST(Warnings, NameAQueueThatGrows) {
  Summary s = sound();
  s.config = std::make_shared<const Json>(Json{{"host", {{"mode", "open"}}}});
  s.workload.left_at_last_arrival = 160;
  s.host.queue_depth_mean = 160;
  EXPECT_THAT(warnings_of(s), IsEmpty());
  EXPECT_EQ(limit_of(s).resource, "arrivals");
  s.host.queue_depth_mean = 80;
  EXPECT_THAT(warnings_of(s), ElementsAre(HasSubstr("the drive does not keep up")));
  EXPECT_NE(limit_of(s).resource, "arrivals");
}

TEST(Warnings, LeaveOutWhatIsUsual) {
  Summary s = sound();
  s.ftl.counters.unmapped_reads = 9;     // below 1 %
  s.workload.left_at_last_arrival = 100; // 1 % of the requests
  EXPECT_THAT(warnings_of(s), IsEmpty());
  s.workload.requests = 50;
  s.workload.left_at_last_arrival = 50; // a burst
  EXPECT_THAT(warnings_of(s), IsEmpty());
}

TEST(Warnings, StandInTheJsonAndBelowTheTable) {
  Summary s = sound();
  s.warnings = {"this", "that"};
  EXPECT_EQ(to_json(s)["warnings"], Json({"this", "that"}));
  EXPECT_THAT(summary_table(s), testing::EndsWith("\nwarning: this\nwarning: that\n"));
  s.warnings.clear();
  EXPECT_EQ(to_json(s)["warnings"], Json::array());
  EXPECT_EQ(summary_table(s).find("warning"), std::string::npos);
}

} // namespace
} // namespace twinplane::platform::warnings_test
