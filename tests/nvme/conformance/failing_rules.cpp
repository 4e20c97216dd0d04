// What the standard asks of a drive whose flash fails (NVMe 1.4 sections 4.6.1.2, 5.14.1.2, 8.15). Put to
// drives that are made for it: one that loses each block that it erases, one whose programs all fail.
#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

constexpr std::uint32_t kSpace = 256; // sectors that are written over and over
constexpr std::uint32_t kMostWrites = 50'000;
constexpr std::uint8_t kSanitize = 0x84;
constexpr std::uint32_t kExitFailure = 1, kBlockErase = 2, kUnrestricted = 8;

/// Writes until one fails; its status.
int write_until_one_fails(Host& host, std::uint64_t data) {
  const std::uint64_t space = std::min<std::uint64_t>(kSpace, host.sectors);
  for (std::uint32_t i = 0; i < kMostWrites; ++i) {
    const int status = host.execute(1, Host::io(nvme::io::write, i * 16 % space, 1, data));
    if (status != 0) return status;
  }
  host.require(false, "no write fails");
  return 0;
}

std::uint8_t critical_warning(Host& host) {
  const std::uint64_t page = host.pages(1);
  host.expect_status(host.admin(nvme::admin::get_log_page, 2u | 127u << 16, 0, Host::kAll, page), 0,
                     "the health page");
  return *host.at(page);
}

void a_worn_drive_refuses_writes_and_goes_on_reading(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(1);
  host.make(data, 1, 1);
  host.expect_equal(write_until_one_fails(host, data), st::read_only_range, "the status of a write");
  host.expect((critical_warning(host) & 8) != 0, "no warning that the drive is read-only");
  host.expect_status(host.execute(1, Host::io(nvme::io::write, 1, 1, data)), st::read_only_range,
                     "another one");
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, 1, data)), 0, "a read of a read-only drive");
  host.expect(host.holds(data, 1, 1), "other data in a read-only drive");
}

int sanitize(Host& host, std::uint32_t cdw10) {
  const int status = host.admin(kSanitize, cdw10);
  const std::uint64_t page = host.pages(1);
  for (std::uint32_t look = 0; status == 0 && look < Transport::kPatience / 10; ++look) {
    host.require(host.admin(nvme::admin::get_log_page, 0x81u | 127u << 16, 0, Host::kAll, page) == 0,
                 "the sanitize log");
    if ((host.load<std::uint16_t>(page + 2) & 7u) == 2) {
      host.wait(1000);
      continue;
    }
    host.expect_equal(host.load<std::uint16_t>(page + 2) & 7u, 3,
                      "the state of an operation that cannot end");
    return 0;
  }
  return status;
}

/// What an operation has failed to erase is restricted, by how it was asked for.
void a_sanitize_operation_that_fails_restricts_the_host(Host& host) {
  host.start_io();
  if ((host.controller[328] & 2) == 0) return; // SANICAP
  const std::uint64_t data = host.pages(1);
  while (host.execute(1, Host::io(nvme::io::write, 0, 1, data)) == 0) write_until_one_fails(host, data);
  const auto read = [&] { return host.execute(1, Host::io(nvme::io::read, 0, 1, data)); };
  host.require(sanitize(host, kBlockErase | kUnrestricted) == 0, "a sanitize command");
  host.expect_status(read(), st::sanitize_failed, "a read behind a failure");
  host.expect_status(host.admin(nvme::admin::identify, 1, 0, 0, data), 0, "identify behind a failure");
  host.expect_status(host.admin(0x80, 0, 0, 1), st::sanitize_failed, "a format behind a failure");
  host.expect_status(host.admin(kSanitize, kExitFailure), 0, "to leave a failure that was unrestricted");
  host.expect_status(read(), 0, "a read behind that");
  host.require(sanitize(host, kBlockErase) == 0, "a sanitize command");
  host.expect_status(host.admin(kSanitize, kExitFailure), st::sanitize_failed, "to leave one that was not");
  host.expect_status(host.admin(kSanitize, kBlockErase | kUnrestricted), st::sanitize_failed,
                     "an unrestricted operation behind a restricted one");
  host.disable();
  host.start_io();
  host.expect_status(read(), st::sanitize_failed, "a read behind a reset");
  host.expect_equal(sanitize(host, kBlockErase), 0, "another restricted operation");
}

void a_write_that_fails_says_so(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(1);
  host.expect_equal(write_until_one_fails(host, data), st::write_fault, "the status of a write");
  const std::uint64_t page = host.pages(1);
  host.expect_status(host.admin(nvme::admin::get_log_page, 2u | 127u << 16, 0, Host::kAll, page), 0,
                     "the health page");
  host.expect(host.load<std::uint64_t>(page + 160) != 0, "no media error is counted");
  host.expect_status(host.admin(nvme::admin::get_log_page, 1u | 15u << 16, 0, Host::kAll, page), 0,
                     "the error log");
  host.expect_equal(host.load<std::uint16_t>(page + 12) >> 1 & 0x7FF, st::write_fault, "its last entry");
}

} // namespace

std::vector<Rule> worn_rules() {
  return {
      {"a_worn_drive_refuses_writes_and_goes_on_reading", "5.14.1.2",
       a_worn_drive_refuses_writes_and_goes_on_reading},
      {"a_sanitize_operation_that_fails_restricts_the_host", "8.15",
       a_sanitize_operation_that_fails_restricts_the_host},
  };
}

std::vector<Rule> failing_rules() {
  return {{"a_write_that_fails_says_so", "4.6.1.2.3", a_write_that_fails_says_so}};
}

} // namespace twinplane::test::conformance
