// Does the Verilog controller drive a channel as the data sheet wants it? The packages, the checker of the
// pins and the protocol monitor judge; what it moves must be what was given.
#include <gtest/gtest.h>

#include "tests/rtl/rtl_core_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::rtl_core_test {
namespace {

using Operation = RtlCoreBench::Operation;

constexpr std::uint8_t kReady = 0xE0;
constexpr std::uint32_t kPage = 2048;
constexpr std::uint32_t kMoved = kPage + example::RtlCore::kSpareBytes;

/// Every byte depends on all bits of its place, so a shifted or repeated byte shows.
RtlCoreBench::Page pattern(std::uint32_t seed) {
  RtlCoreBench::Page bytes(kMoved);
  for (std::uint32_t i = 0; i < kMoved; ++i) {
    bytes[i] = static_cast<std::uint8_t>(((i + seed * 7919) * 2654435761u) >> 24);
  }
  return bytes;
}

void give_patterns(RtlCoreBench& bench) {
  for (std::uint32_t die = 0; die < 4; ++die) {
    for (std::uint32_t plane = 0; plane < 2; ++plane) bench.written[die][plane] = pattern(die * 2 + plane);
  }
}

struct Shape {
  std::uint32_t mode;
  std::uint32_t luns;
};
std::string name_of(const Shape& s) {
  return "Mode" + std::to_string(s.mode) + "Luns" + std::to_string(s.luns);
}
void PrintTo(const Shape& parameter, std::ostream* out) {
  *out << name_of(parameter);
}

/// In each SDR mode, one and two LUNs per chip.
class RtlCoreModes : public testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(AllModes, RtlCoreModes,
                         testing::Values(Shape{0, 1}, Shape{1, 1}, Shape{2, 1}, Shape{3, 1}, Shape{4, 1},
                                         Shape{5, 1}, Shape{0, 2}, Shape{5, 2}),
                         parameter_name);

TEST_P(RtlCoreModes, ReadsBackOnAllDiesAndPlanesAtOnceWhatItProgrammed) {
  RtlCoreBench bench(rtl_channel_part(GetParam().mode, GetParam().luns));
  give_patterns(bench);
  const std::uint32_t dies = bench.config.geometry.dies_per_channel();
  for (const Operation operation :
       {Operation::reset, Operation::erase, Operation::program, Operation::read}) {
    if (operation == Operation::reset) {
      bench.start(operation, 0, 1, 0, 0); // the whole chip
    } else {
      for (std::uint32_t die = 0; die < dies; ++die) bench.start(operation, die, 2, 3, 0);
    }
    bench.finish();
    ASSERT_EQ(bench.open, 0u) << "operation " << static_cast<int>(operation);
  }
  for (std::uint32_t die = 0; die < dies; ++die) {
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      EXPECT_EQ(bench.read[die][plane], bench.written[die][plane]) << "die " << die << ", plane " << plane;
    }
  }
  EXPECT_EQ(bench.complaints(), "");
  for (const auto& package : bench.packages) {
    EXPECT_EQ(package->statistics().programs[0], 2u * GetParam().luns);
    EXPECT_EQ(package->statistics().multiplane_program.commands, GetParam().luns);
  }
}

TEST_P(RtlCoreModes, ReachesTheSpareAreaBehindAPartOfThePage) {
  RtlCoreBench bench(rtl_channel_part(GetParam().mode, GetParam().luns));
  give_patterns(bench);
  bench.start(Operation::program, 0, 2, 1, 0, 1, 2); // sectors 1 and 2
  bench.finish();
  bench.start(Operation::read, 0, 2, 1, 0, 2, 1); // sector 2
  bench.finish();
  ASSERT_EQ(bench.open, 0u);
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    for (std::uint32_t column = 0; column < kMoved; ++column) {
      const bool moved = (column >= 1024 && column < 1536) || column >= kPage;
      ASSERT_EQ(bench.read[0][plane][column], moved ? bench.written[0][plane][column] : 0xEE)
          << "plane " << plane << ", column " << column;
    }
  }
  EXPECT_EQ(bench.complaints(), "");
}

