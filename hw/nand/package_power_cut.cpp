// A power cut of a package: what is on the bus when the supply fails, and what its target forgets.
#include "hw/core/block_error.h"
#include "hw/nand/package.h"
#include "hw/nand/tenure_expansion.h"

namespace twinplane::hw {

void PackageBlock::announce_power_cut(TimePs /*at*/) {
  report_unable(name(), "a power cut");
}

void PackageBlock::cut_power() {
  report_unable(name(), "a power cut");
}

/// The phases that come before the cut. A cycle counts when its effect, tWB behind its end, does: what begins
/// at the cut has not begun. Data out and status need no such care, for they leave nothing in the cells.
void Package::execute_before_cut(tlm::tlm_generic_payload& payload) {
  auto* const tenure = payload.get_extension<OnfiTenure>();
  const TimePs tWB = context_.bus.tWB;
  const auto before = [&](TimePs end) { return end + tWB < context_.power_cut_at; };
  if (tenure == nullptr) {
    execute(Face::bus, payload);
    return;
  }
  const bool short_form = tenure->sequence != Sequence::raw && tenure->phase_count == 0;
  if (short_form) {
    const bool outputs = tenure->sequence == Sequence::data_out || tenure->sequence == Sequence::status;
    if (outputs || before(tenure->planes[tenure->plane_count - 1].end)) {
      execute(Face::bus, payload);
    } else {
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    return;
  }
  const std::uint32_t all = tenure->phase_count;
  std::uint32_t count = 0;
  while (count < all && before(tenure->phases[count].end)) ++count;
  if (count == all) {
    execute(Face::bus, payload);
    return;
  }
  tenure->phase_count = count;
  decoders_[static_cast<std::size_t>(Face::bus)].run(*tenure);
  tenure->phase_count = all;
  collect(*tenure);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Package::cut_power() {
  if (context_.power_cut_at == kNever) {
    report_unable(name(), "a power cut that nobody has announced");
    return;
  }
  for (Die& die : dies_) die.cut_power(context_.power_cut_at);
  registers_.power_on(config_);
  context_.bus = config_.bus;
  for (Decoder& decoder : decoders_) decoder.power_on();
  context_.power_cut_at = kNever;
}

} // namespace twinplane::hw
