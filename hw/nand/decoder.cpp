#include "hw/nand/decoder.h"

namespace twinplane::hw {

void Decoder::power_on() {
  state_.power_on();
  registers_.power_on();
}

void Decoder::run(OnfiTenure& tenure) {
  state_.target.context.request_tag = tenure.request_tag;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    OnfiPhase& phase = tenure.phases[i];
    switch (phase.kind) {
      case PhaseKind::command:
        commands_.on_command(phase);
        break;
      case PhaseKind::address:
        addresses_.on_address(phase);
        break;
      case PhaseKind::data_in:
        data_.on_data_in(phase);
        break;
      case PhaseKind::data_out:
        data_.on_data_out(phase);
        break;
    }
  }
  announce_ready(tenure);
  if (!state_.retimed) return;
  tenure.new_timing = &state_.target.context.bus;
  state_.retimed = false;
}

} // namespace twinplane::hw
