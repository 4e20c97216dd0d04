// Sanitize (NVMe 1.4 sections 5.24, 8.15), where identify promises it. Operations take as long as they take:
// what is refused meanwhile is judged by what the log page says before and behind it.
#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

constexpr std::uint8_t kSanitize = 0x84;
constexpr std::uint32_t kExitFailure = 1, kBlockErase = 2, kNoDeallocate = 1u << 9; // CDW10
constexpr std::uint32_t kCompleted = 1, kInProgress = 2;                            // SSTAT

std::uint32_t capabilities(const Host& host) {
  std::uint32_t sanicap = 0;
  std::memcpy(&sanicap, &host.controller[328], sizeof sanicap);
  return sanicap;
}
bool erases_blocks(const Host& host) {
  return (capabilities(host) & 2) != 0;
}

int read_log(Host& host, std::uint32_t id, std::uint64_t page) {
  return host.admin(nvme::admin::get_log_page, id | 127u << 16, 0, Host::kAll, page);
}

/// SSTAT, with SPROG held against it.
std::uint32_t state(Host& host) {
  const std::uint64_t page = host.pages(1);
  host.require(read_log(host, 0x81, page) == 0, "the sanitize log");
  const std::uint32_t status = host.load<std::uint16_t>(page + 2) & 7u;
  if (status != kInProgress)
    host.expect_equal(host.load<std::uint16_t>(page), 0xFFFF, "the progress of no sanitize operation");
  return status;
}

void wait_until_done(Host& host) {
  for (std::uint32_t look = 0; look < Transport::kPatience / 10; ++look) {
    if (state(host) != kInProgress) return;
    host.wait(1000);
  }
  host.require(false, "a sanitize operation does not end");
}

void write_some(Host& host) {
  const std::uint64_t data = host.pages(1);
  for (const std::uint64_t lba : {std::uint64_t{0}, host.sectors / 2, host.sectors - 1}) {
    host.make(data, 1, static_cast<std::uint32_t>(lba));
    host.expect_status(host.execute(1, Host::io(nvme::io::write, lba, 1, data)), 0, "a write");
  }
}

void expect_erased(Host& host) {
  const std::uint64_t data = host.pages(1);
  for (const std::uint64_t lba : {std::uint64_t{0}, host.sectors / 2, host.sectors - 1}) {
    host.expect_status(host.execute(1, Host::io(nvme::io::read, lba, 1, data)), 0, "a read behind it");
    host.expect(!host.holds(data, 1, static_cast<std::uint32_t>(lba)), "data survive a sanitize operation");
  }
}

void sanitize_takes_all_data_and_says_so(Host& host) {
  host.start_io();
  if (!erases_blocks(host)) return;
  write_some(host);
  nvme::Sqe event;
  event.opcode = nvme::admin::async_event;
  const std::uint16_t asked = host.push(0, event);
  nvme::Sqe sanitize;
  sanitize.opcode = kSanitize;
  sanitize.cdw10 = kBlockErase;
  const std::uint16_t began = host.push(0, sanitize);
  host.ring(0);
  const auto came = host.collect(0, 2);
  host.require(came.size() == 2, "a sanitize operation does not tell of its end");
  host.expect(came[0].cid == began && came[1].cid == asked, "an end before the beginning");
  host.expect_status(came[0].status >> 1 & ~st::dnr, 0, "a sanitize command");
  host.expect_equal(came[1].result, 6u | 1u << 8 | 0x81u << 16, "the event of its end");
  const std::uint64_t page = host.pages(1);
  host.expect_status(read_log(host, 0x81, page), 0, "the sanitize log");
  host.expect_equal(host.load<std::uint16_t>(page + 2) & 7u, kCompleted, "its state");
  host.expect_equal(host.load<std::uint32_t>(page + 4), kBlockErase, "dword 10 in the log");
  expect_erased(host);
  write_some(host);
  host.expect_status(read_log(host, 0x81, page), 0, "the sanitize log");
  host.expect((host.load<std::uint16_t>(page + 2) & 0x100) == 0, "nothing has been written, says the log");
}

