// Registers, descriptors and the functional port; the rings are in flash_rings.cpp, the bus side in
// flash_bus.cpp.
#include "hw/controller/flash_controller.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "hw/core/granted_dram.h"
#include "hw/spec/registers.h"

namespace twinplane::hw {

FlashController::FlashController(const sc_core::sc_module_name& name, const FlashControllerConfig& config)
    : ControllerBlock(name),
      config_(config),
      rows_(config.geometry),
      lun_shift_(rows_.lun_bits == 0 ? 0 : rows_.lun_shift()),
      lun_mask_((1u << rows_.lun_bits) - 1),
      page_payload_(std::uint64_t{config.geometry.sectors_per_page()} *
                    payload_bytes(config.data_mode, config.geometry.sector_size)),
      no_sectors_(~static_cast<std::uint32_t>((std::uint64_t{1} << config.geometry.sectors_per_page()) - 1)),
      builder_(config.geometry, config.data_mode),
      arbiter_(make_arbiter(config.arbiter)),
      dram_port_(config.dram_port != nullptr ? *config.dram_port : own_dram_port_),
      paced_(!dram_port_.ample()),
      pool_(config.max_groups),
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
  for (FlashGroup& group : pool_) release(group);
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
  dram_size_ = granted.bytes;
  builder_.set_dram(dram_);
  bus_port_ = bus.operator->();
  irq_port_ = irq.operator->();
  if (dma_fence.size() != 0) fence_ = dma_fence.operator->();
  if (agenda.size() != 0) {
    agenda_ = agenda.operator->();
    worker_ = agenda_->enroll(*this);
  }
  bind_ecc();
}

void FlashController::bind_ecc() {
  if (ecc_stage.size() == 0) own_ecc_ = make_ecc(config_.ecc);
  ecc_ = ecc_stage.size() == 0 ? own_ecc_.get() : ecc_stage.operator->();
  by_time_ = paced_ || !ecc_->constant_latency();
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
    ok = write_register(offset, word_of(payload), at);
  }
  payload.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool FlashController::read32(std::uint64_t address, std::uint32_t& value, TimePs& at) {
  if ((address & 3) != 0) return false;
  value = read_register(static_cast<std::uint32_t>(address), at);
  return true;
}

bool FlashController::write32(std::uint64_t address, std::uint32_t value, TimePs& at) {
  if ((address & 3) != 0) return false;
  now_ = kernel_now();
  return write_register(static_cast<std::uint32_t>(address), value, at);
}

/// Debug reads leave no trace: the tail is the one that firmware read last, the doorbell what it has rung.
unsigned FlashController::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (const unsigned done = functional_->serve(payload); done != 0) return done;
  if (!payload.is_read() || !is_word_access(payload)) return 0;
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  if (offset == reg::flash::completion_tail) {
    set_word(payload, completion_visible_);
  } else if (offset == reg::flash::doorbell) {
    set_word(payload, submission_head_);
  } else {
    set_word(payload, read_register(offset, 0));
  }
  return sizeof(std::uint32_t);
}

// Completions become visible in ring order at their stamps.
inline std::uint32_t FlashController::visible_tail(TimePs at) {
  while (completion_visible_ != completion_tail_ &&
         visible_at_[completion_visible_ & (completion_size_ - 1)] <= at) {
    ++completion_visible_;
  }
  return completion_visible_;
}

std::uint32_t FlashController::read_register(std::uint32_t offset, TimePs at) {
  switch (offset) {
    case reg::flash::completion_tail:
      return visible_tail(at);
    case reg::flash::id:
      return reg::flash::id_value;
    case reg::flash::control:
      return control_;
    case reg::flash::submission_base:
      return submission_base_;
    case reg::flash::submission_size:
      return submission_size_;
    case reg::flash::completion_base:
      return completion_base_;
    case reg::flash::completion_size:
      return completion_size_;
    case reg::flash::submission_head:
      return submission_head_;
    case reg::flash::error:
      return error_;
    case reg::flash::operations:
      return (1u << kFlashOps) - 2; // all from FlashOp::read on
    default:
      return 0;
  }
}

bool FlashController::write_register(std::uint32_t offset, std::uint32_t value, TimePs at) {
  switch (offset) {
    case reg::flash::doorbell:
      fetch(value, at);
      return true;
    case reg::flash::control:
      enable((value & 1u) != 0, at);
      return true;
    case reg::flash::error:
      error_ &= ~value;
      return true;
    case reg::flash::submission_base:
      return set_ring(submission_base_, value, at);
    case reg::flash::submission_size:
      return set_ring(submission_size_, value, at);
    case reg::flash::completion_base:
      return set_ring(completion_base_, value, at);
    case reg::flash::completion_size:
      return set_ring(completion_size_, value, at);
    default:
      return false;
  }
}

// --- descriptors ---

/// The array of words lies in DRAM.
bool FlashController::words_fit(const FlashDescriptor& d) const {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  const std::uint64_t end = dram_size_ - std::min(dram_size_, kWord * config_.geometry.subpages_per_page);
  return d.oob % kWord == 0 && d.oob <= end;
}

bool FlashController::acceptable(const FlashGroup& group) const {
  const Geometry& g = config_.geometry;
  const std::uint32_t chip = group.planes[0].chip;
  if (chip >= g.chips_per_channel) return false;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const FlashDescriptor& d = group.planes[i];
    if (d.op != group.planes[0].op) return false; // it is carried out as that, with its own buffer
    if (d.chip != chip || lun_of(d) >= g.dies_per_chip) return false;
    const auto op = static_cast<FlashOp>(d.op);
    if (op == FlashOp::read || op == FlashOp::program) {
      if (d.buffer + page_payload_ > dram_size_ || (d.sector_mask & no_sectors_) != 0) return false;
      if ((d.flags & flash_flag::oob_words) != 0 && !words_fit(d)) return false;
    } else if (op == FlashOp::copyback) {
      const bool native = (d.flags & flash_flag::slc_mode) == 0;
      const auto source = static_cast<std::uint32_t>(d.oob);
      if (group.count != 1 || !native || (source >> lun_shift_ & lun_mask_) != lun_of(d)) return false;
    } else if (is_of_target(op)) {
      if (!target_acceptable(group)) return false;
    } else if (op != FlashOp::erase && op != FlashOp::reset) {
      return false;
    }
  }
  return true;
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
  group.die = group.planes[0].chip * config_.geometry.dies_per_chip + lun_of(group.planes[0]);
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
  interrupt();
  release_loads(group);
  release(group);
}

void FlashController::reject_group(const FlashGroup& group, TimePs at) {
  statistics_.rejected_descriptors += group.count;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    FlashCompletion completion;
    completion.cookie = group.planes[p].cookie;
    completion.result = flash_result::fail;
    post(completion, at);
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
