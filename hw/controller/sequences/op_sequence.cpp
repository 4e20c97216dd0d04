#include "hw/controller/sequences/op_sequence.h"

#include <cmath>

#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

/// What waits for the edge can go on. With status polls it only tells how long the array took.
void OpSequence::ready(DieQueue& die, TimePs at) {
  if (die.ready_at != kNever) return; // its time was known
  die.ready_at = at;
  if (c_.config.poll_status || !die.waits_for_edge()) return;
  c_.bus.want(die, die.kind, at);
  c_.bus.arm_when_free(at);
}

void OpSequence::wait_for_power(DieQueue& die, std::uint32_t /*plane*/, TimePs until) {
  c_.bus.want(die, die.kind, until);
}

bool OpSequence::is_ready(DieQueue& die, TimePs at) {
  c_.builder.status(c_.bus.tenure(), *die.head);
  c_.bus.drive(die, *die.head, at);
  if ((c_.bus.tenure().planes[0].status & onfi::status::rdy) != 0) return true;
  poll_again(die, at);
  return false;
}

void OpSequence::poll_again(DieQueue& die, TimePs at) {
  c_.timeout.check(die.number, die.command_end, c_.bus.free());
  c_.bus.want(die, die.kind, std::max(c_.bus.free(), at + c_.config.poll_interval));
}

std::int64_t OpSequence::array_current(FlashOp op, std::uint32_t planes) const {
  const PowerConfig& p = c_.config.power;
  const std::int64_t one = op == FlashOp::read      ? p.read
                           : op == FlashOp::program ? p.program
                           : op == FlashOp::erase   ? p.erase
                                                    : 0;
  return std::llround(static_cast<double>(one) * (1 + (planes - 1) * p.further_planes));
}

} // namespace twinplane::hw
