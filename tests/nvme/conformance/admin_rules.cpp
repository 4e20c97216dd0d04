// Identify, log pages, features, abort, asynchronous events (NVMe 1.4 section 5).
#include <algorithm>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

void identify_answers_by_cns_and_namespace(Host& host) {
  host.start();
  const std::uint64_t page = host.pages(1);
  const auto identify = [&](std::uint32_t cns, std::uint32_t nsid) {
    return host.admin(nvme::admin::identify, cns, 0, nsid, page);
  };
  host.expect_status(identify(1, 0), 0, "identify controller");
  for (const std::uint32_t cns : {0u, 3u}) {
    const std::string what = "identify CNS " + std::to_string(cns);
    host.expect_status(identify(cns, 1), 0, what);
    host.expect_status(identify(cns, 0), st::invalid_namespace, what + " of namespace 0");
    host.expect_status(identify(cns, Host::kAll - 1), st::invalid_namespace, what + " of FFFFFFFEh");
  }
  host.expect_status(identify(2, 0), 0, "the list of namespaces");
  host.expect_equal(host.load<std::uint32_t>(page), 1, "the first active namespace");
  host.expect_status(identify(2, 1), 0, "the list of namespaces behind 1");
  host.expect_equal(host.load<std::uint32_t>(page), 0, "the active namespace behind 1");
  host.expect_status(identify(2, Host::kAll), st::invalid_namespace,
                     "the list of namespaces behind FFFFFFFFh");
  for (const std::uint32_t cns : {0x20u, 0xFFu})
    host.expect_status(identify(cns, 1), st::invalid_field, "no CNS");
}

void identify_data_are_consistent(Host& host) {
  host.start();
  const std::vector<std::uint8_t>& c = host.controller;
  host.expect_equal(c[111], 1, "CNTRLTYPE");
  host.expect((c[512] & 15) == 6 && c[512] >> 4 >= 6, "SQES");
  host.expect((c[513] & 15) == 4 && c[513] >> 4 >= 4, "CQES");
  std::uint32_t version = 0, nn = 0;
  std::memcpy(&version, &c[80], 4);
  std::memcpy(&nn, &c[516], 4);
  host.expect_equal(version, host.read(nvme::bar::vs), "VER");
  host.expect(nn >= 1, "NN is 0");
  const std::string nqn(c.begin() + 768, c.begin() + 772);
  host.expect(nqn == "nqn.", "SUBNQN does not begin with nqn.");
  for (std::size_t i = 4; i < 72; ++i) host.expect(c[i] >= 0x20 && c[i] < 0x7F, "SN, MN, FR are not ASCII");
  const std::vector<std::uint8_t>& n = host.name_space;
  std::uint64_t size = 0, capacity = 0, use = 0;
  std::memcpy(&size, &n[0], 8);
  std::memcpy(&capacity, &n[8], 8);
  std::memcpy(&use, &n[16], 8);
  host.expect(use <= capacity && capacity <= size && size != 0, "NSZE, NCAP, NUSE are not in their order");
  host.expect((n[26] & 15) <= n[25], "FLBAS names no format");
}

void namespace_descriptors_are_well_formed(Host& host) {
  host.start();
  const std::uint64_t page = host.pages(1);
  host.require(host.admin(nvme::admin::identify, 3, 0, 1, page) == 0, "identify");
  std::uint32_t at = 0, count = 0;
  for (; at + 4 <= Host::kPage && *host.at(page + at) != 0; ++count) {
    const std::uint8_t type = *host.at(page + at), length = *host.at(page + at + 1);
    const std::uint8_t lengths[] = {0, 8, 16, 16, 1};
    host.require(type <= 4 && length == lengths[type], "a descriptor's type or length");
    at += 4u + length;
  }
  host.expect(count != 0, "a namespace without an identifier");
}

