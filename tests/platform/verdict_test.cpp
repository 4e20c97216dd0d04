// Does a run fail when a protocol monitor has found something? A controller with a bug is imitated: its bus
// carries an erase whose result nobody reads, so that the next command to the die breaks a rule that no die
// checks.
#include <gtest/gtest.h>

#include "platform/model/run.h"
#include "tests/support/flash_bench.h"
#include "tests/support/oracle_drive.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test {
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

void send_erase(platform::Simulation& simulation, const Geometry& geometry) {
  Cycles cycles(geometry);
  const std::uint32_t row = RowLayout(geometry).row(0, 0, geometry.blocks_per_plane - 1, 0);
  cycles.command(0x60).row_address(row).command(0xD0);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  payload.set_address(0);
  payload.set_extension(&cycles.tenure());
  sc_core::sc_time delay;
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

} // namespace
} // namespace twinplane::test
