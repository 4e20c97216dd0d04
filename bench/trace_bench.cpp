// What does it cost to know the next request: a line of a trace, a record of a synthetic workload?
#include <benchmark/benchmark.h>

#include <string>

#include "platform/trace/formats.h"
#include "platform/workload/workload.h"

namespace twinplane::bench {
namespace {

struct Line {
  const char* format;
  const char* text;
};
constexpr Line kLines[] = {
    {"msr", "128166372000150000,demo,0,Write,8306688,8192,383496192"},
    {"spc", "0,303567,3584,w,0.026214"},
    {"disksim", "13.271528 0 9152 8 0"},
    {"tencent", "1538323200,12910952,128,0,1283"},
    {"blkparse", "  8,0    1       12     0.013271528  1234  D   W 9152 + 8 [sample]"},
};

void trace_line(benchmark::State& state) {
  const Line& line = kLines[state.range(0)];
  const auto parser = platform::make_parser(platform::find_trace_format(line.format), {});
  const std::string text = line.text;
  platform::RawRecord record;
  platform::Complaint complaint;
  for (auto _ : state) {
    if (parser->parse(text, record, complaint) != platform::Parsed::record) {
      state.SkipWithError("the line is not a record");
      break;
    }
    benchmark::DoNotOptimize(record);
  }
  state.SetLabel(line.format);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(trace_line)->ArgName("format")->DenseRange(0, 4);

struct Pattern {
  const char* name;
  const char* distribution;
  const char* bssplit;
  bool randommap;
};
constexpr Pattern kPatterns[] = {
    {"uniform", "random", "", false},          {"zipf:1.1", "zipf:1.1", "", false},
    {"zoned", "zoned:80/20:20/80", "", false}, {"bssplit", "random", "4k/60:16k/30:64k/10", false},
    {"randommap", "random", "", true},
};

void workload_record(benchmark::State& state) {
  const Pattern& pattern = kPatterns[state.range(0)];
  platform::WorkloadSpec spec;
  spec.rw = pattern.randommap ? platform::AccessPattern::randread : platform::AccessPattern::randrw;
  spec.rwmixread = 70;
  spec.size = std::uint64_t{16} << 30;
  spec.number_ios = ~std::uint64_t{0};
  spec.random_distribution = platform::parse_distribution(pattern.distribution);
  spec.randommap = pattern.randommap;
  platform::parse_block_sizes("4k", pattern.bssplit, spec);
  const auto source = platform::make_workload(spec);
  platform::IoRecord record;
  for (auto _ : state) {
    if (!source->next(record)) {
      state.SkipWithError("the workload ended");
      break;
    }
    benchmark::DoNotOptimize(record);
  }
  state.SetLabel(pattern.name);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(workload_record)->ArgName("pattern")->DenseRange(0, 4);

} // namespace
} // namespace twinplane::bench
