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

// --- what its parts share ---

void DecoderState::power_on() {
  operation = {};
  waiting = {};
  input = Input::none;
  output = Output::none;
  output_addressed = group_open = slc = retimed = false;
  queued_luns = status_plane = 0;
  select(0);
}

bool DecoderState::exists(const RowAddress& at, const OnfiPhase& phase) {
  const bool lun_exists = at.lun < rows.luns();
  if (lun_exists) select(at.lun);
  if (lun_exists && at.place.plane < rows.planes()) return true;
  refuse(Rule::bad_address, lun_exists ? "plane beyond the die" : "LUN beyond the package", phase, &at);
  return false;
}

std::uint32_t DecoderState::lun_of_queue(ArrayKind kind) const {
  for (std::uint32_t number = 0; number < rows.luns(); ++number) {
    if (access_of(number).queue.holds(kind)) return number;
  }
  return lun;
}

void DecoderState::refuse(Rule rule, const char* detail, const OnfiPhase& phase, const RowAddress* at) {
  Refusal refusal;
  refusal.rule = rule;
  refusal.detail = detail;
  refusal.time = timed() ? phase.start : 0;
  std::uint32_t planes = access->registers.all();
  if (at != nullptr) {
    refusal.plane = at->place.plane;
    refusal.block = at->place.block;
    refusal.page = at->place.page;
    if (at->place.plane < rows.planes()) planes = 1u << at->place.plane;
  }
  die->refuse(*access, planes, refusal);
}

} // namespace twinplane::hw
