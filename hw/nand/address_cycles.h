// The address cycles: which LUN, plane, block and page a command is for, and whether it may come now.
#pragma once

#include "hw/nand/decoder_state.h"
#include "hw/nand/register_cycles.h"

namespace twinplane::hw {

class AddressCycles {
 public:
  AddressCycles(DecoderState& state, RegisterCycles& registers) : s_(state), registers_(registers) {}

  void on_address(const OnfiPhase& phase);

 private:
  bool fits(Action action, std::uint32_t address_cycles) const;
  void complete(Action action, const OnfiPhase& phase);
  void address_operation(const OnfiPhase& phase);
  bool may_operate(const OnfiPhase& phase);
  bool same_lun_as_queue(const OnfiPhase& phase);
  void address_write(const OnfiPhase& phase);
  void begin_write(const RowAddress& at, const OnfiPhase& phase);
  void change_row(const RowAddress& at, const OnfiPhase& phase);
  bool column_exists(const OnfiPhase& phase);
  void address_output(Action action, const OnfiPhase& phase);
  void address_status(const OnfiPhase& phase);
  void calibrate(Action action, const OnfiPhase& phase);
  void reset_lun(const OnfiPhase& phase);
  void address_suspended(Action action, const OnfiPhase& phase);

  DecoderState& s_;
  RegisterCycles& registers_;
};

} // namespace twinplane::hw
