// Doorbell Buffer Config (NVMe 1.4 sections 5.7, 7.13), where identify has it.
#include <atomic>

#include "tests/nvme/conformance/rule_tables.h"

namespace twinplane::test::conformance {
namespace {

namespace st = nvme::status;

constexpr std::uint16_t kDoorbellBuffers = 1u << 8; // OACS

int configure(Host& host, std::uint64_t shadow, std::uint64_t events) {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::doorbell_buffers;
  sqe.prp1 = shadow;
  sqe.prp2 = events;
  return host.execute(0, sqe);
}

/// A host that follows section 7.13 for the queues that it names.
struct Doorbells {
  Host& host;
  std::uint64_t shadow = 0, events = 0;
  std::map<std::uint32_t, std::uint32_t> told{}; // by number
  std::uint64_t registers = 0;

  explicit Doorbells(Host& h) : host(h), shadow(h.pages(1)), events(h.pages(1)) {
    host.require(configure(host, shadow, events) == 0, "Doorbell Buffer Config with two pages");
  }
  void tell(std::uint32_t number, std::uint32_t value, std::uint32_t entries) {
    const std::uint32_t old = told[number];
    told[number] = value;
    std::atomic_thread_fence(std::memory_order_release);
    host.store(shadow + 4 * number, value);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!nvme::shadow::passes(host.load<std::uint32_t>(events + 4 * number), old, value, entries)) return;
    ++registers;
    host.doorbell(number, value);
  }
  void ring(std::uint16_t id) { tell(nvme::shadow::sq_tail(id), host.sq[id].tail, host.sq[id].entries); }
  /// As Host::collect().
  std::size_t collect(std::uint16_t cqid, std::size_t count) {
    std::size_t came = 0;
    for (std::uint32_t look = 0; look < Transport::kPatience && came < count; ++look) {
      const std::size_t before = came;
      while (host.take(cqid)) ++came;
      if (came == before) {
        host.wait(100);
      } else {
        tell(nvme::shadow::cq_head(cqid), host.cq[cqid].head, host.cq[cqid].entries);
      }
    }
    return came;
  }
  void flush(std::uint16_t id) {
    host.push(id, Host::io(nvme::io::flush, 0, 1));
    ring(id);
  }
};

bool offered(Host& host) {
  return (host.oacs & kDoorbellBuffers) != 0;
}

void doorbell_buffers_are_pages(Host& host) {
  host.start_io();
  if (!offered(host)) return;
  const std::uint64_t pages = host.pages(3);
  for (const std::uint64_t offset : {4u, 0x800u, 0xFFFu}) {
    host.expect_status(configure(host, pages + offset, pages + Host::kPage), st::invalid_field,
                       "PRP1 inside of a page");
    host.expect_status(configure(host, pages, pages + Host::kPage + offset), st::invalid_field,
                       "PRP2 inside of a page");
  }
  host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush by the register");
  host.expect_status(configure(host, pages, pages + Host::kPage), 0, "two pages");
  host.expect_status(configure(host, pages, pages + Host::kPage), 0, "the same once more");
}

/// One at a time, with and without a pause, and many at once; of queues from before and after the command.
void doorbells_in_memory_lose_no_command(Host& host) {
  host.start();
  if (!offered(host)) return;
  host.create_pair(1, 8);
  for (int i = 0; i < 5; ++i)
    host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "by the register");
  Doorbells doorbells(host);
  for (const std::uint32_t number : {2u, 3u}) doorbells.told[number] = 5;
  const std::uint16_t queues = host.queues > 1 ? 2 : 1;
  if (queues > 1) host.create_pair(2, 16);
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = round % 3 == 0 ? 1 : 1 + static_cast<std::size_t>(round) % 7;
    for (std::uint16_t id = 1; id <= queues; ++id) {
      for (std::size_t i = 0; i < count; ++i) doorbells.flush(id);
    }
    for (std::uint16_t id = 1; id <= queues; ++id)
      host.expect_equal(doorbells.collect(id, count), count, "completions of queue " + std::to_string(id));
    if (round % 4 == 0) host.wait(200);
  }
}

