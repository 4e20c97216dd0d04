// The bus side of the flash controller: who gets the bus when, and what follows from each tenure.
#include <algorithm>
#include <cassert>

#include "hw/controller/flash_controller.h"
#include "hw/core/block_error.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

// --- when: one method, armed at max(bus free, earliest due) ---

void FlashController::on_due(TimePs at) {
  ++statistics_.activations;
  armed_at_ = kNever;
  now_ = kernel_now();
  run(at);
}

// Starts every tenure that can start before `limit`; returns when the next one can, kNever if none waits.
// The core is ahead of what is due on the bus while it executes. What starts before its doorbell must not
// know of it: a die that became free meanwhile would begin a command before that was given.
TimePs FlashController::run_before(TimePs limit) {
  for (;;) {
    const TimePs at = waiters_.empty() ? kNever : std::max(bus_free_, waiters_.earliest());
    if (deferred_ != nullptr && deferred_->retry->due <= at) {
      if (deferred_->retry->due >= limit) return deferred_->retry->due;
      join_retry(deferred_->retry->due);
      continue;
    }
    if (at >= limit) return at;
    const std::uint32_t die = waiters_.grant(*arbiter_, at);
    power_ == nullptr ? tenure(die, at) : tenure_with_power(die, at);
  }
}

// Starts every tenure that can start by `horizon`. Nothing new can become due before the horizon: it is
// the time of whoever calls, and only the CPU adds work.
void FlashController::run(TimePs horizon) {
  arm(run_before(horizon + 1));
}

void FlashController::arm(TimePs at) {
  if (at >= armed_at_) return; // the earlier activation re-arms
  armed_at_ = at;
  if (agenda_ != nullptr) {
    agenda_->bring_forward(worker_, at);
    return;
  }
  due_event_.notify(to_sc_time(at - now_));
}

TenureKind FlashController::kind_of(const DieState& die) const {
  // By Stage; a suspend and a read level rank as read commands because a read waits for them.
  static constexpr std::array<TenureKind, kStages> kByStage{
      TenureKind::other,        TenureKind::other,        TenureKind::status,       TenureKind::status,
      TenureKind::data_out,     TenureKind::read_command, TenureKind::status,       TenureKind::other,
      TenureKind::read_command, TenureKind::status,       TenureKind::read_command, TenureKind::read_command,
      TenureKind::status,       TenureKind::program,      TenureKind::status,       TenureKind::status,
      TenureKind::other,        TenureKind::status};
  static constexpr std::array<TenureKind, kFlashOps> kByOp{
      TenureKind::other, TenureKind::read_command, TenureKind::program, TenureKind::erase,
      TenureKind::other, TenureKind::read_command, TenureKind::other,   TenureKind::other,
      TenureKind::other, TenureKind::other};
  if (die.stage == Stage::command) return kByOp[static_cast<std::size_t>(die.head->op())];
  return kByStage[static_cast<std::size_t>(die.stage)];
}

void FlashController::want(std::uint32_t die, Stage stage, TimePs due) {
  DieState& state = dies_[die];
  state.stage = stage;
  waiters_.add({die, kind_of(state), due});
}

namespace {

/// The newest one of `newest` (0: none) and those of the group's planes.
inline std::uint32_t newest_fence(const FlashGroup& group, std::uint32_t newest) {
  for (std::uint32_t p = 0; p < group.count; ++p) {
    const std::uint32_t fence = group.planes[p].fence;
    if (fence != 0 && (newest == 0 || static_cast<std::int32_t>(fence - newest) > 0)) newest = fence;
  }
  return newest;
}

[[gnu::noinline]] std::uint32_t newest_of_loads(const FlashGroup& group, std::uint32_t newest) {
  for (const FlashGroup* load = group.loads; load != nullptr; load = load->next)
    newest = newest_fence(*load, newest);
  return newest;
}

} // namespace

// When the host data of all planes is in DRAM: the DMA ring is done in order, so the
// newest fence tells. The DMA engine can be held up by a full completion queue; then it cannot say yet, and
// the controller asks again a little later.
[[gnu::always_inline]] inline TimePs FlashController::host_data_time(FlashGroup& group, TimePs at) const {
  constexpr TimePs kRetry = us(1);
  if (fence_ == nullptr || group.op() != FlashOp::program) return 0;
  std::uint32_t newest = newest_fence(group, 0);
  if (group.loads != nullptr) newest = newest_of_loads(group, newest);
  if (newest == 0) return 0;
  const TimePs done = fence_->done_at(newest);
  group.apart = done == kNever || group.next_load != nullptr;
  return done == kNever ? at + kRetry : done;
}

