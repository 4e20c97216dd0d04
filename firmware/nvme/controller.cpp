#include "firmware/nvme/controller.h"

#include <cstring>
#include <new>
#include <utility>

#include "firmware/hal/work_mark.h"
#include "hw/spec/registers.h"

namespace twinplane::fw {

namespace {

constexpr std::uint64_t kResetPollPs = 1'000'000; // how often a reset looks whether the hardware has drained
constexpr std::uint32_t kCommandsPerTurn = 64;    // flash completions must not wait for a full ring
constexpr std::uint32_t kTransfersBytes = DataTransfers::kBuffers * DataTransfers::kBytes;

std::uint32_t host_read(Hal& hal, std::uint32_t offset) {
  return hal.mmio_read(reg::kHostBase + offset);
}
void host_write(Hal& hal, std::uint32_t offset, std::uint32_t value) {
  hal.mmio_write(reg::kHostBase + offset, value);
}

/// Whom a command is for.
inline WorkFor work_for(std::uint8_t opcode, std::uint16_t sqid) {
  if (sqid == 0) return WorkFor::admin;
  if (opcode == nvme::io::read) return WorkFor::read;
  return opcode == nvme::io::write ? WorkFor::write : WorkFor::other;
}

} // namespace

std::uint32_t NvmeController::ring_entries(std::uint32_t slots) {
  std::uint32_t entries = 1;
  while (entries < slots) entries *= 2;
  return entries;
}

std::uint32_t NvmeController::data_bytes(const NvmeConfig& config) {
  return kTransfersBytes + CompareUnit::buffer_bytes(config);
}

const char* NvmeController::boot(const Parts& parts) {
  Services& s = services_;
  s.hal = parts.hal;
  s.storage = parts.storage;
  s.config = *parts.config;
  host_ = parts.host;
  slots_ = parts.slots;
  if (const char* error = s.queues.boot(*parts.hal, s.config)) return error;
  s.completion.boot({parts.hal, parts.host, &s.queues, &s.errors, &s.health, s.config.cost.dma_submit});
  s.transfers.boot({parts.hal, parts.host, parts.data, s.config.cost.dma_submit});
  s.config.async_event_requests = AsyncEvents::limit(slots_);
  s.config.sanitizes = s.storage->can_sanitize();
  s.events.boot(s.completion, s.config.async_event_requests);
  s.features.boot({parts.hal, &s.config, &s.queues, &s.health});
  io_.boot(s, parts.data + kTransfersBytes);
  admin_.boot(s, io_, static_cast<std::uint16_t>(slots_));

  commands_ = static_cast<Command*>(parts.hal->boot_alloc(slots_ * sizeof(Command)));
  if (commands_ == nullptr) return "out of memory for the command pool";
  for (std::uint32_t slot = 0; slot < slots_; ++slot) new (&commands_[slot]) Command;
  ring_ = reinterpret_cast<const CommandEntry*>(parts.hal->dram() + parts.command_ring);
  ring_mask_ = ring_entries(slots_) - 1;
  host_write(*parts.hal, reg::host::command_base, parts.command_ring);
  host_write(*parts.hal, reg::host::command_size, ring_mask_ + 1);
  return nullptr;
}

// --- commands ---

void NvmeController::on_host_command() {
  const std::uint32_t visible = host_read(*services_.hal, reg::host::command_tail) - ring_head_;
  if (visible == 0) return;
  if (visible > ring_mask_ + 1) services_.hal->panic("the front end names more commands than its ring holds");
  const std::uint32_t batch = visible < kCommandsPerTurn ? visible : kCommandsPerTurn;
  for (std::uint32_t i = 0; i < batch; ++i) accept(ring_[ring_head_++ & ring_mask_]);
  host_write(*services_.hal, reg::host::command_head, ring_head_);
  commands_left_ = visible > batch;
  if (state_ == State::resetting) try_finish_reset();
}

void NvmeController::accept(const CommandEntry& entry) {
  const WorkMark mark(work_for(entry.sqe[0], entry.sqid));
  if (entry.slot >= slots_) services_.hal->panic("the front end names a slot that there is not");
  Command& command = commands_[entry.slot];
  static_cast<Request&>(command) = Request{};
  std::memcpy(&command.sqe, entry.sqe, sizeof command.sqe);
  command.slot = entry.slot;
  command.sqid = entry.sqid;
  command.queue_tag = entry.queue_tag;
  command.seen_ps = services_.hal->now_ps();
  services_.completion.accept(command, command.seen_ps);
  services_.hal->charge(services_.config.cost.command_decode);
  execute(command);
}

void NvmeController::execute(Command& command) {
  if (!services_.queues.is_current(command)) {
    services_.finish(command, nvme::status::success); // its queue is gone: released
    return;
  }
  if (command.sqid == 0) {
    if (identifier_in_use(command)) return services_.finish(command, nvme::status::cid_conflict);
    admin_.execute(command);
    return;
  }
  command.lba = std::uint64_t{command.sqe.cdw11} << 32 | command.sqe.cdw10;
  command.sectors = (command.sqe.cdw12 & 0xFFFF) + 1;
  io_.execute(command);
}

/// Of the admin queue alone: the others' commands are too many to be searched one by one.
bool NvmeController::identifier_in_use(const Command& command) const {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const Command& other = commands_[slot];
    if (other.phase != Phase::idle && other.sqid == 0 && other.sqe.cid == command.sqe.cid &&
        &other != &command)
      return true;
  }
  return false;
}

