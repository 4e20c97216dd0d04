// Is every rule of the table well formed, and is every key that it names one that a configuration has?
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "firmware/ftl/core.h"
#include "firmware/ftl/rules/rules.h"
#include "tests/support/ftl_bench.h"

namespace twinplane::test::rules_test {
namespace {

template <typename Each>
void for_each_rule(const Each& each) {
  std::uint32_t index = 0;
  while (const fw::RuleSet* const set = fw::rule_set(index++)) {
    for (const fw::Rule& rule : set->rules) each(*set, rule);
  }
}

TEST(Rules, BeginWithTheKeyToChangeAndStandOnce) {
  std::set<std::string> texts;
  for_each_rule([&](const fw::RuleSet&, const fw::Rule& rule) {
    const std::string text = rule.text;
    const std::string key = text.substr(0, text.find(": "));
    EXPECT_NE(text.find(": "), std::string::npos) << text;
    EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_., "), std::string::npos) << text;
    EXPECT_TRUE(texts.insert(text).second) << "twice: " << text;
    if (rule.least == nullptr) return;
    EXPECT_NE(text.find("at least "), std::string::npos) << text;
  });
  EXPECT_GT(texts.size(), 50u);
}

TEST(Rules, LetTheDefaultDriveBe) {
  const fw::FtlConfig config = FtlBenchConfig().ftl;
  for_each_rule([&](const fw::RuleSet& set, const fw::Rule& rule) {
    EXPECT_TRUE(!set.applies(config) || rule.kept(config)) << rule.text;
  });
  EXPECT_EQ(fw::check_config(config), nullptr);
}

TEST(Rules, BehindABrokenNeededSetAreNotAsked) {
  fw::FtlConfig config = FtlBenchConfig().ftl;
  config.geometry.sector_size = 0; // those behind would divide by it
  config.geometry.planes_per_die = 9;
  config.victim_d = 0;
  std::string broken;
  fw::for_each_broken_rule(config, [&broken](const fw::Rule& rule) {
    broken += std::string(rule.text).substr(0, std::string(rule.text).find(':')) + " ";
    return true;
  });
  EXPECT_EQ(broken, "geometry.planes_per_die geometry.page_size ");
}

} // namespace
} // namespace twinplane::test::rules_test
