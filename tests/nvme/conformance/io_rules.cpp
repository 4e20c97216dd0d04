// The NVM command set (NVMe 1.4 section 6).
#include <algorithm>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

constexpr std::uint8_t kWriteUncorrectable = 0x04, kVerify = 0x0C;

/// A host with data of `count` sectors in memory.
struct Data {
  Data(Host& host, std::uint32_t wanted) : count(std::min(wanted, host.most_sectors)) {
    bytes = std::uint64_t{count} * host.sector_bytes;
    address = host.pages(static_cast<std::uint32_t>((bytes + Host::kPage - 1) / Host::kPage));
  }
  std::uint32_t count;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
};

void written_data_are_read(Host& host) {
  host.start_io();
  const Data data(host, 16);
  for (const std::uint64_t lba : {std::uint64_t{0}, std::uint64_t{3}, host.sectors - data.count}) {
    host.make(data.address, data.count, static_cast<std::uint32_t>(lba));
    host.expect_status(host.transfer(nvme::io::write, lba, data.count, data.address), 0, "a write");
    host.fill(data.address, data.bytes, 0);
    host.expect_status(host.transfer(nvme::io::read, lba, data.count, data.address), 0, "a read");
    host.expect(host.holds(data.address, data.count, static_cast<std::uint32_t>(lba)), "other data are read");
  }
}

void commands_that_name_sectors_check_range_and_namespace(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(2);
  std::vector<std::uint8_t> opcodes = {nvme::io::read, nvme::io::write};
  const struct {
    std::uint8_t opcode;
    std::uint16_t bit; // of ONCS
  } optional[] = {
      {nvme::io::compare, 0}, {kWriteUncorrectable, 1}, {nvme::io::write_zeroes, 3}, {kVerify, 7}};
  for (const auto& row : optional) {
    if ((host.oncs >> row.bit & 1) != 0) opcodes.push_back(row.opcode);
  }
  for (const std::uint8_t opcode : opcodes) {
    const std::string what = "opcode " + std::to_string(opcode);
    for (const std::uint64_t lba :
         {host.sectors, host.sectors - 1, ~std::uint64_t{0}, std::uint64_t{1} << 63})
      host.expect_status(host.execute(1, Host::io(opcode, lba, 2, data, data + Host::kPage)), st::lba_range,
                         what + " behind the namespace");
    for (const std::uint32_t nsid : {0u, 2u, Host::kAll}) {
      nvme::Sqe sqe = Host::io(opcode, 0, 1, data);
      sqe.nsid = nsid;
      host.expect_status(host.execute(1, sqe), st::invalid_namespace, what + " of no namespace");
    }
  }
}

void optional_io_commands_are_as_identify_says(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(1);
  const struct {
    std::uint8_t opcode;
    std::uint16_t bit; // of ONCS
  } rows[] = {{0x05, 0}, {0x04, 1}, {0x09, 2}, {0x08, 3}, {0x0D, 5},
              {0x0E, 5}, {0x11, 5}, {0x15, 5}, {0x0C, 7}};
  for (const auto& row : rows) {
    if ((host.oncs >> row.bit & 1) != 0) continue;
    host.expect_status(host.execute(1, Host::io(row.opcode, 0, 1, data)), st::invalid_opcode,
                       "I/O opcode " + std::to_string(row.opcode));
  }
  for (const std::uint8_t opcode : std::initializer_list<std::uint8_t>{0x03, 0x06, 0x7F})
    host.expect_status(host.execute(1, Host::io(opcode, 0, 1, data)), st::invalid_opcode,
                       "a reserved opcode");
}