void NvmeController::on_request_done(Request& request) {
  Command& command = static_cast<Command&>(request);
  if (command.phase == Phase::storage) {
    services_.finish(command, command.status);
  } else if (command.phase == Phase::cache_flush || command.phase == Phase::erase_job ||
             command.phase == Phase::record || command.phase == Phase::self_test) {
    admin_.on_request_done(command);
  } else if (command.phase == Phase::shutdown_flush) {
    command.phase = Phase::idle;
    finish_shutdown();
  } else {
    io_.on_request_done(command);
  }
  if (state_ == State::resetting) try_finish_reset();
}

// --- data of firmware's own ---

void NvmeController::on_host_dma() {
  services_.transfers.on_done(host_->done());
  while (Command* command = services_.transfers.next_arrived()) resume(*command);
  if (state_ == State::resetting) try_finish_reset();
}

void NvmeController::resume(Command& command) {
  if (command.phase == Phase::feature_data) {
    admin_.on_data(command);
  } else {
    io_.on_data(command);
  }
}

bool NvmeController::pump() {
  bool any = false;
  while (Command* command = services_.transfers.next_ready()) {
    const WorkMark mark(work_for(command->sqe.opcode, command->sqid));
    execute(*command);
    any = true;
  }
  if (any && state_ == State::resetting) try_finish_reset(); // that may have been the last command
  return commands_left_;
}

// --- enable, reset, shutdown ---

// EN may have been written more than once before this turn; what is left is in this order (host_event).
void NvmeController::on_host_event() {
  const std::uint32_t events = host_read(*services_.hal, reg::host::event);
  if ((events & reg::host_event::bad_doorbell) != 0) on_bad_doorbell();
  if ((events & reg::host_event::disabled) != 0) begin_reset();
  if ((events & reg::host_event::enabled) != 0) enable();
  if ((events & reg::host_event::shutdown) != 0) begin_shutdown();
}

// Section 5.2.1.1: reported as an event, with an entry in the error log that names no command.
void NvmeController::on_bad_doorbell() {
  ErrorEntry entry;
  entry.sqid = 0xFFFF;
  entry.cid = 0xFFFF;
  services_.errors.add(entry);
  const std::uint32_t info = host_read(*services_.hal, reg::host::event_info);
  services_.events.report(EventType::error, static_cast<std::uint8_t>(info), log_id::error);
}

void NvmeController::enable() {
  if (state_ == State::resetting) {
    enable_after_reset_ = true;
    return;
  }
  if (services_.storage->recovering()) {
    enable_after_recovery_ = true;
    return;
  }
  state_ = State::ready;
  enabled_ever_ = true;
  services_.storage->opened();
  services_.queues.enable();
  services_.features.reset();
  host_control(reg::host_control::set_ready);
}

/// CSTS.RDY waits for the tables (section 3.1.5: not before commands can be processed).
void NvmeController::on_recovered() {
  admin_.recall();
  if (std::exchange(enable_after_recovery_, false)) enable();
}

void NvmeController::begin_reset() {
  enable_after_reset_ = enable_after_recovery_ = false;
  shutting_down_ = false;
  if (state_ == State::resetting) return;
  state_ = State::resetting;
  services_.queues.disable();
  services_.events.reset();
  io_.end_waiting(nvme::status::abort_requested);
  admin_.reset();
  try_finish_reset();
}

// Everything has left when the last command is retired, the last descriptor done and no slot in use: what is
// in flight then are commands on their way to the ring, which takes as long as the link is slow. Completions
// that a full queue held back went with the queue.
void NvmeController::try_finish_reset() {
  if (services_.completion.in_flight() != 0 || commands_left_) return;
  host_->kick();
  const bool moving = !HostPort::reached(host_->done(), host_->posted());
  if (moving || host_read(*services_.hal, reg::host::inflight) != 0) {
    services_.hal->wake_at(reset_poll_, services_.hal->now_ps() + kResetPollPs);
    return;
  }
  state_ = State::disabled;
  host_control(reg::host_control::clear_ready);
  if (!enable_after_reset_) return;
  enable_after_reset_ = false;
  enable();
}

void NvmeController::on_timer() {
  admin_.on_timer();
  if (state_ != State::resetting) return;
  on_host_command();
  if (state_ == State::resetting) try_finish_reset();
}

// Section 7.6.2: volatile data goes to the flash, then CSTS.SHST says complete.
void NvmeController::begin_shutdown() {
  if (shutting_down_) return;
  shutting_down_ = true;
  // A flush that still runs from before a reset knows nothing of what was written since: another follows it.
  flush_again_ = shutdown_flush_.phase == Phase::shutdown_flush;
  if (!flush_again_) submit_for_shutdown(RequestKind::flush);
}

void NvmeController::finish_shutdown() {
  if (!shutting_down_) return; // the host has reset the controller meanwhile
  if (flush_again_) {
    flush_again_ = false;
    submit_for_shutdown(RequestKind::flush);
    return;
  }
  if (shutdown_flush_.kind == RequestKind::flush && services_.storage->keeps_tables()) {
    submit_for_shutdown(RequestKind::shutdown);
    return;
  }
  shutting_down_ = false;
  host_control(reg::host_control::shutdown_complete);
}

void NvmeController::submit_for_shutdown(RequestKind kind) {
  static_cast<Request&>(shutdown_flush_) = Request{};
  shutdown_flush_.phase = Phase::shutdown_flush;
  shutdown_flush_.kind = kind;
  shutdown_flush_.slot = static_cast<std::uint16_t>(slots_);
  services_.storage->submit(shutdown_flush_);
}

void NvmeController::host_control(std::uint32_t value) {
  host_write(*services_.hal, reg::host::control, value);
}

void NvmeController::serialise(StateVisitor& state) {
  HealthCounters health = services_.health;
  if (!state.loading() && enabled_ever_) ++health.power_cycles;
  state.value(health);
  if (state.loading()) services_.health = health;
  state.value(services_.errors);
  if (state.loading()) admin_.recall();
}

} // namespace twinplane::fw
