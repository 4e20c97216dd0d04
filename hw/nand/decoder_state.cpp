#include "hw/nand/decoder_state.h"

namespace twinplane::hw {

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
