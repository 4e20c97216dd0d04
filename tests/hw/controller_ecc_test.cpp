// Does the controller hand data to the ECC stage when it has left the bus, and report when it is decoded?
#include <gtest/gtest.h>

#include "tests/hw/controller_bench.h"

namespace twinplane::test::controller_ecc_test {
namespace {

hw::FlashControllerConfig slow_ecc(TimePs time) {
  hw::FlashControllerConfig c;
  c.ecc.code = EccCode::bch;
  c.ecc.fastest = c.ecc.slowest = time;
  return c;
}

TEST(ControllerEcc, ReportsAPageWhenItIsDecoded) {
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array(), slow_ecc(us(40)));
  bench.program_now({0, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].visible_at, us(65 + 25 + 40));
  EXPECT_EQ(bench.done[0].completion.ecc_ps, us(40));
}

TEST(ControllerEcc, KeepsPagesOfTheChannelWaitingForTheEngine) {
  hw::FlashControllerConfig c = slow_ecc(us(1));
  c.ecc.throughput = 40'960'000; // 100 us per page, slower than the bus
  ControllerBench bench("bench", small_geometry(3), data_only_bus(), slow_array(), c);
  for (std::uint32_t die = 0; die < 3; ++die) bench.program_now({die, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  for (std::uint32_t die = 0; die < 3; ++die) bench.put(bench.descriptor(FlashOp::read, {die, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(bench.done[i].visible_at, us(65 + 25 + 100 * (i + 1) + 1)) << i;
}

TEST(ControllerEcc, LetsWhatIsDoneEarlierOvertakeAPageThatIsDecoded) {
  ControllerBench bench("bench", small_geometry(2), data_only_bus(), slow_array(), slow_ecc(ms(1)));
  bench.program_now({0, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.put(bench.descriptor(FlashOp::program, {1, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start(hw::to_sc_time(us(600))); // the program is done, the page not decoded
  EXPECT_EQ(bench.read(reg::flash::completion_tail), 1u);
  FlashCompletion first;
  std::memcpy(&first, bench.dram.data() + 8192, sizeof first);
  EXPECT_EQ(first.cookie, 1u) << "the program";
  EXPECT_EQ(bench.read(reg::flash::completion_tail, ms(1)), 2u);
  std::memcpy(&first, bench.dram.data() + 8192 + sizeof first, sizeof first);
  EXPECT_EQ(first.cookie, 0u);
}

TEST(ControllerEcc, SendsParityOverTheBus) {
  hw::FlashControllerConfig c;
  c.parity_per_sector = 2048;
  ControllerBench bench("bench", small_geometry(1), data_only_bus(), slow_array(), c);
  bench.program_now({0, 0, 0, 0});
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.boot();
  bench.put(bench.descriptor(FlashOp::read, {0, 0, 0, 0}));
  bench.ring();
  sc_core::sc_start();
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].visible_at, us(65) + us(75) / 2);
}

} // namespace
} // namespace twinplane::test::controller_ecc_test
