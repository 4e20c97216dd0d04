// The parts that rules() is made of.
#pragma once

#include "tests/nvme/conformance/rules.h"

namespace twinplane::test::conformance {

std::vector<Rule> controller_rules();
std::vector<Rule> queue_rules();
std::vector<Rule> doorbell_rules();
std::vector<Rule> data_rules();
std::vector<Rule> admin_rules();
std::vector<Rule> io_rules();
std::vector<Rule> maintenance_rules();
std::vector<Rule> sanitize_rules();
std::vector<Rule> shadow_rules();
std::vector<Rule> worn_rules();
std::vector<Rule> failing_rules();

} // namespace twinplane::test::conformance
