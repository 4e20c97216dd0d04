// The command cycles: what must have come before each, and what it starts.
#pragma once

#include "hw/nand/decoder_state.h"
#include "hw/nand/register_cycles.h"

namespace twinplane::hw {

class CommandCycles {
 public:
  CommandCycles(DecoderState& state, RegisterCycles& registers) : s_(state), registers_(registers) {}

  void on_command(const OnfiPhase& phase);

 private:
  void start(const CommandRow& row, const OnfiPhase& phase);
  bool keep_answer(Action action);
  bool ready_for(const CommandRow& row) const;
  void refuse_command(const CommandRow& row, const OnfiPhase& phase);
  void take_prefix(bool slc, const OnfiPhase& phase);
  void open(ArrayKind kind, const OnfiPhase& phase);
  void queue_plane(const OnfiPhase& phase);
  void launch(const OnfiPhase& phase, bool cache);
  void load(const OnfiPhase& phase);
  void read_cache(Action action, const OnfiPhase& phase);
  void reset_target(const OnfiPhase& phase);

  DecoderState& s_;
  RegisterCycles& registers_;
};

} // namespace twinplane::hw
