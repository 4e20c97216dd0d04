// Does the timeline put every request and every busy picosecond into the right row?
#include "platform/report/timeline.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "tests/support/temp_folder.h"

namespace twinplane::platform::report_timeline_test {
namespace {

struct Gauges final : TimelineSource {
  TimelineGauges values;
  TimelineGauges sample(TimePs /*end*/) override { return values; }
};

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  std::istringstream in(line + ",");
  while (std::getline(in, cell, ',')) cells.push_back(cell);
  return cells;
}

std::vector<Row> read_csv(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = split(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line);
    EXPECT_EQ(cells.size(), names.size()) << line;
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const char* name) {
  return std::stod(row.at(name));
}

class TimelineTest : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "timeline.csv";
  IoMeter meter_;
  Gauges gauges_;
  Timeline timeline_{path_, {ms(1), 2}, meter_, gauges_};

  void io(TimePs start, TimePs end, IoOp op, std::uint32_t bytes) {
    meter_.submitted(start);
    meter_.completed(end, op, bytes, end - start);
  }
  void busy(Lane lane, TimePs start, TimePs end) {
    timeline_.activity().add(static_cast<std::uint32_t>(lane), start, end);
  }
};

TEST_F(TimelineTest, RatesAndLatenciesBelongToTheIntervalOfTheCompletion) {
  io(us(100), us(200), IoOp::read, 4096);
  io(us(1500), us(1900), IoOp::read, 4096);
  io(us(1900), us(2000), IoOp::write, 8192); // completes at the very start of the third interval
  timeline_.finish(ms(3));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(number(rows[0], "read_iops"), 1000);
  EXPECT_EQ(number(rows[1], "read_iops"), 1000);
  EXPECT_EQ(number(rows[1], "read_latency_mean_us"), 400);
  EXPECT_EQ(rows[1].at("write_latency_p99_us"), "");
  EXPECT_EQ(number(rows[2], "write_iops"), 1000);
  EXPECT_NEAR(number(rows[2], "write_mb_per_s"), 8.192, 1e-3);
  EXPECT_EQ(number(rows[2], "start_us"), 2000);
  EXPECT_EQ(number(rows[2], "end_us"), 3000);
}

TEST_F(TimelineTest, QueueDepthIsTheTimeAverageOfRequestsInFlight) {
  meter_.submitted(us(250));
  meter_.submitted(us(500));
  meter_.completed(us(1250), IoOp::read, 512, us(1000));
  meter_.completed(us(1500), IoOp::read, 512, us(1000));
  timeline_.finish(ms(2));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(number(rows[0], "queue_depth_mean"), 0.75 + 0.5, 1e-3);
  EXPECT_NEAR(number(rows[1], "queue_depth_mean"), 0.5 + 0.25, 1e-3);
}

TEST_F(TimelineTest, AnnouncedActivityIsSpreadOverTheRowsItCovers) {
  busy(Lane::planes_erasing, us(500), us(3500)); // announced at its start, long before the later rows
  busy(Lane::planes_reading, us(600), us(700));
  busy(Lane::planes_reading, us(600), us(700));
  busy(Lane::buses, us(1000), us(2000));
  timeline_.finish(ms(4));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(number(rows[0], "planes_erasing_mean"), 0.5, 1e-3);
  EXPECT_NEAR(number(rows[0], "planes_reading_mean"), 0.2, 1e-3);
  EXPECT_NEAR(number(rows[0], "planes_busy_mean"), 0.7, 1e-3);
  EXPECT_NEAR(number(rows[1], "planes_erasing_mean"), 1, 1e-3);
  EXPECT_NEAR(number(rows[1], "channel_utilisation"), 0.5, 1e-3); // one of two channels
  EXPECT_NEAR(number(rows[3], "planes_erasing_mean"), 0.5, 1e-3);
}

TEST_F(TimelineTest, AnIdleStretchIsOneRow) {
  io(us(100), us(200), IoOp::write, 4096);
  io(ms(5'000'000), ms(5'000'000) + us(50), IoOp::write, 4096); // 83 minutes later
  timeline_.finish(ms(5'000'001));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(number(rows[1], "start_us"), 1000);
  EXPECT_EQ(number(rows[1], "end_us"), 5e9);
  EXPECT_EQ(number(rows[1], "write_iops"), 0);
}

TEST_F(TimelineTest, RowsFollowEachOtherWithoutGapsWhileTheIntervalDoubles) {
  double busy_us = 0;
  for (std::uint64_t i = 0; i < 7000; ++i) {
    busy(Lane::planes_programming, ms(i) + us(10), ms(i) + us(2010)); // reaches into later intervals
    busy_us += 2000;
    io(ms(i), ms(i) + us(500), IoOp::write, 4096);
  }
  timeline_.finish(ms(7010));
  const std::vector<Row> rows = read_csv(path_);
  EXPECT_GT(rows.size(), Timeline::kRowsPerWidth);
  EXPECT_LT(rows.size(), 2u * Timeline::kRowsPerWidth + 1000);
  double end = 0;
  double requests = 0;
  double planes = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(number(row, "start_us"), end);
    end = number(row, "end_us");
    const double length_us = end - number(row, "start_us");
    requests += number(row, "write_iops") * length_us / 1e6;
    planes += number(row, "planes_busy_mean") * length_us;
  }
  EXPECT_NEAR(requests, 7000, 1e-3);
  EXPECT_NEAR(planes, busy_us, busy_us * 1e-3);
}

