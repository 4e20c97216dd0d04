// Format, self-test, telemetry, verify, write uncorrectable (NVMe 1.4
// sections 5.8, 5.14.1, 5.23, 6.14, 6.16), where identify promises them.
#include <algorithm>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

constexpr std::uint8_t kSelfTest = 0x14, kFormat = 0x80, kWriteUncorrectable = 0x04, kVerify = 0x0C;

bool offers_io(const Host& host, std::uint32_t bit) {
  return (host.oncs >> bit & 1) != 0;
}
bool offers_admin(const Host& host, std::uint32_t bit) {
  return (host.oacs >> bit & 1) != 0;
}

int read_log(Host& host, std::uint32_t id, std::uint32_t bytes, std::uint64_t page,
             std::uint32_t specific = 0) {
  return host.admin(nvme::admin::get_log_page, id | specific << 8 | (bytes / 4 - 1) << 16, 0, Host::kAll,
                    page);
}

void verify_moves_no_data(Host& host) {
  host.start_io();
  if (!offers_io(host, 7)) return;
  const std::uint64_t data = host.pages(1);
  host.make(data, 1, 1);
  host.expect_status(host.execute(1, Host::io(nvme::io::write, 0, 1, data)), 0, "a write");
  host.fill(data, host.sector_bytes, 0xA5);
  host.expect_status(host.execute(1, Host::io(kVerify, 0, 1, data)), 0, "a verify");
  host.expect(*host.at(data) == 0xA5, "a verify moves data");
  const auto all = static_cast<std::uint32_t>(std::min<std::uint64_t>(host.sectors, 65536));
  host.expect_status(host.execute(1, Host::io(kVerify, 0, all)), 0, "a verify of many sectors");
}

void uncorrectable_sectors_fail_reads_until_they_are_written(Host& host) {
  host.start_io();
  if (!offers_io(host, 1)) return;
  const std::uint64_t data = host.pages(4);
  for (std::uint32_t lba = 0; lba < 4; ++lba)
    host.expect_status(host.execute(1, Host::io(nvme::io::write, lba, 1, data)), 0, "a write");
  host.expect_status(host.execute(1, Host::io(kWriteUncorrectable, 1, 2)), 0, "write uncorrectable");
  const auto read = [&](std::uint64_t lba) {
    return host.execute(1, Host::io(nvme::io::read, lba, 1, data));
  };
  for (const std::uint64_t lba : {0u, 3u}) host.expect_status(read(lba), 0, "a read beside");
  for (const std::uint64_t lba : {1u, 2u})
    host.expect_status(read(lba), st::unrecovered_read, "a read of it");
  if (offers_io(host, 7))
    host.expect_status(host.execute(1, Host::io(kVerify, 0, 4)), st::unrecovered_read, "a verify of it");
  host.expect_status(host.execute(1, Host::io(nvme::io::write, 1, 1, data)), 0, "a write of it");
  host.expect_status(read(1), 0, "a read of what is written again");
  host.expect_status(read(2), st::unrecovered_read, "a read of the rest");
  host.disable();
  host.start_io();
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 2, 1, data)), st::unrecovered_read,
                     "a read of it behind a reset");
  host.execute(1, Host::io(nvme::io::write, 2, 1, data));
}

void format_takes_all_data(Host& host) {
  host.start_io();
  if (!offers_admin(host, 1)) return;
  const std::uint64_t data = host.pages(1);
  const std::uint64_t places[] = {0, host.sectors / 2, host.sectors - 1};
  for (const std::uint32_t erase : {0u, 1u}) {
    for (const std::uint64_t lba : places) {
      host.make(data, 1, static_cast<std::uint32_t>(lba));
      host.expect_status(host.execute(1, Host::io(nvme::io::write, lba, 1, data)), 0, "a write");
    }
    host.expect_status(host.admin(kFormat, erase << 9, 0, 1), 0, "a format");
    for (const std::uint64_t lba : places) {
      host.expect_status(host.execute(1, Host::io(nvme::io::read, lba, 1, data)), 0,
                         "a read behind a format");
      host.expect(!host.holds(data, 1, static_cast<std::uint32_t>(lba)), "data survive a format");
    }
  }
}

