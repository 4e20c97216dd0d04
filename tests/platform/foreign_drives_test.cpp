// Does a drive that cannot go on say so, and leave everybody else alone?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/model/run.h"
#include "platform/model/simulation.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"
#include "tests/support/guest_host.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test {
namespace {

using ::testing::HasSubstr;

/// A drive that its configuration's check would have refused.
platform::Config too_small() {
  platform::Config config = guest_config();
  config.dram.size = 1u << 20;
  return config;
}

/// Text of the newest SC_ERROR of the firmware; shown by the default actions, which throw.
std::string& told() {
  static std::string text;
  return text;
}
void tell(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_ERROR) told() = report.get_msg();
  if (report.get_severity() != sc_core::SC_WARNING)
    sc_core::sc_report_handler::default_handler(report, actions);
}

/// Twenty writes and reads of its own sectors.
void use(GuestHost& h, std::uint8_t seed) {
  h.start();
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(h.write_sector(i, static_cast<std::uint8_t>(seed + i)), 0) << h.name() << " " << i;
  }
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(h.read_sector(i), static_cast<std::uint8_t>(seed + i)) << h.name() << " " << i;
  }
}

TEST(DriveFailure, ADriveThatCannotBootSaysWhyAndSetsCfs) {
  sc_core::sc_report_handler::set_handler(tell);
  GuestBench b(too_small());
  b.host.script = [&] {
    EXPECT_FALSE(b.host.enable());
    EXPECT_EQ(b.host.read(nvme::bar::csts) & nvme::csts::cfs, nvme::csts::cfs);
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(b.host.done) << "the simulation goes on";
  EXPECT_THAT(told(), HasSubstr("ssd: firmware refuses to boot"));
  EXPECT_THAT(told(), HasSubstr("DRAM"));
  EXPECT_FALSE(b.ssd.firmware().booted());
}

TEST(DriveFailure, APanicSetsCfsForGoodAndNothingMovesAnyMore) {
  sc_core::sc_report_handler::set_handler(tell);
  GuestBench b;
  GuestHost& h = b.host;
  h.script = [&] {
    h.start();
    EXPECT_EQ(h.write_sector(1, 7), 0);
    b.break_drive();
    wait(sc_core::sc_time(1, sc_core::SC_MS));
    EXPECT_EQ(h.read(nvme::bar::csts) & nvme::csts::cfs, nvme::csts::cfs);
    const std::size_t before = h.accesses.size();
    EXPECT_EQ(h.write_sector(2, 8), GuestHost::kNothing);
    h.write(nvme::bar::cc, 0); // a reset does not revive a firmware that has stopped
    wait(sc_core::sc_time(1, sc_core::SC_MS));
    EXPECT_FALSE(h.enable());
    EXPECT_EQ(h.read(nvme::bar::csts) & nvme::csts::cfs, nvme::csts::cfs);
    EXPECT_EQ(h.accesses.size(), before) << "it does not touch memory";
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(h.done);
  EXPECT_THAT(told(), HasSubstr("ssd: firmware panic at"));
  EXPECT_THAT(b.ssd.firmware().panic(), HasSubstr("a flash controller refuses a doorbell"));
}

TEST(DriveFailure, TwoDrivesInOneSimulationKeepTheirOwnData) {
  GuestBench a("", "_a");
  GuestBench b("", "_b");
  a.host.script = [&] { use(a.host, 10); };
  b.host.script = [&] { use(b.host, 100); };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(a.host.done && b.host.done);
  EXPECT_EQ(a.host.accesses.size(), b.host.accesses.size());
}

TEST(DriveFailure, OfThreeDrivesOnePanicsAndOneDoesNotBootWhileTheThirdGoesOn) {
  sc_core::sc_report_handler::set_handler(tell);
  GuestBench good("", "_good");
  GuestBench panics("", "_panics");
  GuestBench dead(too_small(), "_dead");
  bool panicked = false;
  good.host.script = [&] {
    use(good.host, 1);
    EXPECT_TRUE(panicked) << "it goes on after the other's end";
  };
  panics.host.script = [&] {
    panics.host.start();
    EXPECT_EQ(panics.host.write_sector(1, 7), 0);
    panics.break_drive();
    wait(sc_core::sc_time(10, sc_core::SC_US));
    panicked = !panics.ssd.firmware().panic().empty();
  };
  dead.host.script = [&] { EXPECT_FALSE(dead.host.enable()); };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(good.host.done && panics.host.done && dead.host.done);
}

// As `twinplane run` does it.
TEST(DriveFailure, ARunThatPanicsKeepsItsResultsAndFails) {
  sc_core::sc_report_handler::set_handler(tell);
  platform::Config config = guest_config("[workload]\nrw=\"randwrite\"\nbs=\"4KiB\"\nnumber_ios=100000\n");
  platform::Simulation simulation(config);
  simulation.prepare();
  hw::RegisterAccess access;
  sc_core::sc_time delay(20, sc_core::SC_MS);
  access.write(simulation.ssd().controllers()[0]->regs.get_base_export(), reg::flash::doorbell, 1u << 31,
               delay);
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  simulation.run(*source, "workload");
  const platform::Summary summary = simulation.summary();
  EXPECT_THAT(summary.panic, HasSubstr("firmware panic at 20"));
  EXPECT_GT(summary.workload.requests, 0u);
  EXPECT_LT(summary.workload.requests, 100000u);
  EXPECT_EQ(platform::verdict(simulation, summary), platform::kPanicked);
}

} // namespace
} // namespace twinplane::test