TEST(RtlCore, TellsTheStatusOfEachPlane) {
  RtlCoreBench bench;
  expect_reports("twinplane.monitor"); // it finds the same as the die
  give_patterns(bench);
  bench.start(Operation::program, 0, 1, 2, 0);
  bench.finish();
  bench.start(Operation::program, 0, 2, 2, 0); // plane 0 is not erased, so the die refuses both
  bench.finish();
  ASSERT_EQ(bench.done.size(), 3u);
  EXPECT_EQ(bench.done[0].result.status, kReady);
  EXPECT_TRUE(bench.done[0].result.last);
  EXPECT_EQ(bench.done[1].result.status & 1u, 1u);
  EXPECT_FALSE(bench.done[1].result.last);
  EXPECT_EQ(bench.done[2].result.plane, 1u);
  EXPECT_TRUE(bench.done[2].result.last);
}

TEST(RtlCore, ServesAnotherDieDuringTheArrayTimeOfOne) {
  RtlCoreBench bench;
  give_patterns(bench);
  bench.start(Operation::program, 0, 1, 0, 0);
  bench.start(Operation::program, 1, 1, 0, 0);
  bench.finish();
  // two starts, then two services
  ASSERT_EQ(bench.tenures.size(), 4u);
  const TimePs start = bench.tenures[0].end - bench.tenures[0].begin;
  EXPECT_LT(bench.done[1].at, bench.config.array.tPROG[0] + 2 * start + us(3));
  EXPECT_EQ(bench.tenures[0].die, 0u);
  EXPECT_EQ(bench.tenures[1].die, 1u);
  EXPECT_LT(bench.tenures[1].begin, bench.tenures[0].end + ns(100));
}

TEST(RtlCore, SaysThatAnArrayStartsWhenTheConfirmIsTaken) {
  RtlCoreBench bench;
  give_patterns(bench);
  bench.start(Operation::program, 0, 2, 0, 0);
  bench.finish();
  ASSERT_EQ(bench.starts.size(), 1u);
  EXPECT_EQ(bench.starts[0].at % example::RtlClock().period, 0u);
  // from there tWB, tPROG, and what it takes to see R/B#, take the bus and read two status bytes
  EXPECT_GT(bench.done[1].at, bench.starts[0].at + bench.config.bus.tWB + bench.config.array.tPROG[0]);
  EXPECT_LT(bench.done[1].at,
            bench.starts[0].at + bench.config.bus.tWB + bench.config.array.tPROG[0] + us(1));
}

/// What happened when, in words.
std::string story(const RtlCoreBench& bench) {
  std::string text;
  for (const auto& t : bench.tenures)
    text += std::to_string(t.die) + ":" + std::to_string(t.begin) + "-" + std::to_string(t.end) + " ";
  for (const auto& d : bench.done) text += std::to_string(d.result.die) + "@" + std::to_string(d.at) + " ";
  return text;
}

/// One SystemC simulation per process: so the two benches stand side by side in one.
TEST(RtlCore, DoesTheSameWhetherItsClockStandsStillOrNot) {
  struct Side : sc_core::sc_module {
    explicit Side(const sc_core::sc_module_name& name, example::ClockGate gate)
        : sc_module(name), bench(rtl_channel_part(), gate) {}
    RtlCoreBench bench;
  };
  Side gated("gated", example::ClockGate::on);
  Side free("free", example::ClockGate::off);
  for (Side* side : {&gated, &free}) {
    give_patterns(side->bench);
    for (std::uint32_t die = 0; die < 2; ++die) side->bench.start(Operation::program, die, 2, 0, 0);
  }
  gated.bench.finish();
  for (Side* side : {&gated, &free}) {
    for (std::uint32_t die = 0; die < 2; ++die) side->bench.start(Operation::read, die, 2, 0, 0);
  }
  gated.bench.finish();
  EXPECT_FALSE(gated.bench.done.empty());
  EXPECT_EQ(story(gated.bench), story(free.bench));
  const TimePs period = example::RtlClock().period;
  EXPECT_LT(gated.bench.core.clock_periods() + gated.bench.config.array.tPROG[0] / period / 2,
            free.bench.core.clock_periods());
}

TEST(RtlCore, RefusesABusyTimeBetweenPlanesThatItsTimerCannotCount) {
  const hw::NandConfig part = rtl_channel_part();
  example::RtlCoreConfig config;
  config.geometry = part.geometry;
  config.bus = part.bus;
  config.tDBSY = us(500);
  EXPECT_EQ(example::RtlCore::check(config), "");
  config.tDBSY = ms(1);
  EXPECT_NE(example::RtlCore::check(config).find("nand.tDBSY"), std::string::npos);
}

} // namespace
} // namespace twinplane::test::rtl_core_test
