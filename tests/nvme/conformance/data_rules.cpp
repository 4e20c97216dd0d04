// Where data lie: PRPs, SGLs, the largest transfer (NVMe 1.4 sections 4.3, 4.4, 5.15.2.2).
#include <algorithm>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

/// Sectors in so many bytes, at least one.
std::uint32_t sectors_in(const Host& host, std::uint32_t bytes) {
  return std::min(std::max(bytes / host.sector_bytes, 1u), host.most_sectors);
}

std::uint32_t pages_of(const Host& host, std::uint32_t count) {
  return (count * host.sector_bytes + Host::kPage - 1) / Host::kPage;
}

/// Data from `offset` of a page on, over as many pages as it takes, read back through aligned pages.
void try_offset(Host& host, std::uint32_t offset, std::uint32_t count) {
  const std::uint32_t bytes = count * host.sector_bytes;
  const std::uint32_t span = (offset + bytes + Host::kPage - 1) / Host::kPage;
  const std::uint64_t out = host.pages(span + 1), back = host.pages(pages_of(host, count));
  host.make(out + offset, count, offset + count);
  nvme::Sqe sqe = Host::io(nvme::io::write, 5, count);
  host.attach(sqe, out, std::uint64_t{span} * Host::kPage);
  sqe.prp1 = out + offset;
  if (span == 1) sqe.prp2 = 0;
  const std::string what = "data at offset " + std::to_string(offset);
  host.expect_status(host.execute(1, sqe), 0, what);
  host.expect_status(host.transfer(nvme::io::read, 5, count, back), 0, "a read");
  host.expect(host.holds(back, count, offset + count), what + ": other data come back");
  host.fill(out, std::uint64_t{span + 1} * Host::kPage, 0xA5); // and the same way in
  sqe.opcode = nvme::io::read;
  host.expect_status(host.execute(1, sqe), 0, what + " of a read");
  host.expect(host.holds(out + offset, count, offset + count), what + ": a read brings other data");
  for (std::uint32_t i = 0; i < offset; ++i)
    host.expect(*host.at(out + i) == 0xA5, "a read wrote before its data");
  for (std::uint64_t i = out + offset + bytes; i < out + std::uint64_t{span + 1} * Host::kPage; ++i)
    host.require(*host.at(i) == 0xA5, "a read wrote behind its data");
}

void data_may_begin_at_any_dword_of_a_page(Host& host) {
  host.start_io();
  for (const std::uint32_t offset : {0u, 4u, 512u, 2048u, 4092u}) {
    for (const std::uint32_t bytes : {4096u, 8192u, 65536u})
      try_offset(host, offset, sectors_in(host, bytes));
  }
}

void lists_may_begin_inside_a_page_and_go_on_in_another(Host& host) {
  host.start_io();
  const std::uint32_t count = sectors_in(host, 65536);
  const std::uint32_t size = pages_of(host, count);
  if (size < 4) return;
  const std::uint64_t data = host.pages(size), lists = host.pages(2);
  host.make(data, count, 11);
  nvme::Sqe sqe =
      Host::io(nvme::io::write, 0, count, data, lists + Host::kPage - 16); // room for one and a link
  host.store(lists + Host::kPage - 16, data + Host::kPage);
  host.store(lists + Host::kPage - 8, lists + Host::kPage);
  for (std::uint32_t page = 2; page < size; ++page)
    host.store(lists + Host::kPage + (page - 2) * 8, data + std::uint64_t{page} * Host::kPage);
  host.expect_status(host.execute(1, sqe), 0, "a chained PRP list");
  host.fill(data, std::uint64_t{size} * Host::kPage, 0);
  sqe.opcode = nvme::io::read;
  host.expect_status(host.execute(1, sqe), 0, "a chained PRP list of a read");
  host.expect(host.holds(data, count, 11), "a chained PRP list brings other data");
}

void offsets_where_none_may_be_are_refused(Host& host) {
  host.start_io();
  const std::uint64_t data = host.pages(32), list = host.pages(1);
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, 1, data + 2)), st::prp_offset,
                     "PRP1 that is not dword aligned");
  const std::uint32_t two = sectors_in(host, 8192);
  if (two * host.sector_bytes == 8192) {
    host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, two, data, data + Host::kPage + 4)),
                       st::prp_offset, "PRP2 with an offset");
  }
  const std::uint32_t more = sectors_in(host, 16384);
  if (more * host.sector_bytes < 16384) return;
  for (std::uint32_t page = 1; page < 4; ++page) host.store(list + (page - 1) * 8, data + page * Host::kPage);
  host.store(list + 8, data + 2 * Host::kPage + 8);
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, more, data, list)), st::prp_offset,
                     "a list entry with an offset");
  host.store(list + 8, data + 2 * Host::kPage);
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, more, data, list + 4)), st::prp_offset,
                     "a list that is not qword aligned");
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, more, data, list)), 0, "the same without");
}

