// Does a run fail when something is wrong with it, and only then?
#include <gtest/gtest.h>

#include "platform/session/run.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"
#include "tests/support/flash_bench.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/record_list.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::verdict_test {
namespace {

constexpr const char* kDrive = R"(
[geometry]
channels = 1
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 16
pages_per_block = 16
[nand]
cell = "slc"
tBERS = "1us"
[bus]
monitor = true
[workload]
rw = "write"
bs = "16KiB"
number_ios = 20
)";

// A controller with a bug is imitated: its bus carries an erase whose result is not read, so that the next
// command to the die breaks a rule that no die checks.
void send_erase(platform::Simulation& simulation, const Geometry& geometry) {
  Cycles cycles(geometry);
  const std::uint32_t row = RowLayout(geometry).row(0, 0, geometry.blocks_per_plane - 1, 0);
  cycles.command(0x60).row_address(row).command(0xD0);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  payload.set_address(0);
  payload.set_extension(&cycles.tenure());
  sc_core::sc_time delay(2, sc_core::SC_US); // behind boot's last cycles, ahead of the first request's
  simulation.ssd().controllers()[0]->bus->b_transport(payload, delay);
  payload.clear_extension(&cycles.tenure());
}

struct Outcome {
  std::uint64_t findings = 0;
  std::uint64_t refused = 0;
  int status = 0;
};

Outcome run(bool with_bug) {
  const platform::Config config = configure(kDrive);
  platform::Simulation simulation(config);
  simulation.prepare();
  if (with_bug) send_erase(simulation, config.geometry);
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  simulation.run(*source, "workload");
  const platform::Summary s = simulation.summary();
  return {s.nand.violations.monitor.value().total(), s.nand.violations.total(),
          platform::verdict(simulation, s)};
}

TEST(Verdict, AFindingOfAMonitorFailsTheRun) {
  expect_reports("twinplane.monitor");
  const Outcome outcome = run(true);
  EXPECT_EQ(outcome.findings, 1u);
  EXPECT_EQ(outcome.refused, 0u) << "the die has nothing against it";
  EXPECT_EQ(outcome.status, 1);
}

TEST(Verdict, ARunWithoutOnePasses) {
  const Outcome outcome = run(false);
  EXPECT_EQ(outcome.findings, 0u);
  EXPECT_EQ(outcome.status, 0);
}

// --- failed requests ---

/// A drive that refuses writes and trims though nothing has worn out, as a firmware with a bug would.
struct Refusing {
  Refusing() : simulation(configure(kDrive)) {
    simulation.prepare();
    simulation.ssd().firmware().firmware().ftl().statistics_for_reset().read_only = true;
  }
  platform::Summary run(std::vector<platform::IoRecord> records) {
    RecordList source(std::move(records));
    simulation.run(source, "list");
    return simulation.summary();
  }
  platform::Simulation simulation;
};

constexpr std::uint32_t kPage = 16384;

TEST(Verdict, FailedRequestsWithoutAFaultOfTheCellsFailTheRun) {
  Refusing drive;
  const platform::Summary s = drive.run({record(platform::IoOp::write, 0, kPage)});
  ASSERT_EQ(s.workload.failed, 1u);
  EXPECT_EQ(platform::verdict(drive.simulation, s), 1);
}

TEST(Verdict, FailedRequestsOnADriveWhoseCellsFailDoNot) {
  Refusing drive;
  const platform::Summary s = drive.run({record(platform::IoOp::write, 0, kPage)});
  for (std::uint64_t platform::NandSummary::*fault :
       {&platform::NandSummary::failed_programs, &platform::NandSummary::failed_erases}) {
    platform::Summary excused = s;
    excused.nand.*fault = 1;
    EXPECT_EQ(platform::verdict(drive.simulation, excused), 0);
  }
}

TEST(Verdict, PagesThatCannotBeReadExcuseRequestsButNoReadOnlyDrive) {
  Refusing drive;
  platform::Summary s = drive.run({record(platform::IoOp::write, 0, kPage)});
  for (std::uint64_t* fault : {&s.nand.retry_reads, &s.nand.lost_reads, &s.reliability.uncorrectable}) {
    *fault = 1;
    s.ftl.counters.read_only = true;
    EXPECT_EQ(platform::verdict(drive.simulation, s), 1);
    EXPECT_EQ(platform::verdict_on_drive(s), 1) << "one that is served, too";
    s.ftl.counters.read_only = false;
    EXPECT_EQ(platform::verdict(drive.simulation, s), 0);
    *fault = 0;
  }
}

TEST(Verdict, ADriveThatHasBecomeReadOnlyWithoutCauseFailsTheRunThoughNoRequestHasFailed) {
  Refusing drive;
  const platform::Summary s = drive.run({record(platform::IoOp::read, 0, kPage)});
  ASSERT_EQ(s.workload.failed, 0u);
  EXPECT_EQ(platform::verdict(drive.simulation, s), 1);
}

/// A list that begins to refuse when its third record is read: the engine reads one record ahead, so the
/// first has been done by then (depth 1).
class RefusesFromTheThirdOn final : public platform::IoSource {
 public:
  RefusesFromTheThirdOn(std::vector<platform::IoRecord> records, bool& refuse)
      : list_(std::move(records)), refuse_(refuse) {}
  bool next(platform::IoRecord& record) override {
    refuse_ = ++read_ >= 3;
    return list_.next(record);
  }
  void rewind() override { list_.rewind(); }
  std::uint64_t size_hint() const override { return list_.size_hint(); }

 private:
  RecordList list_;
  bool& refuse_;
  int read_ = 0;
};

TEST(Verdict, ARefusedTrimLeavesTheDataAndIsNoMismatch) {
  using platform::IoOp;
  platform::Simulation simulation(configure(kDrive, {"host.iodepth=1"}));
  simulation.prepare();
  RefusesFromTheThirdOn source({record(IoOp::write, 0, 4 * kPage), record(IoOp::flush, 0, 0),
                                record(IoOp::trim, 0, 4 * kPage), record(IoOp::read, 0, 4 * kPage)},
                               simulation.ssd().firmware().firmware().ftl().statistics_for_reset().read_only);
  simulation.run(source, "list");
  const platform::Summary s = simulation.summary();
  EXPECT_EQ(s.workload.failed, 1u) << "the trim";
  EXPECT_EQ(s.host.verify_checked, 16u);
  EXPECT_EQ(s.host.verify_mismatches, 0u);
}

} // namespace
} // namespace twinplane::test::verdict_test
