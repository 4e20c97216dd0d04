// The data cycles: page registers, status, ID, parameter page and features.
#include <optional>

#include "hw/nand/decoder.h"

namespace twinplane::hw {

void Decoder::on_data_in(const OnfiPhase& phase) {
  if (input_ == Input::features) {
    store_feature(phase);
    return;
  }
  if (input_ == Input::odt) {
    input_ = Input::none;
    return;
  }
  if (operation_.stage == Stage::refused) return;
  if (operation_.kind != ArrayKind::program ||
      (operation_.stage != Stage::addressed && operation_.stage != Stage::loaded)) {
    refuse(Rule::protocol, "expected data in after 80h and a page address", phase);
    return;
  }
  die().data_in(face_, operation_.at.place.plane, phase.sector_mask, phase.sectors, phase.oob);
  operation_.stage = Stage::loaded;
}

void Decoder::store_feature(const OnfiPhase& phase) {
  input_ = Input::none;
  TargetRegisters::Parameters* parameters = target_.registers.feature(register_address_);
  const std::uint32_t copies = target_.context.bus.ddr ? 2 : 1;
  if (parameters == nullptr || phase.data == nullptr || phase.bytes != parameters->size() * copies) {
    refuse(Rule::protocol, "expected EFh with a known feature address and four parameters", phase);
    return;
  }
  TargetRegisters::Parameters values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = phase.data[i * copies];
  if (register_address_ == onfi::feature::read_retry) {
    if (values[0] >= kReadLevels)
      return refuse(Rule::bad_address, "expected a read level of this part", phase);
    target_.context.read_level = values[0];
  }
  if (register_address_ == onfi::feature::timing_mode && target_.registers.has_timing_modes()) {
    const std::optional<BusTiming> timing = target_.registers.timing_of(values[0]);
    if (!timing) return refuse(Rule::bad_address, "expected a timing mode of this part", phase);
    if (timed()) switch_timing(*timing);
  }
  *parameters = values;
  occupy_target(phase, target_.context.config.array.tFEAT);
}

void Decoder::on_data_out(OnfiPhase& phase) {
  if (waiting_ == Action::open_read) output_ = Output::page; // 00h without address: back to data output
  waiting_ = Action::unknown;
  const bool status = output_ == Output::status || output_ == Output::status_enhanced;
  if (!status && (output_ == Output::page ? output_is_busy_at(phase.start) : lun_is_busy_at(phase.start))) {
    refuse(Rule::busy, "expected data out of a ready LUN", phase);
    if (phase.oob != nullptr) *phase.oob = kBlankOob;
    return;
  }
  if (output_ == Output::page) {
    if (operation_.stage == Stage::open) operation_.stage = Stage::closed;
    page_out(phase);
    return;
  }
  if (output_ == Output::none || phase.data == nullptr) {
    refuse(Rule::protocol, "expected data out after a command that has an answer", phase);
    return;
  }
  for (std::uint32_t i = 0; i < phase.bytes; ++i)
    phase.data[i] = output_byte(output_offset_ + i, phase.start);
  output_offset_ += phase.bytes;
}

void Decoder::page_out(OnfiPhase& phase) {
  std::uint64_t oob = kBlankOob;
  if (die().plane_undefined(face_) && operation_.stage != Stage::refused) {
    refuse(Rule::protocol, "expected 06h to select a plane after a multi-plane read", phase);
    phase.corrupt = true;
  } else if (die().readable(face_, die().selected_plane(face_))) {
    const PageRegister& page = die().data_out(face_, phase.sector_mask, phase.sectors);
    phase.blank = page.blank;
    phase.corrupt = page.corrupt;
    if (page.noise) phase.errors = die().raw_errors(page, phase.sector_mask);
    oob = page.oob;
  } else if (operation_.stage != Stage::refused) {
    refuse(Rule::protocol, "expected data out after a read of this plane", phase);
  }
  if (phase.oob != nullptr) *phase.oob = oob;
}

std::uint8_t Decoder::output_byte(std::uint32_t offset, TimePs at) {
  const std::uint32_t single = target_.context.bus.ddr ? offset / 2 : offset;
  switch (output_) {
    case Output::status:
      return die().status(face_, at);
    case Output::status_enhanced:
      return die().status(face_, at, 1u << status_plane_);
    case Output::id:
      return target_.registers.id(register_address_, single);
    case Output::parameter_page: {
      const auto& page = target_.registers.parameter_page();
      return offset < page.size() ? page[offset] : std::uint8_t{0};
    }
    case Output::unique_id:
      return target_.registers.unique_id(offset);
    case Output::features: {
      const TargetRegisters::Parameters* p = target_.registers.feature(register_address_);
      return p != nullptr && single < p->size() ? (*p)[single] : std::uint8_t{0};
    }
    case Output::none:
    case Output::page:
      break;
  }
  return 0;
}

} // namespace twinplane::hw
