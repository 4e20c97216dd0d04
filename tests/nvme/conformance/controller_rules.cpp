// Registers, enable, reset, shutdown (NVMe 1.4 sections 3.1, 7.3, 7.6).
#include <algorithm>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace bar0 = nvme::bar;
namespace st = nvme::status;

void capabilities_are_those_of_an_nvm_controller(Host& host) {
  const std::uint64_t cap = host.read64(bar0::cap);
  host.expect((cap & 0xFFFF) >= 1, "CAP.MQES is 0: queues of two entries must be allowed");
  host.expect((cap >> 24 & 0xFF) != 0, "CAP.TO is 0");
  host.expect((cap >> 37 & 1) == 1, "CAP.CSS lacks the NVM command set");
  host.expect((cap >> 48 & 15) == 0, "CAP.MPSMIN is not 4 KiB");
  host.expect((cap >> 52 & 15) >= (cap >> 48 & 15), "CAP.MPSMAX is less than CAP.MPSMIN");
  host.expect(host.read(bar0::vs) >= 0x10000, "VS names no version");
  host.expect_equal(host.read(bar0::vs) & 0xFF, 0, "the reserved byte or tertiary version of VS");
}

void read_only_registers_ignore_writes(Host& host) {
  const std::uint64_t cap = host.read64(bar0::cap);
  const std::uint32_t vs = host.read(bar0::vs);
  const std::uint32_t csts = host.read(bar0::csts);
  for (const std::uint32_t offset : {bar0::cap, bar0::cap + 4, bar0::vs, bar0::csts}) host.write(offset, ~0u);
  host.expect_equal(host.read64(bar0::cap), cap, "CAP behind a write");
  host.expect_equal(host.read(bar0::vs), vs, "VS behind a write");
  host.expect_equal(host.read(bar0::csts), csts, "CSTS behind a write");
}

void admin_queue_registers_keep_what_is_written(Host& host) {
  host.set_up_admin_queues(17);
  host.expect_equal(host.read(bar0::aqa), 16u << 16 | 16, "AQA");
  host.expect_equal(host.read64(bar0::asq), host.sq[0].base, "ASQ");
  host.expect_equal(host.read64(bar0::acq), host.cq[0].base, "ACQ");
  host.write(bar0::cc, Host::kCc | nvme::cc::en);
  host.require(host.wait_status(1, 1), "CSTS.RDY does not come");
  const std::uint64_t asq = host.sq[0].base, acq = host.cq[0].base;
  host.disable();
  host.expect_equal(host.read(bar0::aqa), 16u << 16 | 16, "AQA behind a controller reset");
  host.expect_equal(host.read64(bar0::asq), asq, "ASQ behind a controller reset");
  host.expect_equal(host.read64(bar0::acq), acq, "ACQ behind a controller reset");
}

void ready_follows_enable(Host& host) {
  for (int round = 0; round < 3; ++round) {
    host.enable();
    host.expect_equal(host.read(bar0::cc) & 1, 1, "CC.EN");
    host.expect_equal(host.read(bar0::csts), nvme::csts::rdy, "CSTS");
    host.disable();
    host.expect_equal(host.read(bar0::cc) & 1, 0, "CC.EN");
  }
}

void enable_with_what_is_not_supported_never_gets_ready_and_a_reset_mends_it(Host& host) {
  const std::uint32_t mps = static_cast<std::uint32_t>(host.read64(bar0::cap) >> 52 & 15) + 1;
  const std::uint32_t wrong[] = {Host::kCc | mps << 7,  // CC.MPS above CAP.MPSMAX
                                 Host::kCc | 5u << 4,   // CC.CSS: reserved
                                 Host::kCc | 2u << 11,  // CC.AMS: reserved
                                 Host::kCc ^ 2u << 16,  // CC.IOSQES: 16 byte entries
                                 Host::kCc ^ 4u << 20}; // CC.IOCQES: entries of a byte
  for (const std::uint32_t cc : wrong) {
    host.set_up_admin_queues();
    host.write(bar0::cc, cc | nvme::cc::en);
    host.wait(2000);
    host.expect((host.read(bar0::csts) & nvme::csts::rdy) == 0, "ready with CC " + std::to_string(cc));
    host.disable();
  }
  host.start_io();
}

