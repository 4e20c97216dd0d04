#include "hw/controller/sequences/suspension.h"

#include <algorithm>

namespace twinplane::hw {

bool SuspendSequence::passes(const FlashGroup& operation, const FlashGroup& read) const {
  for (const FlashGroup* front = &operation; front != &read; front = front->next) {
    if (front->op() == FlashOp::read) continue;
    if (!front->changes_cells()) return false;
    for (std::uint32_t i = 0; i < front->count; ++i) {
      for (std::uint32_t j = 0; j < read.count; ++j) {
        if (c_.addresses.same_block(front->planes[i], read.planes[j])) return false;
      }
    }
  }
  return true;
}

/// The group in front of the first read that may pass; null when there is none.
FlashGroup* SuspendSequence::before_passing_read(FlashGroup& operation) const {
  for (FlashGroup* front = &operation; front->next != nullptr; front = front->next) {
    if (front->next->op() == FlashOp::read && passes(operation, *front->next)) return front;
  }
  return nullptr;
}

void SuspendSequence::suspend_for_reads(StatusSequence& sequence, DieQueue& die, TimePs at) {
  const SuspendConfig& policy = c_.config.suspend;
  const FlashGroup& group = *die.head;
  if (!sequence.can_be_suspended(die) || group.suspends == policy.most_per_operation) return;
  if (die.ready_at <= at + policy.gain || before_passing_read(*die.head) == nullptr) return;
  interrupted_[die.number].sequence = &sequence;
  want(die, suspend, TenureKind::read_command, std::max(at, die.command_end)); // a read waits for it
}

TimePs SuspendSequence::tenure(DieQueue& die, TimePs at) {
  switch (die.step) {
    case suspend:
      send_suspend(die, at);
      return kNever;
    case status:
      return is_ready(die, at) ? judge_suspend(die, c_.bus.free()) : kNever;
    default:
      send_resume(die, at);
      return kNever;
  }
}

void SuspendSequence::send_suspend(DieQueue& die, TimePs at) {
  FlashGroup& group = *die.head;
  if (die.ready_at <= at + c_.config.suspend.gain) // the bus came too late
    return interrupted_[die.number].sequence->await_result(die, at + c_.config.poll_interval);
  OnfiTenure& tenure = c_.bus.tenure();
  const bool erase = group.op() == FlashOp::erase;
  c_.builder.raw(tenure);
  tenure.command(erase ? onfi::opcode::erase_suspend : onfi::opcode::program_suspend);
  c_.builder.address(tenure, group.planes[0].row, erase ? 0 : onfi::kColumnCycles);
  const TimePs end = c_.bus.drive(die, group, at);
  ++group.suspends;
  die.suspend_sent = at;
  die.ready_at = std::max(tenure.ready_at, end);
  want(die, status, TenureKind::status, c_.config.poll_status ? end : die.ready_at);
}

/// The effect of the suspend is known.
TimePs SuspendSequence::judge_suspend(DieQueue& die, TimePs at) {
  die.suspending = die.suspending_until(at);
  die.suspend_sent = kNever;
  Interrupted& interrupted = interrupted_[die.number];
  if ((c_.bus.tenure().planes[0].status & onfi::status::suspended) ==
      0) { // it ended before it could be suspended
    interrupted.sequence->read_result(die, at);
    return kNever;
  }
  ++c_.statistics.suspends;
  interrupted.array_done = die.ready_at - die.command_end;
  interrupted.reads_left = c_.config.suspend.reads_at_a_time;
  die.suspended = die.head;
  die.head->sequence = this;
  return at;
}

void SuspendSequence::begin(DieQueue& die, TimePs at) {
  Interrupted& interrupted = interrupted_[die.number];
  FlashGroup* const front = interrupted.reads_left == 0 ? nullptr : before_passing_read(*die.head);
  if (front == nullptr) return want(die, resume, TenureKind::other, at);
  --interrupted.reads_left;
  ++c_.statistics.reads_in_between;
  FlashGroup& read = die.remove_behind(front);
  die.insert_behind(nullptr, read);
  read.sequence->begin(die, at);
}

/// D2h carries no address: where the chip has several LUNs 78h selects the one first.
void SuspendSequence::send_resume(DieQueue& die, TimePs at) {
  FlashGroup& group = *die.head;
  const Interrupted& interrupted = interrupted_[die.number];
  OnfiTenure& tenure = c_.bus.tenure();
  c_.builder.raw(tenure);
  if (group.op() == FlashOp::program) {
    tenure.command(onfi::opcode::program_resume);
    c_.builder.address(tenure, group.planes[0].row, onfi::kColumnCycles);
  } else {
    c_.builder.select_lun(tenure, group.planes[0].row);
    tenure.command(onfi::opcode::erase_resume);
  }
  const TimePs end = send(die, at);
  die.command_end = end - interrupted.array_done; // as if the operation had run without the break
  die.suspended = nullptr;
  group.sequence = interrupted.sequence;
  interrupted.sequence->await_result(die, end);
  consider(*interrupted.sequence, die, end);
}

StepPower SuspendSequence::power(const DieQueue& die, TimePs /*at*/) {
  if (die.step == resume) return array_power(die.head->op(), die.head->count);
  StepPower power;
  power.suspends = die.step == suspend;
  return power;
}

} // namespace twinplane::hw
