// Firmware's place in tests of the NVMe front end: a module that sets up the rings, sees each command at its
// time and posts DMA descriptors. By itself it answers what a driver needs to come up and keeps sectors in
// plain memory; a test may take over any command.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <systemc>
#include <vector>

#include "hw/core/dram.h"
#include "hw/core/register_access.h"
#include "hw/spec/data_mode.h"
#include "hw/spec/host_descriptor.h"
#include "hw/spec/nvme.h"
#include "hw/spec/registers.h"

namespace twinplane::test {

class StubFirmware : public sc_core::sc_module {
 public:
  struct Seen {
    CommandEntry entry;
    nvme::Sqe sqe;
    TimePs at = 0;
  };

  tlm_utils::simple_initiator_socket<StubFirmware> mmio{"mmio"};
  tlm_utils::simple_target_socket<StubFirmware> irq{"irq"};

  // settings, before simulation starts
  std::uint32_t ring_entries = 256;
  std::uint32_t dma_entries = 256;
  std::uint64_t capacity = 1 << 16; // sectors
  std::uint32_t sector_size = 4096;
  DataMode data_mode = DataMode::tag;
  TimePs service_time = 0; // of a command, all in parallel
  TimePs shutdown_time = 0;
  std::uint32_t rtd3e = 0;  // of Identify, in us
  bool auto_consume = true; // command_head follows command_tail
  bool answers_events = true;
  /// Returns true when the test has taken the command over.
  std::function<bool(const Seen&)> on_command;

  // what happened
  std::vector<Seen> seen;
  std::vector<TimePs> dma_interrupts;
  std::uint32_t events = 0; // host_event bits seen
  std::uint32_t turns = 0;

  StubFirmware(const sc_core::sc_module_name& name, hw::Dram& dram) : sc_module(name), dram_(dram) {
    irq.register_b_transport(this, &StubFirmware::on_irq);
    SC_HAS_PROCESS(StubFirmware);
    SC_METHOD(turn);
    sensitive << wake_;
    dont_initialize();
    SC_METHOD(shut_down);
    sensitive << shut_down_;
    dont_initialize();
  }

  std::uint32_t read(std::uint32_t offset) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return registers_.read(mmio, offset, delay);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    registers_.write(mmio, offset, value, delay);
  }
  /// As firmware that is `ahead` of the kernel.
  void write_at(std::uint32_t offset, std::uint32_t value, TimePs ahead) {
    sc_core::sc_time delay = hw::to_sc_time(ahead);
    registers_.write(mmio, offset, value, delay);
  }
  bool accepted() const { return registers_.ok(); }

  /// Appends a descriptor and returns its index; kick() rings the doorbell.
  std::uint32_t post(DmaOp op, std::uint16_t slot, std::uint32_t offset, std::uint32_t length,
                     std::uint32_t buffer, std::uint8_t flags = 0) {
    DmaDescriptor d;
    d.op = static_cast<std::uint8_t>(op);
    d.flags = flags;
    d.slot = slot;
    d.offset = offset;
    d.length = length;
    d.buffer = buffer;
    return append(d);
  }
  std::uint32_t complete(std::uint16_t slot, std::uint16_t status = 0, std::uint32_t result = 0) {
    DmaDescriptor d;
    d.op = static_cast<std::uint8_t>(DmaOp::complete);
    d.slot = slot;
    d.status = status;
    d.result = result;
    return append(d);
  }
  void kick() { write(reg::host::dma_tail, dma_tail_); }
  std::uint8_t* buffer(std::uint32_t offset) { return dram_.data() + offset; }
  static constexpr std::uint32_t kBuffers = 1u << 20; // free DRAM for tests from here on

