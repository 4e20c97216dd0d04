// Creation and deletion of queues, arbitration (NVMe 1.4 sections 4.1, 4.13, 5.3 to 5.6).
#include <algorithm>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;
using nvme::admin::create_cq;
using nvme::admin::create_sq;
using nvme::admin::delete_cq;
using nvme::admin::delete_sq;

constexpr std::uint32_t kContiguous = 1;

void completion_queue_creation_is_checked(Host& host) {
  host.start();
  const std::uint64_t base = host.pages(1);
  const auto create = [&](std::uint32_t id, std::uint32_t size, std::uint32_t cdw11, std::uint64_t prp1) {
    return host.admin(create_cq, (size - 1) << 16 | id, cdw11, 0, prp1);
  };
  host.expect_status(create(0, 8, 3, base), st::qid_invalid, "a CQ of identifier 0");
  host.expect_status(create(host.queues + 1, 8, 3, base), st::qid_invalid,
                     "a CQ beyond the number of queues");
  host.expect_status(create(0xFFFF, 8, 3, base), st::qid_invalid, "a CQ of identifier FFFFh");
  host.expect_status(create(1, 1, 3, base), st::queue_size, "a CQ of one entry");
  if (host.most_entries < 0x10000)
    host.expect_status(create(1, host.most_entries + 1, 3, base), st::queue_size,
                       "a CQ larger than CAP.MQES");
  if ((host.read(nvme::bar::cap) >> 16 & 1) != 0)
    host.expect_status(create(1, 8, 2, base), st::invalid_field, "a CQ in pieces where CAP.CQR is 1");
  host.expect_status(create(1, 8, 3, base + 8), st::prp_offset, "a CQ with an offset in PRP1");
  host.expect_status(create(1, 8, 3 | 0xFFFFu << 16, base), st::interrupt_vector, "a CQ of vector FFFFh");
  host.expect_status(create(1, 8, 3, base), 0, "a CQ");
  host.expect_status(create(1, 8, 3, base), st::qid_invalid, "a CQ that there is already");
}

void submission_queue_creation_is_checked(Host& host) {
  host.start();
  const std::uint64_t base = host.pages(1);
  const auto create = [&](std::uint32_t id, std::uint32_t size, std::uint32_t cqid, std::uint64_t prp1) {
    return host.admin(create_sq, (size - 1) << 16 | id, kContiguous | cqid << 16, 0, prp1);
  };
  host.expect_status(create(1, 8, 1, base), st::cq_invalid, "an SQ before its CQ");
  host.require(host.create_cq(1, 8) == 0, "a CQ");
  host.expect_status(create(1, 8, 0, base), st::qid_invalid, "an SQ for the admin CQ");
  host.expect_status(create(1, 8, 0xFFFF, base), st::qid_invalid, "an SQ for CQ FFFFh");
  host.expect_status(create(0, 8, 1, base), st::qid_invalid, "an SQ of identifier 0");
  host.expect_status(create(host.queues + 1, 8, 1, base), st::qid_invalid,
                     "an SQ beyond the number of queues");
  host.expect_status(create(1, 1, 1, base), st::queue_size, "an SQ of one entry");
  if (host.most_entries < 0x10000)
    host.expect_status(create(1, host.most_entries + 1, 1, base), st::queue_size,
                       "an SQ larger than CAP.MQES");
  if ((host.read(nvme::bar::cap) >> 16 & 1) != 0)
    host.expect_status(host.admin(create_sq, 7u << 16 | 1, 1u << 16, 0, base), st::invalid_field,
                       "an SQ in pieces where CAP.CQR is 1");
  host.expect_status(create(1, 8, 1, base + 0x10), st::prp_offset, "an SQ with an offset in PRP1");
  host.expect_status(create(1, 8, 1, base), 0, "an SQ");
  host.expect_status(create(1, 8, 1, base), st::qid_invalid, "an SQ that there is already");
}

void queues_are_deleted_in_their_order(Host& host) {
  host.start();
  for (const std::uint32_t id : {0u, 1u, host.queues + 1, 0xFFFFu}) {
    host.expect_status(host.admin(delete_sq, id), st::qid_invalid, "deletion of no SQ");
    host.expect_status(host.admin(delete_cq, id), st::qid_invalid, "deletion of no CQ");
  }
  host.create_pair(1, 8);
  host.expect_status(host.admin(delete_cq, 1), st::invalid_queue_deletion, "deletion of a CQ in use");
  host.expect_status(host.admin(delete_sq, 1), 0, "deletion of an SQ");
  host.expect_status(host.admin(delete_sq, 1), st::qid_invalid, "deletion of an SQ again");
  host.expect_status(host.admin(delete_cq, 1), 0, "deletion of a CQ");
  host.create_pair(1, 8);
  host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush in a queue made again");
}

