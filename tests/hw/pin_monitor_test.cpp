// Does a protocol monitor that listens to wires judge as one that listens to tenures? A controller that keeps
// every row of the timing table, with cycles as short as its mode allows, is without findings; a faster one
// is not.
#include <gtest/gtest.h>

#include <memory>

#include "hw/monitor/protocol_monitor.h"
#include "tests/support/parameter_names.h"
#include "tests/support/pin_bench.h"

namespace twinplane::test::pin_monitor_test {
namespace {

hw::NandConfig monitored_part(const BusTiming& bus) {
  hw::NandConfig c = pins_part(bus);
  const Geometry& g = c.geometry;
  c.page_order = std::make_shared<const PageOrderTable>(g.cell, g.pages_per_block, c.page_table);
  return c;
}

struct MonitoredPins : PinBench {
  hw::ProtocolMonitor monitor;

  explicit MonitoredPins(const BusTiming& bus_timing)
      : PinBench(monitored_part(bus_timing)), monitor(monitor_config(config)) {
    for (auto& package : packages) package->attach(monitor);
    transactor.attach(monitor);
  }
  static hw::MonitorConfig monitor_config(const hw::NandConfig& part) {
    hw::MonitorConfig m;
    m.geometry = part.geometry;
    m.bus = part.bus;
    m.array = part.array;
    m.page_order = part.page_order;
    return m;
  }
  /// CE# goes up after each step: observers are told a selection when it ends. The rows from CE# to a cycle
  /// run to the cycle's begin, which is tWH before WE# falls.
  template <class Step>
  void selected(Step&& step) {
    bus.select();
    bus.wait(config.bus.tWH);
    step();
    bus.deselect();
  }
  void program_and_read() {
    selected([this] {
      bus.command(0x80);
      bus.page_address(0);
      bus.data_in(byte_pattern(2048));
      bus.command(0x10);
    });
    bus.wait_ready();
    selected([this] { bus.status(); });
    selected([this] {
      bus.command(0x00);
      bus.page_address(0);
      bus.command(0x30);
    });
    bus.wait_ready();
    bus.select();
    bus.wait(config.bus.tRR);
    EXPECT_EQ(bus.data_out(2048), byte_pattern(2048));
    bus.deselect();
  }
};

class PinMonitor : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(SdrModes, PinMonitor, testing::Range(0u, 6u), parameter_name);

TEST_P(PinMonitor, FindsNothingInCyclesAtTheRateOfTheMode) {
  MonitoredPins bench(timing::sdr(GetParam()));
  bench.program_and_read();
  EXPECT_EQ(bench.monitor.statistics().total(), 0u);
  EXPECT_GT(bench.monitor.statistics().tenures, 0u);
  EXPECT_EQ(bench.all_faults(), 0u);
}

TEST(PinMonitorRate, FindsCyclesThatAreFasterThanTheMode) {
  expect_reports("twinplane.monitor");
  MonitoredPins bench(timing::sdr(4));
  bench.monitor.on_timing(0, timing::sdr(3), bench.config.array.tDBSY);
  bench.program_and_read();
  EXPECT_GT(bench.monitor.statistics().of(hw::MonitorRule::timing), 0u);
}

} // namespace
} // namespace twinplane::test::pin_monitor_test
