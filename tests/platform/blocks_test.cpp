// What does the drive say of blocks that are wrong, and what does it do with those that are right?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/banked_dram/blocks.h"
#include "examples/ispp_package/blocks.h"
#include "examples/shared_ecc/shared_ecc.h"
#include "tests/support/blocks_bench.h"
#include "tests/support/guest_host.h"
#include "tests/support/odd_blocks.h"

namespace twinplane::test::blocks_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Fault = OddPackage::Fault;

std::string complaint_of(Fault fault, const std::string& more = "") {
  OddBlocks blocks;
  blocks.package = [fault](const char* name, const hw::NandConfig& c) -> std::unique_ptr<hw::PackageBlock> {
    const bool odd = c.channel == 1 && c.chip == 1;
    return std::make_unique<OddPackage>(name, c, odd ? fault : Fault::none);
  };
  sc_core::sc_report_handler::set_handler(throw_errors);
  return complaint(blocks, config_of(more));
}

// --- what is missing ---

TEST(Blocks, ANullDramIsMissedByName) {
  OddBlocks blocks;
  blocks.dram = [](const char*, const auto&) { return nullptr; };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.dram: the factory has returned no DRAM"));
}

TEST(Blocks, ANullFrontEndIsMissedByName) {
  OddBlocks blocks;
  blocks.front_end = [](const char*, const auto&) { return nullptr; };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.host_if: the factory has returned no front end"));
}

TEST(Blocks, ANullCoreIsMissedByName) {
  OddBlocks blocks;
  blocks.core = [](const char*, const auto&) { return nullptr; };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.cpu: the factory has returned no core"));
}

TEST(Blocks, ANullControllerIsMissedByName) {
  OddBlocks blocks;
  blocks.controller = [](const char*, const auto&) { return nullptr; };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.controller0: the factory has returned no flash controller"));
}

TEST(Blocks, ANullEccEngineIsMissedByName) {
  OddBlocks blocks;
  blocks.ecc = [](const char*, const auto&) { return nullptr; };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.ecc0: the factory has returned no ECC engine"));
}

TEST(Blocks, ANullChannelIsMissedByName) {
  OddBlocks blocks;
  blocks.channel = [](const char*, const auto&) { return nullptr; };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.ch0: the factory has returned no channel"));
}

TEST(Blocks, ANullPackageIsMissedByName) {
  OddBlocks blocks;
  blocks.package = [](const char* name, const hw::NandConfig& c) -> std::unique_ptr<hw::PackageBlock> {
    if (c.channel == 1 && c.chip == 1) return nullptr;
    return std::make_unique<hw::Package>(name, c);
  };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.ch1_chip1: the factory has returned no package"));
}

TEST(Blocks, AChannelWithTooFewSocketsIsNamed) {
  OddBlocks blocks;
  blocks.channel = [](const char* name, hw::ChannelConfig c) {
    c.chips = 1;
    return std::make_unique<hw::Channel>(name, c);
  };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.ch0: has 1 sockets for packages, expected 2"));
}

TEST(Blocks, APackageWithTooManyLunsIsNamed) {
  OddBlocks blocks;
  blocks.package = [](const char* name, hw::NandConfig c) {
    c.geometry.dies_per_chip = 2;
    return std::make_unique<hw::Package>(name, c);
  };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.ch0_chip0: has 2 LUNs in its statistics, expected 1"));
}

TEST(Blocks, ACoreWithTooFewSocketsIsNamed) {
  OddBlocks blocks;
  blocks.core = [](const char* name, hw::CpuConfig c) {
    c.channels = 1;
    return std::make_unique<hw::Cpu>(name, c);
  };
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.cpu: has 1 sockets for flash controllers, expected 2"));
}

TEST(Blocks, AnUnboundSocketIsNamed) {
  EXPECT_THAT(complaint_of(Fault::unbound), HasSubstr("ssd.ch1_chip1.bus"));
}

// --- who answers with an error ---

TEST(Blocks, APackageThatRefusesATenureIsNamed) {
  EXPECT_THAT(complaint_of(Fault::refuses_timed),
              AllOf(HasSubstr("ssd.ch1_chip1 answers a tenure at"), HasSubstr("TLM_COMMAND_ERROR_RESPONSE")));
}

TEST(Blocks, APackageThatCannotBePreconditionedIsNamed) {
  EXPECT_THAT(complaint_of(Fault::refuses_untimed, "[precondition]\nmode=\"fill\"\n"),
              AllOf(HasSubstr("ssd.ch1_chip1 answers a tenure at"), HasSubstr("TLM_GENERIC_ERROR_RESPONSE")));
}

TEST(Blocks, AControllerThatRefusesItsRegistersIsNamed) {
  OddBlocks blocks;
  blocks.controller = [](const char* name,
                         const hw::FlashControllerConfig& c) -> std::unique_ptr<hw::ControllerBlock> {
    if (c.channel == 0) return std::make_unique<hw::FlashController>(name, c);
    return std::make_unique<DeafController>(name, true);
  };
  sc_core::sc_report_handler::set_handler(throw_errors);
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.controller1 answers a register write at"));
}

