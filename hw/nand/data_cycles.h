// The data cycles: page registers, status bytes, and what the target's registers take or answer.
#pragma once

#include "hw/nand/decoder_state.h"
#include "hw/nand/register_cycles.h"

namespace twinplane::hw {

class DataCycles {
 public:
  DataCycles(DecoderState& state, RegisterCycles& registers) : s_(state), registers_(registers) {}

  void on_data_in(const OnfiPhase& phase);
  void on_data_out(OnfiPhase& phase);

 private:
  void status_out(OnfiPhase& phase) const;
  void page_out(OnfiPhase& phase);
  void words_out(const PageRegister* page, OnfiPhase& phase) const;

  DecoderState& s_;
  RegisterCycles& registers_;
};

} // namespace twinplane::hw
