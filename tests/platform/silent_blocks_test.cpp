// Who is named, with what and for how long, when a block of another author never answers, or answers with an
// error?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/blocks_bench.h"
#include "tests/support/deaf_blocks.h"
#include "tests/support/odd_blocks.h"
#include "tests/support/sc_reports.h"

namespace twinplane::test::silent_blocks_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Manner = DeafFrontEnd::Manner;

const auto kPatience = HasSubstr("nothing came from a block of the drive for 50 ms and more (run.timeout)");

std::string complaint_of(OddBlocks& blocks) {
  sc_core::sc_report_handler::set_handler(throw_errors);
  return complaint(blocks);
}

std::string complaint_of_core(bool refuses) {
  OddBlocks blocks;
  blocks.core = [refuses](const char* name, const hw::CpuConfig& c) {
    return std::make_unique<DeafCore>(name, c, refuses);
  };
  return complaint_of(blocks);
}

std::string complaint_of_front_end(Manner manner) {
  OddBlocks blocks;
  blocks.front_end = [manner](const char* name, const hw::HostInterfaceConfig&) {
    return std::make_unique<DeafFrontEnd>(name, manner);
  };
  return complaint_of(blocks);
}

TEST(SilentBlocks, ACoreThatTakesNoTurnIsNamedAndTheRunEnds) {
  EXPECT_THAT(complaint_of_core(false), AllOf(kPatience, HasSubstr("ssd.cpu has not taken a turn")));
}

TEST(SilentBlocks, ACoreThatRefusesInterruptsIsNamed) {
  EXPECT_THAT(complaint_of_core(true), AllOf(HasSubstr("ssd.cpu answers a register write at"),
                                             HasSubstr("TLM_GENERIC_ERROR_RESPONSE")));
}

TEST(SilentBlocks, AFrontEndThatFetchesNothingIsNamedAndTheRunEnds) {
  EXPECT_THAT(complaint_of_front_end(Manner::silent),
              AllOf(kPatience, HasSubstr("ssd.host_if has fetched no command, or is not ready")));
}

TEST(SilentBlocks, AFrontEndThatIsOnlyCalledIsNamedWhenTheDriveHasRunDry) {
  EXPECT_THAT(complaint_of_front_end(Manner::silent_when_called),
              HasSubstr("ssd.host_if has fetched no command, or is not ready"));
}

TEST(SilentBlocks, AFrontEndThatRefusesItsRegistersIsNamed) {
  EXPECT_THAT(complaint_of_front_end(Manner::refuses), HasSubstr("ssd.host_if answers a register read at"));
}

TEST(SilentBlocks, AFrontEndThatLosesItsDmaIsNamedAndTheRunEnds) {
  OddBlocks blocks;
  blocks.front_end = [](const char* name, const hw::HostInterfaceConfig& c) {
    return std::make_unique<LosingFrontEnd>(name, c);
  };
  EXPECT_THAT(complaint_of(blocks),
              AllOf(kPatience, HasSubstr("ssd.host_if has not executed the DMA that ends 1 commands")));
}

TEST(SilentBlocks, AControllerThatDoesNothingInBootIsNamedAndTheRunEnds) {
  OddBlocks blocks;
  blocks.controller = [](const char* name, const hw::FlashControllerConfig& c) {
    return std::make_unique<LosingController>(name, c);
  };
  EXPECT_THAT(complaint_of(blocks), AllOf(kPatience, HasSubstr("ssd.controller0 has not completed")));
}

TEST(BoastingBlocks, AControllerThatHasCompletedMoreThanItWasGivenIsAPanic) {
  OddBlocks blocks;
  blocks.controller = [](const char* name, const hw::FlashControllerConfig& c) {
    return std::make_unique<BoastingController>(name, c);
  };
  expect_reports("twinplane.firmware");
  EXPECT_THAT(complaint_of(blocks),
              HasSubstr("a flash controller has completed more than it has been given"));
}

TEST(BoastingBlocks, AFrontEndThatNamesMoreCommandsThanItsRingHoldsIsAPanic) {
  OddBlocks blocks;
  blocks.front_end = [](const char* name, const hw::HostInterfaceConfig& c) {
    return std::make_unique<LosingFrontEnd>(name, c, true);
  };
  platform::Simulation simulation(config_of(), blocks);
  expect_reports("twinplane.firmware");
  simulation.prepare();
  const auto source =
      platform::make_workload(platform::to_workload_spec(config_of(), simulation.exported_bytes()));
  simulation.run(*source, "workload");
  EXPECT_THAT(simulation.ssd().firmware().panic(),
              HasSubstr("the front end names more commands than its ring holds"));
}

/// All that is under way waits for bytes that cross it, for far longer than the drive's patience.
TEST(SilentBlocks, ThatWaitForASlowDramAreNotNamed) {
  OddBlocks blocks;
  blocks.package = [](const char* name, const hw::NandConfig& c) {
    return std::make_unique<OddPackage>(name, c, OddPackage::Fault::none);
  };
  EXPECT_EQ(complaint(blocks, config_of("[dram]\nbandwidth = \"1MB/s\"\n[workload]\nnumber_ios = 64\n"
                                        "[host]\niodepth = 64\n")),
            "");
}

TEST(SilentBlocks, AnEccEngineThatNeverEndsIsNamed) {
  OddBlocks blocks;
  blocks.ecc = [](const char* name, const hw::EccConfig& c) -> std::unique_ptr<hw::EccBlock> {
    if (std::string(name) == "ecc0") return std::make_unique<hw::EccModule>(name, c);
    return std::make_unique<SlowEcc>(name, ms(1'000) * 3600);
  };
  sc_core::sc_report_handler::set_handler(throw_errors);
  EXPECT_THAT(complaint(blocks, config_of("[precondition]\nmode=\"fill\"\n[workload]\nrw=\"randread\"\n")),
              AllOf(HasSubstr("ssd.ecc1 has not decoded a page since"), HasSubstr("for 3600000000.000 us")));
}

TEST(SilentBlocks, AChannelThatRefusesTenuresIsNamed) {
  OddBlocks blocks;
  blocks.channel = [](const char* name, const hw::ChannelConfig& c) -> std::unique_ptr<hw::ChannelBlock> {
    if (c.index == 0) return std::make_unique<hw::Channel>(name, c);
    return std::make_unique<DeafChannel>(name, c);
  };
  EXPECT_THAT(complaint_of(blocks), HasSubstr("ssd.ch1 answers a tenure at"));
}

} // namespace
} // namespace twinplane::test::silent_blocks_test