void log_pages_answer_by_identifier_and_offset(Host& host) {
  host.start();
  const std::uint64_t page = host.pages(2);
  const auto log = [&](std::uint32_t id, std::uint32_t dwords, std::uint32_t offset = 0) {
    nvme::Sqe sqe;
    sqe.opcode = nvme::admin::get_log_page;
    sqe.nsid = Host::kAll;
    sqe.cdw10 = id | (dwords - 1) << 16;
    sqe.cdw12 = offset;
    sqe.prp1 = page;
    return host.execute(0, sqe);
  };
  for (const std::uint32_t id : {1u, 2u, 3u}) {
    host.fill(page, Host::kPage, 0xA5);
    host.expect_status(log(id, id == 1 ? 16 : 128), 0, "a mandatory log page");
    host.expect(*host.at(page + (id == 1 ? 64 : 512)) == 0xA5, "more of a log page than was asked for");
  }
  host.expect_status(log(0, 1), st::log_page, "log page 0");
  host.expect_status(log(0x7F, 1), st::log_page, "a reserved log page");
  if ((host.controller[261] & 4) == 0) return; // LPA: no offsets
  host.require(log(2, 128) == 0, "the health page");
  const std::vector<std::uint8_t> whole(host.at(page), host.at(page) + 512);
  host.expect_status(log(2, 4, 32), 0, "a part of the health page");
  host.expect(std::equal(whole.begin() + 32, whole.begin() + 48, host.at(page)), "a part of another page");
  host.expect_status(log(2, 4, 2), st::invalid_field, "an offset that is not dword aligned");
  host.expect_status(log(2, 4, 516), st::invalid_field, "an offset behind the page");
}

void the_error_log_tells_of_the_last_error(Host& host) {
  host.start_io();
  nvme::Sqe bad = Host::io(nvme::io::read, host.sectors, 1);
  host.expect_status(host.execute(1, bad), st::lba_range, "a read behind the namespace");
  const std::uint16_t cid = host.last.cid;
  const std::uint64_t page = host.pages(1);
  host.require(host.admin(nvme::admin::get_log_page, 1u | 15u << 16, 0, Host::kAll, page) == 0,
               "the error log");
  host.expect(host.load<std::uint64_t>(page) != 0, "an entry without a count");
  host.expect_equal(host.load<std::uint16_t>(page + 8), 1, "the entry's SQID");
  host.expect_equal(host.load<std::uint16_t>(page + 10), cid, "the entry's command");
  host.expect_equal(host.load<std::uint16_t>(page + 12) >> 1 & 0x7FF, st::lba_range, "the entry's status");
  host.expect_equal(host.load<std::uint64_t>(page + 16), host.sectors, "the entry's LBA");
  host.expect_equal(host.load<std::uint32_t>(page + 24), 1, "the entry's namespace");
}

void mandatory_features_have_values(Host& host) {
  host.start();
  for (const std::uint32_t id : {0x01u, 0x02u, 0x04u, 0x05u, 0x07u, 0x08u, 0x09u, 0x0Au, 0x0Bu}) {
    host.expect_status(host.admin(nvme::admin::get_features, id), 0, "feature " + std::to_string(id));
    if ((host.oncs & 1u << 4) == 0) continue;
    host.expect_status(host.admin(nvme::admin::get_features, id | 1u << 8), 0, "its default");
    host.expect_status(host.admin(nvme::admin::get_features, id | 3u << 8), 0, "its capabilities");
  }
  const bool cache = (host.controller[525] & 1) != 0;
  host.expect_status(host.admin(nvme::admin::get_features, 6), cache ? 0 : st::invalid_field,
                     "VWC as identify says");
  host.expect_status(host.admin(nvme::admin::get_features, 0x7F), st::invalid_field, "a reserved feature");
  host.expect_status(host.admin(nvme::admin::set_features, 0x7F), st::invalid_field,
                     "a reserved feature set");
}

