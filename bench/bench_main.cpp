// main of the benchmarks: builds the SystemC modules, elaborates, and hands over to Google Benchmark.
#include <benchmark/benchmark.h>

#include "bench/systemc_fixtures.h"

namespace twinplane::bench {
namespace {
SystemcFixtures* built = nullptr;
} // namespace

SystemcFixtures& fixtures() {
  return *built;
}

} // namespace twinplane::bench

int sc_main(int argc, char** argv) {
  twinplane::bench::SystemcFixtures fixtures;
  twinplane::bench::built = &fixtures;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
