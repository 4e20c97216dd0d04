// Is the limit of current kept at every instant, whatever the drive does, and does the account say its cost?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/oracle_drive.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::power_limit_test {
namespace {

using Cause = platform::PlaneCause;

constexpr double kRead = 10, kProgram = 20, kErase = 30, kOut = 4, kIn = 5, kStandby = 0.5; // mA

constexpr const char* kDrive = R"(
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 18
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "tlc"
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
number_ios = 1500
rw = "randrw"
[precondition]
mode = "fill"
fill = "80%"
[ftl]
over_provisioning = 0.25
[report]
plane_time = true
energy = true
[energy]
VCC = 3
ICC1 = 10
ICC2 = 20
ICC3 = 30
further_planes = 0.5
ICC4R = 4
ICC4W = 5
ISB = 0.125
)";

/// Adds up what data sheet and announcements say; knows nothing of who asked for what.
class CurrentWatch final : public hw::NandObserver, public hw::BusObserver {
 public:
  explicit CurrentWatch(const Geometry& geometry) : geometry_(geometry), planes_(geometry.planes()) {}

  void on_array(std::uint32_t channel, const hw::ArrayOperation& o) override {
    const double of_plane[] = {0, kRead, kProgram, kErase, 0};
    const double share = (1 + (o.planes_in_group - 1) * 0.5) / o.planes_in_group;
    std::vector<Draw>& plane = plane_of(channel, o);
    const TimePs start = plane.empty() ? o.start : std::max(o.start, plane.back().end);
    if (start < o.end) plane.push_back({start, o.end, of_plane[static_cast<std::size_t>(o.state)] * share});
  }
  void on_array_change(std::uint32_t channel, hw::ArrayChange change, const hw::ArrayOperation& o) override {
    if (change == hw::ArrayChange::resumed) return on_array(channel, o);
    for (Draw& d : plane_of(channel, o)) d.end = std::max(d.start, std::min(d.end, o.start));
  }
  void on_ready_busy(std::uint32_t, std::uint32_t, std::uint32_t, bool, TimePs) override {}
  void on_violation(std::uint32_t, const hw::Violation&) override {}
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure& tenure, TimePs, TimePs) override {
    if (tenure.kind == hw::TenureKind::status) return;
    for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
      const hw::OnfiPhase& phase = tenure.phases[i];
      const bool in = phase.kind == hw::PhaseKind::data_in;
      if (!in && phase.kind != hw::PhaseKind::data_out) continue;
      buses_.push_back({phase.start, phase.end, in ? kIn : kOut});
    }
  }

  /// Milliamperes, of all instants.
  double highest() const {
    std::vector<std::pair<TimePs, double>> steps;
    const auto add = [&steps](const Draw& d) {
      if (d.start >= d.end) return;
      steps.emplace_back(d.start, d.ma);
      steps.emplace_back(d.end, -d.ma);
    };
    for (const auto& plane : planes_) std::for_each(plane.begin(), plane.end(), add);
    std::for_each(buses_.begin(), buses_.end(), add);
    std::sort(steps.begin(), steps.end()); // what ends comes first
    double sum = kStandby;
    double highest = sum;
    for (const auto& [at, change] : steps) highest = std::max(highest, sum += change);
    return highest;
  }

 private:
  struct Draw {
    TimePs start = 0, end = 0;
    double ma = 0;
  };
  std::vector<Draw>& plane_of(std::uint32_t channel, const hw::ArrayOperation& o) {
    const std::uint32_t chip = channel * geometry_.chips_per_channel + o.chip;
    return planes_[(chip * geometry_.dies_per_chip + o.lun) * geometry_.planes_per_die + o.plane];
  }
  Geometry geometry_;
  std::vector<std::vector<Draw>> planes_;
  std::vector<Draw> buses_;
};

struct Outcome {
  platform::Summary summary;
  double highest = 0;
};

Outcome run(const std::vector<std::string>& settings) {
  const platform::Config config = configure(std::string(kTimeless) + kDrive, settings);
  platform::Simulation simulation(config);
  CurrentWatch watch(config.geometry);
  simulation.ssd().attach(static_cast<hw::NandObserver&>(watch));
  simulation.ssd().attach(static_cast<hw::BusObserver&>(watch));
  Outcome r;
  r.summary = run_workload(simulation, config);
  r.highest = watch.highest();
  expect_consistent(r.summary);
  EXPECT_EQ(platform::sum_of(r.summary.plane_time.causes), r.summary.plane_time.total_ps);
  return r;
}

