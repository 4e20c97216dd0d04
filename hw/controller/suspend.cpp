// Suspends a program or erase (84h, 61h) for reads that wait for its die, runs them, and resumes it (13h,
// D2h).
//
// A read passes the operation that runs, and what waits behind it, unless one of them works on the
// read's block: the die allows no read of a block with a suspended operation, and a page that is still
// to be programmed must not be read before.
#include <algorithm>
#include <cassert>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

bool FlashController::passes(const FlashGroup& operation, const FlashGroup& read) const {
  for (const FlashGroup* front = &operation; front != &read; front = front->next) {
    if (front->op() == FlashOp::read) continue;
    if (!front->changes_cells()) return false;
    for (std::uint32_t i = 0; i < front->count; ++i) {
      for (std::uint32_t j = 0; j < read.count; ++j) {
        if (addresses_.same_block(front->planes[i], read.planes[j])) return false;
      }
    }
  }
  return true;
}

/// The group in front of the first read that may pass; null when there is none.
FlashGroup* FlashController::before_passing_read(FlashGroup& operation) const {
  for (FlashGroup* front = &operation; front->next != nullptr; front = front->next) {
    if (front->next->op() == FlashOp::read && passes(operation, *front->next)) return front;
  }
  return nullptr;
}

/// A group has come behind the one that runs: suspends that one when a read may pass it and the policy allows
/// it.
void FlashController::consider_suspend(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  const SuspendConfig& policy = config_.suspend;
  const bool waits = state.stage == Stage::status || state.stage == Stage::poll;
  if (!policy.enabled || !waits || !group.changes_cells()) return;
  if (group.cached || state.before != nullptr) return; // the die suspends no cache program
  if (group.suspends == policy.most_per_operation || state.ready_at <= at + policy.gain) return;
  if (before_passing_read(group) == nullptr) return;
  waiters_.remove(die);
  want(die, Stage::suspend, std::max(at, state.command_end));
}

void FlashController::suspend_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  if (state.ready_at <= at + config_.suspend.gain) { // the bus came too late
    wait_for_status(die, at + config_.poll_interval);
    return;
  }
  builder_.suspend(tenure_, group);
  const TimePs end = drive(die, at);
  ++group.suspends;
  state.suspend_sent = at;
  state.ready_at = std::max(tenure_.ready_at, end);
  want(die, Stage::suspend_status, config_.poll_status ? end : state.ready_at);
}

void FlashController::suspend_status_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  builder_.status(tenure_, *state.head);
  const TimePs end = drive(die, at);
  const std::uint8_t status = tenure_.planes[0].status;
  if ((status & onfi::status::rdy) == 0) {
    check_patience(die, state.command_end, end);
    want(die, Stage::suspend_status, std::max(end, at + config_.poll_interval));
    return;
  }
  note_suspend(state, end);
  if ((status & onfi::status::suspended) == 0) { // it ended before it could be suspended
    want(die, Stage::status, end);
    return;
  }
  ++statistics_.suspends;
  state.suspended = state.head;
  state.array_done = state.ready_at - state.command_end;
  state.reads_left = config_.suspend.reads_at_a_time;
  run_reads_in_between(die, end);
}

/// The effect of a suspend is known.
void FlashController::note_suspend(DieState& die, TimePs at) {
  die.suspending = suspending_until(die, at);
  die.suspend_sent = kNever;
}

/// A read has waited for suspends, too: its time in the controller before it ran, as far as one was under way.
void FlashController::split_wait(FlashCompletion& completion, const FlashGroup& group) const {
  constexpr TimePs kMost = 0xFFFFFFFFu;
  const TimePs waited =
      std::min(dies_[group.die].suspending - group.suspending, completion.bus_wait_ps) / ns(1);
  completion.suspend_wait_ns = static_cast<std::uint32_t>(std::min(waited, kMost));
  completion.bus_wait_ps -= completion.suspend_wait_ns * ns(1);
}

/// A group of the die has ended, and its list is not empty.
void FlashController::next_group(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  if (state.ahead) {
    state.command_end = state.ahead_begin;
    state.ready_at = state.ahead_end;
    want(die, Stage::cache_read, at);
  } else if (state.suspended == state.head) {
    run_reads_in_between(die, at);
  } else {
    start_head(die, at);
  }
}

/// The suspended operation is at the head of the list: moves the next read that may pass it to the front, or
/// resumes it.
void FlashController::run_reads_in_between(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup* front = state.reads_left == 0 ? nullptr : before_passing_read(*state.head);
  if (front == nullptr) {
    want(die, Stage::resume, at);
    return;
  }
  --state.reads_left;
  ++statistics_.reads_in_between;
  FlashGroup* read = front->next;
  front->next = read->next;
  if (state.tail == read) state.tail = front;
  read->next = state.head;
  state.head = read;
  start_head(die, at);
}

void FlashController::resume_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  builder_.resume(tenure_, *state.head);
  const TimePs end = drive(die, at);
  state.suspended = nullptr;
  state.command_end = end - state.array_done; // as if the operation had run without the break
  state.ready_at = std::max(tenure_.ready_at, end);
  state.status_mode = false;
  wait_for_status(die, end);
  consider_suspend(die, end);
}

/// The result of a program or erase: when R/B# rises, or by polls from `at` on.
void FlashController::wait_for_status(std::uint32_t die, TimePs at) {
  if (config_.poll_status) {
    want(die, Stage::poll, at);
  } else {
    want(die, Stage::status, dies_[die].ready_at);
  }
}

} // namespace twinplane::hw
