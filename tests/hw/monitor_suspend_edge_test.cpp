// Do monitor and die agree whether a suspend that comes with the end of its operation found anything? The die
// looks tWB after the last address cycle; an erase that has ended by then is not suspended, and others may
// follow.
#include <gtest/gtest.h>

#include "tests/support/monitor_bench.h"
#include "tests/support/parameter_names.h"

namespace twinplane::test::monitor_suspend_edge_test {
namespace {

/// Erases a block, sends its suspend so that the last cycle ends `before_end` before R/B# rises, then erases
/// another block.
std::string findings_of_late_suspend(TimePs before_end) {
  const hw::NandConfig part = small_part();
  HandBus bus(part, HandBus::Part::die);
  const Place suspended{0, 0, 0, 0};
  bus.select().command(0x60).row(suspended).command(0xD0).flush();
  const TimePs end = bus.ready_at();
  const TimePs cycles = part.bus.tCS + 4 * part.bus.tWC; // 61h and the row
  bus.until(end - before_end - cycles).select().command(0x61).row(suspended).flush();
  bus.until(end + part.array.tSPD_idle + us(1)).select().command(0x70).wait(us(1)).register_out(1);
  bus.wait(us(1)).select().command(0x60).row({0, 0, 1, 0}).command(0xD0).flush();
  bus.until(bus.ready_at()).wait(us(1)).select().command(0x70).wait(us(1)).register_out(1).flush();
  return bus.findings.text();
}

class SuspendAtTheEnd : public testing::TestWithParam<int> {};

TEST_P(SuspendAtTheEnd, MonitorAndDieAgree) {
  const TimePs tWB = small_part().bus.tWB;
  EXPECT_EQ(findings_of_late_suspend(tWB * static_cast<TimePs>(GetParam()) / 4), "");
}

INSTANTIATE_TEST_SUITE_P(QuartersOfTWB, SuspendAtTheEnd, testing::Range(0, 9), parameter_name);

} // namespace
} // namespace twinplane::test::monitor_suspend_edge_test