TimePs of(const Outcome& r, Cause cause) {
  return r.summary.plane_time.causes[static_cast<std::size_t>(cause)];
}

/// An erase of both planes of a die, and the parts in standby: no drive works with less.
constexpr double kLeast = 45 + kStandby;

struct Feature {
  const char* name;
  std::vector<std::string> settings;
};
void PrintTo(const Feature& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

std::vector<std::string> with(std::vector<std::string> settings, const char* limit) {
  settings.push_back(std::string("energy.peak_limit=") + limit);
  return settings;
}

const Feature kFeatures[] = {
    {"plain", {}},
    {"polling", {"bus.ready=poll"}},
    {"writes", {"workload.rw=randwrite"}},
    {"suspend", {"nand.suspend=true", "ftl.scheduling=read_first"}},
    {"suspend_polling", {"nand.suspend=true", "bus.ready=poll"}},
    {"cache",
     {"controller.cache_reads=true", "controller.cache_programs=true", "workload.rw=rw", "host.iodepth=64"}},
    {"cache_suspend",
     {"controller.cache_reads=true", "controller.cache_programs=true", "nand.suspend=true",
      "host.iodepth=64"}},
    {"independent_reads", {"nand.independent_plane_reads=true"}},
    {"one_pass",
     {"ftl.policy=mga", "nand.one_pass=true", "geometry.blocks_per_plane=32", "precondition.fill=60%"}},
    {"copyback", {"ftl.copyback=checked", "nand.copybacks=3", "ftl.gc_moves=single"}},
    {"retries",
     {"nand.fail.read=0.3", "controller.ecc.code=fixed", "controller.read_retries=3",
      "ftl.over_provisioning=0.4"}},
    {"slow_memory", {"dram.bandwidth=1GB/s"}},
    {"four_channels", {"geometry.channels=4", "energy.ISB=0.0625", "host.iodepth=64"}},
    // at boot sixteen targets send their parameter pages, 4 mA each
    {"sixteen_channels",
     {"geometry.channels=16", "geometry.chips_per_channel=1", "energy.ISB=0.03125", "host.iodepth=64"}},
};

class PeakLimit : public testing::TestWithParam<Feature> {};

TEST_P(PeakLimit, IsNeverExceededWhereOneOperationFits) {
  const Outcome r = run(with(GetParam().settings, "45.5"));
  EXPECT_LE(r.highest, kLeast + 1e-6);
  EXPECT_GT(r.highest, 20); // there was work
  EXPECT_GT(of(r, Cause::power), 0u);
}

TEST_P(PeakLimit, IsNeverExceededWhereSomeFit) {
  const Outcome r = run(with(GetParam().settings, "70"));
  EXPECT_LE(r.highest, 70 + 1e-6);
  EXPECT_GT(r.highest, kLeast); // it gives what there is
}

// Else the limits above would prove nothing.
TEST_P(PeakLimit, WouldBeExceededWithoutIt) {
  EXPECT_GT(run(GetParam().settings).highest, 70);
}

TEST_P(PeakLimit, LetsNobodyWaitWhereItIsOutOfReach) {
  const Outcome r = run(with(GetParam().settings, "100000"));
  EXPECT_EQ(of(r, Cause::power), 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, PeakLimit, testing::ValuesIn(kFeatures), parameter_name);

// Four dies program for 300 us each, one at a time: 300 us a page pair, and the rest is waiting for power.
TEST(PeakLimitOfWrites, MakesThemWaitForEachOther) {
  const std::vector<std::string> writes = {
      "workload.rw=write", "precondition.mode=none", "workload.number_ios=400", "energy.further_planes=0",
      "energy.ISB=0",      "energy.ICC3=20",         "energy.ICC4W=0",          "energy.peak_limit=20"};
  const Outcome r = run(writes);
  const double programs = static_cast<double>(of(r, Cause::program_host)) / 1e3; // planes x ns
  EXPECT_DOUBLE_EQ(programs, 400 * 300e3);
  const double least = static_cast<double>(r.summary.nand.program.commands) * 300e3;
  EXPECT_GE(r.summary.host.measured_ns, least);
  EXPECT_GT(of(r, Cause::power), of(r, Cause::bus));
}

TEST(PeakLimitOfADrive, IsRefusedWhenOneOperationNeedsMore) {
  try {
    configure(std::string(kTimeless) + kDrive, {"energy.peak_limit=45.4"});
    FAIL() << "it was taken";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("energy.peak_limit"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("at least 45.5 mA"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("an erase of all planes of a die"), std::string::npos) << e.what();
  }
}

} // namespace
} // namespace twinplane::test::power_limit_test
