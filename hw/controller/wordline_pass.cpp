// One-pass programming: the pages of a wordline go to the die one after the other (1Ah), and with the last
// one (10h) it programs them all. One command to whoever gave it: nothing comes between, no read passes until
// the array works, and all of it is completed together.
#include <algorithm>

#include "hw/controller/flash_controller.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

/// Programs of one die. Whether they are a wordline's pages is the die's judgement.
bool FlashController::pass_acceptable(const FlashGroup& group) const {
  for (const FlashGroup* load = group.loads; load != nullptr; load = load->next) {
    const FlashDescriptor& d = load->planes[0];
    const bool program = load->op() == FlashOp::program && group.op() == FlashOp::program;
    const bool one_die =
        d.chip == group.planes[0].chip && addresses_.lun(d) == addresses_.lun(group.planes[0]);
    if (!program || !one_die || !acceptable(*load)) return false;
  }
  return true;
}

void FlashController::take_pass(FlashGroup& group) {
  for (FlashGroup* load = group.loads; load != nullptr; load = load->next) {
    statistics_.programs += load->count;
    load->data_at = 0;
  }
  group.next_load = group.loads;
  group.load_busy = 0;
  group.load_bytes = 0;
  group.apart = true;
}

/// Sends the next page, unless its data are not there.
void FlashController::load_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  FlashGroup& group = *state.head;
  FlashGroup& load = *group.next_load;
  if (const TimePs due = fence_time(group, at); due > at) return want(die, Stage::command, due);
  if (paced_ && fetch_page_data(load, at)) return want(die, Stage::command, load.data_at);
  builder_.operation(tenure_, load);
  for (std::uint32_t i = 0; i < tenure_.plane_count; ++i) group.load_bytes += tenure_.planes[i].bytes;
  state.command_end = drive(group, at);
  state.ready_at = std::max(tenure_.ready_at, state.command_end);
  state.status_mode = false;
  if (state.ready_at != kNever) group.load_busy += state.ready_at - state.command_end;
  group.next_load = load.next;
  group.apart = group.next_load != nullptr;
  if (config_.poll_status) {
    want(die, Stage::load_poll, state.command_end);
  } else {
    want(die, Stage::command, state.ready_at);
  }
}

/// `tenure_` has the status of the group's planes, which is that of all pages of their wordlines.
/// Their times, and the die's during 1Ah, are those of `completion`, too.
void FlashController::post_loads(FlashGroup& group, FlashCompletion& completion, TimePs known) {
  const TimePs loading = std::min(group.load_busy, completion.bus_wait_ps);
  completion.array_ps += loading;
  completion.bus_wait_ps -= loading;
  for (const FlashGroup* load = group.loads; load != nullptr; load = load->next) {
    for (std::uint32_t p = 0; p < load->count; ++p) {
      const FlashDescriptor& d = load->planes[p];
      std::uint32_t same = 0; // a die that has refused the pass may have been given other planes
      while (same + 1 < group.count && !addresses_.same_block(group.planes[same], d)) ++same;
      completion.cookie = d.cookie;
      completion.status = tenure_.planes[same].status;
      completion.result =
          (completion.status & onfi::status::fail) != 0 ? flash_result::fail : std::uint8_t{0};
      rings_.post(completion, known);
    }
  }
  groups_.release_loads(group);
}

} // namespace twinplane::hw
