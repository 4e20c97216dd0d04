#include "hw/controller/sequences/read.h"

#include <utility>

#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

bool ReadSequence::accept(FlashGroup& group) {
  if (!c_.addresses.pages_in_dram(group)) return false;
  c_.statistics.reads += group.count;
  return true;
}

TimePs ReadSequence::tenure(DieQueue& die, TimePs at) {
  if (die.step == command) {
    c_.builder.operation(c_.bus.tenure(), *die.head);
    send(die, at);
    want_when_ready(die, poll, data_out, TenureKind::data_out);
  } else if (die.step == poll) {
    if (!is_ready(die, at)) return kNever;
    die.status_mode = true;
    want(die, data_out, TenureKind::data_out, c_.bus.free());
  } else if (move_page(die, at)) {
    c_.pages.end(die.pop(), c_.groups);
    return c_.bus.free();
  }
  return kNever;
}

bool ReadSequence::move_page(DieQueue& die, TimePs at) {
  FlashGroup& group = *die.head;
  if (const TimePs due = c_.pacing.buffer_free(); due > at) {
    want(die, data_out, TenureKind::data_out, due);
    return false;
  }
  c_.builder.data_out(c_.bus.tenure(), group, die.status_mode);
  die.status_mode = false;
  const TimePs end = c_.bus.drive(die, group, at);
  c_.pages.deliver(die, group, die.ready_at - die.command_end);
  if (++group.next_out == group.count) return true;
  want(die, data_out, TenureKind::data_out, end);
  return false;
}

StepPower ReadSequence::power(const DieQueue& die, TimePs /*at*/) {
  if (die.step == command) return array_power(FlashOp::read, die.head->count);
  return die.step == data_out ? transfer_power(c_.config.power.data_out) : StepPower{};
}

std::unique_ptr<OpSequence> make_reads(const SequenceContext& context) {
  const FlashControllerConfig& config = context.config;
  std::unique_ptr<OpSequence> alone =
      config.cache_reads ? make_cache_reads(context) : std::make_unique<ReadSequence>(context);
  const bool planes = config.independent_reads && config.geometry.planes_per_die > 1;
  return planes ? make_plane_reads(context, std::move(alone)) : std::move(alone);
}

} // namespace twinplane::hw
