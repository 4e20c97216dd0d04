#include "tests/support/oracle_drive.h"

#include <gtest/gtest.h>

#include "platform/config/loader.h"
#include "platform/workload/from_config.h"
#include "platform/workload/workload.h"

namespace twinplane::test {

platform::Config configure(const std::string& text, const std::vector<std::string>& settings) {
  platform::ConfigLoader loader;
  loader.add_text(text, "test.toml");
  for (const std::string& setting : settings) loader.add_setting(setting);
  return loader.finish().config;
}

platform::Summary run_workload(platform::Simulation& simulation, const platform::Config& config) {
  simulation.prepare();
  const auto source =
      platform::make_workload(platform::to_workload_spec(config, simulation.exported_bytes()));
  simulation.run(*source, "workload");
  return simulation.summary();
}

platform::Summary run_workload(const platform::Config& config) {
  platform::Simulation simulation(config);
  return run_workload(simulation, config);
}

void expect_parts_of_the_mean(const char* op, const platform::HostDirection& d) {
  ASSERT_EQ(d.breakdown.has_value(), d.count != 0) << op;
  if (d.count == 0) return;
  const platform::BreakdownNs& b = *d.breakdown;
  double sum = 0;
  platform::for_each_part([&](const char* name, double platform::BreakdownNs::*part) {
    EXPECT_GE(b.*part, 0) << op << ", " << name;
    EXPECT_LE(b.*part, d.latency.mean * (1 + 1e-9)) << op << ", " << name;
    sum += b.*part;
  });
  EXPECT_NEAR(sum, d.latency.mean, 1e-9 * d.latency.mean) << op;
}

void expect_consistent(const platform::Summary& s) {
  for (const platform::Account& a : s.accounts) EXPECT_EQ(a.one_side, a.other_side) << a.what;
  EXPECT_EQ(s.host.verify_mismatches, 0u);
  EXPECT_EQ(s.nand.violations.total(), 0u);
  EXPECT_NEAR(s.host.littles_law.value_or(1.0), 1.0, 0.01);
  expect_parts_of_the_mean("read", s.host.read);
  expect_parts_of_the_mean("write", s.host.write);
  expect_parts_of_the_mean("trim", s.host.trim);
  expect_parts_of_the_mean("flush", s.host.flush);
}

} // namespace twinplane::test