void features_keep_what_is_set_until_a_reset(Host& host) {
  host.start();
  const auto set = [&](std::uint32_t id, std::uint32_t value) {
    host.expect_status(host.admin(nvme::admin::set_features, id, value), 0, "feature " + std::to_string(id));
    host.admin(nvme::admin::get_features, id);
    host.expect_equal(host.last.result, value, "feature " + std::to_string(id));
  };
  host.admin(nvme::admin::get_features, 0x08);
  const std::uint32_t standard = host.last.result;
  set(0x01, 0x0302'0102);
  set(0x08, 0x0203);
  set(0x0A, 1);
  set(0x0B, 0x3);
  host.disable();
  host.enable();
  host.admin(nvme::admin::get_features, 0x08);
  host.expect_equal(host.last.result, standard, "interrupt coalescing behind a reset");
  host.expect_status(host.admin(nvme::admin::set_features, 0x08 | 1u << 31, 0x0101), st::feature_not_saveable,
                     "a feature saved");
  host.expect_status(host.admin(nvme::admin::set_features, 0x02, 31), st::invalid_field, "power state 31");
}

/// A drive may leave alone what it is not asked for, but has to say so.
void features_are_changed_as_far_as_they_can_be(Host& host) {
  host.start();
  const auto set = [&](std::uint32_t id, std::uint32_t value, std::uint32_t nsid = 0) {
    return host.admin(nvme::admin::set_features, id, value, nsid);
  };
  constexpr std::uint32_t kCoalescingDisabled = 1u << 16;
  const int single = set(0x09, kCoalescingDisabled | 1);
  host.expect(single == 0 || single == st::feature_not_changeable,
              "coalescing of a single vector: status " + std::to_string(single));
  if (single == 0) {
    host.admin(nvme::admin::get_features, 0x09, 1);
    host.expect_equal(host.last.result, kCoalescingDisabled | 1, "coalescing of a single vector");
  }
  host.admin(nvme::admin::get_features, 0x01);
  const std::uint32_t before = host.last.result;
  host.expect_status(set(0x01, 0x0101'0101, 1), st::feature_not_of_namespace,
                     "a feature of the controller set for a namespace");
  host.admin(nvme::admin::get_features, 0x01);
  host.expect_equal(host.last.result, before, "a feature that was refused");
}

/// How many commands are searched for a conflict is the drive's own business.
void an_identifier_in_use_is_refused_or_works(Host& host) {
  host.start();
  nvme::Sqe request;
  request.opcode = nvme::admin::async_event;
  const std::uint16_t waits = host.push(0, request);
  nvme::Sqe other;
  other.opcode = nvme::admin::get_features;
  other.cdw10 = 1;
  host.push(0, other);
  constexpr std::uint32_t kIdentifier = 2; // of an entry
  host.store(host.sq[0].base + (host.sq[0].tail - 1) * sizeof other + kIdentifier, waits);
  host.ring(0);
  const auto came = host.collect(0, 1);
  host.require(came.size() == 1 && came[0].cid == waits, "a command of an identifier in use does not end");
  const int status = came[0].status >> 1 & ~st::dnr;
  host.expect(status == st::cid_conflict || (status == 0 && came[0].result != 0),
              "an identifier in use: status " + std::to_string(status));
  host.expect(!host.take(0).has_value(), "the command that has had the identifier before ends, too");
  host.expect_status(host.admin(nvme::admin::get_features, 1), 0, "a command behind it");
}

void abort_says_whether_it_did(Host& host) {
  host.start();
  host.expect_status(host.admin(nvme::admin::abort, 0x7777u << 16), 0, "abort of no command");
  host.expect_equal(host.last.result & 1, 1, "abort of no command: dword 0");
  nvme::Sqe request;
  request.opcode = nvme::admin::async_event;
  const std::uint16_t waits = host.push(0, request);
  nvme::Sqe abort;
  abort.opcode = nvme::admin::abort;
  abort.cdw10 = std::uint32_t{waits} << 16;
  const std::uint16_t cid = host.push(0, abort);
  host.ring(0);
  const auto came = host.collect(0, 2);
  host.require(came.size() == 2, "an event request and its abort do not both complete");
  for (const nvme::Cqe& entry : came) {
    host.expect_status(entry.status >> 1 & ~st::dnr, entry.cid == cid ? 0 : st::abort_requested, "an abort");
    if (entry.cid == cid) host.expect_equal(entry.result & 1, 0, "abort of a command that waited: dword 0");
  }
  host.expect(came[0].cid == waits, "the abort completes before what it has aborted");
}

void abort_of_commands_under_way_loses_none(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(32);
  std::vector<std::uint16_t> ids;
  for (std::uint32_t i = 0; i < 30; ++i)
    ids.push_back(host.push(1, Host::io(nvme::io::write, i, 1, data + i * Host::kPage)));
  host.ring(1);
  for (const std::uint16_t id : {ids[29], ids[15], ids[0]})
    host.expect_status(host.admin(nvme::admin::abort, 1u | std::uint32_t{id} << 16), 0, "an abort");
  const auto came = host.collect(1, 30);
  host.expect_equal(came.size(), 30, "the number of completions");
  for (const nvme::Cqe& entry : came) {
    const int status = entry.status >> 1 & ~st::dnr;
    host.expect(status == 0 || status == st::abort_requested, "status of a write that may have been aborted");
  }
}

void event_requests_are_limited(Host& host) {
  host.start();
  const std::uint32_t limit = host.controller[259] + 1u; // AERL
  if (limit > 30) return;
  nvme::Sqe request;
  request.opcode = nvme::admin::async_event;
  for (std::uint32_t i = 0; i < limit; ++i) host.push(0, request);
  host.ring(0);
  host.wait(2000);
  host.expect(!host.take(0), "an event request completes without an event");
  host.expect_status(host.execute(0, request), st::aer_limit, "one event request more than AERL");
  const std::uint64_t page = host.pages(1);
  host.expect_status(host.admin(nvme::admin::identify, 1, 0, 0, page), 0, "identify beside event requests");
}

/// Section 5.2: after an event of a type no further one comes until its log page has been read.
void events_of_a_kind_wait_for_the_log_to_be_read(Host& host) {
  host.start();
  nvme::Sqe request;
  request.opcode = nvme::admin::async_event;
  if (host.controller[259] < 1) return;
  host.push(0, request);
  host.push(0, request);
  host.ring(0);
  host.doorbell(2 * (host.queues + 1), 0);
  host.require(host.collect(0, 1).size() == 1, "no event of a misused doorbell");
  host.doorbell(2 * (host.queues + 1), 0);
  host.wait(5000);
  host.expect(!host.take(0), "a second event before the log page was read");
  const std::uint64_t page = host.pages(1);
  const auto read_log = [&](std::uint32_t retain) {
    nvme::Sqe sqe;
    sqe.opcode = nvme::admin::get_log_page;
    sqe.cdw10 = 1u | retain << 15 | 15u << 16;
    sqe.nsid = Host::kAll;
    sqe.prp1 = page;
    host.push(0, sqe);
    host.ring(0);
  };
  read_log(1);
  host.require(host.collect(0, 1).size() == 1, "the log page");
  host.wait(5000);
  host.expect(!host.take(0), "a second event although the first was retained");
  read_log(0);
  host.expect_equal(host.collect(0, 2).size(), 2, "log page and second event");
}

void a_temperature_threshold_raises_an_event(Host& host) {
  host.start();
  const std::uint64_t page = host.pages(1);
  host.require(host.admin(nvme::admin::get_log_page, 2u | 127u << 16, 0, Host::kAll, page) == 0,
               "the health page");
  const std::uint16_t now = host.load<std::uint16_t>(page + 1);
  host.expect((*host.at(page) & 2) == 0, "a temperature warning to begin with");
  nvme::Sqe request;
  request.opcode = nvme::admin::async_event;
  host.expect_status(host.admin(nvme::admin::set_features, 0x0B, 2), 0, "the wish for temperature events");
  const std::uint16_t waits = host.push(0, request);
  nvme::Sqe set;
  set.opcode = nvme::admin::set_features;
  set.cdw10 = 4;
  set.cdw11 = now - 1u;
  host.push(0, set);
  host.ring(0);
  const auto came = host.collect(0, 2);
  host.require(came.size() == 2, "no event of a temperature above its threshold");
  const nvme::Cqe& event = came[0].cid == waits ? came[0] : came[1];
  host.expect_equal(event.result, 1u | 1u << 8 | 2u << 16, "SMART, temperature, log page 2");
  host.admin(nvme::admin::get_log_page, 2u | 127u << 16, 0, Host::kAll, page);
  host.expect((*host.at(page) & 2) != 0, "the health page does not warn of the temperature");
}

void unknown_admin_opcodes_are_refused(Host& host) {
  host.start();
  for (const std::uint8_t opcode :
       std::initializer_list<std::uint8_t>{0x03, 0x07, 0x0B, 0x13, 0x1B, 0x7B, 0xBF})
    host.expect_status(host.admin(opcode), st::invalid_opcode, "admin opcode " + std::to_string(opcode));
}

/// Commands that identify denies are invalid opcodes, those that it promises are not.
void optional_admin_commands_are_as_identify_says(Host& host) {
  host.start();
  const struct {
    std::uint8_t opcode;
    std::uint16_t bit; // of OACS
  } rows[] = {{0x81, 0}, {0x82, 0}, {0x80, 1}, {0x10, 2}, {0x11, 2}, {0x0D, 3}, {0x15, 3},
              {0x14, 4}, {0x19, 5}, {0x1A, 5}, {0x1C, 7}, {0x7C, 8}, {0x86, 9}};
  for (const auto& row : rows) {
    if ((host.oacs >> row.bit & 1) != 0) continue; // has rules of its own
    host.expect_status(host.admin(row.opcode), st::invalid_opcode,
                       "admin opcode " + std::to_string(row.opcode));
  }
  std::uint16_t kas = 0;
  std::memcpy(&kas, &host.controller[320], 2);
  if (kas == 0) host.expect_status(host.admin(0x18), st::invalid_opcode, "keep alive");
  std::uint32_t sanicap = 0;
  std::memcpy(&sanicap, &host.controller[328], 4);
  if ((sanicap & 7) == 0) host.expect_status(host.admin(0x84), st::invalid_opcode, "sanitize");
}

} // namespace

std::vector<Rule> admin_rules() {
  return {
      {"identify_answers_by_cns_and_namespace", "5.15", identify_answers_by_cns_and_namespace},
      {"identify_data_are_consistent", "5.15.2", identify_data_are_consistent},
      {"namespace_descriptors_are_well_formed", "5.15.2.4", namespace_descriptors_are_well_formed},
      {"log_pages_answer_by_identifier_and_offset", "5.14", log_pages_answer_by_identifier_and_offset},
      {"the_error_log_tells_of_the_last_error", "5.14.1.1", the_error_log_tells_of_the_last_error},
      {"mandatory_features_have_values", "5.15, 5.21", mandatory_features_have_values},
      {"features_keep_what_is_set_until_a_reset", "5.21", features_keep_what_is_set_until_a_reset},
      {"features_are_changed_as_far_as_they_can_be", "5.21", features_are_changed_as_far_as_they_can_be},
      {"an_identifier_in_use_is_refused_or_works", "4.6.1.2.1", an_identifier_in_use_is_refused_or_works},
      {"abort_says_whether_it_did", "5.1", abort_says_whether_it_did},
      {"abort_of_commands_under_way_loses_none", "5.1", abort_of_commands_under_way_loses_none},
      {"event_requests_are_limited", "5.2", event_requests_are_limited},
      {"events_of_a_kind_wait_for_the_log_to_be_read", "5.2", events_of_a_kind_wait_for_the_log_to_be_read},
      {"a_temperature_threshold_raises_an_event", "5.21.1.4", a_temperature_threshold_raises_an_event},
      {"unknown_admin_opcodes_are_refused", "5", unknown_admin_opcodes_are_refused},
      {"optional_admin_commands_are_as_identify_says", "5.15.2.2",
       optional_admin_commands_are_as_identify_says},
  };
}

} // namespace twinplane::test::conformance
