// Is --power-cut understood, and are random cuts where they say?
#include <gtest/gtest.h>

#include "platform/config/error.h"
#include "platform/session/power_cut_plan.h"

namespace twinplane::platform::power_cut_plan_test {
namespace {

TEST(PowerCutPlan, KnowsItsThreeForms) {
  EXPECT_EQ(PowerCutPlan::parse("12ms").at, ms(12));
  EXPECT_EQ(PowerCutPlan::parse("1ps").at, 1u);
  EXPECT_EQ(PowerCutPlan::parse("request:7").request, 7u);
  EXPECT_EQ(PowerCutPlan::parse("random:3").random, 3u);
}

TEST(PowerCutPlan, RefusesEverythingElseInWords) {
  for (const char* text : {"", "12", "0ms", "soon", "request:", "request:0", "request:-1", "request:1.5",
                           "requests:3", "random:", "random:x", "random:1000000", "12ms:3"}) {
    EXPECT_THROW(PowerCutPlan::parse(text), InputError) << text;
  }
  try {
    PowerCutPlan::parse("soon");
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--power-cut soon: expected a time"), std::string::npos);
  }
}

TEST(PowerCutPlan, RandomCutsAreSpreadOverTheWorkload) {
  const auto cuts = plan_cuts(PowerCutPlan::parse("random:1000"), 500, us(100), 7);
  ASSERT_EQ(cuts.size(), 1000u);
  std::uint64_t last = 0;
  std::uint64_t early = 0;
  for (const PlannedCut& cut : cuts) {
    EXPECT_GE(cut.request, last) << "in their order";
    last = cut.request;
    early += cut.request < 250 ? 1 : 0;
    EXPECT_LE(cut.request, 500u);
    EXPECT_GE(cut.later, 1u);
    EXPECT_LE(cut.later, us(100));
  }
  EXPECT_NEAR(static_cast<double>(early), 500, 60);
  const auto again = plan_cuts(PowerCutPlan::parse("random:1000"), 500, us(100), 7);
  const auto others = plan_cuts(PowerCutPlan::parse("random:1000"), 500, us(100), 8);
  EXPECT_EQ(cuts[500].later, again[500].later);
  EXPECT_NE(cuts[500].later, others[500].later);
}

TEST(PowerCutPlan, TheFirstRandomCutAloneSparesTheBoot) {
  auto cuts = plan_cuts(PowerCutPlan::parse("random:1000"), 2, us(100), 7);
  ASSERT_EQ(cuts[0].request, 0u);
  const auto before = cuts;
  spare_first_boot(cuts);
  EXPECT_EQ(cuts[0].request, 1u);
  EXPECT_EQ(cuts[0].later, before[0].later);
  EXPECT_EQ(cuts[1].request, 0u) << "a later life may be cut in its boot";
}

TEST(PowerCutPlan, RandomCutsWantAWorkloadWithAnEnd) {
  EXPECT_THROW(plan_cuts(PowerCutPlan::parse("random:1"), 0, us(100), 1), InputError);
  EXPECT_NO_THROW(plan_cuts(PowerCutPlan::parse("request:1"), 0, us(100), 1));
}

} // namespace
} // namespace twinplane::platform::power_cut_plan_test