void format_is_checked(Host& host) {
  host.start();
  if (!offers_admin(host, 1)) return;
  const std::uint32_t formats = host.name_space[25] + 1u; // NLBAF
  if (formats < 16)
    host.expect_status(host.admin(kFormat, formats, 0, 1), st::invalid_format, "a format behind NLBAF");
  if (host.name_space[28] == 0) // DPC
    host.expect_status(host.admin(kFormat, 1u << 5, 0, 1), st::invalid_format, "protection information");
  if ((host.controller[524] & 4) == 0) // FNA
    host.expect_status(host.admin(kFormat, 2u << 9, 0, 1), st::invalid_field, "a cryptographic erase");
  host.expect_status(host.admin(kFormat, 7u << 9, 0, 1), st::invalid_field, "a reserved erase");
  host.expect_status(host.admin(kFormat, 0, 0, Host::kAll - 1), st::invalid_namespace,
                     "a format of no namespace");
}

void a_format_beside_io_ends_all_commands(Host& host) {
  host.start_io();
  if (!offers_admin(host, 1)) return;
  const std::uint64_t data = host.pages(60);
  for (std::uint32_t i = 0; i < 60; ++i)
    host.push(1, Host::io(nvme::io::write, i, 1, data + i * Host::kPage));
  nvme::Sqe format;
  format.opcode = kFormat;
  format.nsid = 1;
  const std::uint16_t first = host.push(0, format);
  host.push(0, format);
  host.ring(1);
  host.ring(0);
  const auto came = host.collect(1, 60);
  host.expect_equal(came.size(), 60, "the number of completions");
  for (const nvme::Cqe& entry : came) {
    const int status = entry.status >> 1 & ~st::dnr;
    host.expect(status == 0 || status == st::format_in_progress, "status of a write beside a format");
  }
  const auto done = host.collect(0, 2);
  host.require(done.size() == 2, "a format does not complete");
  for (const nvme::Cqe& entry : done) {
    const int status = entry.status >> 1 & ~st::dnr;
    host.expect(status == 0 || (entry.cid != first && status == st::format_in_progress),
                "a format beside writes and another one: status " + std::to_string(status));
  }
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, 1, data)), 0, "a read behind a format");
}

std::uint8_t wait_for_test(Host& host, std::uint64_t page) {
  for (std::uint32_t look = 0; look < 20'000; ++look) {
    host.require(read_log(host, 6, 564, page) == 0, "the self-test log");
    if ((*host.at(page) & 15) == 0) return *host.at(page + 4);
    host.wait(1000);
  }
  host.require(false, "a self-test does not end");
  return 0;
}

void a_self_test_is_logged(Host& host) {
  host.start_io();
  if (!offers_admin(host, 4)) return;
  const std::uint64_t page = host.pages(1);
  if (offers_admin(host, 1)) host.admin(kFormat, 0, 0, 1); // no sector is bad
  host.expect_status(host.admin(kSelfTest, 1, 0, 1), 0, "a short self-test");
  host.expect_equal(wait_for_test(host, page), 0x10, "the result of a short self-test");
  host.expect_status(host.admin(kSelfTest, 2, 0, Host::kAll), 0, "an extended self-test");
  const std::uint64_t data = host.pages(1);
  host.expect_status(host.execute(1, Host::io(nvme::io::write, 0, 1, data)), 0, "a write beside a self-test");
  host.expect_equal(wait_for_test(host, page), 0x20, "the result of an extended self-test");
  host.expect_equal(*host.at(page + 4 + 28), 0x10, "the result before it");
  host.expect_status(host.admin(kSelfTest, 0, 0, 1), st::invalid_field, "self-test code 0");
  host.expect_status(host.admin(kSelfTest, 1, 0, Host::kAll - 1), st::invalid_namespace,
                     "a test of no namespace");
  host.expect_status(host.admin(kSelfTest, 15, 0, 1), 0, "an abort of no self-test");
}

void a_self_test_can_be_aborted(Host& host) {
  host.start();
  if (!offers_admin(host, 4)) return;
  const std::uint64_t page = host.pages(1);
  nvme::Sqe test;
  test.opcode = kSelfTest;
  test.nsid = 1;
  test.cdw10 = 2;
  nvme::Sqe abort = test;
  abort.cdw10 = 15;
  host.push(0, test);
  host.push(0, test);
  host.push(0, abort);
  host.ring(0);
  const auto came = host.collect(0, 3);
  host.require(came.size() == 3, "self-tests and their abort do not complete");
  host.expect_status(came[0].status >> 1 & ~st::dnr, 0, "a self-test");
  host.expect_status(came[1].status >> 1 & ~st::dnr, st::self_test_in_progress, "a second one");
  host.expect_status(came[2].status >> 1 & ~st::dnr, 0, "an abort");
  host.expect_equal(wait_for_test(host, page), 0x21, "the result of a self-test that was aborted");
}

