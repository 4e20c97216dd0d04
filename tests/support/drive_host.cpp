#include "tests/support/drive_host.h"

#include <utility>

namespace twinplane::test {

namespace bar0 = nvme::bar;

void DriveHost::pass(TimePs time) {
  const sc_core::sc_time span(static_cast<double>(time), sc_core::SC_PS);
  if (sc_core::sc_get_current_process_handle().valid() && sc_core::sc_is_running()) {
    sc_core::wait(span);
  } else {
    sc_core::sc_start(span);
  }
}

tlm::tlm_response_status DriveHost::access(tlm::tlm_command command, std::uint64_t address, void* data,
                                           std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bar->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) pass(delay.value());
  return payload.get_response_status();
}

std::uint32_t DriveHost::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, offset, &value, sizeof value);
  return value;
}

void DriveHost::write(std::uint32_t offset, std::uint32_t value) {
  access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

bool DriveHost::wait_status(std::uint32_t mask, std::uint32_t value, TimePs limit, TimePs step) {
  const TimePs end = now() + limit;
  while ((read(bar0::csts) & mask) != value) {
    if (now() >= end) return false;
    pass(step);
  }
  return true;
}

void DriveHost::enable(std::uint32_t entries, std::uint32_t more) {
  doorbells_in_memory_ = false;
  for (Sq& queue : sq) queue = Sq{};
  for (Cq& queue : cq) queue = Cq{};
  sq[0].live = cq[0].live = true;
  sq[0].entries = cq[0].entries = entries;
  sq[0].base = queue_base(0);
  cq[0].base = queue_base(0) + kCqOffset;
  std::memset(memory.at(sq[0].base), 0, kQueuePages * HostMemory::kPage);
  write(bar0::aqa, (entries - 1) << 16 | (entries - 1));
  write(bar0::asq, static_cast<std::uint32_t>(sq[0].base));
  write(bar0::asq + 4, 0);
  write(bar0::acq, static_cast<std::uint32_t>(cq[0].base));
  write(bar0::acq + 4, 0);
  write(bar0::cc, kCc | more | nvme::cc::en);
}

void DriveHost::set_vectors(std::uint32_t count, bool masked) {
  for (std::uint32_t vector = 0; vector < count; ++vector) {
    const std::uint32_t entry = bar0::msix_table + 16 * vector;
    write(entry, static_cast<std::uint32_t>(HostMemory::kMessages) + 16 * vector);
    write(entry + 4, 0);
    write(entry + 8, vector);
    write(entry + 12, masked ? 1 : 0);
  }
}

nvme::Sqe DriveHost::create_cq(std::uint16_t id, std::uint32_t entries, std::uint16_t vector,
                               bool interrupts) {
  Cq queue;
  queue.live = true;
  queue.interrupts = interrupts;
  queue.vector = vector;
  queue.entries = entries;
  queue.base = queue_base(id) + kCqOffset;
  std::memset(memory.at(queue.base), 0, entries * sizeof(nvme::Cqe));
  cq[id] = queue;
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::create_cq;
  sqe.prp1 = queue.base;
  sqe.cdw10 = (entries - 1) << 16 | id;
  sqe.cdw11 = 1u | (interrupts ? 2u : 0u) | std::uint32_t{vector} << 16;
  return sqe;
}

nvme::Sqe DriveHost::create_sq(std::uint16_t id, std::uint32_t entries, std::uint16_t cqid,
                               std::uint32_t priority) {
  Sq queue;
  queue.live = true;
  queue.cqid = cqid;
  queue.entries = entries;
  queue.base = queue_base(id);
  std::memset(memory.at(queue.base), 0xFF, entries * sizeof(nvme::Sqe));
  sq[id] = queue;
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::create_sq;
  sqe.prp1 = queue.base;
  sqe.cdw10 = (entries - 1) << 16 | id;
  sqe.cdw11 = 1u | priority << 1 | std::uint32_t{cqid} << 16;
  return sqe;
}

bool DriveHost::create_pair(std::uint16_t id, std::uint32_t entries, std::uint32_t cq_entries) {
  return execute(0, create_cq(id, cq_entries, id)) == 0 && execute(0, create_sq(id, entries, id)) == 0;
}

void DriveHost::push(std::uint16_t id, const nvme::Sqe& sqe) {
  Sq& queue = sq[id];
  memory.store(queue.base + queue.tail * sizeof sqe, sqe);
  queue.tail = (queue.tail + 1) % queue.entries;
}

void DriveHost::ring(std::uint16_t id) {
  const std::uint32_t before = std::exchange(sq[id].rung, sq[id].tail);
  tell(nvme::shadow::sq_tail(id), sq[id].entries, before, sq[id].tail);
}

void DriveHost::tell(std::uint32_t doorbell, std::uint32_t entries, std::uint32_t old, std::uint32_t value) {
  if (doorbells_in_memory_ && doorbell > 1) {
    memory.store(kDoorbells + 4 * doorbell, value);
    const auto event = memory.load<std::uint32_t>(kDoorbells + HostMemory::kPage + 4 * doorbell);
    if (!nvme::shadow::passes(event, old, value, entries)) return;
  }
  write(bar0::doorbells + 4 * doorbell, value);
}

nvme::Sqe DriveHost::doorbell_buffers() {
  nvme::Sqe sqe;
  sqe.opcode = nvme::admin::doorbell_buffers;
  sqe.prp1 = kDoorbells;
  sqe.prp2 = kDoorbells + HostMemory::kPage;
  return sqe;
}

void DriveHost::use_doorbell_buffers() {
  doorbells_in_memory_ = true;
}

std::optional<nvme::Cqe> DriveHost::take(std::uint16_t id) {
  Cq& queue = cq[id];
  const auto entry = memory.load<nvme::Cqe>(queue.base + queue.head * sizeof(nvme::Cqe));
  if (((entry.status & 1) != 0) != queue.phase) return std::nullopt;
  if (++queue.head == queue.entries) {
    queue.head = 0;
    queue.phase = !queue.phase;
  }
  return entry;
}

void DriveHost::ring_head(std::uint16_t id) {
  if (cq[id].told == cq[id].head) return;
  const std::uint32_t before = std::exchange(cq[id].told, cq[id].head);
  tell(nvme::shadow::cq_head(id), cq[id].entries, before, cq[id].head);
}

int DriveHost::execute(std::uint16_t id, nvme::Sqe sqe) {
  sqe.cid = next_cid_++;
  push(id, sqe);
  ring(id);
  for (const TimePs end = now() + ms(1000); now() < end; pass(us(10))) {
    const auto entry = take(sq[id].cqid);
    if (!entry) continue;
    last = *entry;
    sq[id].head = entry->sq_head;
    ring_head(sq[id].cqid);
    return entry->status >> 1 & ~nvme::status::dnr;
  }
  return -1;
}

} // namespace twinplane::test
