#include "firmware/nvme/data_transfers.h"

#include <cstring>

namespace twinplane::fw {

namespace {

DmaDescriptor bytes_descriptor(DmaOp op, const Command& command, std::uint32_t buffer, std::uint32_t bytes) {
  DmaDescriptor descriptor;
  descriptor.op = static_cast<std::uint8_t>(op);
  descriptor.flags = dma_flag::notify;
  descriptor.slot = command.slot;
  descriptor.length = bytes;
  descriptor.buffer = buffer;
  return descriptor;
}

} // namespace

std::uint8_t DataTransfers::free_buffer() const {
  std::uint8_t i = 0;
  while (i < kBuffers && state_[i] != State::free) ++i;
  return i;
}

std::uint8_t* DataTransfers::take(Command& command) {
  const std::uint8_t buffer = free_buffer();
  if (buffer == kBuffers) {
    command.phase = Phase::buffer;
    parked_.push_back(command);
    return nullptr;
  }
  state_[buffer] = State::taken;
  command.buffer = buffer;
  std::memset(data(command), 0, kBytes);
  return data(command);
}

std::uint8_t* DataTransfers::data(const Command& command) const {
  return parts_.hal->dram() + parts_.dram_offset + command.buffer * kBytes;
}

std::uint32_t DataTransfers::post(const DmaDescriptor& descriptor) {
  parts_.hal->charge(parts_.dma_submit_cycles);
  return parts_.host->post(descriptor);
}

void DataTransfers::send(const Command& command, std::uint32_t skip, std::uint32_t bytes) {
  const std::uint32_t from = parts_.dram_offset + command.buffer * kBytes + skip;
  drained_by_[command.buffer] = post(bytes_descriptor(DmaOp::bytes_to_host, command, from, bytes));
  state_[command.buffer] = State::draining;
}

void DataTransfers::fetch(Command& command, std::uint32_t bytes) {
  const std::uint32_t to = parts_.dram_offset + command.buffer * kBytes;
  wait_for(command, bytes_descriptor(DmaOp::bytes_to_device, command, to, bytes));
}

void DataTransfers::wait_for(Command& command, DmaDescriptor descriptor) {
  descriptor.flags = dma_flag::notify;
  command.dma_index = post(descriptor);
  waiting_.push_back(command);
}

void DataTransfers::on_done(std::uint32_t done) {
  done_ = done;
  for (std::uint8_t i = 0; i < kBuffers; ++i) {
    if (state_[i] == State::draining && HostPort::reached(done, drained_by_[i])) state_[i] = State::free;
  }
}

Command* DataTransfers::next_arrived() {
  if (waiting_.empty() || !HostPort::reached(done_, waiting_.front()->dma_index)) return nullptr;
  return &waiting_.pop_front();
}

Command* DataTransfers::next_ready() {
  if (!any_ready()) return nullptr;
  return &parked_.pop_front();
}

} // namespace twinplane::fw