// --- who breaks a contract that waves, monitors and times rest on ---

std::string complaint_of(OddChannel::Fault fault, const std::string& more = "") {
  OddBlocks blocks;
  blocks.channel = [fault](const char* name,
                           const hw::ChannelConfig& c) -> std::unique_ptr<hw::ChannelBlock> {
    return std::make_unique<OddChannel>(name, c, c.index == 1 ? fault : OddChannel::Fault::none);
  };
  sc_core::sc_report_handler::set_handler(throw_errors);
  return complaint(blocks, config_of(more));
}

TEST(Blocks, AChannelThatKeepsItsContractRunsUnderAMonitor) {
  EXPECT_EQ(complaint_of(OddChannel::Fault::none, "[bus]\nmonitor=true\n"), "");
}

TEST(Blocks, AChannelThatAddsNoTimeIsNamed) {
  EXPECT_THAT(complaint_of(OddChannel::Fault::no_delay),
              HasSubstr("ssd.ch1 has not added the length of a tenure to its delay"));
}

TEST(Blocks, AChannelThatHasNoPhasesForAMonitorIsNamed) {
  EXPECT_THAT(complaint_of(OddChannel::Fault::no_phases, "[bus]\nmonitor=true\n"),
              HasSubstr("ssd.ch1 tells observers that want phases of a sequence without phases"));
}

TEST(Blocks, AChannelThatDoesNotTellItsTimingIsNamed) {
  EXPECT_THAT(complaint_of(OddChannel::Fault::no_timing),
              HasSubstr("ssd.ch1 tells observers of a tenure before its timing"));
}

TEST(Blocks, AChannelThatTellsTimesThatDoNotFitIsNamed) {
  EXPECT_THAT(complaint_of(OddChannel::Fault::no_times),
              AllOf(HasSubstr("ssd.ch1 tells observers of"), HasSubstr("times outside of it, at ")));
}

TEST(Blocks, APackageThatTouchesTheDelayIsNamed) {
  EXPECT_THAT(complaint_of(Fault::adds_delay), HasSubstr("ssd.ch1_chip1 has changed the delay of a tenure"));
}

TEST(Blocks, AnExceptionOfAPackageCarriesItsNameAndTheTime) {
  EXPECT_THAT(complaint_of(Fault::throws),
              AllOf(HasSubstr("ssd.ch1_chip1 at "), HasSubstr(" us: the pump is out of charge")));
}

TEST(Blocks, APackageWithoutPassesRefusesThem) {
  examples::IsppBlocks blocks;
  sc_core::sc_report_handler::set_handler(throw_errors);
  EXPECT_THAT(
      complaint(blocks, config_of("[nand]\ncell = \"mlc\"\none_pass = true\ntPROG_wordline = \"1ms\"\n")),
      AllOf(HasSubstr("ssd.ch0_chip0"), HasSubstr("expected nand.one_pass = false")));
}

// --- who has a timing of its own ---

struct LastTiming final : hw::BusObserver {
  void on_tenure(std::uint32_t, std::uint32_t, const hw::OnfiTenure&, TimePs, TimePs) override {}
  void on_timing(std::uint32_t, const BusTiming& timing, TimePs) override { bus = timing; }
  bool wants_phases() const override { return false; }
  BusTiming bus;
};

BusTiming timing_after_a_run(OddBlocks& blocks) {
  const platform::Config config = config_of("[workload]\nnumber_ios = 20\n");
  platform::Simulation simulation(config, blocks);
  LastTiming last;
  simulation.ssd().attach(static_cast<hw::BusObserver&>(last));
  simulation.prepare();
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  simulation.run(*source, "workload");
  return last.bus;
}

TEST(Blocks, AChannelsOwnTimingIsNotUndoneByBringUp) {
  OddBlocks blocks;
  BusTiming own;
  blocks.channel = [&own](const char* name, hw::ChannelConfig c) {
    c.bus.tCCS = c.bus.tADL = 0;
    own = c.bus;
    return std::make_unique<hw::Channel>(name, c);
  };
  EXPECT_TRUE(timing_after_a_run(blocks) == own);
}

TEST(Blocks, APackagesOwnTimingIsNotUndoneByBringUp) {
  OddBlocks blocks;
  BusTiming own;
  blocks.package = [&own](const char* name, hw::NandConfig c) {
    c.bus.tCCS = c.bus.tADL = 0;
    own = c.bus;
    return std::make_unique<hw::Package>(name, c);
  };
  EXPECT_TRUE(timing_after_a_run(blocks) == own);
}

// --- who never answers ---

TEST(Blocks, APackageThatIsNeverReadyIsNamedAndTheRunEnds) {
  EXPECT_THAT(
      complaint_of(Fault::never_ready),
      AllOf(HasSubstr("ssd.ch1_chip1 has not become ready (LUN 0) since"), HasSubstr("for 50000.000 us")));
}