/// Of commands between two looks at the log that both find the operation going on.
void sanitize_restricts_other_commands(Host& host) {
  host.start_io();
  if (!erases_blocks(host)) return;
  write_some(host);
  const std::uint64_t data = host.pages(1);
  nvme::Sqe sanitize;
  sanitize.opcode = kSanitize;
  sanitize.cdw10 = kBlockErase;
  const std::uint16_t first = host.push(0, sanitize);
  host.push(0, sanitize);
  host.ring(0);
  for (const nvme::Cqe& entry : host.collect(0, 2)) {
    const int status = entry.status >> 1 & ~st::dnr;
    if (entry.cid == first)
      host.expect_status(status, 0, "a sanitize command");
    else
      host.expect(status == 0 || status == st::sanitize_in_progress,
                  "a second one: " + std::to_string(status));
  }
  const auto judge = [&](const char* what, int should_be, auto&& command) {
    if (state(host) != kInProgress) return;
    const int status = command();
    if (state(host) == kInProgress) host.expect_status(status, should_be, what);
  };
  const auto admin = [&](std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t nsid) {
    return [&host, data, opcode, cdw10, nsid] { return host.admin(opcode, cdw10, 0, nsid, data); };
  };
  const auto io = [&](std::uint8_t opcode) {
    return [&host, data, opcode] { return host.execute(1, Host::io(opcode, 0, 1, data)); };
  };
  judge("a write", st::sanitize_in_progress, io(nvme::io::write));
  judge("a read", st::sanitize_in_progress, io(nvme::io::read));
  judge("a flush", st::sanitize_in_progress, io(nvme::io::flush));
  judge("a sanitize command", st::sanitize_in_progress, admin(kSanitize, kBlockErase, 0));
  if ((host.oacs & 2) != 0) judge("a format", st::sanitize_in_progress, admin(0x80, 0, 1));
  if ((host.oacs & 16) != 0) judge("a self-test", st::sanitize_in_progress, admin(0x14, 1, 1));
  judge("identify", 0, admin(nvme::admin::identify, 1, 0));
  judge("the health log", 0, admin(nvme::admin::get_log_page, 2 | 127u << 16, Host::kAll));
  judge("the log of firmware slots", st::sanitize_in_progress,
        admin(nvme::admin::get_log_page, 3 | 127u << 16, Host::kAll));
  judge("get features", 0, admin(nvme::admin::get_features, 1, 0));
  wait_until_done(host);
  expect_erased(host);
}

void sanitize_goes_on_over_a_reset(Host& host) {
  host.start_io();
  if (!erases_blocks(host)) return;
  write_some(host);
  host.expect_status(host.admin(kSanitize, kBlockErase), 0, "a sanitize command");
  host.disable();
  host.start_io();
  const std::uint32_t status = state(host);
  host.expect(status == kInProgress || status == kCompleted, "a reset ends a sanitize operation");
  wait_until_done(host);
  host.expect_equal(state(host), kCompleted, "the state behind a reset");
  expect_erased(host);
}

void sanitize_is_checked(Host& host) {
  host.start();
  const std::uint32_t sanicap = capabilities(host);
  if ((sanicap & 7) == 0) {
    host.expect_status(host.admin(kSanitize, kBlockErase), st::invalid_opcode, "sanitize that is not there");
    host.expect_status(read_log(host, 0x81, host.pages(1)), st::log_page, "its log page");
    return;
  }
  constexpr struct { std::uint32_t action, bit; } kActions[] = {{2, 1}, {3, 2}, {4, 0}};
  for (const auto& action : kActions) {
    if ((sanicap >> action.bit & 1) == 0)
      host.expect_status(host.admin(kSanitize, action.action), st::invalid_field,
                         "an action that is not there");
  }
  for (const std::uint32_t reserved : {0u, 5u, 6u, 7u})
    host.expect_status(host.admin(kSanitize, reserved), st::invalid_field, "a reserved action");
  if ((sanicap >> 29 & 1) != 0 && erases_blocks(host))
    host.expect_status(host.admin(kSanitize, kBlockErase | kNoDeallocate), st::invalid_field,
                       "no deallocation, which is inhibited");
  if (state(host) < kInProgress)
    host.expect_status(host.admin(kSanitize, kExitFailure), 0, "to leave a failure that there is not");
}

} // namespace

std::vector<Rule> sanitize_rules() {
  return {
      {"sanitize_takes_all_data_and_says_so", "5.24, 8.15", sanitize_takes_all_data_and_says_so},
      {"sanitize_restricts_other_commands", "8.15", sanitize_restricts_other_commands},
      {"sanitize_goes_on_over_a_reset", "8.15", sanitize_goes_on_over_a_reset},
      {"sanitize_is_checked", "5.24", sanitize_is_checked},
  };
}

} // namespace twinplane::test::conformance
