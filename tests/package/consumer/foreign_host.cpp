#include "foreign_host.h"

#include <cstring>
#include <iostream>

namespace nvme = twinplane::nvme;

namespace {

constexpr std::uint64_t kMemorySize = 1u << 20;
constexpr std::uint64_t kMessageAddress = 0xFEE0'0000; // where this host takes MSI-X messages
constexpr std::uint32_t kEntries = 16;
constexpr std::uint64_t kIdentifyBuffer = 0x10000;
constexpr std::uint64_t kWriteBuffer = 0x20000;
constexpr std::uint64_t kReadBuffer = 0x30000;
constexpr std::uint32_t kTransferSectors = 2;

constexpr std::uint32_t submission_doorbell(std::uint32_t queue) {
  return nvme::bar::doorbells + 8 * queue;
}

} // namespace

ForeignHost::ForeignHost(const sc_core::sc_module_name& name) : sc_module(name), bytes_(kMemorySize) {
  admin_ = Queue{0, 0x1000, 0x2000};
  io_ = Queue{1, 0x3000, 0x4000};
  memory.register_b_transport(this, &ForeignHost::on_memory);
  SC_HAS_PROCESS(ForeignHost);
  SC_THREAD(run);
}

void ForeignHost::on_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (address == kMessageAddress && payload.is_write()) {
    ++messages_;
    message_.notify(delay);
  } else if (address + length > kMemorySize) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else if (payload.is_write()) {
    std::memcpy(&bytes_[address], payload.get_data_ptr(), length);
  } else {
    std::memcpy(payload.get_data_ptr(), &bytes_[address], length);
  }
}

void ForeignHost::access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned size) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(size);
  payload.set_streaming_width(size);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  mmio->b_transport(payload, delay);
  expect(payload.is_response_ok(), "the drive answers a register access");
  wait(delay);
}

std::uint32_t ForeignHost::read_register(std::uint32_t offset) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, offset, &value, sizeof value);
  return value;
}