void all_queues_that_are_granted_work(Host& host) {
  host.start();
  const std::uint32_t count = std::min(host.queues, 32u);
  for (std::uint16_t id = 1; id <= count; ++id) host.create_pair(id, 4);
  for (std::uint16_t id = 1; id <= count; ++id) host.push(id, Host::io(nvme::io::flush, 0, 1));
  for (auto id = static_cast<std::uint16_t>(count); id != 0; --id) host.ring(id);
  for (std::uint16_t id = 1; id <= count; ++id) {
    const auto came = host.collect(id, 1);
    host.require(came.size() == 1 && came[0].sq_id == id && came[0].status >> 1 == 0,
                 "a queue does not work");
  }
}

void number_of_queues_is_fixed_once_there_is_one(Host& host) {
  host.start();
  host.expect_status(host.admin(nvme::admin::set_features, 7, 0xFFFF'FFFF), st::invalid_field,
                     "65,536 queues");
  host.expect_status(host.admin(nvme::admin::set_features, 7, 0), 0, "one queue");
  host.expect_equal(host.last.result, 0, "what is granted");
  host.expect_status(host.create_cq(2, 8), st::qid_invalid, "a second CQ where one was asked for");
  host.create_pair(1, 8);
  host.expect_status(host.admin(nvme::admin::set_features, 7, 0x0001'0001), st::command_sequence,
                     "the number of queues behind the first one");
}

void several_submission_queues_share_a_completion_queue(Host& host) {
  host.start();
  const std::uint32_t count = std::min(host.queues, 4u);
  host.require(host.create_cq(1, 64) == 0, "a CQ");
  for (std::uint16_t id = 1; id <= count; ++id) host.require(host.create_sq(id, 8, 1) == 0, "an SQ");
  std::map<std::uint16_t, std::uint16_t> queue_of;
  for (std::uint32_t i = 0; i < 7; ++i) {
    for (std::uint16_t id = 1; id <= count; ++id)
      queue_of[host.push(id, Host::io(nvme::io::flush, 0, 1))] = id;
  }
  for (std::uint16_t id = 1; id <= count; ++id) host.ring(id);
  const auto came = host.collect(1, 7 * count);
  host.expect_equal(came.size(), 7 * count, "the number of completions");
  for (const nvme::Cqe& entry : came) host.expect(queue_of[entry.cid] == entry.sq_id, "SQID of a completion");
}

void queues_wrap_and_phases_turn(Host& host) {
  for (const std::uint32_t entries : {2u, 3u, 8u}) {
    host.start();
    host.create_pair(1, entries);
    for (std::uint32_t i = 0; i < 3 * entries + 1; ++i) {
      host.require(host.execute(1, Host::io(nvme::io::flush, 0, 1)) == 0, "a flush");
      host.expect_equal(host.last.sq_head, (i + 1) % entries, "SQHD");
      host.expect_equal(host.last.reserved, 0, "dword 1 of a completion");
    }
    host.disable();
  }
}

void the_largest_queue_takes_all_but_one_entry(Host& host) {
  host.start();
  const std::uint32_t entries = std::min(host.most_entries, 4096u);
  host.create_pair(1, entries);
  for (std::uint32_t i = 0; i < entries - 1; ++i) host.push(1, Host::io(nvme::io::flush, 0, 1));
  host.ring(1);
  std::vector<nvme::Cqe> came = host.collect(1, entries - 1);
  host.expect_equal(came.size(), entries - 1, "the number of completions");
  std::vector<std::uint16_t> ids;
  for (const nvme::Cqe& entry : came) ids.push_back(entry.cid);
  std::sort(ids.begin(), ids.end());
  host.expect(std::adjacent_find(ids.begin(), ids.end()) == ids.end(), "a command is completed twice");
}

void deletion_of_a_queue_with_commands_under_way_ends_them(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(40);
  for (std::uint32_t i = 0; i < 40; ++i)
    host.push(1, Host::io(nvme::io::write, i, 1, data + i * Host::kPage));
  host.ring(1);
  host.expect_status(host.admin(delete_sq, 1), 0, "deletion of an SQ with commands under way");
  std::size_t before = 0;
  while (const auto entry = host.take(1)) {
    const int status = entry->status >> 1 & ~st::dnr;
    host.expect(status == 0 || status == st::aborted_sq_deletion, "status of a command of a deleted queue");
    ++before;
  }
  host.expect(before <= 40, "more completions than commands");
  host.wait(20000);
  host.expect(!host.take(1), "a completion behind that of the deletion of its queue");
  host.expect_status(host.admin(delete_cq, 1), 0, "deletion of the CQ");
}

/// The queue of low priority is rung first: a drive that knows no classes is done with it first.
void the_urgent_class_goes_first(Host& host) {
  if ((host.read(nvme::bar::cap) >> 17 & 1) == 0) return; // CAP.AMS
  if (!host.in_step()) return; // it may be done with one queue before it hears of the other
  host.enable(32, 1u << 11);   // weighted round robin with urgent class
  host.require(host.create_cq(1, 256) == 0, "a CQ");
  host.require(host.create_sq(1, 128, 1, 3) == 0 && host.create_sq(2, 128, 1, 0) == 0, "SQs of two classes");
  constexpr std::uint32_t kCommands = 100; // of each
  for (std::uint32_t i = 0; i < kCommands; ++i) {
    host.push(1, Host::io(nvme::io::flush, 0, 1));
    host.push(2, Host::io(nvme::io::flush, 0, 1));
  }
  host.ring(1);
  host.ring(2);
  const auto came = host.collect(1, 2 * kCommands);
  host.require(came.size() == 2 * kCommands, "not all commands complete");
  std::size_t last[3] = {};
  for (std::size_t i = 0; i < came.size(); ++i) last[came[i].sq_id] = i;
  host.expect(last[2] < last[1], "a queue of low priority is done before an urgent one");
}

/// Round robin, section 4.13.1: while two queues have commands, none gets a burst ahead.
void bursts_are_limited_by_the_arbitration_feature(Host& host) {
  for (const std::uint32_t burst : {0u, 1u, 3u, 7u}) { // 2^n commands, 7: no limit
    host.enable();
    host.expect_status(host.admin(nvme::admin::set_features, 1, burst), 0, "a burst");
    host.admin(nvme::admin::get_features, 1);
    host.expect_equal(host.last.result & 7, burst, "the burst");
    host.require(host.create_cq(1, 256) == 0, "a CQ");
    for (const std::uint16_t id : std::initializer_list<std::uint16_t>{1, 2})
      host.require(host.create_sq(id, 64, 1) == 0, "an SQ");
    for (std::uint32_t i = 0; i < 60; ++i) {
      for (const std::uint16_t id : std::initializer_list<std::uint16_t>{1, 2})
        host.push(id, Host::io(nvme::io::flush, 0, 1));
    }
    host.ring(1);
    host.ring(2);
    const auto came = host.collect(1, 120);
    host.require(came.size() == 120, "not all commands complete");
    std::uint32_t head[3] = {};
    for (const nvme::Cqe& entry : came) ++head[entry.sq_id];
    host.expect(head[1] == 60 && head[2] == 60, "commands of one queue are missing");
    host.disable();
  }
}

void a_priority_that_arbitration_ignores_is_accepted(Host& host) {
  host.start();
  host.require(host.create_cq(1, 8) == 0, "a CQ");
  for (std::uint32_t priority = 0; priority < 4; ++priority) {
    host.expect_status(host.create_sq(1, 8, 1, priority), 0, "an SQ with a priority under round robin");
    host.admin(delete_sq, 1);
  }
}

} // namespace

std::vector<Rule> queue_rules() {
  return {
      {"completion_queue_creation_is_checked", "5.3", completion_queue_creation_is_checked},
      {"submission_queue_creation_is_checked", "5.4", submission_queue_creation_is_checked},
      {"queues_are_deleted_in_their_order", "5.5, 5.6", queues_are_deleted_in_their_order},
      {"all_queues_that_are_granted_work", "5.21.1.7", all_queues_that_are_granted_work},
      {"number_of_queues_is_fixed_once_there_is_one", "5.21.1.7",
       number_of_queues_is_fixed_once_there_is_one},
      {"several_submission_queues_share_a_completion_queue", "4.1",
       several_submission_queues_share_a_completion_queue},
      {"queues_wrap_and_phases_turn", "4.1.2, 4.6", queues_wrap_and_phases_turn},
      {"the_largest_queue_takes_all_but_one_entry", "4.1.2", the_largest_queue_takes_all_but_one_entry},
      {"deletion_of_a_queue_with_commands_under_way_ends_them", "5.6",
       deletion_of_a_queue_with_commands_under_way_ends_them},
      {"the_urgent_class_goes_first", "4.13.2", the_urgent_class_goes_first},
      {"bursts_are_limited_by_the_arbitration_feature", "4.13.1",
       bursts_are_limited_by_the_arbitration_feature},
      {"a_priority_that_arbitration_ignores_is_accepted", "5.4",
       a_priority_that_arbitration_ignores_is_accepted},
  };
}

} // namespace twinplane::test::conformance
