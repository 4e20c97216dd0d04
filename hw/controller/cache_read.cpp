// Cache reads: 31h moves the pages that were read to the cache registers and starts tR of the next ones,
// 3Fh ends the run. Used when the group behind the head of a die's FIFO reads the next page of each
// block.
#include <algorithm>

#include "hw/controller/flash_controller.h"

namespace twinplane::hw {

bool FlashController::read_ahead_possible(const DieState& die) const {
  const FlashGroup& now = *die.head;
  if (!config_.cache_reads || die.suspended != nullptr || now.next == nullptr) return false;
  const FlashGroup& next = *now.next;
  if (now.retry != nullptr || next.retry != nullptr) return false;
  constexpr std::uint8_t kMode = flash_flag::slc_mode;
  if (next.op() != FlashOp::read || next.count != now.count) return false;
  for (std::uint32_t i = 0; i < now.count; ++i) {
    const FlashDescriptor& a = now.planes[i];
    const FlashDescriptor& b = next.planes[i];
    if (!addresses_.same_block(a, b) || b.row != a.row + 1 || ((a.flags ^ b.flags) & kMode) != 0)
      return false;
  }
  return true;
}

void FlashController::cache_read_tenure(std::uint32_t die, TimePs at) {
  DieState& state = dies_[die];
  state.ahead = read_ahead_possible(state);
  builder_.continue_cache_read(tenure_, *state.head, state.ahead);
  const TimePs end = drive(die, at);
  state.head->in_cache_registers = true;
  state.status_mode = false;
  if (state.ahead) {
    ++statistics_.cache_reads;
    state.ahead_begin = std::max(end, state.ahead_end); // not before the pages before are read
    state.ahead_end = std::max(tenure_.array_ready_at, end);
  }
  if (config_.poll_status) {
    want(die, Stage::poll, end);
  } else {
    want(die, Stage::data_out, std::max(tenure_.ready_at, end));
  }
}

} // namespace twinplane::hw