void ForeignHost::write_register(std::uint32_t offset, std::uint32_t value) {
  access(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
}

void ForeignHost::run() {
  if (enable_controller() && create_io_queue()) {
    check_identify();
    check_write_then_read();
    check_reads_of_nothing_give_zeros();
    check_out_of_range_is_refused();
  }
  expect(messages_ > 0, "completions are announced by MSI-X messages");
  finished_ = true;
  sc_core::sc_stop();
}

bool ForeignHost::enable_controller() {
  expect(read_register(nvme::bar::vs) == nvme::kVersion14, "the drive speaks NVMe 1.4");
  const std::uint32_t table[4] = {kMessageAddress, 0, 0, 0}; // address, data, not masked
  for (std::uint32_t i = 0; i < 4; ++i) write_register(nvme::bar::msix_table + 4 * i, table[i]);
  write_register(nvme::bar::msix_control, 0x8000);
  write_register(nvme::bar::aqa, (kEntries - 1) << 16 | (kEntries - 1));
  write_register(nvme::bar::asq, static_cast<std::uint32_t>(admin_.submission));
  write_register(nvme::bar::asq + 4, 0);
  write_register(nvme::bar::acq, static_cast<std::uint32_t>(admin_.completion));
  write_register(nvme::bar::acq + 4, 0);
  write_register(nvme::bar::cc, 4u << 20 | 6u << 16 | nvme::cc::en);
  for (int i = 0; i < 1000 && (read_register(nvme::bar::csts) & nvme::csts::rdy) == 0; ++i) {
    wait(10, sc_core::SC_US);
  }
  const std::uint32_t status = read_register(nvme::bar::csts);
  expect(status == nvme::csts::rdy, "the controller becomes ready");
  return status == nvme::csts::rdy;
}

bool ForeignHost::create_io_queue() {
  nvme::Sqe entry;
  entry.opcode = nvme::admin::create_cq;
  entry.prp1 = io_.completion;
  entry.cdw10 = (kEntries - 1) << 16 | io_.id;
  entry.cdw11 = 3; // interrupts enabled, physically contiguous, vector 0
  const bool completion_ok = execute(admin_, entry).status >> 1 == nvme::status::success;
  entry.opcode = nvme::admin::create_sq;
  entry.prp1 = io_.submission;
  entry.cdw11 = io_.id << 16 | 1;
  const bool submission_ok = execute(admin_, entry).status >> 1 == nvme::status::success;
  expect(completion_ok && submission_ok, "an I/O queue pair can be created");
  return completion_ok && submission_ok;
}

void ForeignHost::check_identify() {
  nvme::Sqe entry;
  entry.opcode = nvme::admin::identify;
  entry.nsid = 1;
  entry.prp1 = kIdentifyBuffer;
  entry.cdw10 = 0; // namespace
  expect(execute(admin_, entry).status >> 1 == nvme::status::success, "identify namespace succeeds");
  const std::uint8_t* data = &bytes_[kIdentifyBuffer];
  std::memcpy(&sectors_, data, sizeof sectors_);
  const std::uint8_t format = data[26] & 15;
  sector_size_ = 1u << data[128 + 4 * format + 2];
  expect(sectors_ > 0 && sector_size_ >= 512, "the namespace has a capacity and a sector size");
}

void ForeignHost::check_write_then_read() {
  const std::uint32_t size = kTransferSectors * sector_size_;
  for (std::uint32_t i = 0; i < size; ++i)
    bytes_[kWriteBuffer + i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  const sc_core::sc_time before = sc_core::sc_time_stamp();
  expect(execute(io_, transfer(nvme::io::write, 10, kWriteBuffer)).status >> 1 == 0, "a write succeeds");
  const sc_core::sc_time written = sc_core::sc_time_stamp();
  expect(written - before > sc_core::sc_time(200, sc_core::SC_US), "a write takes at least tPROG");
  expect(execute(io_, transfer(nvme::io::read, 10, kReadBuffer)).status >> 1 == 0, "a read succeeds");
  expect(sc_core::sc_time_stamp() - written > sc_core::sc_time(50, sc_core::SC_US),
         "a read takes at least tR");
  expect(std::memcmp(&bytes_[kReadBuffer], &bytes_[kWriteBuffer], size) == 0,
         "what is read is what was written");
}

void ForeignHost::check_reads_of_nothing_give_zeros() {
  const std::uint32_t size = kTransferSectors * sector_size_;
  std::memset(&bytes_[kReadBuffer], 0xA5, size);
  expect(execute(io_, transfer(nvme::io::read, 100, kReadBuffer)).status >> 1 == 0, "an empty read succeeds");
  bool zeros = true;
  for (std::uint32_t i = 0; i < size; ++i) zeros = zeros && bytes_[kReadBuffer + i] == 0;
  expect(zeros, "sectors never written read as zeros");
}

void ForeignHost::check_out_of_range_is_refused() {
  const nvme::Cqe done = execute(io_, transfer(nvme::io::read, sectors_ - 1, kReadBuffer));
  expect((done.status >> 1 & 0x7FF) == nvme::status::lba_range, "a read beyond the capacity is refused");
}

nvme::Sqe ForeignHost::transfer(std::uint8_t opcode, std::uint64_t lba, std::uint64_t buffer) const {
  nvme::Sqe entry;
  entry.opcode = opcode;
  entry.nsid = 1;
  entry.prp1 = buffer;
  entry.prp2 = kTransferSectors * sector_size_ > 4096 ? buffer + 4096 : 0; // two memory pages at most
  entry.cdw10 = static_cast<std::uint32_t>(lba);
  entry.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  entry.cdw12 = kTransferSectors - 1;
  return entry;
}

/// Submits one command and waits for its completion.
nvme::Cqe ForeignHost::execute(Queue& queue, nvme::Sqe entry) {
  entry.cid = next_cid_++;
  std::memcpy(&bytes_[queue.submission + queue.tail * sizeof entry], &entry, sizeof entry);
  queue.tail = (queue.tail + 1) % kEntries;
  write_register(submission_doorbell(queue.id), queue.tail);
  nvme::Cqe done;
  for (int tries = 0; tries < 100; ++tries) {
    std::memcpy(&done, &bytes_[queue.completion + queue.head * sizeof done], sizeof done);
    if ((done.status & 1u) == queue.phase) break;
    wait(sc_core::sc_time(1, sc_core::SC_MS), message_);
  }
  expect((done.status & 1u) == queue.phase && done.cid == entry.cid,
         "each command completes with its identifier");
  queue.head = (queue.head + 1) % kEntries;
  if (queue.head == 0) queue.phase ^= 1;
  write_register(submission_doorbell(queue.id) + 4, queue.head);
  return done;
}

void ForeignHost::expect(bool condition, const char* what) {
  if (condition) return;
  ++failures_;
  std::cerr << sc_core::sc_time_stamp() << ": not so: " << what << '\n';
}
