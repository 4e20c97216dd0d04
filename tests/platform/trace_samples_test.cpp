// The bundled traces: every sample tells the same requests, and the demo trace is what its description says.
#include <gtest/gtest.h>

#include <string>

#include "platform/trace/formats.h"
#include "platform/trace/trace_info.h"
#include "tests/support/trace_files.h"

namespace twinplane::platform::trace_samples_test {
namespace {

struct Sample {
  std::string file;
  std::string format;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{{"columns.csv", "twinplane"},
                                       {"msr.csv", "msr"},
                                       {"spc.csv", "spc"},
                                       {"systor17.csv", "systor17"},
                                       {"alibaba.csv", "alibaba"},
                                       {"tencent.csv", "tencent"},
                                       {"flashnet.csv", "flashnet"},
                                       {"biotracer.txt", "biotracer"},
                                       {"fiu.txt", "fiu"},
                                       {"heimdall.txt", "heimdall"},
                                       {"flashsim4k.txt", "flashsim4k"},
                                       {"disksim.txt", "disksim"},
                                       {"ssdsim.txt", "ssdsim"},
                                       {"mqsim.txt", "mqsim"},
                                       {"fio_v2.log", "fio"},
                                       {"fio_v3.log", "fio"},
                                       {"blkparse.txt", "blkparse"},
                                       {"ftrace.txt", "ftrace"},
                                       {"xperf.csv", "xperf"}};
  return all;
}

std::vector<IoRecord> read_sample(const Sample& sample, const std::string& format) {
  TraceOptions options;
  options.path = TWINPLANE_TRACE_FOLDER "/samples/" + sample.file;
  options.format = format;
  return testing::all_records(*open_trace(options));
}

TEST(TraceSamples, AllTellTheSameRequests) {
  const std::vector<IoRecord> expected = read_sample(samples()[0], "auto");
  ASSERT_EQ(expected.size(), 200u);
  for (const Sample& sample : samples()) {
    const bool whole_seconds = sample.format == "tencent";
    const std::vector<IoRecord> records = read_sample(sample, sample.format);
    ASSERT_EQ(records.size(), expected.size()) << sample.file;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::uint64_t unit = whole_seconds ? 1'000'000'000 : 1;
      ASSERT_EQ(records[i].arrival_ns, expected[i].arrival_ns / unit * unit)
          << sample.file << " request " << i;
      ASSERT_EQ(records[i].op, expected[i].op) << sample.file << " request " << i;
      ASSERT_EQ(records[i].offset, expected[i].offset) << sample.file << " request " << i;
      ASSERT_EQ(records[i].length, expected[i].length) << sample.file << " request " << i;
    }
  }
}

TEST(TraceSamples, ThereIsOneOfEachFormatAndItIsRecognised) {
  for (const TraceFormat& format : trace_formats()) {
    bool found = false;
    for (const Sample& sample : samples()) found = found || sample.format == format.name;
    EXPECT_TRUE(found) << format.name;
  }
  for (const Sample& sample : samples()) {
    if (sample.format == "mqsim") continue; // looks like ssdsim and means the same
    EXPECT_EQ(detect_trace_format(TWINPLANE_TRACE_FOLDER "/samples/" + sample.file).name, sample.format);
  }
}

TEST(TraceSamples, TheDemoTraceIsBurstyAndHot) {
  TraceOptions options;
  options.path = TWINPLANE_TRACE_FOLDER "/demo.csv.zst";
  const auto trace = open_trace(options);
  const TraceInfo info = collect_info(*trace);
  EXPECT_EQ(info.requests, 30000u);
  EXPECT_NEAR(info.write_ratio, 0.30, 0.015);
  EXPECT_NEAR(static_cast<double>(info.span_ns) * 1e-9, 10.0, 0.5);
  EXPECT_LE(info.end_bytes, 512u << 20);
  EXPECT_GT(info.interarrival_cv2, 1.5);
  EXPECT_GT(info.peak_requests_per_s, 2.0 * info.requests_per_s);
  EXPECT_GT(info.update_ratio, 0.4);
  EXPECT_EQ(trace->status().out_of_window, 0u);
}

} // namespace
} // namespace twinplane::platform::trace_samples_test
