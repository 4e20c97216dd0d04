// Dispatcher: reads of dies that are not idle, and reads one by one where planes read independently.
#include "firmware/ftl/dispatcher.h"

namespace twinplane::fw {

/// A die that programs or erases: reads go on top, for the flash controller to let them pass.
void Dispatcher::serve_reads(std::uint32_t die) {
  TransactionList& lane = board_->die(die).lanes[static_cast<std::uint32_t>(Lane::read)];
  if (lane.empty()) {
    board_->no_work(die); // until it is idle
    return;
  }
  if (board_->by_plane()) return issue_read(board_->take_any_read(lane));
  Group& g = new_group(die);
  form_reads(lane, true, g);
  issue(g);
}

/// Reads one by one, to planes that have few. A die that reads gets further ones only while nothing else
/// waits for it, so that it becomes idle as often as other dies do when there is other work.
bool Dispatcher::serve_planes(std::uint32_t die, Lane lane, bool others_wait) {
  const bool reads = lane == Lane::read || lane == Lane::gc_read;
  bool issued = false;
  if (reads && (board_->idle(die) || !others_wait)) {
    TransactionList& list = board_->die(die).lanes[static_cast<std::uint32_t>(lane)];
    while (board_->open_for_plane_reads(die)) {
      Transaction* t = board_->take_read(list, window_);
      if (t == nullptr) break;
      issue_read(*t);
      issued = true;
    }
  }
  if (!board_->idle(die)) board_->no_work(die); // until a read is done
  return !issued || !board_->idle(die);
}

void Dispatcher::issue_read(Transaction& t) {
  Group& g = new_group(t.die);
  g.op = FlashOp::read;
  add(g, t, plane_in_die(t), slot_of(t));
  issue(g);
}

} // namespace twinplane::fw
