#include "hw/pins/pin_channel.h"

#include <string>

#include "hw/nand/tenure_expansion.h"
#include "hw/spec/onfi_commands.h"

namespace twinplane::hw {

PinChannel::PinChannel(const sc_core::sc_module_name& name, const PinConfig& config)
    : ChannelBlock(name, config.chips),
      pins("pins", config.chips),
      config_(config),
      transactor_("transactor", pins, config) {
  in.bind(*this);
  for (std::uint32_t chip = 0; chip < config.chips; ++chip) {
    wires_.push_back(std::make_unique<Wire>(("wire" + std::to_string(chip)).c_str(), chips[chip]));
    transactor_.chips[chip].bind(wires_.back()->socket);
  }
  transactor_.attach(*this);
}

void PinChannel::attach(BusObserver& observer) {
  observers_.push_back(&observer);
  transactor_.attach(observer);
}

void PinChannel::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
}

unsigned PinChannel::transport_dbg(tlm::tlm_generic_payload& payload) {
  auto* tenure = payload.get_extension<OnfiTenure>();
  const auto chip = static_cast<std::uint32_t>(payload.get_address());
  const bool good = tenure != nullptr && tenure->well_formed();
  if (!good || chip >= config_.chips) {
    payload.set_response_status(good ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
    return 0;
  }
  if (tenure->sequence != Sequence::raw) expand(*tenure, config_.bus.ddr); // observers look at phases
  const unsigned done = chips[chip]->transport_dbg(payload);
  for (BusObserver* observer : observers_) observer->on_functional(config_.channel, chip, *tenure);
  return done;
}

/// Each phase is charged with the time since the one before; what follows the last one belongs to it.
void PinChannel::on_tenure(std::uint32_t, std::uint32_t, const OnfiTenure& tenure, TimePs start, TimePs end) {
  bool status = false;
  TimePs* use = &statistics_.use[static_cast<std::size_t>(BusUse::command)];
  TimePs before = start;
  for (std::uint32_t i = 0; i < tenure.phase_count; ++i) {
    const OnfiPhase& phase = tenure.phases[i];
    if (phase.kind == PhaseKind::command) {
      status =
          phase.opcode == onfi::opcode::read_status || phase.opcode == onfi::opcode::read_status_enhanced;
    }
    use =
        &statistics_.use[static_cast<std::size_t>(status ? BusUse::status : static_cast<BusUse>(phase.kind))];
    *use += phase.end - before;
    before = phase.end;
  }
  *use += end - before;
  ++statistics_.tenures;
  statistics_.busy += end - start;
}

} // namespace twinplane::hw
