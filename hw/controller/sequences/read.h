// Reads: 00h-30h, then data out of one plane after the other. Data out becomes due when R/B# rises, so the bus
// serves other dies during tR.
#pragma once

#include "hw/controller/sequences/op_sequence.h"

namespace twinplane::hw {

class ReadSequence : public OpSequence {
 public:
  explicit ReadSequence(const SequenceContext& context) : OpSequence(context) {}

  bool accept(FlashGroup& group) override;
  void begin(DieQueue& die, TimePs at) override { want(die, command, TenureKind::read_command, at); }
  TimePs tenure(DieQueue& die, TimePs at) override;
  StepPower power(const DieQueue& die, TimePs at) override;

 protected:
  enum Step : std::uint8_t { command, poll, data_out, kSteps };

  /// Of one plane. True when it was the last one.
  bool move_page(DieQueue& die, TimePs at);
};

/// With 31h and 3Fh.
std::unique_ptr<OpSequence> make_cache_reads(const SequenceContext& context);
/// Of planes that read independently. `alone`: reads that keep their die.
std::unique_ptr<OpSequence> make_plane_reads(const SequenceContext& context,
                                             std::unique_ptr<OpSequence> alone);

} // namespace twinplane::hw
