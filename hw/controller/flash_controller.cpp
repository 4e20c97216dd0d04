#include "hw/controller/flash_controller.h"

#include <string>

#include "hw/core/block_error.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

FlashController::FlashController(const sc_core::sc_module_name& name, const FlashControllerConfig& config)
    : ControllerBlock(name),
      config_(config),
      addresses_(config.geometry, config.data_mode),
      builder_(config.geometry, config.data_mode, config.parity_per_sector),
      functional_(builder_, bus),
      timeout_(config.ready_timeout, config.geometry.dies_per_chip,
               [this](std::uint32_t chip) { return chip_name(chip); }),
      bus_(config_, bus, timeout_),
      rings_(this->name(), config.channel, statistics_),
      groups_(config.max_groups),
      pacing_(config_, builder_),
      pages_(config_, ecc_stage, {bus_, rings_, pacing_, statistics_}),
      dies_(config.geometry.dies_per_channel()) {
  require_picoseconds(this->name());
  for (std::uint32_t die = 0; die < dies_.size(); ++die) {
    dies_[die].number = die;
    dies_[die].lun = die % config.geometry.dies_per_chip;
  }
  if (config.power.grant != nullptr) power_ = std::make_unique<PowerUse>(config_, bus_, dies_);
  regs.bind(*this);
  SC_HAS_PROCESS(FlashController);
  SC_METHOD(on_due_event);
  sensitive << bus_.due_event();
  dont_initialize();
  SC_METHOD(on_timeout);
  sensitive << timeout_.event();
  dont_initialize();
}

void FlashController::end_of_elaboration() {
  const GrantedDram granted = granted_dram(dram);
  addresses_.set_dram(granted.bytes);
  builder_.set_dram(granted.memory);
  pages_.connect(granted.memory);
  rings_.connect(irq, granted, pacing_.paced() || !pages_.constant_latency());
  EventQueue* const server = event_queue.size() == 0 ? nullptr : event_queue.operator->();
  bus_.connect(server, server == nullptr ? 0 : server->register_worker(*this));
  const DmaFence* const fence = dma_fence.size() == 0 ? nullptr : dma_fence.operator->();
  sequences_ = std::make_unique<SequenceTable>(SequenceContext{config_, addresses_, builder_, bus_, rings_,
                                                               groups_, pages_, pacing_, timeout_,
                                                               statistics_, fence, granted.memory});
}

// --- registers ---

bool FlashController::read32(std::uint64_t address, std::uint32_t& value, TimePs& at) {
  if ((address & 3) != 0) return false;
  value = read_register(static_cast<std::uint32_t>(address), at);
  return true;
}

bool FlashController::write32(std::uint64_t address, std::uint32_t value, TimePs& at) {
  return (address & 3) == 0 && write_register(static_cast<std::uint32_t>(address), value, at);
}

std::uint32_t FlashController::read_register(std::uint32_t offset, TimePs at) {
  return offset == reg::flash::completion_tail ? rings_.visible_tail(at) : read_register(offset);
}

bool FlashController::write_register(std::uint32_t offset, std::uint32_t value, TimePs at) {
  bus_.enter();
  if (offset != reg::flash::doorbell) return rings_.write(offset, value, at);
  ring_doorbell(value, at);
  return true;
}

/// Debug reads leave no trace: the tail is the one that firmware read last, the doorbell what it has rung.
unsigned FlashController::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (const unsigned done = functional_.serve(payload); done != 0) return done;
  if (!payload.is_read() || !is_word_access(payload)) return 0;
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  set_word(payload, offset == reg::flash::doorbell ? rings_.head() : read_register(offset));
  return sizeof(std::uint32_t);
}

std::uint32_t FlashController::read_register(std::uint32_t offset) {
  if (offset == reg::flash::id) return reg::flash::id_value;
  return offset == reg::flash::operations ? sequences_->operations() : rings_.read(offset);
}

// --- groups ---

void FlashController::ring_doorbell(std::uint32_t tail, TimePs at) {
  if (!rings_.announced(tail, at)) return;
  if (pages_.retries().waiting() || bus_.due_before(at)) run_before(at);
  while (rings_.head() != tail) {
    FlashDescriptor* const room = groups_.room();
    if (room == nullptr) {
      rings_.fail(reg::flash_error::too_many_commands, at);
      break;
    }
    rings_.fetch(*room);
    if (FlashGroup* const group = groups_.assembled(); group != nullptr) enqueue(*group, at);
  }
  run(at);
}

