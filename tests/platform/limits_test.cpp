// Is a value inside its documented range one that the models accept? Each whole number at the ends of its
// range, alone over the defaults: refused by the configuration's own checks with a message, or a drive.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "platform/config/error.h"
#include "platform/config/registry.h"
#include "platform/ssd/hardware_config.h"
#include "tests/support/oracle_drive.h"

namespace twinplane::test::limits_test {
namespace {

void expect_part(const std::string& setting) {
  platform::Config config;
  try {
    config = configure("", {setting});
  } catch (const platform::InputError&) {
    return; // said in words what does not go with what
  }
  EXPECT_EQ(hw::check(platform::to_nand_config(config, 0, 0, nullptr)), "") << setting;
}

TEST(Limits, TheEndsOfARangeMakeADieOrAnErrorOfTheConfiguration) {
  std::uint32_t tried = 0;
  for (const platform::Parameter& p : platform::registry()) {
    if (p.type.kind != platform::Kind::count || p.reserved) continue;
    for (const double limit : {p.type.min, p.type.max}) {
      if (limit >= platform::kUnlimited) continue;
      expect_part(std::string(p.key) + "=" + std::to_string(std::llround(limit)));
      ++tried;
    }
  }
  EXPECT_GT(tried, 20u);
}

TEST(Limits, ADriveOfTwoSlotsAnswersADeepHost) {
  const platform::Summary s = run_workload(
      configure("", {"host.slots=2", "host.iodepth=16", "workload.rw=randrw", "workload.number_ios=200"}));
  expect_consistent(s);
  EXPECT_EQ(s.workload.requests, 200u);
}

TEST(Limits, OneSlotIsRefusedAsTheEventRequestHoldsIt) {
  EXPECT_THROW(configure("", {"host.slots=1"}), platform::InputError);
}

} // namespace
} // namespace twinplane::test::limits_test
