// Tests that provoke SystemC reports on purpose say so; any other warning or error fails the test.
#pragma once

namespace twinplane::test {

/// Reports of this message type (e.g. "twinplane.nand") are expected in this test process.
void expect_reports(const char* message_type);

} // namespace twinplane::test