// A group that names no die of this channel is rejected here. Everything else goes to the bus, even when it
// breaks a rule of the part: the die checks those.
void FlashController::enqueue(FlashGroup& group, TimePs at) {
  group.accept(at);
  OpSequence* const sequence = sequences_->of(group);
  if (sequence == nullptr || !addresses_.is_command(group) || !sequence->accept(group))
    return reject(group, at);
  group.sequence = sequence;
  DieQueue& die = dies_[addresses_.die(group.planes[0])];
  group.die = die.number;
  if (config_.suspend.enabled) group.suspending = die.suspending_until(at);
  die.push_back(group);
  die.sequence == nullptr ? sequence->begin(die, at) : die.sequence->queued_behind(die, at);
}

void FlashController::reject(FlashGroup& group, TimePs at) {
  const auto fail = [&](const FlashGroup& part) {
    statistics_.rejected_descriptors += part.count;
    for (std::uint32_t p = 0; p < part.count; ++p) {
      FlashCompletion completion;
      completion.cookie = part.planes[p].cookie;
      completion.result = flash_result::fail;
      rings_.post(completion, at);
    }
  };
  for (const FlashGroup* load = group.loads; load != nullptr; load = load->next) fail(*load);
  fail(group);
  rings_.interrupt();
  groups_.release_loads(group);
  groups_.release(group);
}

/// A group whose first reads could not be corrected is to be read again.
void FlashController::join_retry(TimePs at) {
  FlashGroup& group = pages_.retries().take();
  DieQueue& die = dies_[group.die];
  group.sequence = &sequences_->retry();
  die.insert_next(group);
  die.sequence == nullptr ? group.sequence->begin(die, at) : die.sequence->queued_behind(die, at);
}

// --- bus ---

void FlashController::on_due(TimePs at) {
  ++statistics_.activations;
  bus_.disarm();
  bus_.enter();
  run(at);
}

// Starts every tenure that can start before `limit`; returns when the next one can, kNever if none waits.
// The core is ahead of what is due on the bus while it executes. What starts before its doorbell must not
// know of it: a die that became free meanwhile would begin a command before that was given.
TimePs FlashController::run_before(TimePs limit) {
  for (;;) {
    const TimePs at = bus_.next();
    if (pages_.retries().waiting() && pages_.retries().due() <= at) {
      const TimePs due = pages_.retries().due();
      if (due >= limit) return due;
      join_retry(due);
      continue;
    }
    if (at >= limit) return at;
    DieQueue& die = dies_[bus_.grant(at)];
    die.waits = false;
    if (power_ != nullptr && !power_->allows(die, at)) continue;
    const TimePs ended = die.sequence->tenure(die, at);
    if (ended != kNever) start_next(die, ended);
    if (power_ != nullptr) power_->note(at);
  }
}

// --- dies that cannot tell beforehand when R/B# rises, and those that keep it low for ever ---

void FlashController::on_ready(std::uint32_t chip, std::uint32_t lun, TimePs at) {
  const Geometry& g = config_.geometry;
  if (chip >= g.chips_per_channel || lun >= g.dies_per_chip || at < kernel_now()) {
    const std::string text = std::string(name()) + ": R/B# of chip " + std::to_string(chip) + " LUN " +
                             std::to_string(lun) +
                             ": expected a LUN of this channel, and no time that has passed";
    SC_REPORT_ERROR(kBlockReport, text.c_str());
    return;
  }
  bus_.enter();
  DieQueue& die = dies_[chip * g.dies_per_chip + lun];
  if (power_ != nullptr) power_->end(die, at);
  if (die.sequence != nullptr) die.sequence->ready(die, at);
}

void FlashController::on_timeout() {
  timeout_.end_watch();
  bus_.enter();
  for (const DieQueue& die : dies_) {
    TimePs since = bus_.now();
    if (power_ == nullptr || !power_->keeps_waiting(die)) {
      if (!die.waits_for_edge()) continue;
      since = die.command_end;
      timeout_.check(die.number, since, bus_.now());
    }
    timeout_.watch(since, bus_.now());
  }
}

} // namespace twinplane::hw