/// Not before its doorbell: another channel may have left power to the die at an earlier time, while the core is ahead.
void FlashController::start_head(std::uint32_t die, TimePs at) {
  at = std::max(at, dies_[die].head->accepted);
  if (dies_[die].before != nullptr) return send_behind(die, at);
  if (!plane_reads_.empty() && start_plane_reads(die, at)) return;
  FlashGroup& head = *dies_[die].head;
  want(die, head.retry == nullptr ? Stage::command : Stage::level,
       std::max(std::max(at, head.data_at), host_data_time(head, at)));
}

TimePs FlashController::fence_time(FlashGroup& group, TimePs at) const {
  return host_data_time(group, at);
}

// --- what: the tenures of a group, in order ---

[[gnu::always_inline]] inline void FlashController::tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  switch (state.stage) {
    case Stage::command:
      if (state.head->apart || (paced_ && fetch_page_data(*state.head, at))) {
        start_apart(die, at);
      } else {
        command_tenure(die, at);
      }
      break;
    case Stage::data_out:
      if (state.head->next != nullptr && state.head->next->accepted <= at &&
          !state.head->in_cache_registers && read_ahead_possible(state)) {
        cache_read_tenure(die, at);
      } else {
        data_out_tenure(die, at);
      }
      break;
    case Stage::poll:
    case Stage::status:
      status_tenure(die, at);
      break;
    case Stage::suspend:
      suspend_tenure(die, at);
      break;
    case Stage::suspend_status:
      suspend_status_tenure(die, at);
      break;
    case Stage::resume:
      resume_tenure(die, at);
      break;
    case Stage::cache_read:
      cache_read_tenure(die, at);
      break;
    case Stage::late_status:
      late_status_tenure(die, at);
      break;
    case Stage::plane_reads:
      plane_tenure(die, at);
      break;
    case Stage::level:
      level_tenure(die, at);
      break;
    case Stage::level_wait:
      level_wait(die, at);
      break;
    case Stage::copy:
      copy_tenure(die, at);
      break;
    case Stage::copy_poll:
      poll_part(die, Stage::copy, at);
      break;
    case Stage::load_poll:
      poll_part(die, Stage::command, at);
      break;
    case Stage::answer:
      answer_tenure(die, at);
      break;
    case Stage::answer_poll:
      poll_answer(die, at);
      break;
    case Stage::idle:
      assert(false && "idle dies do not want the bus");
      break;
  }
}

/// Where what the drive draws is limited.
void FlashController::tenure_with_power(std::uint32_t die, TimePs at) {
  if (!has_power(die, at)) return;
  tenure(die, at);
  note_power(at);
}

/// When the channel says that the last phase ends.
static TimePs stamped_end(const OnfiTenure& tenure) {
  if (tenure.sequence != Sequence::raw) return tenure.planes[tenure.plane_count - 1].end;
  return tenure.phase_count == 0 ? 0 : tenure.phases[tenure.phase_count - 1].end;
}

// Sends the composed tenure; returns its end.
TimePs FlashController::drive(FlashGroup& group, TimePs at) {
  tenure_.lun = lun_of(group.planes[0]);
  tenure_.request_tag = group.tag;
  bus_payload_.set_address(group.planes[0].chip);
  bus_payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  if (at != now_) delay = to_sc_time(at - now_);
  const sc_core::sc_time before = delay;
  try {
    bus_port_->b_transport(bus_payload_, delay);
  } catch (...) {
    rethrow_from(bus.get_base_port(), at);
  }
  if (delay < before || (delay == before && stamped_end(tenure_) > at)) // a bus may be without time
    report_breach(bus.get_base_port(),
                  "has not added the length of a tenure to its delay (hw/channel/channel_block.h)", at);
  if (!bus_payload_.is_response_ok()) report_answer(bus.get_base_port(), bus_payload_, "a tenure", at);
  bus_free_ = now_ + to_ps(delay);
  if (tenure_.ready_at == kNever) watch(bus_free_);
  DieState& die = dies_[group.die];
  if (group.bus == 0) group.begun = at;
  die.in_use += bus_free_ - std::max(group.begun, die.used_until);
  die.used_until = bus_free_;
  group.bus += bus_free_ - at;
  return bus_free_;
}

