// Does the drive keep the rules of NVM Express 1.4 when a host in the same simulation puts it to them?
#include <gtest/gtest.h>

#include "tests/nvme/conformance/rules.h"
#include "tests/nvme/conformance/statuses.h"
#include "tests/nvme/simulated_drive.h"

namespace twinplane::test::conformance_test {
namespace {

struct Case {
  conformance::DriveKind kind;
  conformance::Rule rule;
};
void PrintTo(const Case& c, std::ostream* to) {
  *to << c.rule.name;
}
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto kind : conformance::kDriveKinds) {
    for (const conformance::Rule& rule : conformance::rules(kind)) all.push_back({kind, rule});
  }
  return all;
}

class Conformance : public testing::TestWithParam<Case> {};

/// And the rule provokes the statuses that it is there for.
TEST_P(Conformance, Rule) {
  const conformance::Rule& rule = GetParam().rule;
  SimulatedDrive drive(GetParam().kind);
  const conformance::Verdict verdict = conformance::judge(rule, drive);
  for (const std::string& finding : verdict.findings)
    ADD_FAILURE() << finding << " (NVMe 1.4 section " << rule.section << ")";
  for (const conformance::ProvokedStatus& status : conformance::statuses()) {
    if (status.rule == nullptr) {
      EXPECT_EQ(verdict.statuses.count(status.status), 0u)
          << "status " << status.status << " is said never to come";
    } else if (std::string(status.rule) == rule.name) {
      EXPECT_EQ(verdict.statuses.count(status.status), 1u) << "status " << status.status << " does not come";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Nvme, Conformance, testing::ValuesIn(cases()),
                         [](const auto& instance) { return std::string(instance.param.rule.name); });

} // namespace
} // namespace twinplane::test::conformance_test
