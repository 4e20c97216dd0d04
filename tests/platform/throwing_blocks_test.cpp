// Who is named, and with what time, when a block of another author throws an exception, or grants no memory?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/fuzz/rogue_blocks.h"
#include "tests/support/blocks_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::throwing_blocks_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint8_t kThrows = 2 + 1; // of fuzz::RogueEcc and RogueDram
constexpr std::uint8_t kWayThrows = 2;  // of fuzz::RogueWay: an error
constexpr std::uint8_t kWayThrowsANumber = 3;

struct Case {
  const char* block;
  std::uint8_t fault;
  const char* what;
};

std::string name_of(const Case& c) {
  return c.block + ("_" + std::to_string(c.fault));
}
void PrintTo(const Case& parameter, std::ostream* out) {
  *out << parameter_names::text_of(parameter);
}

class ThrowingBlock : public ::testing::TestWithParam<Case> {};

TEST_P(ThrowingBlock, IsNamedWithTheTimeAndItsWords) {
  const std::uint8_t input[] = {7, GetParam().fault, 255, 0, 0}; // at its eighth call
  fuzz::Bytes bytes(input, sizeof input);
  fuzz::Mischief mischief(bytes);
  OddBlocks blocks;
  for (const fuzz::Rogue& rogue : fuzz::kRogues) {
    if (std::string(rogue.name) == GetParam().block) rogue.make(blocks, mischief);
  }
  sc_core::sc_report_handler::set_handler(throw_errors);
  const platform::Config config =
      config_of("[precondition]\nmode = \"fill\"\n[workload]\nrw = \"randread\"\n");
  EXPECT_THAT(complaint(blocks, config), AllOf(HasSubstr(std::string(GetParam().block)), HasSubstr(" us: "),
                                               HasSubstr(GetParam().what)));
}

constexpr const char* kError = "the pump is out of charge";
constexpr const char* kNumber = "throws something that is no std::exception";

INSTANTIATE_TEST_SUITE_P(Kinds, ThrowingBlock,
                         ::testing::Values(Case{"ssd.ch1_chip", kWayThrows, kError},
                                           Case{"ssd.ch1_chip", kWayThrowsANumber, kNumber},
                                           Case{"ssd.ch1", kWayThrows, kError},
                                           Case{"ssd.ecc1", kThrows, kError},
                                           Case{"ssd.dram", kThrows, kError},
                                           Case{"ssd.controller1", kWayThrows, kError},
                                           Case{"ssd.controller1", kWayThrowsANumber, kNumber},
                                           Case{"ssd.host_if", kWayThrows, kError}),
                         parameter_name);

/// What boot sends has phases already, and no sequence that could be sent as phases once more.
TEST(AskingAgain, APackageThatWantsPhasesOfWhatHasThemIsNamed) {
  const std::uint8_t input[] = {0, 1, 255, 6, 0, 0}; // the first tenure, with TLM_INCOMPLETE_RESPONSE
  fuzz::Bytes bytes(input, sizeof input);
  fuzz::Mischief mischief(bytes);
  OddBlocks blocks;
  fuzz::kRogues[0].make(blocks, mischief);
  sc_core::sc_report_handler::set_handler(throw_errors);
  EXPECT_THAT(complaint(blocks),
              AllOf(HasSubstr("ssd.ch1_chip0 answers a tenure at"), HasSubstr("TLM_INCOMPLETE_RESPONSE")));
}

/// Of fuzz::RogueDram: memory that begins later, is for reading alone, has no pointer, is not granted.
constexpr std::uint8_t kGrants[] = {2, 3, 4, 5};

class UngrantedDram : public ::testing::TestWithParam<std::tuple<std::uint8_t, std::uint8_t>> {};

TEST_P(UngrantedDram, IsNamedWhoeverAsks) {
  const std::uint8_t input[] = {std::get<0>(GetParam()), std::get<1>(GetParam()), 255, 0, 0};
  fuzz::Bytes bytes(input, sizeof input);
  fuzz::Mischief mischief(bytes);
  OddBlocks blocks;
  for (const fuzz::Rogue& rogue : fuzz::kRogues) {
    if (std::string(rogue.name) == "ssd.dram") rogue.make(blocks, mischief);
  }
  sc_core::sc_report_handler::set_handler(throw_errors);
  EXPECT_THAT(complaint(blocks), HasSubstr("ssd.dram must grant DMI for reading and writing from address 0"));
}

/// Two flash controllers, the front end and the firmware.
INSTANTIATE_TEST_SUITE_P(Askers, UngrantedDram,
                         ::testing::Combine(::testing::Values(0, 1, 2, 3), ::testing::ValuesIn(kGrants)),
                         parameter_name);

} // namespace
} // namespace twinplane::test::throwing_blocks_test