/// A group that has begun and has not ended holds the die beyond its last tenure so far; tenures are driven
/// ahead of the kernel's time.
TimePs FlashController::die_in_use(std::uint32_t die, TimePs now) const {
  const DieState& state = dies_[die];
  if (state.used_until >= now) return state.in_use - std::min(state.in_use, state.used_until - now);
  const bool begun = state.reading != 0 || state.before != nullptr || state.suspended != nullptr ||
                     (state.head != nullptr && state.head->bus != 0);
  return state.in_use + (begun ? now - state.used_until : 0);
}

void FlashController::command_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  builder_.operation(tenure_, group);
  if (tenure_.kind == TenureKind::program) {
    for (std::uint32_t i = 0; i < tenure_.plane_count; ++i)
      statistics_.page_bytes_in += tenure_.planes[i].bytes;
    if (group.loads != nullptr) statistics_.page_bytes_in += group.load_bytes;
  }
  if (config_.cache_programs && program_goes_on(state)) {
    group.cached = true;
    tenure_.form |= sequence_form::cache;
    ++statistics_.cache_programs;
  }
  state.command_end = drive(die, at);
  state.ready_at = std::max(tenure_.ready_at, state.command_end);
  if (config_.cache_programs) note_array_time(state);
  state.status_mode = false;
  if (config_.poll_status) {
    want(die, Stage::poll, state.command_end);
  } else {
    want(die, group.op() == FlashOp::read ? Stage::data_out : Stage::status, state.ready_at);
  }
  if (group.next != nullptr) consider_suspend(die, state.command_end);
}

void FlashController::status_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  builder_.status(tenure_, group);
  const TimePs end = drive(die, at);
  if (state.stage == Stage::poll) {
    if ((tenure_.planes[0].status & onfi::status::rdy) == 0) {
      poll_again(die, end, at);
      return;
    }
    if (group.op() == FlashOp::read) {
      state.status_mode = true;
      want(die, Stage::data_out, end);
      return;
    }
  }
  if (group.cached || state.before != nullptr) return stream_status(die, end);
  // All is known at the last status byte; the bus turns round (tRHW) until `end`.
  const TimePs known = tenure_.planes[group.count - 1].end;
  FlashCompletion completion = timed_completion(state, known);
  if (group.loads != nullptr) post_loads(group, completion, known);
  for (std::uint32_t p = 0; p < group.count; ++p) {
    completion.cookie = group.planes[p].cookie;
    completion.status = tenure_.planes[p].status;
    completion.result = (completion.status & onfi::status::fail) != 0 ? flash_result::fail : std::uint8_t{0};
    post(completion, known);
  }
  interrupt();
  finish_group(die, end);
}

void FlashController::data_out_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  if (const TimePs due = page_buffer_free(); due > at) return want(die, Stage::data_out, due);
  builder_.data_out(tenure_, group, state.status_mode);
  state.status_mode = false;
  const TimePs end = drive(die, at);
  // The data is complete at the end of its phase; the bus turns round (tRHW) until `end`.
  FlashCompletion completion = timed_completion(state, tenure_.planes[0].end);
  post_page(completion, group);
  if (++group.next_out < group.count) {
    want(die, Stage::data_out, end);
  } else if (group.retry != nullptr && group.retry->level != 0) {
    end_sense(die, end);
  } else {
    finish_group(die, end);
  }
}

/// A decoder may work on a page no longer than a die, behind those that it has had before. These are waited
/// for with patience once more: where they end is noted only when that is later.
void FlashController::check_decoding(TimePs since, TimePs latency) {
  const TimePs end = since + std::min(latency, kNever - since);
  const TimePs begin = std::max(decoded_until_, since + config_.ready_timeout);
  decoded_until_ = std::max(decoded_until_, end);
  if (end <= begin || end - begin <= config_.ready_timeout) return;
  const bool own = ecc_stage.size() == 0;
  report_silence(own ? name() : answers_to(ecc_stage), "decoded a page", since, end);
}

inline EccResult FlashController::decode(const EccInput& input, TimePs at) {
  try {
    return ecc_->decode(input);
  } catch (...) {
    if (ecc_stage.size() != 0) rethrow_from(ecc_stage, at);
    throw;
  }
}