TEST(Blocks, APackageThatAlwaysPollsBusyIsNamedAndTheRunEnds) {
  EXPECT_THAT(complaint_of(Fault::always_busy, "[bus]\nready=\"poll\"\n"),
              HasSubstr("ssd.ch1_chip1 has not become ready (LUN 0) since"));
}

TEST(Blocks, AControllerThatNeverCompletesIsNamedAndTheRunEndsThoughAClockGoesOn) {
  OddBlocks blocks;
  blocks.controller = [](const char* name,
                         const hw::FlashControllerConfig& c) -> std::unique_ptr<hw::ControllerBlock> {
    if (c.channel == 0) return std::make_unique<hw::FlashController>(name, c);
    return std::make_unique<DeafController>(name, false);
  };
  EXPECT_THAT(complaint(blocks),
              AllOf(HasSubstr("nothing came from a block of the drive for 50 ms and more (run.timeout)"),
                    HasSubstr("ssd.controller1 has not completed")));
}

// --- who may be ahead ---

TEST(Blocks, ADriveOfOursMayGoAhead) {
  platform::Simulation ours(config_of());
  ours.prepare();
  EXPECT_TRUE(ours.ssd().run_ahead().allowed());
}

TEST(Blocks, ADriveWithEventsOfSomebodyElseIsNeverAhead) {
  examples::IsppBlocks blocks;
  platform::Simulation simulation(config_of(), blocks);
  simulation.prepare();
  EXPECT_FALSE(simulation.ssd().run_ahead().allowed()) << "though cpu.run_ahead = 1ms";
}

TEST(Blocks, ADriveWithABlockThatActsOnlyWhenItIsCalledMayGoAhead) {
  examples::SharedEccBlocks blocks;
  platform::Simulation simulation(config_of(), blocks);
  simulation.prepare();
  EXPECT_TRUE(simulation.ssd().run_ahead().allowed());
}

// --- who is right ---

/// With its own events, unknown program times and garbage collection; every read is verified.
TEST(Blocks, ADriveWithAnotherPackageKeepsItsDataAndItsAccounts) {
  examples::IsppBlocks blocks;
  EXPECT_EQ(complaint(blocks, config_of("[workload]\nrw=\"randrw\"\n[precondition]\nmode=\"fill\"\n")), "");
}

TEST(Blocks, ADriveWithAnotherPackageKeepsItsDataWhereStatusIsPolled) {
  examples::IsppBlocks blocks;
  EXPECT_EQ(complaint(blocks, config_of("[bus]\nready=\"poll\"\n[precondition]\nmode=\"fill\"\n")), "");
}

/// A drive with its host, made by a factory.
struct FactoryBench {
  FactoryBench(const std::string& suffix, platform::BlockFactory& blocks)
      : ssd(("ssd" + suffix).c_str(), guest_config(), blocks),
        host(("host" + suffix).c_str()),
        intx(("intx" + suffix).c_str()) {
    host.mmio.bind(ssd.bar);
    ssd.dma.bind(host.memory);
    ssd.intx.bind(intx);
    host.intx.bind(intx);
  }
  void use(std::uint8_t seed) {
    host.start();
    for (std::uint32_t i = 0; i < 20; ++i) {
      EXPECT_EQ(host.write_sector(i, static_cast<std::uint8_t>(seed + i)), 0) << host.name() << " " << i;
    }
    for (std::uint32_t i = 0; i < 20; ++i) {
      EXPECT_EQ(host.read_sector(i), static_cast<std::uint8_t>(seed + i)) << host.name() << " " << i;
    }
  }
  platform::Ssd ssd;
  GuestHost host;
  sc_core::sc_signal<bool> intx;
};

TEST(Blocks, DrivesOfDifferentFactoriesLiveInOneSimulation) {
  platform::BlockFactory ours;
  examples::IsppBlocks ispp;
  examples::SharedEccBlocks ecc;
  FactoryBench a("_ours", ours);
  FactoryBench b("_ispp", ispp);
  FactoryBench c("_ecc", ecc);
  examples::BankedDramBlocks banks;
  FactoryBench d("_dram", banks);
  a.host.script = [&] { a.use(1); };
  b.host.script = [&] { b.use(50); };
  c.host.script = [&] { c.use(100); };
  d.host.script = [&] { d.use(150); };
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(a.host.done && b.host.done && c.host.done && d.host.done);
  EXPECT_FALSE(a.ssd.has_external_events());
  EXPECT_TRUE(b.ssd.has_external_events());
  EXPECT_FALSE(c.ssd.has_external_events());
  EXPECT_FALSE(d.ssd.has_external_events());
  EXPECT_GE(banks.dram().bytes_of(hw::DramMaster::flash, false), 20 * 4096u) << "its own DRAM, and all of it";
  EXPECT_EQ(a.host.accesses.size(), b.host.accesses.size()) << "the host sees the same drive";
  EXPECT_EQ(a.host.accesses.size(), d.host.accesses.size());
}

} // namespace
} // namespace twinplane::test::blocks_test
