#include "firmware/nvme/compare_unit.h"

#include <cstring>

namespace twinplane::fw {

void CompareUnit::boot(Services& services, std::uint32_t dram_offset) {
  services_ = &services;
  dram_offset_ = dram_offset;
  stride_ = payload_bytes(services.config.data_mode, services.config.geometry.sector_size);
}

std::uint32_t CompareUnit::buffer_bytes(const NvmeConfig& config) {
  return 2 * config.max_transfer_sectors() * payload_bytes(config.data_mode, config.geometry.sector_size);
}

void CompareUnit::start(Command& command) {
  if (busy_) {
    command.phase = Phase::compare_turn;
    waiting_.push_back(command);
    return;
  }
  begin(command);
}

void CompareUnit::begin(Command& command) {
  busy_ = true;
  command.phase = Phase::compare;
  command.open_sides = 2;
  DmaDescriptor descriptor;
  descriptor.op = static_cast<std::uint8_t>(DmaOp::to_device);
  descriptor.slot = command.slot;
  descriptor.length = command.sectors;
  descriptor.buffer = host_buffer();
  services_->transfers.wait_for(command, descriptor);
  command.kind = RequestKind::read;
  command.device_buffer = stored_buffer();
  services_->storage->submit(command);
}

void CompareUnit::on_side(Command& command) {
  if (--command.open_sides != 0) return;
  const std::uint32_t cycles =
      command.sectors * (services_->config.geometry.sector_size / 8); // 8 bytes per cycle
  services_->hal->charge(cycles);
  std::uint16_t status = services_->transfers.status(command); // before anything about content
  if (status == nvme::status::success) status = command.status;
  if (status == nvme::status::success) {
    std::uint8_t* dram = services_->hal->dram();
    const bool equal =
        std::memcmp(dram + stored_buffer(), dram + host_buffer(), command.sectors * stride_) == 0;
    status = equal ? nvme::status::success : nvme::status::compare_failure;
  }
  busy_ = false;
  services_->finish(command, status);
  if (!waiting_.empty()) begin(waiting_.pop_front());
}

void CompareUnit::end_waiting(std::uint16_t status) {
  while (!waiting_.empty()) services_->finish(waiting_.pop_front(), status);
}

void CompareUnit::forget_data() {
  std::memset(services_->hal->dram() + dram_offset_, 0, buffer_bytes(services_->config));
}

} // namespace twinplane::fw
