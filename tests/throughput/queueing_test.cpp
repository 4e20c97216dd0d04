// Do requests wait as long as queueing theory says?
//
// One die with one plane and random arrivals is a single server: M/D/1 for reads of equal length, M/G/1
// (Pollaczek-Khinchine) for reads of random page types. Programs of a TLC die are not: their lengths
// repeat in a fixed order, a long one is followed by a short one, and the wait stays below that formula.
// There the oracle is Lindley's recursion over the same arrivals and the page order of the data sheet.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "hw/spec/page_order.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"
#include "tests/support/bus_oracle.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::queueing_test {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr TimePs kTDBSY = ns(500);
constexpr BusOracle kBus = kFlatBus;

/// One die with one plane.
std::string drive(const std::string& nand) {
  return std::string(kTimeless) +
         "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n"
         "blocks_per_plane = 256\npages_per_block = 384\npage_size = \"4KiB\"\nspare_size = \"0B\"\n"
         "[nand]\n" +
         nand + "[bus]\n" + kBus.keys + "\n[host]\nmode = \"open\"\n[workload]\nrate_process = \"poisson\"\n";
}

TimePs read_service(TimePs tR) {
  return kBus.read_command(1, kTDBSY) + tR + kBus.data_out(kPage, false);
}
TimePs program_service(TimePs tPROG) {
  return kBus.program_command(1, kPage, kTDBSY) + tPROG + kBus.program_status(1);
}

std::string setting(const char* key, std::uint64_t value) {
  return std::string(key) + "=" + std::to_string(value);
}

/// Arrivals per second for a utilisation.
std::uint64_t rate_for(double rho, double mean_service_ps) {
  return static_cast<std::uint64_t>(std::llround(rho * 1e12 / mean_service_ps));
}

struct Moments {
  double mean = 0, second = 0; // picoseconds, picoseconds squared
};
Moments moments_of(const std::vector<TimePs>& values) {
  Moments m;
  for (const TimePs v : values) {
    const auto x = static_cast<double>(v);
    m.mean += x / static_cast<double>(values.size());
    m.second += x * x / static_cast<double>(values.size());
  }
  return m;
}

/// Pollaczek-Khinchine: mean wait in a queue with Poisson arrivals and independent service times.
double mean_wait(double arrivals_per_second, const Moments& service) {
  const double lambda = arrivals_per_second / 1e12;
  return lambda * service.second / (2 * (1 - lambda * service.mean));
}

class ReadQueue : public ::testing::TestWithParam<double> {};

TEST_P(ReadQueue, WaitsAsMD1) {
  const Moments service = moments_of({read_service(us(50))});
  const std::uint64_t rate = rate_for(GetParam(), service.mean);
  const platform::Summary s =
      run_workload(configure(drive("cell = \"slc\"\ntR = \"50us\"\n"),
                             {"precondition.mode=fill", "precondition.fill=100%", "workload.rw=randread",
                              "workload.number_ios=400000", setting("workload.rate_iops", rate)}));
  expect_consistent(s);
  const double wait = s.host.read.latency.mean * 1e3 - service.mean - static_cast<double>(memory_time(kPage));
  const double rho = static_cast<double>(rate) * service.mean / 1e12;
  const double expected = rho * service.mean / (2 * (1 - rho));
  std::printf("rho %.3f: mean wait %.3f us, M/D/1 %.3f us\n", rho, wait / 1e6, expected / 1e6);
  EXPECT_NEAR(wait / expected, 1.0, 0.03);
}

TEST_P(ReadQueue, WaitsAsPollaczekAndKhinchineSayWhenPageTypesAreRandom) {
  const Moments service = moments_of({read_service(us(50)), read_service(us(200)), read_service(us(550))});
  const std::uint64_t rate = rate_for(GetParam(), service.mean);
  const platform::Summary s =
      run_workload(configure(drive("cell = \"tlc\"\ntR = [\"50us\", \"200us\", \"550us\"]\n"),
                             {"precondition.mode=fill", "precondition.fill=100%", "workload.rw=randread",
                              "workload.number_ios=600000", setting("workload.rate_iops", rate)}));
  expect_consistent(s);
  const double wait = s.host.read.latency.mean * 1e3 - service.mean - static_cast<double>(memory_time(kPage));
  const double expected = mean_wait(static_cast<double>(rate), service);
  std::printf("mean wait %.3f us, M/G/1 %.3f us\n", wait / 1e6, expected / 1e6);
  EXPECT_NEAR(wait / expected, 1.0, 0.03);
}

INSTANTIATE_TEST_SUITE_P(Utilisations, ReadQueue, ::testing::Values(0.5, 0.8),
                         [](const auto& param) { return param.param < 0.6 ? "half" : "four_fifths"; });

/// Mean response time of a first-come-first-served server, by Lindley's recursion.
double lindley(platform::IoSource& arrivals, const std::vector<TimePs>& services) {
  platform::IoRecord record;
  double sum = 0;
  TimePs free_at = 0;
  std::uint64_t n = 0;
  while (arrivals.next(record)) {
    const TimePs arrival = ns(record.arrival_ns);
    const TimePs ready = arrival + memory_time(kPage); // data must be in memory
    free_at = std::max(free_at, ready) + services.at(n++);
    sum += static_cast<double>(free_at - arrival);
  }
  return sum / static_cast<double>(n);
}

TEST(ProgramQueue, OfATlcDieFollowsLindleyAndStaysBelowPollaczekAndKhinchine) {
  constexpr TimePs kTPROG[] = {us(500), us(2000), us(5500)};
  constexpr std::uint64_t kWrites = 60'000;
  const Moments service =
      moments_of({program_service(kTPROG[0]), program_service(kTPROG[1]), program_service(kTPROG[2])});
  const std::uint64_t rate = rate_for(0.7, service.mean);
  const platform::Config config =
      configure(drive("cell = \"tlc\"\ntPROG = [\"500us\", \"2ms\", \"5.5ms\"]\n"),
                {"workload.rw=randwrite", setting("workload.number_ios", kWrites),
                 setting("workload.rate_iops", rate)});
  platform::Simulation simulation(config);
  const platform::Summary s = run_workload(simulation, config);
  expect_consistent(s);
  ASSERT_EQ(s.nand.erases_native, 0u);

  const PageOrderTable order(config.geometry.cell, config.geometry.pages_per_block, config.nand.page_table);
  std::vector<TimePs> services;
  for (std::uint64_t i = 0; i < kWrites; ++i) {
    const auto page = static_cast<std::uint32_t>(i % config.geometry.pages_per_block);
    services.push_back(program_service(kTPROG[order.type(page)]));
  }
  const auto arrivals =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  const double expected = lindley(*arrivals, services);
  const double found = s.host.write.latency.mean * 1e3;
  const double independent = mean_wait(static_cast<double>(rate), service) + service.mean;
  std::printf("mean response %.3f ms, Lindley %.3f ms, M/G/1 %.3f ms\n", found / 1e9, expected / 1e9,
              independent / 1e9);
  EXPECT_NEAR(found / expected, 1.0, 1e-6);
  EXPECT_LT(found, 0.97 * independent);
}

} // namespace
} // namespace twinplane::test::queueing_test
