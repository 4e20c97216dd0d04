// The front end as firmware sees it (hw/spec/registers.h, namespace host): command ring, DMA ring, queue
// mailbox.
#pragma once

#include <cstdint>
#include <tlm>

#include "hw/core/register_file.h"
#include "hw/host_if/controller_registers.h"
#include "hw/host_if/front_end.h"

namespace twinplane::hw {

class DeviceRegisters final : public RegisterFile {
 public:
  DeviceRegisters(FrontEnd& front, ControllerRegisters& controller)
      : front_(front), controller_(controller) {}

 private:
  bool read32(std::uint64_t address, std::uint32_t& value, TimePs& at) override;
  bool write32(std::uint64_t address, std::uint32_t value, TimePs& at) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  std::uint32_t read(std::uint32_t offset, TimePs at);
  std::uint32_t look_at(std::uint32_t offset);
  bool write(std::uint32_t offset, std::uint32_t value, TimePs at);
  bool write_queue_mailbox(std::uint32_t offset, std::uint32_t value, TimePs at);
  void queue_command(std::uint32_t op, TimePs at);
  void doorbell_command(std::uint32_t op, TimePs at);
  std::uint16_t delete_cq(std::uint32_t id);

  FrontEnd& front_;
  ControllerRegisters& controller_;
  QueueRequest mailbox_;
  std::uint32_t mailbox_result_ = 0;
  std::uint32_t data_slot_ = 0;
};

} // namespace twinplane::hw