void telemetry_is_a_snapshot(Host& host) {
  host.start();
  if ((host.controller[261] & 8) == 0) return; // LPA
  const std::uint64_t page = host.pages(1), again = host.pages(1);
  host.expect_status(read_log(host, 7, 512, page, 1), 0, "telemetry created");
  host.expect_equal(*host.at(page), 7, "its identifier");
  const std::uint16_t last = host.load<std::uint16_t>(page + 12);
  host.expect(last >= host.load<std::uint16_t>(page + 10) && last >= host.load<std::uint16_t>(page + 8),
              "the data areas are not in their order");
  host.expect_status(read_log(host, 7, 64, page), st::invalid_field, "a part of a block");
  host.expect_status(read_log(host, 8, 512, page), 0, "telemetry of the controller's own");
  if (last == 0 || last > 7) return;
  const std::uint32_t bytes = (last + 1u) * 512;
  host.expect_status(read_log(host, 7, bytes, page), 0, "telemetry");
  host.admin(0xFF); // an error more
  host.expect_status(read_log(host, 7, bytes, again), 0, "telemetry again");
  host.expect(std::equal(host.at(page), host.at(page) + bytes, host.at(again)),
              "a snapshot changes by itself");
}

/// Section 5.14.1.5; a command with a fused operation is refused before it does anything.
void the_effects_page_names_the_commands_that_there_are(Host& host) {
  host.start_io();
  if ((host.controller[261] & 2) == 0 || (host.controller[522] & 1) != 0) return; // LPA, FUSES
  const std::uint64_t page = host.pages(1);
  host.require(read_log(host, 5, 4096, page) == 0, "the effects page");
  for (std::uint32_t opcode = 0; opcode < 256; ++opcode) {
    nvme::Sqe sqe;
    sqe.opcode = static_cast<std::uint8_t>(opcode);
    sqe.nsid = 1;
    sqe.flags = 1;
    for (const std::uint16_t queue : std::initializer_list<std::uint16_t>{0, 1}) {
      const bool there = (host.load<std::uint32_t>(page + queue * 1024u + opcode * 4) & 1) != 0;
      const int status = host.execute(queue, sqe);
      host.expect((status != st::invalid_opcode) == there, (queue == 0 ? "admin opcode " : "I/O opcode ") +
                                                               std::to_string(opcode) + " ends with " +
                                                               std::to_string(status));
    }
  }
}

void the_list_of_changed_namespaces_is_cleared_by_reading(Host& host) {
  host.start();
  const std::uint64_t page = host.pages(1);
  if (read_log(host, 4, 4096, page) != 0) return; // optional
  host.expect_status(read_log(host, 4, 4096, page), 0, "the list again");
  host.expect(host.holds_zeros(page, 4096), "namespaces have changed although none was changed");
}

} // namespace

std::vector<Rule> maintenance_rules() {
  return {
      {"verify_moves_no_data", "6.14", verify_moves_no_data},
      {"uncorrectable_sectors_fail_reads_until_they_are_written", "6.16",
       uncorrectable_sectors_fail_reads_until_they_are_written},
      {"format_takes_all_data", "5.23", format_takes_all_data},
      {"format_is_checked", "5.23", format_is_checked},
      {"a_format_beside_io_ends_all_commands", "5.23", a_format_beside_io_ends_all_commands},
      {"a_self_test_is_logged", "5.8, 5.14.1.6", a_self_test_is_logged},
      {"a_self_test_can_be_aborted", "5.8", a_self_test_can_be_aborted},
      {"telemetry_is_a_snapshot", "5.14.1.7", telemetry_is_a_snapshot},
      {"the_effects_page_names_the_commands_that_there_are", "5.14.1.5",
       the_effects_page_names_the_commands_that_there_are},
      {"the_list_of_changed_namespaces_is_cleared_by_reading", "5.14.1.4",
       the_list_of_changed_namespaces_is_cleared_by_reading},
  };
}

} // namespace twinplane::test::conformance
