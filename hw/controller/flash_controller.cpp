// Registers, descriptors and the functional port; the bus side is in flash_bus.cpp.
#include "hw/controller/flash_controller.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "hw/core/granted_dram.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

FlashController::FlashController(const sc_core::sc_module_name& name, const FlashControllerConfig& config)
    : ControllerBlock(name),
      config_(config),
      addresses_(config.geometry, config.data_mode),
      builder_(config.geometry, config.data_mode),
      arbiter_(make_arbiter(config.arbiter)),
      dram_port_(config.dram_port != nullptr ? *config.dram_port : own_dram_port_),
      paced_(!dram_port_.ample()),
      rings_(this->name(), config.channel, now_, statistics_),
      groups_(config.max_groups),
      dies_(config.geometry.dies_per_channel()),
      plane_reads_(config.independent_reads && config.geometry.planes_per_die > 1
                       ? dies_.size() * config.geometry.planes_per_die
                       : 0) {
  assert(arbiter_ != nullptr && "the configuration names a known arbiter");
  power_ = config.power.grant;
  if (power_ != nullptr) power_member_ = power_->enroll(*this, config.channel);
  builder_.set_parity(config.parity_per_sector);
  builder_.set_ddr(config.ddr);
  functional_ = std::make_unique<FunctionalAccess>(builder_, bus);
  if (config.age_limit != 0) arbiter_ = make_aged_arbiter(std::move(arbiter_), config.age_limit);
  require_picoseconds(this->name());
  regs.bind(*this);
  bus_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
  bus_payload_.set_extension(&tenure_);
  SC_HAS_PROCESS(FlashController);
  SC_METHOD(on_due_event);
  sensitive << due_event_;
  dont_initialize();
  SC_METHOD(on_watch);
  sensitive << watch_event_;
  dont_initialize();
}

FlashController::~FlashController() {
  bus_payload_.clear_extension(&tenure_);
}

void FlashController::end_of_elaboration() {
  const GrantedDram granted = granted_dram(dram);
  dram_ = granted.memory;
  addresses_.set_dram(granted.bytes);
  builder_.set_dram(dram_);
  bus_port_ = bus.operator->();
  if (dma_fence.size() != 0) fence_ = dma_fence.operator->();
  if (agenda.size() != 0) {
    agenda_ = agenda.operator->();
    worker_ = agenda_->enroll(*this);
  }
  bind_ecc();
  rings_.connect(irq, granted, paced_ || !ecc_->constant_latency());
}

void FlashController::bind_ecc() {
  if (ecc_stage.size() == 0) own_ecc_ = make_ecc(config_.ecc);
  ecc_ = ecc_stage.size() == 0 ? own_ecc_.get() : ecc_stage.operator->();
  read_levels_ = config_.read_retries + ecc_->soft_senses();
  assert(read_levels_ < kReadLevels && "the part has that many");
}

// --- registers ---

void FlashController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!is_word_access(payload)) return;
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  const TimePs at = time_at(delay);
  bool ok = true;
  if (payload.is_read()) {
    set_word(payload, read_register(offset, at));
  } else if (payload.is_write()) { // TLM_IGNORE_COMMAND does nothing
    now_ = kernel_now();
    if (offset == reg::flash::doorbell) {
      fetch(word_of(payload), at);
    } else {
      ok = rings_.write(offset, word_of(payload), at);
    }
  }
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

/// Debug reads leave no trace: the doorbell is what firmware has rung.
unsigned FlashController::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (const unsigned done = functional_->serve(payload); done != 0) return done;
  if (!payload.is_read() || !is_word_access(payload)) return 0;
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  if (offset == reg::flash::completion_tail) {
    set_word(payload, rings_.peek(offset));
  } else if (offset == reg::flash::doorbell) {
    set_word(payload, rings_.head());
  } else {
    set_word(payload, read_register(offset, 0));
  }
  return sizeof(std::uint32_t);
}

std::uint32_t FlashController::read_register(std::uint32_t offset, TimePs at) {
  switch (offset) {
    case reg::flash::id:
      return reg::flash::id_value;
    case reg::flash::operations:
      return (1u << kFlashOps) - 2; // all from FlashOp::read on
    default:
      return rings_.read(offset, at);
  }
}

// --- descriptors ---

void FlashController::fetch(std::uint32_t tail, TimePs at) {
  if (!rings_.announced(tail, at)) return;
  if (deferred_ != nullptr || (!waiters_.empty() && waiters_.earliest() < at)) run_before(at);
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

bool FlashController::acceptable(const FlashGroup& group) const {
  if (!addresses_.is_command(group)) return false;
  const FlashOp op = group.op();
  if (op == FlashOp::read || op == FlashOp::program) return addresses_.pages_in_dram(group);
  if (op == FlashOp::copyback) {
    const FlashDescriptor& d = group.planes[0];
    const bool native = (d.flags & flash_flag::slc_mode) == 0;
    return group.count == 1 && native &&
           addresses_.lun(static_cast<std::uint32_t>(d.oob)) == addresses_.lun(d);
  }
  if (is_of_target(op)) return target_acceptable(group);
  return op == FlashOp::erase || op == FlashOp::reset;
}

// A group that names no die of this channel is rejected here. Everything else goes to the bus, even when it
// breaks a rule of the part: the die checks those.
void FlashController::enqueue(FlashGroup& group, TimePs at) {
  group.accepted = at;
  group.bus = 0;
  group.next_out = 0;
  group.suspends = 0;
  group.in_cache_registers = false;
  group.data_at = 0;
  group.next = nullptr;
  if (!acceptable(group) || (group.loads != nullptr && !pass_acceptable(group))) {
    reject(group, at);
    return;
  }
  count(group);
  group.die = addresses_.die(group.planes[0]);
  DieState& die = dies_[group.die];
  if (config_.suspend.enabled) group.suspending = suspending_until(die, at);
  if (die.head != nullptr) {
    die.tail->next = &group;
    die.tail = &group;
    if (die.stage == Stage::plane_reads) {
      start_head(group.die, at);
    } else {
      consider_suspend(group.die, at);
    }
    return;
  }
  die.head = die.tail = &group;
  start_head(group.die, at);
}

void FlashController::reject(FlashGroup& group, TimePs at) {
  for (FlashGroup* load = group.loads; load != nullptr; load = load->next) reject_group(*load, at);
  reject_group(group, at);
  rings_.interrupt();
  groups_.release_loads(group);
  groups_.release(group);
}

void FlashController::reject_group(const FlashGroup& group, TimePs at) {
  statistics_.rejected_descriptors += group.count;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    FlashCompletion completion;
    completion.cookie = group.planes[p].cookie;
    completion.result = flash_result::fail;
    rings_.post(completion, at);
  }
}

void FlashController::count(FlashGroup& group) {
  switch (group.op()) {
    case FlashOp::read:
      statistics_.reads += group.count;
      break;
    case FlashOp::program:
      statistics_.programs += group.count;
      if (group.loads != nullptr) take_pass(group);
      break;
    case FlashOp::erase:
      statistics_.erases += group.count;
      break;
    case FlashOp::copyback:
      statistics_.copybacks += group.count;
      group.apart = true;
      break;
    case FlashOp::reset:
    case FlashOp::read_id:
    case FlashOp::read_parameter_page:
    case FlashOp::get_features:
    case FlashOp::set_features:
      ++statistics_.target_commands;
      group.apart = true;
      break;
  }
}

} // namespace twinplane::hw
