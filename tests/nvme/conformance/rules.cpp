#include "tests/nvme/conformance/rules.h"

#include <exception>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {

const std::vector<Rule>& rules(DriveKind kind) {
  static const std::vector<Rule> sound = [] {
    std::vector<Rule> all;
    for (const auto& part : {controller_rules, queue_rules, doorbell_rules, data_rules, admin_rules, io_rules,
                             maintenance_rules, sanitize_rules, shadow_rules}) {
      for (const Rule& rule : part()) all.push_back(rule);
    }
    return all;
  }();
  static const std::vector<Rule> worn = worn_rules();
  static const std::vector<Rule> failing = failing_rules();
  return kind == DriveKind::sound ? sound : kind == DriveKind::worn ? worn : failing;
}

Verdict judge(const Rule& rule, Transport& transport) {
  Host host(transport);
  try {
    host.disable();
    static_cast<void>(transport.messages(0)); // MSI-X is set up while the controller is disabled
    rule.check(host);
  } catch (const Host::Stop&) { // has been noted
  } catch (const std::exception& error) {
    host.expect(false, error.what());
  }
  return {host.findings(), host.statuses};
}

} // namespace twinplane::test::conformance
