// HostInterface: firmware's registers (hw/spec/registers.h, namespace host).
#include "hw/host_if/host_interface.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

void HostInterface::on_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!is_word_access(payload)) return;
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  const TimePs at = time_at(delay);
  bool ok = true;
  if (payload.is_read()) {
    set_word(payload, read_device(offset, at));
  } else if (payload.is_write()) { // TLM_IGNORE_COMMAND does nothing
    ok = write_device(offset, word_of(payload), at);
  }
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool HostInterface::read_device_word(std::uint64_t address, std::uint32_t& value, TimePs& at) {
  if ((address & 3) != 0) return false;
  value = read_device(static_cast<std::uint32_t>(address), at);
  return true;
}

bool HostInterface::write_device_word(std::uint64_t address, std::uint32_t value, TimePs& at) {
  return (address & 3) == 0 && write_device(static_cast<std::uint32_t>(address), value, at);
}

// Debug reads must not disturb. Registers that clear or re-arm on reading say what the firmware has read or
// would read; those that are only written, what they have come to.
unsigned HostInterface::on_device_debug(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || !is_word_access(payload)) return 0;
  set_word(payload, look_at_device(static_cast<std::uint32_t>(payload.get_address())));
  return sizeof(std::uint32_t);
}

std::uint32_t HostInterface::look_at_device(std::uint32_t offset) {
  switch (offset) {
    case reg::host::event:
      return event_;
    case reg::host::command_tail:
      return command_ring_.seen_tail();
    case reg::host::command_head:
      return command_ring_.head();
    case reg::host::dma_done:
      return dma_engine_.seen_done();
    case reg::host::dma_tail:
      return dma_engine_.rung();
    case reg::host::dma_move:
      return dma_engine_.moved();
    default:
      return read_device(offset, kernel_now());
  }
}

std::uint32_t HostInterface::read_device(std::uint32_t offset, TimePs at) {
  switch (offset) {
    case reg::host::command_tail: {
      const std::uint32_t tail = command_ring_.visible_tail(at);
      // The interrupt that announced these entries does not announce later ones: they need one of their own.
      if (const TimePs next = command_ring_.next_visible(); next != kNever)
        raise(reg::irq::host_command, next);
      return tail;
    }
    case reg::host::dma_done: {
      const std::uint32_t done = dma_engine_.done(at);
      if (const TimePs next = dma_engine_.next_notice(); next != kNever) raise(reg::irq::host_dma, next);
      return done;
    }
    case reg::host::event: {
      const std::uint32_t bits = event_;
      event_ = 0;
      return bits;
    }
    case reg::host::event_info:
      return event_info_;
    case reg::host::command_base:
      return command_ring_.base();
    case reg::host::command_size:
      return command_ring_.size();
    case reg::host::dma_base:
      return dma_engine_.base();
    case reg::host::dma_size:
      return dma_engine_.size();
    case reg::host::dma_status:
      return dma_engine_.status_offset();
    case reg::host::data_slot:
      return data_slot_;
    case reg::host::data_status:
      return slots_.valid(data_slot_) ? slots_[data_slot_].error : nvme::status::data_transfer_error;
    case reg::host::max_slots:
      return slots_.count();
    case reg::host::inflight: // what the threads do counts: RDY must not fall while host memory is in use
      return slots_.in_use() + queues_.held() + static_cast<std::uint32_t>(host_.posted_writes()) +
             (fetch_engine_.reading() ? 1 : 0) + (shadow_doorbells_.busy() ? 1 : 0);
    case reg::host::queued:
      return queues_.pending();
    case reg::host::queue_result:
      return mailbox_result_;
    default:
      return 0;
  }
}