void memory_that_is_not_there_fails_the_command_alone(Host& host) {
  host.start_io();
  const std::uint64_t list = host.pages(1), data = host.pages(4);
  for (const std::uint8_t opcode : {nvme::io::read, nvme::io::write}) {
    host.expect_status(host.execute(1, Host::io(opcode, 0, 1, host.nowhere())), st::data_transfer_error,
                       "data outside the host's memory");
    const std::uint32_t more = sectors_in(host, 16384);
    if (more * host.sector_bytes < 16384) continue;
    host.expect_status(host.execute(1, Host::io(opcode, 0, more, data, host.nowhere())),
                       st::data_transfer_error, "a PRP list outside the host's memory");
    for (std::uint32_t page = 1; page < 4; ++page)
      host.store(list + (page - 1) * 8, data + page * Host::kPage);
    host.store(list + 16, host.nowhere());
    host.expect_status(host.execute(1, Host::io(opcode, 0, more, data, list)), st::data_transfer_error,
                       "a page outside the host's memory");
  }
  host.expect_status(host.admin(nvme::admin::identify, 1, 0, 0, host.nowhere()), st::data_transfer_error,
                     "identify data outside the host's memory");
  host.expect_status(host.execute(1, Host::io(nvme::io::read, 0, 1, data)), 0, "a read behind these");
}

void transfers_are_limited_by_mdts(Host& host) {
  host.start_io();
  if (!host.limited || host.most_sectors >= host.sectors) return;
  const std::uint32_t count = host.most_sectors;
  const std::uint64_t data = host.pages(pages_of(host, count) + 1);
  host.make(data, count, 3);
  host.expect_status(host.transfer(nvme::io::write, 0, count, data), 0, "the largest write");
  host.fill(data, std::uint64_t{count} * host.sector_bytes, 0);
  host.expect_status(host.transfer(nvme::io::read, 0, count, data), 0, "the largest read");
  host.expect(host.holds(data, count, 3), "the largest read brings other data");
  for (const std::uint8_t opcode : {nvme::io::read, nvme::io::write}) {
    host.expect_status(host.transfer(opcode, 0, count + 1, data), st::invalid_field, "more than MDTS");
  }
}

void sgls_are_refused_where_identify_denies_them(Host& host) {
  host.start_io();
  if ((host.controller[536] & 3) != 0) return; // SGLS
  const std::uint64_t data = host.pages(1);
  host.fill(data, Host::kPage, 0xA5);
  for (const std::uint8_t psdt : std::initializer_list<std::uint8_t>{0x40, 0x80, 0xC0}) {
    nvme::Sqe sqe = Host::io(nvme::io::read, 0, 1, data);
    sqe.flags = psdt;
    host.expect_status(host.execute(1, sqe), st::invalid_field, "a read with an SGL");
    sqe = Host::io(nvme::io::write, 0, 1, data);
    sqe.flags = psdt;
    host.expect_status(host.execute(1, sqe), st::invalid_field, "a write with an SGL");
    sqe = nvme::Sqe{};
    sqe.opcode = nvme::admin::identify;
    sqe.cdw10 = 1;
    sqe.prp1 = data;
    sqe.flags = psdt;
    host.expect_status(host.execute(0, sqe), st::invalid_field, "an admin command with an SGL");
  }
  host.expect(
      std::all_of(host.at(data), host.at(data) + Host::kPage, [](std::uint8_t b) { return b == 0xA5; }),
      "a refused command has moved data");
}

void fused_commands_are_refused_where_identify_denies_them(Host& host) {
  host.start_io();
  if ((host.controller[522] & 1) != 0) return; // FUSES
  const std::uint64_t data = host.pages(1);
  for (const std::uint8_t fuse : std::initializer_list<std::uint8_t>{1, 2}) {
    nvme::Sqe sqe = Host::io(fuse == 1 ? nvme::io::compare : nvme::io::write, 0, 1, data);
    sqe.flags = fuse;
    host.expect_status(host.execute(1, sqe), st::invalid_field, "a fused command");
  }
}

} // namespace

std::vector<Rule> data_rules() {
  return {
      {"data_may_begin_at_any_dword_of_a_page", "4.3", data_may_begin_at_any_dword_of_a_page},
      {"lists_may_begin_inside_a_page_and_go_on_in_another", "4.3",
       lists_may_begin_inside_a_page_and_go_on_in_another},
      {"offsets_where_none_may_be_are_refused", "4.3", offsets_where_none_may_be_are_refused},
      {"memory_that_is_not_there_fails_the_command_alone", "4.6.1",
       memory_that_is_not_there_fails_the_command_alone},
      {"transfers_are_limited_by_mdts", "5.15.2.2", transfers_are_limited_by_mdts},
      {"sgls_are_refused_where_identify_denies_them", "4.4", sgls_are_refused_where_identify_denies_them},
      {"fused_commands_are_refused_where_identify_denies_them", "6.2",
       fused_commands_are_refused_where_identify_denies_them},
  };
}

} // namespace twinplane::test::conformance
