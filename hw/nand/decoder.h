// Command decoder of one target: a state machine over command, address and data cycles that turns the
// phases of a tenure into operations of its dies. One for each way of access.
//
// Rules of the sequences: a LUN that is busy accepts only 70h, 78h and resets; target commands (90h,
// ECh, EEh, EFh) need every LUN idle, D4h and D5h theirs. The planes of a multi-plane command follow each
// other without the same kind of operation of another LUN in between. A command that names another LUN (78h, 06h, F9h)
// may come inside an operation, whose data and confirm still go to the LUN of its address. One that makes that LUN busy
// (EEh, ECh, F9h, 84h) may come there, too; then data and confirm wait for R/B#, or are refused. The remaining cycles of a
// refused operation are ignored. The SLC prefix holds for one operation, all planes of it.
#pragma once

#include "hw/nand/cycles.h"
#include "hw/nand/decoder_state.h"
#include "hw/nand/sequence_decoder.h"

namespace twinplane::hw {

class Decoder {
 public:
  /// The target's dies must exist and stay where they are.
  Decoder(AccessMode mode, const Target& target) : state_(mode, target) {}
  Decoder(const Decoder&) = delete; // its parts share the state
  Decoder& operator=(const Decoder&) = delete;

  /// Decodes the phases at their times and sets the tenure's `ready_at` and responses.
  void run(OnfiTenure& tenure);
  /// Executes a sequence from its planes. False, with nothing done, when it takes the cycles to tell
  /// what happens.
  [[nodiscard]] bool run_sequence(OnfiTenure& tenure) {
    if (!sequences_.run(tenure)) return false;
    announce_ready(tenure);
    return true;
  }
  /// Forgets every cycle it has seen.
  void power_on();

 private:
  void announce_ready(OnfiTenure& tenure) const {
    const ArrayTimeline& timeline = state_.die->timeline();
    tenure.ready_at = state_.timed() ? timeline.busy_until() : 0;
    tenure.array_ready_at = state_.timed() ? timeline.array_busy_until() : 0;
    if (state_.timed() && timeline.has_plane_reads())
      tenure.plane_ready_at = timeline.plane_busy_until(state_.operation.at.place.plane);
  }

  DecoderState state_;
  RegisterCycles registers_{state_};
  CommandCycles commands_{state_, registers_};
  AddressCycles addresses_{state_, registers_};
  DataCycles data_{state_, registers_};
  SequenceDecoder sequences_{state_};
};

} // namespace twinplane::hw