  /// Creates or deletes a queue through the mailbox; returns its status.
  std::uint32_t queue(std::uint32_t op, std::uint32_t id, std::uint64_t base = 0, std::uint32_t entries = 0,
                      std::uint32_t cq = 0, std::uint32_t flags = 0) {
    write(reg::host::queue_id, id);
    write(reg::host::queue_base_lo, static_cast<std::uint32_t>(base));
    write(reg::host::queue_base_hi, static_cast<std::uint32_t>(base >> 32));
    write(reg::host::queue_entries, entries);
    write(reg::host::queue_cq, cq);
    write(reg::host::queue_flags, flags);
    write(reg::host::queue_command, op);
    return read(reg::host::queue_result);
  }

 private:
  void start_of_simulation() override {
    write(reg::host::command_base, 0);
    write(reg::host::command_size, ring_entries);
    write(reg::host::dma_base, 512u << 10);
    write(reg::host::dma_size, dma_entries);
  }

  void on_irq(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    pending_.emplace(hw::kernel_now() + delay.value(), hw::word_of(payload));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    wake_.notify(delay);
  }

  void turn() {
    ++turns;
    const TimePs now = hw::kernel_now();
    while (!pending_.empty() && pending_.begin()->first <= now) {
      const std::uint32_t source = pending_.begin()->second;
      pending_.erase(pending_.begin());
      if (source == reg::irq::host_command) take_commands();
      if (source == reg::irq::host_event) take_event();
      if (source == reg::irq::host_dma) dma_interrupts.push_back(now);
    }
    while (!later_.empty() && later_.begin()->first <= now) {
      const Seen command = later_.begin()->second;
      later_.erase(later_.begin());
      serve(command);
    }
    if (!pending_.empty()) wake_.notify(hw::to_sc_time(pending_.begin()->first - now));
    if (!later_.empty()) wake_.notify(hw::to_sc_time(later_.begin()->first - now));
  }

  void take_event() {
    if (!answers_events) return;
    const std::uint32_t bits = read(reg::host::event);
    events |= bits;
    if ((bits & reg::host_event::disabled) != 0) write(reg::host::control, reg::host_control::clear_ready);
    if ((bits & reg::host_event::enabled) != 0) write(reg::host::control, reg::host_control::set_ready);
    if ((bits & reg::host_event::shutdown) != 0) shut_down_.notify(hw::to_sc_time(shutdown_time));
  }

  void shut_down() { write(reg::host::control, reg::host_control::shutdown_complete); }

  void take_commands() {
    const std::uint32_t tail = read(reg::host::command_tail);
    while (taken_ != tail) {
      Seen command;
      std::memcpy(&command.entry, dram_.data() + (taken_ & (ring_entries - 1)) * sizeof(CommandEntry),
                  sizeof command.entry);
      std::memcpy(&command.sqe, command.entry.sqe, sizeof command.sqe);
      command.at = hw::kernel_now();
      ++taken_;
      seen.push_back(command);
      if (on_command && on_command(command)) continue;
      if (service_time == 0 || command.entry.sqid == 0) {
        serve(command);
      } else {
        later_.emplace(command.at + service_time, command);
      }
    }
    if (auto_consume) write(reg::host::command_head, taken_);
  }

  void serve(const Seen& command) {
    if (command.entry.sqid == 0) {
      serve_admin(command);
    } else {
      serve_io(command);
    }
    kick();
  }