void queue_bases_that_are_not_page_aligned_never_get_ready(Host& host) {
  for (const std::uint32_t offset : {bar0::asq, bar0::acq}) {
    host.set_up_admin_queues();
    host.write(offset, host.read(offset) | 0x40);
    const bool kept = (host.read(offset) & 0xFFF) != 0; // bits 11:00 are reserved: ignored is right as well
    host.write(bar0::cc, Host::kCc | nvme::cc::en);
    host.wait(2000);
    const bool ready = (host.read(bar0::csts) & nvme::csts::rdy) != 0;
    host.expect(ready != kept, "ASQ or ACQ with an offset is neither refused nor ignored");
    host.disable();
  }
}

void doorbells_of_a_disabled_controller_do_nothing(Host& host) {
  host.set_up_admin_queues();
  host.doorbell(0, 1);
  host.doorbell(1, 5);
  host.write(bar0::cc, Host::kCc | nvme::cc::en);
  host.require(host.wait_status(1, 1), "CSTS.RDY does not come");
  host.wait(1000);
  host.expect(!host.take(0), "a completion of a command that was rung for before CC.EN");
}

void subsystem_reset_is_ignored_where_cap_denies_it(Host& host) {
  if ((host.read64(bar0::cap) >> 36 & 1) != 0) return;
  host.start_io();
  host.write(bar0::nssr, 0x4E564D65);
  host.wait(1000);
  host.expect_equal(host.read(bar0::csts), nvme::csts::rdy, "CSTS behind a write of NSSR");
  host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush");
}

void a_reset_deletes_the_io_queues(Host& host) {
  host.start_io();
  host.disable();
  host.start();
  host.expect_status(host.admin(nvme::admin::delete_sq, 1), st::qid_invalid,
                     "deletion of a queue of before the reset");
  host.expect_status(host.create_cq(1, 8), 0, "creation of a queue that was there");
}

void a_reset_drops_commands_and_leaves_memory_alone(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(60);
  for (std::uint32_t i = 0; i < 60; ++i)
    host.push(1, Host::io(i % 2 == 0 ? nvme::io::write : nvme::io::read, i % 7, 1, data + i * Host::kPage));
  const std::uint64_t cq_base = host.cq[1].base;
  host.ring(1);
  host.disable();
  host.fill(data, 60 * Host::kPage, 0xA5);
  host.fill(cq_base, Host::kPage, 0xA5);
  host.wait(20000);
  for (std::uint64_t i = 0; i < 60 * Host::kPage; ++i) {
    host.require(*host.at(data + i) == 0xA5, "data came behind a reset");
    host.require(i >= Host::kPage || *host.at(cq_base + i) == 0xA5, "a completion came behind a reset");
  }
  host.start_io();
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, 1, data)), 0,
                     "a read behind a reset under load");
}

void resets_under_load_in_quick_succession_end_well(Host& host) {
  const std::uint64_t data = host.pages(16);
  for (std::uint32_t round = 0; round < 12; ++round) {
    host.start_io(16);
    for (std::uint32_t i = 0; i < 15; ++i)
      host.push(1, Host::io(nvme::io::write, i, 1, data + i * Host::kPage));
    host.ring(1);
    if (round % 3 != 0) host.wait(round * 37);
    host.write(bar0::cc, 0);
    for (std::uint32_t i = 0; i < round % 4; ++i) { // EN to and fro faster than the drive follows
      host.write(bar0::cc, Host::kCc | nvme::cc::en);
      host.write(bar0::cc, 0);
    }
    host.disable();
  }
}

