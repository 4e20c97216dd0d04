// Where does the time of a whole drive's planes go, and does what removes a cause remove its time?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::plane_time_drive_test {
namespace {

using Cause = platform::PlaneCause;

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 16
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
tBERS = "2ms"
[bus]
interface = "flat"
ns_per_byte = "1ns"
[host]
mode = "closed"
iodepth = 16
[workload]
bs = "16KiB"
number_ios = 500
[report]
plane_time = true
)";

TimePs of(const platform::Summary& s, Cause cause) {
  return s.plane_time.causes[static_cast<std::size_t>(cause)];
}

TimePs held(const platform::Summary& s) {
  return of(s, Cause::held_pac) + of(s, Cause::held_bac) + of(s, Cause::held_kind) + of(s, Cause::held_late) +
         of(s, Cause::held_policy);
}

platform::Summary run(const std::vector<std::string>& settings, const std::string& base = kTimeless) {
  const platform::Summary s = run_workload(configure(base + kDrive, settings));
  EXPECT_EQ(platform::sum_of(s.plane_time.causes), s.plane_time.total_ps);
  EXPECT_NEAR(static_cast<double>(s.plane_time.total_ps), s.host.measured_ns * 1000 * 4, 4);
  platform::PlaneTimes dies{};
  for (const platform::PlaneTimes& die : s.plane_time.dies) {
    for (std::size_t i = 0; i < dies.size(); ++i) dies[i] += die[i];
  }
  EXPECT_EQ(dies, s.plane_time.causes);
  return s;
}

TEST(PlaneTimeOfADrive, OfItsArraysIsThatOfItsOperations) {
  const platform::Summary s = run({"workload.rw=write"});
  EXPECT_EQ(of(s, Cause::program_host), 500 * us(300));
  EXPECT_EQ(of(s, Cause::program_gc), 0u);
  EXPECT_EQ(of(s, Cause::read_host), 0u);
  EXPECT_GT(of(s, Cause::transfer), 500 * us(16));
}

TEST(PlaneTimeOfADrive, OfCollectionIsTheCollectors) {
  const platform::Summary s = run({"workload.rw=randwrite", "precondition.mode=fill", "precondition.fill=90%",
                                   "workload.number_ios=1500", "ftl.over_provisioning=0.25"});
  EXPECT_GT(of(s, Cause::erase_gc), 0u);
  EXPECT_EQ(of(s, Cause::erase_other), 0u);
  EXPECT_GT(of(s, Cause::program_gc) + of(s, Cause::read_gc), 0u);
  EXPECT_LE(of(s, Cause::program_host), 1500 * us(300));
}

// One plane of the drive works for the one request that there is.
TEST(PlaneTimeOfADrive, OfOneRequestAtATimeIsMostlyImbalance) {
  const platform::Summary s =
      run({"workload.rw=randread", "host.iodepth=1", "precondition.mode=fill", "workload.number_ios=100"});
  const std::uint64_t reads = s.nand.read.all_units; // of pages that have been written
  EXPECT_GT(reads, 50u);
  EXPECT_EQ(of(s, Cause::read_host), reads * us(50));
  EXPECT_GE(of(s, Cause::imbalance), 3 * reads * us(50 + 16));
  EXPECT_EQ(held(s), 0u);
  EXPECT_EQ(of(s, Cause::bus), 0u);
}

// What removes a cause removes its time. One simulation per process: each side of a comparison is a test.
class Bus : public testing::TestWithParam<const char*> {};
TEST_P(Bus, IsWaitedForInProportionToItsSpeed) {
  const platform::Summary s = run({"workload.rw=randread", "precondition.mode=fill", "precondition.fill=90%",
                                   std::string("bus.ns_per_byte=") + GetParam()});
  const double share = static_cast<double>(of(s, Cause::bus)) / static_cast<double>(s.plane_time.total_ps);
  if (std::string(GetParam()) == "4ns") {
    EXPECT_GT(share, 0.12);
  } else {
    EXPECT_LT(share, 0.01);
  }
}
INSTANTIATE_TEST_SUITE_P(Speeds, Bus, testing::Values("4ns", "0.05ns"), parameter_name);

class Core : public testing::TestWithParam<const char*> {};
TEST_P(Core, IsWaitedForWhenItIsSlow) {
  const platform::Summary s = run({"workload.rw=randread", "precondition.mode=fill", "precondition.fill=90%",
                                   std::string("cpu.clock=") + GetParam()},
                                  "[pcie]\nideal = true\n");
  const double share = static_cast<double>(of(s, Cause::core)) / static_cast<double>(s.plane_time.total_ps);
  if (std::string(GetParam()) == "10MHz") {
    EXPECT_GT(share, 0.2);
  } else {
    EXPECT_LT(share, 0.05);
  }
}
INSTANTIATE_TEST_SUITE_P(Clocks, Core, testing::Values("10MHz", "10GHz"), parameter_name);

class Link : public testing::TestWithParam<const char*> {};
TEST_P(Link, IsWaitedForUnlessItIsIdeal) {
  const platform::Summary s =
      run({"workload.rw=write", "host.iodepth=1", std::string("pcie.ideal=") + GetParam(), "pcie.lanes=1"});
  const double share = static_cast<double>(of(s, Cause::dma)) / static_cast<double>(s.plane_time.total_ps);
  if (std::string(GetParam()) == "false") {
    EXPECT_GT(share, 0.01);
  } else {
    EXPECT_LT(share, 1e-4);
  }
}
INSTANTIATE_TEST_SUITE_P(Ideal, Link, testing::Values("false", "true"), parameter_name);

TEST(PlaneTimeOfADrive, IsNotKeptUnasked) {
  const platform::Summary s = run_workload(
      configure(std::string(kTimeless) + kDrive, {"report.plane_time=false", "workload.rw=write"}));
  EXPECT_FALSE(s.plane_time.kept);
  EXPECT_TRUE(platform::to_json(s)["plane_time"].is_null());
}

} // namespace
} // namespace twinplane::test::plane_time_drive_test