void compare_tells_whether_data_are_equal(Host& host) {
  host.start_io();
  if ((host.oncs & 1) == 0) return;
  const Data data(host, 8);
  host.make(data.address, data.count, 5);
  host.expect_status(host.transfer(nvme::io::write, 8, data.count, data.address), 0, "a write");
  host.expect_status(host.transfer(nvme::io::compare, 8, data.count, data.address), 0,
                     "a compare of the same");
  *host.at(data.address + data.bytes - 1) ^= 1;
  host.expect_status(host.transfer(nvme::io::compare, 8, data.count, data.address), st::compare_failure,
                     "a compare of one bit");
}

void write_zeroes_makes_zeros(Host& host) {
  host.start_io();
  if ((host.oncs & 8) == 0) return;
  const Data data(host, 16);
  host.make(data.address, data.count, 5);
  host.expect_status(host.transfer(nvme::io::write, 0, data.count, data.address), 0, "a write");
  const std::uint32_t middle = data.count / 2;
  host.expect_status(host.execute(1, Host::io(nvme::io::write_zeroes, 1, middle)), 0, "write zeroes");
  host.expect_status(host.transfer(nvme::io::read, 0, data.count, data.address), 0, "a read");
  host.expect(host.holds_zeros(data.address + host.sector_bytes, std::uint64_t{middle} * host.sector_bytes),
              "what was zeroed is not zeros");
  host.expect(host.holds(data.address, 1, 5), "a sector before what was zeroed");
}

void deallocated_sectors_read_as_identify_says(Host& host) {
  host.start_io();
  if ((host.oncs & 4) == 0) return;
  const Data data(host, 32);
  host.make(data.address, data.count, 9);
  host.expect_status(host.transfer(nvme::io::write, 0, data.count, data.address), 0, "a write");
  const std::uint64_t ranges = host.pages(1);
  host.store(ranges, nvme::DsmRange{0, data.count, 0});
  nvme::Sqe sqe;
  sqe.opcode = nvme::io::dataset_management;
  sqe.nsid = 1;
  sqe.cdw11 = 4;
  sqe.prp1 = ranges;
  host.expect_status(host.execute(1, sqe), 0, "deallocation");
  host.expect_status(host.transfer(nvme::io::read, 0, data.count, data.address), 0, "a read");
  const std::uint8_t dlfeat = host.name_space[33] & 7;
  const bool zeros = host.holds_zeros(data.address, data.bytes);
  if (dlfeat == 1) host.expect(zeros, "deallocated sectors are not zeros (DLFEAT)");
  host.store(ranges, nvme::DsmRange{0, 2, host.sectors - 1});
  host.expect_status(host.execute(1, sqe), st::lba_range, "deallocation behind the namespace");
  sqe.cdw11 = 0;
  host.expect_status(host.execute(1, sqe), 0, "attributes without deallocation");
}

void flush_takes_one_namespace_or_all(Host& host) {
  host.start_io();
  nvme::Sqe sqe = Host::io(nvme::io::flush, 0, 1);
  host.expect_status(host.execute(1, sqe), 0, "a flush");
  sqe.nsid = Host::kAll;
  const int all = host.execute(1, sqe);
  const std::uint32_t support = host.controller[525] >> 1 & 3; // VWC: 2 = FFFFFFFFh is invalid, 3 = supported
  host.expect(all == (support == 2 ? int{st::invalid_namespace} : 0), "a flush of all namespaces");
  sqe.nsid = 0;
  host.expect_status(host.execute(1, sqe), st::invalid_namespace, "a flush of namespace 0");
}

void force_unit_access_reads_and_writes(Host& host) {
  host.start_io();
  const Data data(host, 4);
  constexpr std::uint32_t kFua = 1u << 30;
  host.make(data.address, data.count, 21);
  nvme::Sqe sqe = Host::io(nvme::io::write, 40, data.count);
  host.attach(sqe, data.address, data.bytes);
  sqe.cdw12 |= kFua;
  host.expect_status(host.execute(1, sqe), 0, "a write with FUA");
  host.fill(data.address, data.bytes, 0);
  sqe.opcode = nvme::io::read;
  host.expect_status(host.execute(1, sqe), 0, "a read with FUA");
  host.expect(host.holds(data.address, data.count, 21), "other data are read");
}