void shutdown_completes(Host& host) {
  for (const std::uint32_t shn : {1u, 2u}) { // normal, abrupt
    host.start_io();
    const std::uint64_t data = host.pages(1);
    host.expect_status(host.execute(1, Host::io(nvme::io::write, 3, 1, data)), 0, "a write");
    host.write(bar0::cc, Host::kCc | nvme::cc::en | shn << 14);
    host.expect(
        host.wait_status(nvme::csts::shst_in_progress | nvme::csts::shst_complete, nvme::csts::shst_complete),
        "CSTS.SHST does not say that shutdown is complete");
    host.disable();
    host.enable();
    host.expect_equal(host.read(bar0::csts), nvme::csts::rdy, "CSTS enabled again behind a shutdown");
    host.disable();
  }
}

void shutdown_with_commands_under_way_completes(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(63);
  for (std::uint32_t i = 0; i < 60; ++i)
    host.push(1, Host::io(nvme::io::write, i, 1, data + i * Host::kPage));
  host.ring(1);
  host.write(bar0::cc, Host::kCc | nvme::cc::en | 1u << 14);
  host.expect(host.wait_status(nvme::csts::shst_complete, nvme::csts::shst_complete),
              "CSTS.SHST does not say that shutdown is complete");
}

void flushed_data_survive_a_shutdown(Host& host) {
  host.start_io();
  const std::uint32_t count = std::min(host.most_sectors, 16u);
  const std::uint32_t size = (count * host.sector_bytes + Host::kPage - 1) / Host::kPage;
  const std::uint64_t data = host.pages(size);
  host.make(data, count, 7);
  host.expect_status(host.transfer(nvme::io::write, 0, count, data), 0, "a write");
  host.write(bar0::cc, Host::kCc | nvme::cc::en | 1u << 14);
  host.require(host.wait_status(nvme::csts::shst_complete, nvme::csts::shst_complete), "no shutdown");
  host.disable();
  host.start_io();
  host.fill(data, size * Host::kPage, 0);
  host.expect_status(host.transfer(nvme::io::read, 0, count, data), 0, "a read");
  host.expect(host.holds(data, count, 7), "what was written before a shutdown is not there");
}

} // namespace

std::vector<Rule> controller_rules() {
  return {
      {"capabilities_are_those_of_an_nvm_controller", "3.1.1", capabilities_are_those_of_an_nvm_controller},
      {"read_only_registers_ignore_writes", "3.1", read_only_registers_ignore_writes},
      {"admin_queue_registers_keep_what_is_written", "3.1.8", admin_queue_registers_keep_what_is_written},
      {"ready_follows_enable", "3.1.5", ready_follows_enable},
      {"enable_with_what_is_not_supported_never_gets_ready_and_a_reset_mends_it", "3.1.5",
       enable_with_what_is_not_supported_never_gets_ready_and_a_reset_mends_it},
      {"queue_bases_that_are_not_page_aligned_never_get_ready", "3.1.9",
       queue_bases_that_are_not_page_aligned_never_get_ready},
      {"doorbells_of_a_disabled_controller_do_nothing", "3.1.25",
       doorbells_of_a_disabled_controller_do_nothing},
      {"subsystem_reset_is_ignored_where_cap_denies_it", "3.1.7",
       subsystem_reset_is_ignored_where_cap_denies_it},
      {"a_reset_deletes_the_io_queues", "7.3.2", a_reset_deletes_the_io_queues},
      {"a_reset_drops_commands_and_leaves_memory_alone", "7.3.2",
       a_reset_drops_commands_and_leaves_memory_alone},
      {"resets_under_load_in_quick_succession_end_well", "7.3.2",
       resets_under_load_in_quick_succession_end_well},
      {"shutdown_completes", "7.6.2", shutdown_completes},
      {"shutdown_with_commands_under_way_completes", "7.6.2", shutdown_with_commands_under_way_completes},
      {"flushed_data_survive_a_shutdown", "7.6.2", flushed_data_survive_a_shutdown},
  };
}

} // namespace twinplane::test::conformance
