// Does a drive that cannot go on say so, and leave everybody else alone?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "firmware/nvme/identify.h"
#include "platform/config/convert.h"
#include "platform/config/error.h"
#include "platform/session/run.h"
#include "platform/session/simulation.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"
#include "tests/support/guest_host.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::foreign_drives_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Parts whose parameter pages are all damaged: the firmware finds out.
struct OtherParts final : platform::BlockFactory {
  std::unique_ptr<hw::PackageBlock> make_package(const char* name, const hw::NandConfig& config) override {
    hw::NandConfig other = config;
    other.faults.parameter_pages = 3;
    return BlockFactory::make_package(name, other);
  }
};

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
  OtherParts parts;
  GuestBench b(guest_config(), "", &parts);
  b.host.script = [&] {
    EXPECT_FALSE(b.host.enable());
    EXPECT_EQ(b.host.read(nvme::bar::csts) & nvme::csts::cfs, nvme::csts::cfs);
  };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(b.host.done) << "the simulation goes on";
  EXPECT_THAT(told(), HasSubstr("ssd: firmware refuses to boot"));
  EXPECT_THAT(told(), HasSubstr("parameter page"));
  EXPECT_FALSE(b.ssd.firmware().booted());
}

std::string refusal(const std::function<void(platform::Config&)>& change) {
  platform::Config config = guest_config();
  change(config);
  try {
    const platform::Ssd drive("other", config);
  } catch (const platform::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DriveFailure, AConfigurationFromAProgramIsCheckedAsOneFromAFile) {
  using platform::Config;
  EXPECT_EQ(refusal([](Config&) {}), "");
  EXPECT_THAT(refusal([](Config& c) { c.bus.interface = "nosuch"; }),
              AllOf(HasSubstr("other cannot have this configuration"), HasSubstr("bus.interface: expected")));
  EXPECT_THAT(refusal([](Config& c) { c.ftl.victim = "greedi"; }), HasSubstr("did you mean greedy?"));
  EXPECT_THAT(refusal([](Config& c) { c.geometry.channels = 0; }), HasSubstr("geometry.channels: expected"));
  EXPECT_THAT(refusal([](Config& c) { c.bus.mode = 99; }), HasSubstr("bus.mode"));
  EXPECT_THAT(refusal([](Config& c) { c.ftl.over_provisioning = 1.5; }), HasSubstr("ftl.over_provisioning"));
  EXPECT_THAT(refusal([](Config& c) { c.nand.tPROG.count = 0; }), HasSubstr("nand.tPROG"));
  EXPECT_THAT(refusal([](Config& c) { c.dram.size = 1u << 20; }), HasSubstr("dram.size"));
  EXPECT_THAT(refusal([](Config& c) { c.pcie.serial_number = "two words"; }),
              HasSubstr("pcie.serial_number"));
}

/// What Identify says a drive is: serial number, NQN, controller identifier.
struct Identity {
  std::string serial, qualified_name;
  std::uint16_t controller = 0;
};

Identity identity_of(const platform::Ssd& drive) {
  std::vector<std::uint8_t> page(4096);
  fw::write_identify_controller(page.data(), platform::to_firmware_config(drive.config()).nvme, 1);
  Identity id;
  id.serial.assign(page.begin() + 4, page.begin() + 24);
  id.qualified_name.assign(page.begin() + 768, page.begin() + 768 + 68);
  id.controller = static_cast<std::uint16_t>(page[78] | page[79] << 8);
  return id;
}

TEST(DriveIdentity, DiffersByDefaultByModuleAndSeed) {
  const platform::Ssd a("a", guest_config());
  const platform::Ssd b("b", guest_config());
  const Identity ids[] = {identity_of(a), identity_of(b), [] {
                            const platform::Ssd other("c", guest_config("[run]\nseed = 7\n"));
                            return identity_of(other);
                          }()};
  for (int i = 0; i < 3; ++i) {
    const Identity& one = ids[i];
    const Identity& other = ids[(i + 1) % 3];
    EXPECT_NE(one.serial, other.serial);
    EXPECT_NE(one.qualified_name, other.qualified_name);
    EXPECT_NE(one.controller, other.controller);
    EXPECT_GT(one.controller, 0);
    EXPECT_LT(one.controller, 0xFFF0);
  }
}

TEST(DriveIdentity, FollowsTheKey) {
  const std::string key = "[pcie]\nserial_number = \"S1\"\n";
  const platform::Ssd a("a", guest_config(key));
  const platform::Ssd b("b", guest_config(key));
  EXPECT_EQ(identity_of(a).serial, "S1                  ");
  EXPECT_EQ(identity_of(a).qualified_name, identity_of(b).qualified_name) << "nothing else makes it";
  EXPECT_EQ(identity_of(a).controller, identity_of(b).controller);
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
  OtherParts parts;
  GuestBench dead(guest_config(), "_dead", &parts);
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
} // namespace twinplane::test::foreign_drives_test
