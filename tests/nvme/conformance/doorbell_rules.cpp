// Doorbells and full completion queues (NVMe 1.4 sections 3.1.24, 3.1.25, 4.1, 5.2).
#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

constexpr std::uint32_t kInvalidRegister = 0, kInvalidValue = 1;
constexpr std::uint8_t kErrorLog = 1;

/// The doorbell is written in a way that it must not be, and the host learns of it.
void misuse(Host& host, std::uint32_t number, std::uint32_t value, std::uint32_t info) {
  const std::string what = "doorbell " + std::to_string(number) + " written " + std::to_string(value);
  nvme::Sqe request;
  request.opcode = nvme::admin::async_event;
  host.push(0, request);
  host.ring(0);
  host.doorbell(number, value);
  const auto came = host.collect(0, 1);
  host.require(came.size() == 1, what + ": no asynchronous event");
  host.expect_equal(came[0].result & 7, 0, what + ": the event's type");
  host.expect_equal(came[0].result >> 8 & 0xFF, info, what + ": the event's information");
  host.expect_equal(came[0].result >> 16 & 0xFF, kErrorLog, what + ": the event's log page");
  const std::uint64_t page = host.pages(1);
  host.expect_status(host.admin(nvme::admin::get_log_page, kErrorLog | 15u << 16, 0, Host::kAll, page), 0,
                     "the error log");
  host.expect(host.load<std::uint64_t>(page) != 0, what + " is not in the error log");
}

void doorbells_of_queues_that_are_not_there_are_reported(Host& host) {
  host.start_io();
  for (const std::uint32_t id : {2u, host.queues + 1}) {
    misuse(host, 2 * id, 1, kInvalidRegister);
    misuse(host, 2 * id + 1, 1, kInvalidRegister);
  }
  host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush behind misuse");
}

void values_beyond_the_queue_are_reported_and_ignored(Host& host) {
  host.start_io(8);
  misuse(host, 2, 8, kInvalidValue);
  misuse(host, 2, 0xFFFF, kInvalidValue);
  misuse(host, 3, 8, kInvalidValue);
  for (int i = 0; i < 20; ++i)
    host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush behind misuse");
}

void a_head_beyond_what_was_posted_is_reported_and_ignored(Host& host) {
  host.start_io(8);
  misuse(host, 3, 3, kInvalidValue);
  for (int i = 0; i < 20; ++i)
    host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush behind misuse");
}

void a_doorbell_of_a_deleted_queue_is_reported(Host& host) {
  host.start_io(8);
  host.require(host.admin(nvme::admin::delete_sq, 1) == 0, "deletion");
  misuse(host, 2, 1, kInvalidRegister);
}

/// The head's doorbell is not rung: no more entries than fit are posted, and no command is lost.
void a_full_completion_queue_holds_completions_back(Host& host) {
  host.start();
  host.require(host.create_cq(1, 4) == 0 && host.create_sq(1, 64, 1) == 0, "queues");
  for (int i = 0; i < 40; ++i) host.push(1, Host::io(nvme::io::flush, 0, 1));
  host.ring(1);
  host.wait(20000);
  std::size_t came = 0;
  while (host.take(1)) ++came;
  host.expect_equal(came, 3, "entries in a completion queue of four that is not emptied");
  host.wait(5000);
  host.expect(!host.take(1), "an entry too many");
  host.ring_head(1);
  came += host.collect(1, 37).size();
  host.expect_equal(came, 40, "the number of completions");
}

void a_full_completion_queue_stops_no_other(Host& host) {
  host.start();
  if (host.queues < 2) return;
  host.require(host.create_cq(1, 2) == 0 && host.create_sq(1, 64, 1) == 0, "queues");
  host.create_pair(2, 16);
  for (int i = 0; i < 20; ++i) host.push(1, Host::io(nvme::io::flush, 0, 1));
  host.ring(1);
  host.wait(10000);
  for (int i = 0; i < 30; ++i)
    host.expect_status(host.execute(2, Host::io(nvme::io::flush, 0, 1)), 0, "a flush beside a full queue");
  host.expect_status(host.admin(nvme::admin::delete_sq, 1), 0, "deletion of the queue that is stuck");
}

void interrupts_come_with_completions(Host& host) {
  host.start();
  host.require(host.create_cq(1, 8, 1) == 0 && host.create_sq(1, 8, 1) == 0, "queues with vector 1");
  const std::uint64_t before = host.messages(1);
  host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush");
  for (int look = 0; look < 1000 && host.messages(1) == before; ++look) host.wait(100);
  host.expect_equal(host.messages(1), before + 1, "messages of one completion");
}

void a_queue_without_interrupts_sends_none(Host& host) {
  host.start();
  Host::Cq queue;
  queue.entries = 8;
  queue.base = host.pages(1);
  host.cq[1] = queue;
  host.require(host.admin(nvme::admin::create_cq, 7u << 16 | 1, 1u | 1u << 16, 0, queue.base) == 0,
               "a CQ with IEN = 0");
  host.require(host.create_sq(1, 8, 1) == 0, "an SQ");
  const std::uint64_t before = host.messages(1);
  host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush");
  host.wait(5000);
  host.expect_equal(host.messages(1), before, "messages of a queue with IEN = 0");
}

} // namespace

std::vector<Rule> doorbell_rules() {
  return {
      {"doorbells_of_queues_that_are_not_there_are_reported", "5.2",
       doorbells_of_queues_that_are_not_there_are_reported},
      {"values_beyond_the_queue_are_reported_and_ignored", "5.2",
       values_beyond_the_queue_are_reported_and_ignored},
      {"a_head_beyond_what_was_posted_is_reported_and_ignored", "3.1.25",
       a_head_beyond_what_was_posted_is_reported_and_ignored},
      {"a_doorbell_of_a_deleted_queue_is_reported", "5.2", a_doorbell_of_a_deleted_queue_is_reported},
      {"a_full_completion_queue_holds_completions_back", "4.1",
       a_full_completion_queue_holds_completions_back},
      {"a_full_completion_queue_stops_no_other", "4.1", a_full_completion_queue_stops_no_other},
      {"interrupts_come_with_completions", "7.5", interrupts_come_with_completions},
      {"a_queue_without_interrupts_sends_none", "5.3", a_queue_without_interrupts_sends_none},
  };
}

} // namespace twinplane::test::conformance
