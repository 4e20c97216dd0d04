#include "hw/controller/sequences/status_sequence.h"

#include "hw/controller/sequences/suspension.h"
#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

void StatusSequence::suspend_for_reads(DieQueue& die, TimePs at) {
  c_.suspension->consider(*this, die, at);
}

void StatusSequence::queued_behind(DieQueue& die, TimePs at) {
  if (die.step == poll || die.step == status) suspend_for_reads(die, at);
}

TimePs StatusSequence::conclude(DieQueue& die) {
  const FlashGroup& group = *die.head;
  const TimePs known = known_at();
  report(group, group.completion(c_.bus.on_bus(group, known), die.ready_at - die.command_end, known),
         onfi::status::fail);
  c_.rings.interrupt();
  return end(die, c_.bus.free());
}

void StatusSequence::report(const FlashGroup& group, FlashCompletion completion, std::uint8_t fail) {
  for (std::uint32_t p = 0; p < group.count; ++p)
    report_page(group.planes[p], c_.bus.tenure().planes[p].status, fail, completion);
}

namespace {

class EraseSequence final : public StatusSequence {
 public:
  using StatusSequence::StatusSequence;

  bool accept(FlashGroup& group) override {
    c_.statistics.erases += group.count;
    return true;
  }

  void begin(DieQueue& die, TimePs at) override { want(die, command, TenureKind::erase, at); }

  TimePs tenure(DieQueue& die, TimePs at) override {
    if (die.step != command) return has_result(die, at) ? conclude(die) : kNever;
    c_.builder.operation(c_.bus.tenure(), *die.head);
    launch(die, at);
    return kNever;
  }

  StepPower power(const DieQueue& die, TimePs /*at*/) override {
    return die.step == command ? array_power(FlashOp::erase, die.head->count) : StepPower{};
  }
};

} // namespace

std::unique_ptr<OpSequence> make_erase(const SequenceContext& context) {
  return std::make_unique<EraseSequence>(context);
}

} // namespace twinplane::hw
