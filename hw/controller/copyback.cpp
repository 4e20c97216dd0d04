// Copyback: a page is read (35h) and, once it is in its register, programmed elsewhere in its plane
// (85h-10h). One command to whoever gave it: nothing comes between, which could take the register away, and
// no read passes.
#include <algorithm>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

/// The head is not sent as all others are: its host data are to be asked for once more, pages of its wordline
/// are to be loaded, it is a copyback, or of a target.
void FlashController::start_apart(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  if (group.next_load != nullptr) return load_tenure(die, at);
  if (group.op() == FlashOp::reset || is_of_target(group.op())) return target_tenure(die, at);
  if (group.op() != FlashOp::copyback) return start_head(die, at);
  group.apart = false;
  builder_.operation(tenure_, group);
  state.command_end = drive(die, at);
  state.ready_at = std::max(tenure_.ready_at, state.command_end);
  state.status_mode = false;
  if (config_.poll_status) {
    want(die, Stage::copy_poll, state.command_end);
  } else {
    want(die, Stage::copy, state.ready_at);
  }
}

void FlashController::poll_part(std::uint32_t die, Stage next, TimePs at) {
  builder_.status(tenure_, *dies_[die].head);
  const TimePs end = drive(die, at);
  if ((tenure_.planes[0].status & onfi::status::rdy) == 0) {
    poll_again(die, end, at);
  } else {
    want(die, next, end);
  }
}

void FlashController::copy_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  const TimePs read = state.ready_at - state.command_end;
  builder_.copy(tenure_, *state.head);
  ++statistics_.copies;
  const TimePs end = drive(die, at);
  state.command_end = end - read; // both operations are its array time
  state.ready_at = std::max(tenure_.ready_at, end);
  wait_for_status(die, end);
}

} // namespace twinplane::hw
