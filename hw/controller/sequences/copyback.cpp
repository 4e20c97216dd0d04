// Copyback: a page is read (35h) and, once it is in its register, programmed elsewhere in its plane
// (85h-10h). One command to the firmware: nothing comes between, which could take the register away, and
// no read passes.
#include <algorithm>

#include "hw/controller/sequences/status_sequence.h"
#include "hw/controller/sequences/table.h"

namespace twinplane::hw {

namespace {

class CopybackSequence final : public StatusSequence {
 public:
  using StatusSequence::StatusSequence;

  bool accept(FlashGroup& group) override {
    const FlashDescriptor& d = group.planes[0];
    if (group.count != 1 || (d.flags & flash_flag::slc_mode) != 0) return false;
    if (c_.addresses.lun(d.buffer) != c_.addresses.lun(d)) return false;
    ++c_.statistics.copybacks;
    return true;
  }

  void begin(DieQueue& die, TimePs at) override { want(die, command, TenureKind::read_command, at); }

  TimePs tenure(DieQueue& die, TimePs at) override {
    switch (die.step) {
      case command:
        c_.builder.operation(c_.bus.tenure(), *die.head);
        send(die, at);
        want_when_ready(die, copy_poll, copy, TenureKind::program);
        return kNever;
      case copy_poll:
        if (is_ready(die, at)) want(die, copy, TenureKind::program, c_.bus.free());
        return kNever;
      case copy:
        program(die, at);
        return kNever;
      default:
        return has_result(die, at) ? conclude(die) : kNever;
    }
  }

  StepPower power(const DieQueue& die, TimePs /*at*/) override {
    if (die.step == command) return array_power(FlashOp::read, 1);
    return die.step == copy ? array_power(FlashOp::program, 1) : StepPower{};
  }

 private:
  enum : std::uint8_t { copy = kSteps, copy_poll };

  void program(DieQueue& die, TimePs at) {
    const TimePs read = die.ready_at - die.command_end;
    c_.builder.copy(c_.bus.tenure(), *die.head);
    ++c_.statistics.copies;
    const TimePs end = send(die, at);
    die.command_end = end - read; // both operations are its array time
    await_result(die, end);
  }
};

} // namespace

std::unique_ptr<OpSequence> make_copyback(const SequenceContext& context) {
  return std::make_unique<CopybackSequence>(context);
}

} // namespace twinplane::hw
