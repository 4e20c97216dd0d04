#include "tests/nvme/conformance/rules.h"

#include <exception>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (const auto& part : {controller_rules, queue_rules, doorbell_rules, data_rules, admin_rules, io_rules,
                             maintenance_rules, sanitize_rules}) {
      for (const Rule& rule : part()) rules.push_back(rule);
    }
    return rules;
  }();
  return all;
}

std::vector<std::string> broken(const Rule& rule, Transport& transport) {
  Host host(transport);
  try {
    host.disable();
    static_cast<void>(transport.messages(0)); // MSI-X is set up while the controller is disabled
    rule.check(host);
  } catch (const Host::Stop&) { // has been noted
  } catch (const std::exception& error) {
    host.expect(false, error.what());
  }
  return host.findings();
}

} // namespace twinplane::test::conformance