void doorbells_in_memory_carry_data(Host& host) {
  host.start_io(32);
  if (!offered(host)) return;
  Doorbells doorbells(host);
  const std::uint32_t count = std::min(8u, host.most_sectors);
  const std::uint64_t data = host.pages(count * host.sector_bytes / Host::kPage + 1);
  for (std::uint32_t round = 0; round < 20; ++round) {
    for (const std::uint8_t opcode : {nvme::io::write, nvme::io::read}) {
      if (opcode == nvme::io::write) host.make(data, count, round);
      nvme::Sqe sqe = Host::io(opcode, round % 4 * count, count);
      host.attach(sqe, data, std::uint64_t{count} * host.sector_bytes);
      host.push(1, sqe);
      doorbells.ring(1);
      host.require(doorbells.collect(1, 1) == 1, "a completion");
      if (opcode == nvme::io::write) host.fill(data, std::uint64_t{count} * host.sector_bytes, 0xEE);
    }
    host.expect(host.holds(data, count, round), "other data are read than were written");
  }
}

/// No more entries than fit are posted, and the head in memory is found.
void a_full_completion_queue_looks_for_its_head_in_memory(Host& host) {
  host.start();
  if (!offered(host)) return;
  Doorbells doorbells(host);
  host.require(host.create_cq(1, 4) == 0 && host.create_sq(1, 64, 1) == 0, "queues");
  for (int i = 0; i < 40; ++i) host.push(1, Host::io(nvme::io::flush, 0, 1));
  doorbells.ring(1);
  host.wait(20000);
  std::size_t came = 0;
  while (host.take(1)) ++came;
  host.expect_equal(came, 3, "entries in a completion queue of four that is not emptied");
  doorbells.tell(nvme::shadow::cq_head(1), host.cq[1].head, 4);
  host.expect_equal(came + doorbells.collect(1, 37), 40, "the number of completions");
}

void an_idle_drive_asks_for_its_doorbells(Host& host) {
  host.start_io();
  if (!offered(host)) return;
  Doorbells doorbells(host);
  doorbells.flush(1);
  host.require(doorbells.collect(1, 1) == 1, "a completion");
  host.wait(10000);
  host.expect_equal(host.load<std::uint32_t>(doorbells.events + 8), 1, "EventIdx of a queue that is idle");
}

void a_reset_takes_the_doorbell_buffers_away(Host& host) {
  host.start_io();
  if (!offered(host)) return;
  std::uint64_t events = 0;
  {
    Doorbells doorbells(host);
    for (int i = 0; i < 10; ++i) doorbells.flush(1);
    events = doorbells.events;
    host.disable();
    host.fill(doorbells.shadow, Host::kPage, 3);
    host.fill(events, Host::kPage, 0xAA);
  }
  host.start_io();
  for (int i = 0; i < 100; ++i)
    host.expect_status(host.execute(1, Host::io(nvme::io::flush, 0, 1)), 0, "a flush by the register");
  for (std::uint32_t at = 0; at < Host::kPage; at += 4)
    host.require(host.load<std::uint32_t>(events + at) == 0xAAAA'AAAA, "the old buffer is left alone");
}

} // namespace

std::vector<Rule> shadow_rules() {
  return {
      {"doorbell_buffers_are_pages", "5.7", doorbell_buffers_are_pages},
      {"doorbells_in_memory_lose_no_command", "7.13", doorbells_in_memory_lose_no_command},
      {"doorbells_in_memory_carry_data", "7.13", doorbells_in_memory_carry_data},
      {"a_full_completion_queue_looks_for_its_head_in_memory", "7.13",
       a_full_completion_queue_looks_for_its_head_in_memory},
      {"an_idle_drive_asks_for_its_doorbells", "7.13", an_idle_drive_asks_for_its_doorbells},
      {"a_reset_takes_the_doorbell_buffers_away", "5.7", a_reset_takes_the_doorbell_buffers_away},
  };
}

} // namespace twinplane::test::conformance