/// Completes the page of `group` whose data out was the last tenure, unless it has to be read again.
void FlashController::post_page(FlashCompletion& completion, FlashGroup& group) {
  const FlashDescriptor& d = group.planes[group.next_out];
  const OnfiPlane& data = tenure_.planes[0];
  const std::uint32_t level = group.retry == nullptr ? 0 : group.retry->level;
  const std::uint32_t soft = level > config_.read_retries ? level - config_.read_retries : 0;
  const EccResult ecc = decode({data.bytes, data.errors, data.end, d.sector_mask, soft}, data.end);
  if (ecc.latency > config_.ready_timeout) check_decoding(data.end, ecc.latency);
  completion.cookie = d.cookie;
  completion.oob = data.oob;
  completion.status = onfi::status::idle;
  const std::uint32_t lost = data.lost & d.sector_mask;
  completion.failed_sectors = (data.corrupt ? d.sector_mask : ecc.failed) | lost;
  if (d.sector_mask == 0 && !data.corrupt) completion.failed_sectors = data.lost;
  const bool uncorrectable = data.corrupt || ecc.uncorrectable || lost != 0;
  completion.result = static_cast<std::uint8_t>((data.blank ? flash_result::blank : 0) |
                                                (uncorrectable ? flash_result::uncorrectable : 0));
  completion.corrected_bits = ecc.corrected_bits;
  completion.ecc_ps = ecc.latency;
  if (data.errors.flips != nullptr) correct(d.buffer, *data.errors.flips, ecc.failed);
  const bool counted = data.errors.codewords != 0;
  statistics_.page_bytes_out += data.bytes;
  TimePs known = data.end + ecc.latency;
  if (paced_) {
    const TimePs drained = drain_page_data(data.data + ecc.latency, known, d.buffer);
    completion.bus_wait_ps += drained - known;
    known = drained;
  }
  if (level != 0) return post_retried(group, completion, known);
  const bool helps = read_levels_ != 0 && (completion.failed_sectors != lost || data.corrupt);
  if (counted) count(data.errors, (d.flags & flash_flag::for_host) != 0);
  if (uncorrectable && helps) return keep_for_retry(group, completion, known);
  if (counted) count_end(data.errors.kind, completion);
  post(completion, known);
  interrupt();
}

/// What the decoder does to the data in DRAM, where they are as they came over the bus.
void FlashController::correct(std::uint32_t buffer, const std::vector<std::uint32_t>& flips,
                              std::uint32_t failed) {
  for (const std::uint32_t bit : flips) {
    std::uint8_t& byte = dram_[buffer + bit / 8];
    const bool stays = (failed >> bit / 8 / config_.geometry.sector_size & 1u) != 0;
    if (!stays) byte = static_cast<std::uint8_t>(byte ^ 1u << bit % 8);
  }
}

void FlashController::count(const RawErrors& errors, bool for_host) {
  ReadErrorStatistics& s = statistics_.read_errors[errors.kind];
  ++s.pages;
  s.codewords += errors.codewords;
  s.bit_errors += errors.total;
  if (for_host) {
    statistics_.host_codewords += errors.codewords;
    statistics_.host_bit_errors += errors.total;
  }
}

void FlashController::count_end(std::uint8_t kind, const FlashCompletion& completion) {
  ReadErrorStatistics& s = statistics_.read_errors[kind];
  if ((completion.result & flash_result::uncorrectable) != 0) {
    ++s.uncorrectable;
  } else if (completion.corrected_bits != 0) {
    ++s.corrected;
  }
}

// Bus tenures and the array's own time are known; what is left of the time since the doorbell was
// waiting. Polls that ran during the array time count as bus time.
FlashCompletion FlashController::timed_completion(const FlashGroup& group, TimePs array, TimePs end) const {
  const TimePs total = end - group.accepted;
  FlashCompletion completion;
  completion.bus_ps = group.bus - (bus_free_ - end);
  completion.array_ps = std::min(array, total - completion.bus_ps);
  completion.bus_wait_ps = total - completion.bus_ps - completion.array_ps;
  if (config_.suspend.enabled && group.op() == FlashOp::read) split_wait(completion, group);
  return completion;
}

void FlashController::finish_group(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup* done = state.head;
  state.head = done->next;
  state.stage = Stage::idle;
  end_group(*done);
  if (state.head != nullptr) next_group(die, at);
}

void FlashController::release(FlashGroup& group) {
  group.next = free_groups_;
  free_groups_ = &group;
}

} // namespace twinplane::hw
