#include "hw/host_if/device_registers.h"

#include "hw/core/kernel_time.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

bool DeviceRegisters::read32(std::uint64_t address, std::uint32_t& value, TimePs& at) {
  if ((address & 3) != 0) return false;
  value = read(static_cast<std::uint32_t>(address), at);
  return true;
}

bool DeviceRegisters::write32(std::uint64_t address, std::uint32_t value, TimePs& at) {
  return (address & 3) == 0 && write(static_cast<std::uint32_t>(address), value, at);
}

// Debug reads must not disturb. Registers that clear or re-arm on reading say what the firmware has read or
// would read; those that are only written, what they have come to.
unsigned DeviceRegisters::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || !is_word_access(payload)) return 0;
  set_word(payload, look_at(static_cast<std::uint32_t>(payload.get_address())));
  return sizeof(std::uint32_t);
}

std::uint32_t DeviceRegisters::look_at(std::uint32_t offset) {
  switch (offset) {
    case reg::host::event:
      return controller_.events();
    case reg::host::command_tail:
      return front_.command_ring.seen_tail();
    case reg::host::command_head:
      return front_.command_ring.head();
    case reg::host::dma_done:
      return front_.dma_engine.seen_done();
    case reg::host::dma_tail:
      return front_.dma_engine.rung();
    case reg::host::dma_move:
      return front_.dma_engine.moved();
    default:
      return read(offset, kernel_now());
  }
}

std::uint32_t DeviceRegisters::read(std::uint32_t offset, TimePs at) {
  switch (offset) {
    case reg::host::command_tail: {
      const std::uint32_t tail = front_.command_ring.visible_tail(at);
      // The interrupt that announced these entries does not announce later ones: they need one of their own.
      if (const TimePs next = front_.command_ring.next_visible(); next != kNever)
        front_.raise(reg::irq::host_command, next);
      return tail;
    }
    case reg::host::dma_done: {
      const std::uint32_t done = front_.dma_engine.done(at);
      front_.raise_dma();
      return done;
    }
    case reg::host::event:
      return controller_.take_events();
    case reg::host::event_info:
      return controller_.event_info();
    case reg::host::command_base:
      return front_.command_ring.base();
    case reg::host::command_size:
      return front_.command_ring.size();
    case reg::host::dma_base:
      return front_.dma_engine.base();
    case reg::host::dma_size:
      return front_.dma_engine.size();
    case reg::host::dma_status:
      return front_.dma_engine.status_offset();
    case reg::host::data_slot:
      return data_slot_;
    case reg::host::data_status:
      return front_.slots.valid(data_slot_) ? front_.slots[data_slot_].error
                                            : nvme::status::data_transfer_error;
    case reg::host::max_slots:
      return front_.slots.count();
    case reg::host::inflight: // what the threads do counts: RDY must not fall while host memory is in use
      return front_.slots.in_use() + front_.queues.held() +
             static_cast<std::uint32_t>(front_.host.posted_writes()) +
             (front_.fetch_engine.reading() ? 1 : 0) + (controller_.shadow_doorbells().busy() ? 1 : 0);
    case reg::host::queued:
      return front_.queues.pending();
    case reg::host::queue_result:
      return mailbox_result_;
    default:
      return 0;
  }
}

inline bool DeviceRegisters::write(std::uint32_t offset, std::uint32_t value, TimePs at) {
  switch (offset) {
    case reg::host::dma_tail: {
      const bool ok = front_.dma_engine.ring(value, at);
      front_.raise_dma();
      if (front_.fetch_engine.starved()) front_.fetch(front_.dma_engine.last_done());
      front_.arm();
      return ok;
    }
    case reg::host::dma_move:
      return front_.dma_engine.move(value, at);
    case reg::host::data_slot:
      data_slot_ = value;
      return true;
    case reg::host::dma_status:
      return front_.dma_engine.set_status(value);
    case reg::host::command_head:
      front_.command_ring.set_head(value);
      if (front_.queues.pending() != 0) front_.fetch(at);
      return true;
    case reg::host::command_base:
      front_.command_ring.set_base(value);
      return true;
    case reg::host::command_size:
      return front_.command_ring.set_size(value);
    case reg::host::dma_base:
      front_.dma_engine.set_base(value);
      return true;
    case reg::host::dma_size:
      return front_.dma_engine.set_size(value);
    case reg::host::control:
      controller_.control(value, at);
      return true;
    case reg::host::arbitration:
      front_.fetch_engine.arbiter().configure(value);
      return true;
    case reg::host::coalescing:
      front_.interrupts.set_coalescing(value);
      return true;
    default:
      return write_queue_mailbox(offset, value, at);
  }
}

bool DeviceRegisters::write_queue_mailbox(std::uint32_t offset, std::uint32_t value, TimePs at) {
  switch (offset) {
    case reg::host::queue_id:
      mailbox_.id = value;
      return true;
    case reg::host::queue_base_lo:
      mailbox_.base = (mailbox_.base >> 32 << 32) | value;
      return true;
    case reg::host::queue_base_hi:
      mailbox_.base = (mailbox_.base & 0xFFFF'FFFFu) | std::uint64_t{value} << 32;
      return true;
    case reg::host::queue_entries:
      mailbox_.entries = value;
      return true;
    case reg::host::queue_cq:
      mailbox_.cqid = value;
      return true;
    case reg::host::queue_flags:
      mailbox_.flags = value;
      return true;
    case reg::host::queue_command:
      queue_command(value, at);
      return true;
    default:
      return false;
  }
}

void DeviceRegisters::queue_command(std::uint32_t op, TimePs at) {
  switch (op) {
    case reg::queue_op::create_cq:
      mailbox_result_ = front_.queues.create_cq(mailbox_);
      if (mailbox_result_ == nvme::status::success)
        controller_.shadow_doorbells().created(nvme::shadow::cq_head(mailbox_.id), at);
      break;
    case reg::queue_op::create_sq:
      mailbox_result_ = front_.queues.create_sq(mailbox_);
      if (mailbox_result_ == nvme::status::success)
        controller_.shadow_doorbells().created(nvme::shadow::sq_tail(mailbox_.id), at);
      break;
    case reg::queue_op::delete_cq:
      mailbox_result_ = delete_cq(mailbox_.id);
      break;
    case reg::queue_op::delete_sq:
      mailbox_result_ = front_.queues.delete_sq(mailbox_.id);
      if (mailbox_result_ == nvme::status::success) front_.poster.drop_completions_of(mailbox_.id);
      break;
    default:
      doorbell_command(op, at);
  }
}

// Of a controller that the host has reset since, it is not wanted.
void DeviceRegisters::doorbell_command(std::uint32_t op, TimePs at) {
  mailbox_result_ = nvme::status::success;
  if (op == reg::queue_op::shadow_doorbells) {
    controller_.shadow_doorbells().set_shadow(mailbox_.base);
  } else if (op != reg::queue_op::event_indices) {
    mailbox_result_ = nvme::status::invalid_field;
  } else if (controller_.answers_host()) {
    controller_.shadow_doorbells().start(mailbox_.base, at);
  }
}

std::uint16_t DeviceRegisters::delete_cq(std::uint32_t id) {
  const std::uint16_t status = front_.queues.check_delete_cq(id);
  if (status != nvme::status::success) return status;
  front_.queues.delete_cq(id);
  return status;
}

} // namespace twinplane::hw
