// The data cycles as a monitor sees them: pages, features, status bytes.
#pragma once

#include "hw/monitor/target_state.h"

namespace twinplane::hw {

class DataWatch {
 public:
  explicit DataWatch(TargetState& state) : s_(state) {}

  void on_data_in(const OnfiPhase& phase);
  void on_data_out(const OnfiPhase& phase);

 private:
  void take_feature(const OnfiPhase& phase);
  void check_status_byte(const OnfiPhase& phase);
  void check_page_out(const OnfiPhase& phase);

  TargetState& s_;
};

} // namespace twinplane::hw
