// Suspends a program or erase (84h, 61h) for reads that wait for its die, runs them, and resumes it (13h,
// D2h).
//
// A read passes the operation that runs, and what waits behind it, unless one of them works on the
// read's block: the die allows no read of a block with a suspended operation, and a page that is still
// to be programmed must not be read before.
#pragma once

#include <vector>

#include "hw/controller/sequences/status_sequence.h"

namespace twinplane::hw {

class SuspendSequence final : public OpSequence {
 public:
  explicit SuspendSequence(const SequenceContext& context)
      : OpSequence(context), interrupted_(context.config.geometry.dies_per_channel()) {}

  /// A group is behind the head, which is at `sequence` and waits for its result: suspends it when a read may pass
  /// and the policy allows it.
  void consider(StatusSequence& sequence, DieQueue& die, TimePs at) {
    if (c_.config.suspend.enabled) suspend_for_reads(sequence, die, at);
  }
  /// A read behind `operation` may pass it, and there are suspends.
  bool read_waits(FlashGroup& operation) const {
    return c_.config.suspend.enabled && before_passing_read(operation) != nullptr;
  }

  /// The suspended operation is at the head of the list: moves the next read that may pass it to the front, or
  /// resumes it.
  void begin(DieQueue& die, TimePs at) override;
  TimePs tenure(DieQueue& die, TimePs at) override;
  StepPower power(const DieQueue& die, TimePs at) override;

 private:
  enum Step : std::uint8_t { suspend, status, resume };
  struct Interrupted {
    StatusSequence* sequence = nullptr;
    TimePs array_done = 0;        // array time that the operation has had
    std::uint32_t reads_left = 0; // until it is resumed
  };

  void suspend_for_reads(StatusSequence& sequence, DieQueue& die, TimePs at);
  bool passes(const FlashGroup& operation, const FlashGroup& read) const;
  FlashGroup* before_passing_read(FlashGroup& operation) const;
  void send_suspend(DieQueue& die, TimePs at);
  TimePs judge_suspend(DieQueue& die, TimePs at);
  void send_resume(DieQueue& die, TimePs at);

  std::vector<Interrupted> interrupted_; // by die
};

} // namespace twinplane::hw
