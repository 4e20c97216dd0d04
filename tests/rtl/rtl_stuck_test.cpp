// What does a drive do with RTL that never answers? The run ends and says so, whether the RTL's clock runs
// on, and with it the kernel, or stands still.
#include <gtest/gtest.h>

#include "examples/rtl_controller/rtl_blocks.h"
#include "platform/config/error.h"
#include "platform/config/loader.h"
#include "platform/session/simulation.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"

namespace twinplane::test::rtl_stuck_test {
namespace {

std::string complaint_of_a_stuck_drive(example::ClockGate gate) {
  platform::ConfigLoader loader;
  loader.add_file(TWINPLANE_SOURCE_DIR "/examples/rtl_controller/drive.toml");
  loader.add_setting("workload.rw=write");
  loader.add_setting("workload.number_ios=10");
  loader.add_setting("run.timeout=2ms");
  const platform::Config config = loader.finish().config;
  example::RtlClock clock;
  clock.gate = gate;
  clock.stays_in_reset = true;
  example::RtlBlocks blocks(0, clock);
  platform::Simulation simulation(config, blocks);
  simulation.prepare();
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  try {
    simulation.run(*source, "workload");
  } catch (const platform::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(StuckRtl, EndsARunThoughItsClockGoesOn) {
  const std::string complaint = complaint_of_a_stuck_drive(example::ClockGate::off);
  EXPECT_NE(complaint.find("ssd.controller0"), std::string::npos) << complaint;
}

TEST(StuckRtl, EndsARunWhenItsClockStandsStill) {
  const std::string complaint = complaint_of_a_stuck_drive(example::ClockGate::on);
  EXPECT_NE(complaint.find("requests"), std::string::npos) << complaint;
}

} // namespace
} // namespace twinplane::test::rtl_stuck_test