// Between two samples; a row without a sample of its own has nothing to say.
TEST_F(TimelineTest, UtilisationIsThatBetweenSamples) {
  gauges_.values.at = ms(1);
  gauges_.values.busy.core = us(250);
  io(us(1), us(1002), IoOp::read, 512);
  gauges_.values.at = ms(3);
  gauges_.values.busy.core = us(1250);
  io(us(2001), us(3002), IoOp::read, 512);
  timeline_.finish(us(3500));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_GE(rows.size(), 3u);
  EXPECT_EQ(number(rows[0], "core_utilisation"), 0.25);
  EXPECT_EQ(number(rows[1], "core_utilisation"), 0.5);
  EXPECT_EQ(rows[2].at("core_utilisation"), "");
}

TEST_F(TimelineTest, TellsOfDiesAndDecoders) {
  gauges_.values.at = ms(1);
  gauges_.values.busy.ecc_mean = us(125);
  gauges_.values.busy.dies_mean = us(250);
  io(us(1), us(1002), IoOp::read, 512);
  timeline_.finish(us(1500));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_GE(rows.size(), 1u);
  EXPECT_EQ(number(rows[0], "ecc_utilisation"), 0.125);
  EXPECT_EQ(number(rows[0], "die_utilisation"), 0.25);
}

TEST_F(TimelineTest, WafIsEmptyBeforeTheFirstHostWrite) {
  io(us(1), us(2), IoOp::read, 512);
  io(us(1001), us(1002), IoOp::read, 512);
  gauges_.values.free_blocks = 77;
  gauges_.values.waf = 1.5;
  gauges_.values.free_pages = {5};
  io(us(2001), us(2002), IoOp::write, 512);
  timeline_.finish(ms(3));
  const std::vector<Row> rows = read_csv(path_);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("waf"), "");
  EXPECT_EQ(number(rows[2], "waf"), 1.5);
  EXPECT_EQ(number(rows[2], "free_blocks"), 77);
  EXPECT_EQ(number(rows[2], "free_pages_lsb"), 5);
}

TEST_F(TimelineTest, NothingHasTheFinalNameBeforeTheEnd) {
  io(us(1), us(2), IoOp::read, 512);
  EXPECT_FALSE(std::filesystem::exists(path_));
  timeline_.finish(ms(1));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST(IoMeter, LittlesLawIsAnIdentityOverCompletedRequests) {
  IoMeter meter;
  double latencies = 0;
  for (std::uint64_t i = 0; i < 100; ++i) meter.submitted(us(i * 3));
  for (std::uint64_t i = 0; i < 100; ++i) {
    meter.completed(us(400 + i * 7), IoOp::write, 4096, us(400 + i * 4));
    latencies += static_cast<double>(us(400 + i * 4));
  }
  EXPECT_EQ(meter.outstanding(), 0u);
  EXPECT_NEAR(meter.mean_outstanding(), latencies / static_cast<double>(meter.measured()), 1e-9);
}

TEST(IoMeter, RestartForgetsTheWarmUp) {
  IoMeter meter;
  meter.submitted(us(0));
  meter.submitted(us(10));
  meter.completed(us(50), IoOp::read, 512, us(50));
  meter.restart(us(60));
  meter.completed(us(80), IoOp::read, 1024, us(70));
  EXPECT_EQ(meter.total(IoOp::read).latency.count(), 1u);
  EXPECT_EQ(meter.total(IoOp::read).bytes, 1024u);
  EXPECT_EQ(meter.measured(), us(20));
  EXPECT_DOUBLE_EQ(meter.mean_outstanding(), 1.0);
}

/// Flash that works on for minutes without an event of the host takes no memory for each of its microseconds.
TEST(ActivityBins, WidenForWhatReachesFarAhead) {
  ActivityBins bins(1, us(1));
  bins.add(0, 0, us(3));
  bins.add(0, ms(1'000), ms(100'000));
  EXPECT_LE(ms(100'000) / bins.width(), ActivityBins::kMostAhead);
  EXPECT_GT(ms(200'000) / bins.width(), ActivityBins::kMostAhead) << "and no more than need be";
  EXPECT_EQ(bins.busy(0), us(3));
  TimePs sum = 0;
  for (std::uint64_t i = 0; i < ActivityBins::kMostAhead; ++i) {
    sum += bins.busy(0);
    bins.advance(1);
  }
  EXPECT_EQ(sum, us(3) + ms(99'000));
}

} // namespace
} // namespace twinplane::platform::report_timeline_test
