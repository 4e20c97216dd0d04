// The data cycles: page registers, status, ID, parameter page and features.
#include <optional>

#include "hw/nand/decoder.h"

namespace twinplane::hw {

void Decoder::on_data_in(const OnfiPhase& phase) {
  if (input_ == Input::features || input_ == Input::lun_features) {
    store_feature(phase, input_ == Input::lun_features);
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
  if (phase.words != nullptr) die().words_in(face_, operation_.at.place.plane, phase.words);
  if (phase.lost != 0) die().mark_lost(face_, operation_.at.place.plane, phase.lost);
  operation_.stage = Stage::loaded;
}

/// Of one LUN, or of all of them.
void Decoder::store_feature(const OnfiPhase& phase, bool of_lun) {
  input_ = Input::none;
  const TargetRegisters& registers = target_.registers;
  const std::uint32_t copies = target_.context.bus.ddr ? 2 : 1;
  TargetRegisters::Parameters values{};
  if (phase.data == nullptr || phase.bytes != values.size() * copies) {
    refuse(Rule::protocol, "expected a feature address and four parameters", phase);
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = phase.data[i * copies];
  const bool level = register_address_ == onfi::feature::read_retry;
  if (level && values[0] >= kReadLevels) {
    return refuse(Rule::bad_address, "expected a read level of this part", phase);
  }
  if (register_address_ == onfi::feature::timing_mode && registers.has_timing_modes()) {
    const std::optional<BusTiming> timing = registers.timing_of(values[0]);
    if (!timing) return refuse(Rule::bad_address, "expected a timing mode of this part", phase);
    if (timed()) switch_timing(*timing);
  }
  for (std::uint32_t lun = of_lun ? feature_lun_ : 0; lun < (of_lun ? feature_lun_ + 1 : luns_); ++lun) {
    *target_.registers.feature(lun, register_address_) = values;
    if (level) target_.dies[lun].set_read_level(values[0]);
    if (timed()) target_.dies[lun].occupy(array_start(phase.end), target_.context.config.array.tFEAT);
  }
}

void Decoder::on_data_out(OnfiPhase& phase) {
  if (waiting_ == Action::open_read) { // 00h without address: back to data output
    output_ = input_ == Input::answer ? answer_ : Output::page;
    input_ = Input::none;
    if (output_ != Output::page && operation_.stage == Stage::open) operation_.stage = Stage::closed;
  }
  waiting_ = Action::unknown;
  const bool status = output_ == Output::status || output_ == Output::status_enhanced;
  if (!status && (output_ == Output::page ? output_is_busy_at(phase.start) : lun_is_busy_at(phase.start))) {
    refuse(Rule::busy, "expected data out of a ready LUN", phase);
    if (phase.oob != nullptr) *phase.oob = kBlankOob;
    if (phase.words != nullptr) die().words_out(nullptr, phase.words);
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
  if (!status) output_offset_ += phase.bytes;
}

void Decoder::page_out(OnfiPhase& phase) {
  const PageRegister* page = nullptr;
  if (die().plane_undefined(face_) && operation_.stage != Stage::refused) {
    refuse(Rule::protocol, "expected 06h to select a plane after a multi-plane read", phase);
    phase.corrupt = true;
  } else if (die().readable(face_, die().selected_plane(face_))) {
    page = &die().data_out(face_, phase.sector_mask, phase.sectors);
    phase.blank = page->blank;
    phase.corrupt = page->corrupt;
    phase.lost = page->lost;
    if (page->noise) phase.errors = die().raw_errors(*page, phase.sector_mask, phase.sectors);
  } else if (operation_.stage != Stage::refused) {
    refuse(Rule::protocol, "expected data out after a read of this plane", phase);
  }
  if (phase.oob != nullptr) *phase.oob = page == nullptr ? kBlankOob : page->oob;
  if (phase.words != nullptr) die().words_out(page, phase.words);
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
      const TargetRegisters::Parameters* p = target_.registers.feature(feature_lun_, register_address_);
      return p != nullptr && single < p->size() ? (*p)[single] : std::uint8_t{0};
    }
    case Output::none:
    case Output::page:
      break;
  }
  return 0;
}

} // namespace twinplane::hw
