// Sequences without their cycles (OnfiTenure::planes): the usual case, in which every cycle is known to be
// accepted. They go straight to the die, with the calls that their cycles would have led to and the same state
// left behind. What breaks a rule, or meets a die or a decoder that is not idle, takes the cycles to tell what
// happens.
#pragma once

#include "hw/nand/decoder_state.h"

namespace twinplane::hw {

class SequenceDecoder {
 public:
  explicit SequenceDecoder(DecoderState& state) : s_(state) {}

  /// False, with nothing done, when the cycles are needed.
  [[nodiscard]] bool run(OnfiTenure& tenure);

 private:
  bool can_operate(ArrayKind kind, const OnfiTenure& tenure) const;
  bool can_have_form(ArrayKind kind, const OnfiTenure& tenure, const DieAccess& access) const;
  bool busy_times_pass(const OnfiTenure& tenure) const;
  void load(const OnfiPlane& plane, std::uint32_t number);
  bool operate(const OnfiTenure& tenure);
  bool data_out(OnfiTenure& tenure);
  bool status(OnfiTenure& tenure);

  DecoderState& s_;
};

} // namespace twinplane::hw