inline bool HostInterface::write_device(std::uint32_t offset, std::uint32_t value, TimePs at) {
  switch (offset) {
    case reg::host::dma_tail: {
      const bool ok = dma_engine_.ring(value, at);
      if (const TimePs next = dma_engine_.next_notice(); next != kNever) raise(reg::irq::host_dma, next);
      if (fetch_engine_.starved()) fetch(dma_engine_.last_done());
      arm();
      return ok;
    }
    case reg::host::dma_move:
      return dma_engine_.move(value, at);
    case reg::host::data_slot:
      data_slot_ = value;
      return true;
    case reg::host::dma_status:
      return dma_engine_.set_status(value);
    case reg::host::command_head:
      command_ring_.set_head(value);
      if (queues_.pending() != 0) fetch(at);
      return true;
    case reg::host::command_base:
      command_ring_.set_base(value);
      return true;
    case reg::host::command_size:
      return command_ring_.set_size(value);
    case reg::host::dma_base:
      dma_engine_.set_base(value);
      return true;
    case reg::host::dma_size:
      return dma_engine_.set_size(value);
    case reg::host::control:
      control(value, at);
      return true;
    case reg::host::arbitration:
      fetch_engine_.arbiter().configure(value);
      return true;
    case reg::host::coalescing:
      interrupts_.set_coalescing(value);
      return true;
    default:
      return write_queue_mailbox(offset, value, at);
  }
}

bool HostInterface::write_queue_mailbox(std::uint32_t offset, std::uint32_t value, TimePs at) {
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

void HostInterface::queue_command(std::uint32_t op, TimePs at) {
  switch (op) {
    case reg::queue_op::create_cq:
      mailbox_result_ = queues_.create_cq(mailbox_);
      if (mailbox_result_ == nvme::status::success)
        shadow_doorbells_.created(nvme::shadow::cq_head(mailbox_.id), at);
      break;
    case reg::queue_op::create_sq:
      mailbox_result_ = queues_.create_sq(mailbox_);
      if (mailbox_result_ == nvme::status::success)
        shadow_doorbells_.created(nvme::shadow::sq_tail(mailbox_.id), at);
      break;
    case reg::queue_op::delete_cq:
      mailbox_result_ = delete_cq(mailbox_.id);
      break;
    case reg::queue_op::delete_sq:
      mailbox_result_ = queues_.delete_sq(mailbox_.id);
      if (mailbox_result_ == nvme::status::success) poster_.drop_completions_of(mailbox_.id);
      break;
    default:
      doorbell_command(op, at);
  }
}

// Of a controller that the host has reset since, nobody wants it.
void HostInterface::doorbell_command(std::uint32_t op, TimePs at) {
  mailbox_result_ = nvme::status::success;
  if (op == reg::queue_op::shadow_doorbells) {
    shadow_doorbells_.set_shadow(mailbox_.base);
  } else if (op != reg::queue_op::event_indices) {
    mailbox_result_ = nvme::status::invalid_field;
  } else if (answers_host()) {
    shadow_doorbells_.start(mailbox_.base, at);
  }
}

std::uint16_t HostInterface::delete_cq(std::uint32_t id) {
  const std::uint16_t status = queues_.check_delete_cq(id);
  if (status != nvme::status::success) return status;
  queues_.delete_cq(id);
  return status;
}

// An answer to what the host asked before a reset that firmware has not seen is void.
bool HostInterface::answers_host() const {
  return (cc_ & nvme::cc::en) != 0 && (event_ & reg::host_event::disabled) == 0;
}

void HostInterface::control(std::uint32_t bits, TimePs at) {
  const bool current = answers_host();
  if ((bits & reg::host_control::clear_ready) != 0) {
    ready_.set(false, at, kernel_now());
    fetch_engine_.set_enabled(false);
  }
  if ((bits & reg::host_control::set_ready) != 0 && current) {
    ready_.set(true, at, kernel_now());
    fetch_engine_.set_enabled(!fatal_);
    fetch(at);
  }
  if ((bits & reg::host_control::shutdown_complete) != 0 && current &&
      shutdown_status_ == nvme::csts::shst_in_progress)
    shutdown_status_ = nvme::csts::shst_complete;
  if ((bits & reg::host_control::set_fatal) != 0) fatal_ = true;
  if ((bits & reg::host_control::halted) != 0) {
    fatal_ = halted_ = true;
    fetch_engine_.set_enabled(false);
  }
}

} // namespace twinplane::hw
