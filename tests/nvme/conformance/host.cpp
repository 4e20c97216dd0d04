#include "tests/nvme/conformance/host.h"

#include <algorithm>

namespace twinplane::test::conformance {

namespace bar0 = nvme::bar;

// --- findings ---

void Host::expect(bool holds, const std::string& what) {
  if (!holds) findings_.push_back(what);
}

void Host::expect_equal(std::uint64_t is, std::uint64_t should_be, const std::string& what) {
  expect(is == should_be, what + " is " + std::to_string(is) + ", not " + std::to_string(should_be));
}

void Host::expect_status(int is, int should_be, const std::string& what) {
  expect(is == should_be, what + " ends with status " + (is < 0 ? "none" : std::to_string(is)) + ", not " +
                              std::to_string(should_be));
}

void Host::require(bool holds, const std::string& what) {
  expect(holds, what);
  if (!holds) throw Stop{};
}

// --- registers and memory ---

bool Host::wait_status(std::uint32_t mask, std::uint32_t value) {
  for (std::uint32_t look = 0; look < Transport::kPatience; ++look) {
    if ((read(bar0::csts) & mask) == value) return true;
    wait(100);
  }
  return false;
}

std::uint64_t Host::pages(std::uint32_t count) {
  const std::uint64_t address = next_page_ * kPage;
  require(address + std::uint64_t{count} * kPage <= transport_.memory_bytes(), "the host has no memory left");
  next_page_ += count;
  fill(address, std::uint64_t{count} * kPage, 0);
  return address;
}

// --- controller ---

void Host::set_up_admin_queues(std::uint32_t entries) {
  sq.clear();
  cq.clear();
  sq[0].entries = cq[0].entries = entries;
  sq[0].base = pages((entries * 64 + kPage - 1) / kPage);
  cq[0].base = pages((entries * 16 + kPage - 1) / kPage);
  write(bar0::aqa, (entries - 1) << 16 | (entries - 1));
  write(bar0::asq, static_cast<std::uint32_t>(sq[0].base));
  write(bar0::asq + 4, 0);
  write(bar0::acq, static_cast<std::uint32_t>(cq[0].base));
  write(bar0::acq + 4, 0);
}

void Host::enable(std::uint32_t entries, std::uint32_t more) {
  set_up_admin_queues(entries);
  write(bar0::cc, kCc | more | nvme::cc::en);
  require(wait_status(nvme::csts::rdy | nvme::csts::cfs, nvme::csts::rdy), "CSTS.RDY does not come");
}

void Host::disable() {
  write(bar0::cc, 0);
  require(wait_status(~0u, 0), "CSTS is not 0 after a reset");
  sq.clear();
  cq.clear();
}

void Host::start() {
  enable();
  learn();
}

void Host::start_io(std::uint32_t entries) {
  start();
  create_pair(1, std::min(entries, most_entries));
}

void Host::learn() {
  const std::uint64_t page = pages(1);
  const auto identify = [&](std::uint32_t cns, std::uint32_t nsid) {
    require(admin(nvme::admin::identify, cns, 0, nsid, page) == 0, "identify fails");
    return std::vector<std::uint8_t>(at(page), at(page) + kPage);
  };
  controller = identify(1, 0);
  const std::uint8_t mdts = controller[77];
  std::memcpy(&oacs, &controller[256], sizeof oacs);
  std::memcpy(&oncs, &controller[520], sizeof oncs);
  name_space = identify(0, 1);
  std::memcpy(&sectors, name_space.data(), sizeof sectors);
  sector_bytes = 1u << name_space[128 + 4 * (name_space[26] & 15) + 2];
  limited = mdts != 0 && mdts <= 8;
  most_sectors = (kPage << (limited ? mdts : 8)) / sector_bytes;
  require(admin(nvme::admin::get_features, 7) == 0, "the number of queues is not to be had");
  queues = std::min(last.result & 0xFFFF, last.result >> 16) + 1;
  most_entries = (read(bar0::cap) & 0xFFFF) + 1;
}

// --- queues ---

int Host::create_cq(std::uint16_t id, std::uint32_t entries, std::uint16_t vector) {
  Cq queue;
  queue.entries = entries;
  queue.base = pages((entries * 16 + kPage - 1) / kPage);
  cq[id] = queue;
  return admin(nvme::admin::create_cq, (entries - 1) << 16 | id, 3u | std::uint32_t{vector} << 16, 0,
               queue.base);
}

int Host::create_sq(std::uint16_t id, std::uint32_t entries, std::uint16_t cqid, std::uint32_t priority) {
  Sq queue;
  queue.cqid = cqid;
  queue.entries = entries;
  queue.base = pages((entries * 64 + kPage - 1) / kPage);
  sq[id] = queue;
  return admin(nvme::admin::create_sq, (entries - 1) << 16 | id,
               1u | priority << 1 | std::uint32_t{cqid} << 16, 0, queue.base);
}

void Host::create_pair(std::uint16_t id, std::uint32_t entries) {
  require(create_cq(id, entries) == 0, "a completion queue cannot be created");
  require(create_sq(id, entries, id) == 0, "a submission queue cannot be created");
}

std::uint16_t Host::push(std::uint16_t id, nvme::Sqe sqe) {
  Sq& queue = sq[id];
  sqe.cid = next_cid_++;
  store(queue.base + queue.tail * sizeof sqe, sqe);
  queue.tail = (queue.tail + 1) % queue.entries;
  return sqe.cid;
}

std::optional<nvme::Cqe> Host::take(std::uint16_t id) {
  Cq& queue = cq[id];
  const auto entry = load<nvme::Cqe>(queue.base + queue.head * sizeof(nvme::Cqe));
  if (((entry.status & 1) != 0) != queue.phase) return std::nullopt;
  if (++queue.head == queue.entries) {
    queue.head = 0;
    queue.phase = !queue.phase;
  }
  statuses.insert(static_cast<std::uint16_t>(entry.status >> 1 & ~nvme::status::dnr));
  const auto of = sq.find(entry.sq_id);
  if (of != sq.end()) of->second.head = entry.sq_head;
  return entry;
}

std::vector<nvme::Cqe> Host::collect(std::uint16_t id, std::size_t count) {
  std::vector<nvme::Cqe> came;
  for (std::uint32_t look = 0; look < Transport::kPatience && came.size() < count; ++look) {
    bool any = false;
    while (const auto entry = take(id)) {
      came.push_back(*entry);
      any = true;
    }
    if (any) {
      ring_head(id);
    } else {
      wait(100);
    }
  }
  return came;
}

int Host::execute(std::uint16_t id, const nvme::Sqe& sqe) {
  const std::uint16_t cid = push(id, sqe);
  ring(id);
  const std::vector<nvme::Cqe> came = collect(sq[id].cqid, 1);
  if (came.empty()) return -1;
  last = came.front();
  expect(came.size() == 1 && last.cid == cid && last.sq_id == id, "a completion of another command");
  return last.status >> 1 & ~nvme::status::dnr;
}

int Host::admin(std::uint8_t opcode, std::uint32_t cdw10, std::uint32_t cdw11, std::uint32_t nsid,
                std::uint64_t prp1) {
  nvme::Sqe sqe;
  sqe.opcode = opcode;
  sqe.nsid = nsid;
  sqe.prp1 = prp1;
  sqe.cdw10 = cdw10;
  sqe.cdw11 = cdw11;
  return execute(0, sqe);
}

nvme::Sqe Host::io(std::uint8_t opcode, std::uint64_t lba, std::uint32_t count, std::uint64_t prp1,
                   std::uint64_t prp2) {
  nvme::Sqe sqe;
  sqe.opcode = opcode;
  sqe.nsid = 1;
  sqe.prp1 = prp1;
  sqe.prp2 = prp2;
  sqe.cdw10 = static_cast<std::uint32_t>(lba);
  sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  sqe.cdw12 = count - 1;
  return sqe;
}

void Host::attach(nvme::Sqe& sqe, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t count = (bytes + kPage - 1) / kPage;
  sqe.prp1 = address;
  sqe.prp2 = count == 2 ? address + kPage : 0;
  if (count <= 2) return;
  constexpr std::uint64_t kPerList = kPage / 8;
  std::uint64_t list = sqe.prp2 = pages(1);
  for (std::uint64_t page = 1, entry = 0; page < count; ++page, ++entry) {
    if (entry == kPerList - 1 && page + 1 < count) { // the last entry leads to the next list
      const std::uint64_t next = pages(1);
      store(list + entry * 8, next);
      list = next;
      entry = 0;
    }
    store(list + entry * 8, address + page * kPage);
  }
}

int Host::transfer(std::uint8_t opcode, std::uint64_t lba, std::uint32_t count, std::uint64_t address) {
  nvme::Sqe sqe = io(opcode, lba, count);
  attach(sqe, address, std::uint64_t{count} * sector_bytes);
  return execute(1, sqe);
}

// --- data ---

namespace {

std::uint32_t word_of(std::uint64_t place, std::uint32_t seed) {
  std::uint64_t x = place * 0x9E3779B97F4A7C15u + seed;
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::uint32_t>(x >> 32) | 1u; // never zeros
}

} // namespace

void Host::make(std::uint64_t address, std::uint32_t count, std::uint32_t seed) {
  const std::uint64_t words = std::uint64_t{count} * sector_bytes / 4;
  for (std::uint64_t word = 0; word < words; ++word) store(address + word * 4, word_of(word, seed));
}

bool Host::holds(std::uint64_t address, std::uint32_t count, std::uint32_t seed) {
  const std::uint64_t words = std::uint64_t{count} * sector_bytes / 4;
  for (std::uint64_t word = 0; word < words; ++word) {
    if (load<std::uint32_t>(address + word * 4) != word_of(word, seed)) return false;
  }
  return true;
}

bool Host::holds_zeros(std::uint64_t address, std::uint64_t bytes) {
  return std::all_of(at(address), at(address) + bytes, [](std::uint8_t byte) { return byte == 0; });
}

} // namespace twinplane::test::conformance
