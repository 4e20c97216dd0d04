// Does a program get the bus while other dies keep it busy with reads? Reads of 20 us and 25 us of data from
// three dies leave no gap on a bus that lets reads go first.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_age_limit_test {
namespace {

constexpr TimePs kTransfer = us(25);
constexpr TimePs kTPROG = us(200);
constexpr std::uint32_t kReads = 57;
constexpr TimePs kLimit = us(300);

/// When the program of die 3, the first command of all, is done.
TimePs program_under_reads(TimePs limit) {
  BusTiming bus;
  bus.data_in = bus.data_out = {kTransfer, 4096};
  ArrayTiming array;
  array.tR.fill(us(20));
  array.tPROG.fill(kTPROG);
  hw::FlashControllerConfig config;
  config.arbiter = "read_first";
  config.age_limit = limit;
  ControllerBench bench("bench", small_geometry(4), bus, array, config);
  for (std::uint32_t die = 0; die < 3; ++die) bench.program_now({die, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  for (std::uint32_t i = 0; i < kReads; ++i) bench.put(bench.descriptor(FlashOp::read, {i % 3, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_US)); // the bus is taken
  bench.put(bench.descriptor(FlashOp::program, {3, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  EXPECT_EQ(bench.done.size(), kReads + 1);
  const auto program = std::find_if(bench.done.begin(), bench.done.end(),
                                    [](const Done& d) { return d.completion.cookie == kReads; });
  return program->visible_at - us(30);
}

TEST(AgeLimit, WithoutItAProgramWaitsForAllReads) {
  EXPECT_GT(program_under_reads(0), kReads * kTransfer);
}

/// Its data and its status command wait for the limit, and for the tenure that runs then.
TEST(AgeLimit, WithItAProgramGetsTheBusBehindTheTenureThatRunsThen) {
  EXPECT_LE(program_under_reads(kLimit), 2 * (kLimit + kTransfer) + kTransfer + kTPROG);
}

} // namespace
} // namespace twinplane::test::controller_age_limit_test