/// Many commands at once in two queues, then everything is read again.
void a_deep_queue_of_writes_loses_nothing(Host& host) {
  host.start();
  const std::uint16_t count = host.queues < 2 ? 1 : 2;
  for (std::uint16_t id = 1; id <= count; ++id) host.create_pair(id, 64);
  const std::uint64_t data = host.pages(60);
  constexpr std::uint32_t kRounds = 6;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < 60; ++i) {
      host.make(data + i * Host::kPage, 1, round * 60 + i);
      host.push(static_cast<std::uint16_t>(1 + i % count),
                Host::io(nvme::io::write, (round * 60 + i) % host.sectors, 1, data + i * Host::kPage));
    }
    for (std::uint16_t id = 1; id <= count; ++id) host.ring(id);
    for (std::uint16_t id = 1; id <= count; ++id) {
      const auto came = host.collect(id, 60u / count);
      host.require(came.size() == 60u / count, "writes are missing");
      for (const nvme::Cqe& entry : came) host.expect_status(entry.status >> 1 & ~st::dnr, 0, "a write");
    }
  }
  for (std::uint32_t i = 0; i < kRounds * 60 && i < host.sectors; ++i) {
    host.expect_status(host.execute(1, Host::io(nvme::io::read, i, 1, data)), 0, "a read");
    host.require(host.holds(data, 1, i), "another write's data are read");
  }
}

void the_health_page_counts_reads_and_writes(Host& host) {
  host.start_io();
  const std::uint64_t page = host.pages(2);
  struct Health {
    std::uint64_t reads, writes, errors;
  };
  const auto health = [&] {
    host.require(host.admin(nvme::admin::get_log_page, 2u | 127u << 16, 0, Host::kAll, page) == 0,
                 "the health page");
    return Health{host.load<std::uint64_t>(page + 64), host.load<std::uint64_t>(page + 80),
                  host.load<std::uint64_t>(page + 176)};
  };
  const Health before = health();
  for (int i = 0; i < 5; ++i) host.execute(1, Host::io(nvme::io::write, 1, 1, page + Host::kPage));
  for (int i = 0; i < 3; ++i) host.execute(1, Host::io(nvme::io::read, 1, 1, page + Host::kPage));
  host.expect_status(host.execute(1, Host::io(nvme::io::read, host.sectors, 1, page)), st::lba_range,
                     "a wrong read");
  const Health after = health();
  host.expect_equal(after.writes - before.writes, 5, "host write commands");
  host.expect_equal(after.reads - before.reads, 3, "host read commands");
  host.expect_equal(after.errors - before.errors, 1, "error log entries");
}

} // namespace

std::vector<Rule> io_rules() {
  return {
      {"written_data_are_read", "6.9, 6.15", written_data_are_read},
      {"commands_that_name_sectors_check_range_and_namespace", "6",
       commands_that_name_sectors_check_range_and_namespace},
      {"optional_io_commands_are_as_identify_says", "5.15.2.2", optional_io_commands_are_as_identify_says},
      {"compare_tells_whether_data_are_equal", "6.6", compare_tells_whether_data_are_equal},
      {"write_zeroes_makes_zeros", "6.17", write_zeroes_makes_zeros},
      {"deallocated_sectors_read_as_identify_says", "6.7", deallocated_sectors_read_as_identify_says},
      {"flush_takes_one_namespace_or_all", "6.8", flush_takes_one_namespace_or_all},
      {"force_unit_access_reads_and_writes", "6.15", force_unit_access_reads_and_writes},
      {"a_deep_queue_of_writes_loses_nothing", "6.15", a_deep_queue_of_writes_loses_nothing},
      {"the_health_page_counts_reads_and_writes", "5.14.1.2", the_health_page_counts_reads_and_writes},
  };
}

} // namespace twinplane::test::conformance