  void serve_admin(const Seen& command) {
    const nvme::Sqe& sqe = command.sqe;
    const std::uint16_t slot = command.entry.slot;
    std::uint32_t status = 0;
    std::uint32_t result = 0;
    switch (sqe.opcode) {
      case nvme::admin::identify:
        identify(slot, sqe.cdw10 & 0xFF);
        break;
      case nvme::admin::set_features:
        if ((sqe.cdw10 & 0xFF) == 7) result = sqe.cdw11;
        if ((sqe.cdw10 & 0xFF) == 1) write(reg::host::arbitration, sqe.cdw11);
        if ((sqe.cdw10 & 0xFF) == 8) write(reg::host::coalescing, sqe.cdw11);
        break;
      case nvme::admin::create_cq:
        status = queue(reg::queue_op::create_cq, sqe.cdw10 & 0xFFFF, sqe.prp1, (sqe.cdw10 >> 16) + 1, 0,
                       (sqe.cdw11 >> 1 & 1) | (sqe.cdw11 >> 16 << 16));
        break;
      case nvme::admin::create_sq:
        status = queue(reg::queue_op::create_sq, sqe.cdw10 & 0xFFFF, sqe.prp1, (sqe.cdw10 >> 16) + 1,
                       sqe.cdw11 >> 16, sqe.cdw11 & 6);
        break;
      case nvme::admin::delete_sq:
        status = queue(reg::queue_op::delete_sq, sqe.cdw10 & 0xFFFF);
        break;
      case nvme::admin::delete_cq:
        status = queue(reg::queue_op::delete_cq, sqe.cdw10 & 0xFFFF);
        break;
      case nvme::admin::async_event:
        return; // stays outstanding
      default:
        status = nvme::status::invalid_opcode;
    }
    complete(slot, static_cast<std::uint16_t>(status), result);
  }

  void identify(std::uint16_t slot, std::uint32_t cns) {
    std::uint8_t* page = buffer(kBuffers - 4096);
    std::memset(page, 0, 4096);
    if (cns == 1) {
      page[77] = 5; // MDTS: 128 KiB
      std::memcpy(page + 88, &rtd3e, sizeof rtd3e);
    } else {
      std::memcpy(page, &capacity, sizeof capacity);
      page[128 + 2] = static_cast<std::uint8_t>(__builtin_ctz(sector_size));
    }
    post(DmaOp::bytes_to_host, slot, 0, 4096, kBuffers - 4096);
  }

  /// Each sector's payload lives in DRAM at its LBA, so DMA moves it from and to its place.
  void serve_io(const Seen& command) {
    const nvme::Sqe& sqe = command.sqe;
    const std::uint16_t slot = command.entry.slot;
    const std::uint64_t lba = sqe.cdw10 | std::uint64_t{sqe.cdw11} << 32;
    const std::uint32_t place =
        kBuffers + static_cast<std::uint32_t>(lba) * payload_bytes(data_mode, sector_size);
    const std::uint32_t sectors = (sqe.cdw12 & 0xFFFF) + 1;
    std::uint16_t status = 0;
    switch (sqe.opcode) {
      case nvme::io::write:
        post(DmaOp::to_device, slot, 0, sectors, place);
        break;
      case nvme::io::read:
        post(DmaOp::to_host, slot, 0, sectors, place);
        break;
      case nvme::io::flush:
        break;
      case nvme::io::dataset_management: {
        post(DmaOp::bytes_to_device, slot, 0, sizeof(nvme::DsmRange), kBuffers - 8192);
        kick(); // the range is in DRAM now
        nvme::DsmRange range;
        std::memcpy(&range, buffer(kBuffers - 8192), sizeof range);
        const std::uint32_t stride = payload_bytes(data_mode, sector_size);
        std::memset(buffer(kBuffers + static_cast<std::uint32_t>(range.slba) * stride), 0,
                    range.blocks * stride);
        break;
      }
      default:
        status = nvme::status::invalid_opcode;
    }
    complete(slot, status);
  }

  std::uint32_t append(const DmaDescriptor& d) {
    auto* ring = reinterpret_cast<DmaDescriptor*>(dram_.data() + (512u << 10));
    ring[dma_tail_ & (dma_entries - 1)] = d;
    return ++dma_tail_;
  }

  hw::Dram& dram_;
  hw::RegisterAccess registers_;
  sc_core::sc_event wake_{"wake"};
  sc_core::sc_event shut_down_{"shut_down_event"};
  std::multimap<TimePs, std::uint32_t> pending_;
  std::multimap<TimePs, Seen> later_;
  std::uint32_t taken_ = 0;
  std::uint32_t dma_tail_ = 0;
};

} // namespace twinplane::test
