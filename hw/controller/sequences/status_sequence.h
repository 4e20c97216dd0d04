// A command and its status: 70h, or 78h of each plane, when R/B# rises, or again and again until the die is ready.
// So it is with erases; programs, copybacks and commands of targets end in the same way.
#pragma once

#include "hw/controller/sequences/op_sequence.h"

namespace twinplane::hw {

class StatusSequence : public OpSequence {
 public:
  explicit StatusSequence(const SequenceContext& context) : OpSequence(context) {}

  void queued_behind(DieQueue& die, TimePs at) override;

  /// The array works: its result is asked for when R/B# rises, or by polls from `at` on.
  void await_result(DieQueue& die, TimePs at) {
    if (c_.config.poll_status) {
      want(die, poll, TenureKind::status, at);
    } else {
      want(die, status, TenureKind::status, die.ready_at);
    }
  }
  /// It has ended.
  void read_result(DieQueue& die, TimePs at) { want(die, status, TenureKind::status, at); }
  /// Programs and erases that the part can interrupt.
  virtual bool can_be_suspended(const DieQueue& die) const { return die.head->changes_cells(); }

 protected:
  enum Step : std::uint8_t { command, poll, status, kSteps };

  /// Sends the composed command, which is followed by its status.
  void launch(DieQueue& die, TimePs at) {
    send(die, at);
    await_result(die, die.command_end);
    if (die.head->next != nullptr) suspend_for_reads(die, die.command_end);
  }
  /// In the other steps: reads the status. False: the die is not ready, and is asked again.
  bool has_result(DieQueue& die, TimePs at) {
    if (die.step == poll) return is_ready(die, at);
    c_.builder.status(c_.bus.tenure(), *die.head);
    c_.bus.drive(die, *die.head, at);
    return true;
  }
  /// Completes the head, whose result has been read.
  TimePs conclude(DieQueue& die);
  /// Completes a group by the status in the last tenure, whose bits `fail` tell the result.
  void report(const FlashGroup& group, FlashCompletion completion, std::uint8_t fail);
  /// ... and one page of it.
  void report_page(const FlashDescriptor& d, std::uint8_t bits, std::uint8_t fail,
                   FlashCompletion& completion) {
    completion.cookie = d.cookie;
    completion.status = bits;
    completion.result = (bits & fail) != 0 ? flash_result::fail : std::uint8_t{0};
    c_.rings.post(completion, known_at());
  }
  /// When all is known: at the last status byte. After that the bus turns round (tRHW).
  TimePs known_at() const { return c_.bus.tenure().planes[c_.bus.tenure().plane_count - 1].end; }

 private:
  void suspend_for_reads(DieQueue& die, TimePs at);
};

} // namespace twinplane::hw
