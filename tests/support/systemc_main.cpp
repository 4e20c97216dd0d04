// main of every test program that uses SystemC: gtest runs inside sc_main, one simulation per test
// process (gtest_discover_tests gives each test its own). A SystemC warning or error fails the test,
// except those of the ids a test announces with expect_reports().
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <systemc>

#include "tests/support/sc_reports.h"

namespace twinplane::test {
namespace {

std::set<std::string>& expected_ids() {
  static std::set<std::string> ids;
  return ids;
}

void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (expected_ids().count(report.get_msg_type()) != 0) return;
  if (report.get_severity() != sc_core::SC_INFO) ADD_FAILURE() << sc_core::sc_report_compose_message(report);
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_ABORT);
}

} // namespace

void expect_reports(const char* message_type) {
  expected_ids().insert(message_type);
}

} // namespace twinplane::test

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_handler(twinplane::test::handle);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
