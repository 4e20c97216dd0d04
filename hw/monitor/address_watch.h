// The address cycles as a monitor sees them: where a command goes, and whether it may go there now.
#pragma once

#include "hw/monitor/array_watch.h"
#include "hw/monitor/target_state.h"

namespace twinplane::hw {

class AddressWatch {
 public:
  AddressWatch(TargetState& state, ArrayWatch& array) : s_(state), array_(array) {}

  void on_address(const OnfiPhase& phase);

 private:
  std::uint32_t cycles(AddressShape shape) const;
  void complete(const OnfiPhase& phase);
  void address_operation(const OnfiPhase& phase);
  bool may_operate(const BusPlace& place, TimePs at);
  void check_fresh_operation(LunWatch& lun, const BusPlace& place, TimePs at);
  bool joins_queue(const BusPlace& place, TimePs at);
  void address_load(const OnfiPhase& phase);
  void change_row(const BusPlace& place, const OnfiPhase& phase);
  void reopen_or_copy(const BusPlace& place, const OnfiPhase& phase);
  bool takes_copyback(const BusPlace& place);
  void address_column(const OnfiPhase& phase);
  void address_lun_feature(const OnfiPhase& phase);
  void address_row(const OnfiPhase& phase);
  void address_target(const OnfiPhase& phase);

  TargetState& s_;
  ArrayWatch& array_;
};

} // namespace twinplane::hw
