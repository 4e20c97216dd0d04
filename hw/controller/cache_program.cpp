// Cache programs: 15h lets the next page's data enter the die while the array programs. Used while the
// group behind the head of a die's FIFO programs pages of the same blocks; the last one goes with 10h.
//
// R/B# rises when the cache register is free, and no pin tells of the array. The result of a group is FAILC
// in the status behind the next one, or FAIL, when that comes after its own array time: the controller
// asks for it once the array time has passed. Behind 10h R/B# rises with the end of both.
//
// A cache program cannot be suspended. With suspension a read that waits therefore ends the run.
#include <algorithm>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

bool FlashController::program_goes_on(const DieState& die) const {
  const FlashGroup& now = *die.head;
  if (now.op() != FlashOp::program || now.next == nullptr) return false;
  const FlashGroup& next = *now.next;
  if (next.op() != FlashOp::program || next.count != now.count) return false;
  if (now.loads != nullptr || next.loads != nullptr)
    return false; // a pass goes with 10h, when the die is idle
  for (std::uint32_t i = 0; i < now.count; ++i) {
    const FlashDescriptor& a = now.planes[i];
    const FlashDescriptor& b = next.planes[i];
    if (!addresses_.same_block(a, b) || ((a.flags ^ b.flags) & flash_flag::slc_mode) != 0) return false;
  }
  return !config_.suspend.enabled || before_passing_read(*die.head) == nullptr;
}

/// Of the head, which has just been launched.
void FlashController::note_array_time(DieState& die) const {
  die.array_begin = die.before == nullptr ? die.command_end : std::max(die.command_end, die.before_end);
  const bool known = tenure_.array_ready_at != kNever; // else its status is asked for until it is idle
  die.array_end = known ? std::max(tenure_.array_ready_at, die.command_end) : die.command_end;
}

/// Sends the head to the die while the group before it is programmed. When its data comes too late for that,
/// or a read waits (always if it is a retry), the status of the group before it is asked for first.
void FlashController::send_behind(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  const TimePs due = std::max(std::max(at, state.head->data_at), fence_time(*state.head, at));
  const bool retry = state.head->retry != nullptr; // it has come in between
  const bool read_waits = config_.suspend.enabled && before_passing_read(*state.head) != nullptr;
  if (retry || read_waits || due > state.before_end) {
    want(die, Stage::late_status, std::max(at, state.before_end));
  } else {
    want(die, Stage::command, due);
  }
}

/// R/B# has risen behind 15h, or behind the 10h that ends a run, and `tenure_` has the status.
void FlashController::stream_status(std::uint32_t die, TimePs end) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  const TimePs turnaround = end - tenure_.planes[group.count - 1].end;
  const bool idle = (tenure_.planes[0].status & onfi::status::ardy) != 0;
  if (!idle && !group.cached) { // it was refused: FAIL is valid when the array has done the one before
    state.ready_at = state.array_end;
    wait_for_status(die, std::max(end, state.array_end));
    return;
  }
  if (state.before != nullptr) end_before(state, state.before->bus, onfi::status::fail_previous);
  if (idle) {
    report(group, group.bus - turnaround, state.array_end - state.array_begin, onfi::status::fail);
    group.cached = false;
    finish_group(die, end);
    return;
  }
  group.cached = false;
  state.before = &group;
  state.before_begin = state.array_begin;
  state.before_end = state.array_end;
  state.head = group.next; // the one that 15h was sent for
  start_head(die, end);
}

/// No group followed in time whose status would have told the result (FAILC): asks for the status of this
/// one.
void FlashController::late_status_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.before;
  builder_.status(tenure_, group);
  const TimePs end = drive(group, at);
  const OnfiPlane& last = tenure_.planes[group.count - 1];
  if ((last.status & onfi::status::ardy) == 0) {
    check_patience(die, state.before_begin, end);
    want(die, Stage::late_status, std::max(end, at + config_.poll_interval));
    return;
  }
  end_before(state, group.bus - (end - last.end), onfi::status::fail);
  start_head(die, end);
}

void FlashController::end_before(DieState& die, TimePs on_bus, std::uint8_t fail_bit) {
  FlashGroup& group = *die.before;
  report(group, on_bus, die.before_end - die.before_begin, fail_bit);
  die.before = nullptr;
  groups_.release(group);
}

/// Completes a program group; the status in `tenure_` tells its result in `fail_bit`.
void FlashController::report(const FlashGroup& group, TimePs on_bus, TimePs array, std::uint8_t fail_bit) {
  const TimePs known = tenure_.planes[tenure_.plane_count - 1].end;
  const TimePs total = known - group.accepted;
  for (std::uint32_t p = 0; p < group.count; ++p) {
    FlashCompletion completion;
    completion.cookie = group.planes[p].cookie;
    completion.status = tenure_.planes[p].status;
    completion.result = (completion.status & fail_bit) != 0 ? flash_result::fail : std::uint8_t{0};
    completion.bus_ps = on_bus;
    completion.array_ps = std::min(array, total - on_bus);
    completion.bus_wait_ps = total - on_bus - completion.array_ps;
    rings_.post(completion, known);
  }
  rings_.interrupt();
}

} // namespace twinplane::hw
